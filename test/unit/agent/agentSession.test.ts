import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AgentSession, type InProcessServer } from '../../../src/agent/agentSession.ts';
import type { Item } from '../../../src/agent/items.ts';
import { ChildProcesses } from '../../../src/server/childProcesses.ts';
import { isAlive } from '../../../src/server/processes.ts';
import { until } from '../../support/until.ts';

/** Speaks as the CLI does, and runs each prompt as JavaScript: what no real one can be made to do. */
const program = `
const say = (json) => process.stdout.write(JSON.stringify(json) + '\\n');
const done = () => say({ type: 'result', subtype: 'success', is_error: false });
const tell = (text) => say({ type: 'assistant', message: { id: 'm', content: [{ type: 'text', text }] } });
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, request_id, message } = JSON.parse(line);
  if (type === 'control_request')
    say({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  if (type === 'user') eval(message.content.at(-1).text);
}).on('close', () => process.exit());
`;

describe('An agent session goes on, whatever its CLI does', function () {
  this.timeout(30_000);
  const toEnd: number[] = [];
  let root: string;
  let session: AgentSession;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'ide-bridge-session-'));
    session = sessionIn(path.join(root, 'ws'));
  });

  afterEach(async () => {
    await session.dispose();
    toEnd.splice(0).forEach((pid) => process.kill(pid, 'SIGKILL'));
    rmSync(root, { recursive: true, force: true });
  });

  function sessionIn(folder: string, servers: Readonly<Record<string, InProcessServer>> = {}): AgentSession {
    mkdirSync(folder, { recursive: true });
    const script = path.join(root, 'claude.cjs');
    writeFileSync(script, program);
    const quiet = () => {};
    return new AgentSession(
      {
        processes: new ChildProcesses(() => true),
        log: { trace: quiet, info: quiet, warn: quiet, error: quiet },
        ask: () => Promise.resolve({ kind: 'allow' }),
        servers,
      },
      {
        path: script,
        program: process.execPath,
        programArgs: [script],
        programEnv: {},
        version: '2.1.330',
        flags: new Set(),
        stamp: '',
      },
      { folders: [folder], mode: 'default', mayBypass: false, env: { CLAUDE_CONFIG_DIR: root } },
    );
  }

  function errors(): Extract<Item, { kind: 'error' }>[] {
    return session.conversation.snapshot().items.flatMap((item) => (item.kind === 'error' ? [item] : []));
  }

  function said(): string[] {
    return session.conversation.snapshot().items.flatMap((item) => (item.kind === 'text' ? [item.text] : []));
  }

  const ended = () => until('the end of the process', () => session.state === 'none');

  async function answers(): Promise<void> {
    session.prompt('tell("still here"); done()');
    await until('an answer', () => said().includes('still here'));
  }

  it('be it half a line, and an end without a result', async () => {
    session.prompt('process.stdout.write(\'{"type":"resu\', () => process.exit(0))');
    await ended();
    assert.deepEqual(
      errors().map(({ cause, message, detail }) => [cause, message, detail]),
      [
        ['unreadable', 'Claude Code printed something that is no message.', '{"type":"resu'],
        ['ended', 'Claude Code has ended with code 0.', undefined],
      ],
    );
    await answers();
  });

  it('be it ten megabytes in a line, and then fifty', async () => {
    session.prompt('tell("x".repeat(10e6)); tell("y".repeat(50e6)); tell("after it"); done()');
    await until('the end of the turn', () => session.state === 'idle', 20_000);
    assert.deepEqual(
      said().map((text) => text.length),
      [10e6, 'after it'.length],
    );
    assert.equal(errors().length, 1);
  });

  it('be it so many lines of no message that they would fill the conversation', async () => {
    session.prompt('for (let i = 0; i < 2000; i++) console.log("loading", i); done()');
    await until('the end of the turn', () => session.state === 'idle');
    assert.ok(errors().length > 0 && errors().length <= 5, `${errors().length} errors`);
    await answers();
  });

  it('be it an end while something that it has started holds its pipes', async () => {
    session.prompt(`
      const { pid } = require('node:child_process').spawn('sleep', ['60'], { detached: true, stdio: 'inherit' });
      tell(String(pid));
      setTimeout(() => process.exit(3), 200)`);
    await ended();
    toEnd.push(...said().map(Number));
    assert.equal(errors()[0]?.message, 'Claude Code has ended with code 3.');
    await answers();
  });

  it('be it silence for ever, by a pipe that it closes though it lives on', async () => {
    session.prompt("require('node:fs').closeSync(1); setInterval(() => {}, 1000)");
    await until('its process', () => session.state === 'running');
    const { pid = 0 } = session;
    await ended();
    await until('its end', () => !isAlive(pid));
    assert.equal(errors()[0]?.cause, 'ended');
    await answers();
  });

  it('and says so when its folder is gone', async () => {
    rmSync(path.join(root, 'ws'), { recursive: true });
    session.prompt('done()');
    await until('the refusal', () => session.state === 'none' && errors().length === 1);
    assert.match(errors()[0]?.detail ?? '', /ws is no longer there\.$/);
    mkdirSync(path.join(root, 'ws'));
    await answers();
  });

  it('and ends what it has asked of this process, when it has gone', async () => {
    await session.dispose();
    let isAsked = false;
    let isAborted = false;
    session = sessionIn(path.join(root, 'ws'), {
      host: {
        handle: (_message, signal) => {
          isAsked = true;
          return new Promise((resolve) =>
            signal.addEventListener('abort', () => {
              isAborted = true;
              resolve({});
            }),
          );
        },
      },
    });
    const request = { subtype: 'mcp_message', server_name: 'host', message: { id: 1 } };
    session.prompt(`say(${JSON.stringify({ type: 'control_request', request_id: 'r', request })})`);
    await until('the call', () => isAsked);
    process.kill(session.pid ?? 0, 'SIGKILL');
    await until('its end', () => isAborted);
  });

  it('and says what it could not write down: in the turn that runs, or with the next prompt', async () => {
    const kinds = () =>
      session.conversation
        .snapshot()
        .items.flatMap((item) =>
          item.kind === 'prompt' ? [item.state] : item.kind === 'error' ? [item.cause, item.detail] : [],
        );
    const lost = (code: string) =>
      `say({ type: 'system', subtype: 'session_writes_lost', error_code: '${code}', lost: ['transcript'] });`;
    session.prompt(`${lost('ENOSPC')} done()`);
    await until('the end of the turn', () => session.state === 'idle');
    assert.deepEqual(kinds(), ['sent', 'notKept', 'The disk is full (ENOSPC).']);
    session.prompt(`process.stdin.prependListener('end', () => { ${lost('EIO')} }); done()`);
    await until('the end of the turn', () => session.state === 'idle');
    await session.stop();
    await ended();
    session.prompt('done()');
    await until(
      'the next turn, and what is said with it',
      () => session.state === 'idle' && kinds().includes('EIO'),
    );
    assert.deepEqual(kinds().slice(3), ['sent', 'sent', 'notKept', 'EIO']);
  });

  it('sends the prompt that waits where the turn before ends only with its process', async () => {
    session.prompt("process.stdin.prependListener('end', () => done()); tell('begun')");
    await until('the turn', () => said().includes('begun'));
    session.prompt('tell("second"); done()');
    await session.interrupt();
    await until('the second', () => said().includes('second'), 20_000);
  });

  it('takes no turn for interrupted that comes after one whose process has ended', async () => {
    const interrupted = {
      type: 'user',
      message: { content: [{ type: 'text', text: '[Request interrupted by user]' }] },
    };
    session.prompt(`say(${JSON.stringify(interrupted)}); setTimeout(() => process.exit(1), 100)`);
    await ended();
    session.prompt("say({ type: 'result', subtype: 'success', is_error: true, result: 'API Error: 529' })");
    await until('the error', () => errors().some(({ message }) => message.includes('529')));
  });

  it('hands on nothing that is asked once it has ended', async () => {
    await session.dispose();
    const handled: unknown[] = [];
    session = sessionIn(path.join(root, 'ws'), {
      host: { handle: (message) => Promise.resolve({ handled: handled.push(message) }) },
    });
    const request = { subtype: 'mcp_message', server_name: 'host', message: { id: 'late' } };
    const late = JSON.stringify({ type: 'control_request', request_id: 'r', request });
    session.prompt(`process.stdin.prependListener('end', () => say(${late})); tell('begun')`);
    await until('the turn', () => said().includes('begun'));
    await session.dispose();
    assert.deepEqual(handled, []);
  });
});
