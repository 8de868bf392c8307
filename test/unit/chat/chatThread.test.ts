import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { ChatThread } from '../../../src/chat/chatThread.ts';
import type { EditsOfAgent } from '../../../src/chat/editsOfAgent.ts';
import type { ReviewEdit } from '../../../src/agent/editReview.ts';
import type { Surface } from '../../../src/chat/surface.ts';
import { ChildProcesses } from '../../../src/server/childProcesses.ts';
import type { HeldWith } from '../../../src/chat/picks.ts';
import type { AgentOptions } from '../../../src/agent/options.ts';
import { until } from '../../support/until.ts';

/** Speaks for the CLI: ends the turn that runs when it is told another model or to stop, tells its arguments, and asks to write what a prompt names. */
const fakeCli = `
  const say = (message) => console.log(JSON.stringify(message));
  const image = { type: 'image', source: { data: 'AAAA' } };
  const picture = { type: 'tool_result', tool_use_id: 't', content: [image] };
  require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, request_id, request, message } = JSON.parse(line);
    const [, file_path] = /^write (.*)/.exec(message?.content[0].text) ?? [];
    if (file_path) {
      const input = { file_path, content: 'plum' };
      say({ type: 'control_request', request_id: 'w', request: { subtype: 'can_use_tool', tool_name: 'Write', input } });
    }
    if (type === 'control_request') {
      say({ type: 'control_response', response: { subtype: 'success', request_id, response: { args: process.argv } } });
      if (request.model === 'compacted') say({ type: 'system', subtype: 'compact_boundary' });
      if (request.model === 'approved') say({ type: 'system', subtype: 'status', permissionMode: 'acceptEdits' });
      if (request.model === 'painter') say({ type: 'user', message: { content: [picture] } });
      const stopped = [{ type: 'text', text: '[Request interrupted by user]' }];
      if (request.subtype === 'interrupt') say({ type: 'user', message: { content: stopped } });
      if (['set_model', 'interrupt'].includes(request.subtype)) say({ type: 'result', subtype: 'success' });
    }
  });`;

describe('a thread of the chat', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ide-bridge-thread-'));
  const silent = () => {};
  const token = {
    onCancellationRequested: () => ({ dispose: silent }),
  } as unknown as vscode.CancellationToken;
  function cancellable(): { token: vscode.CancellationToken; cancel(): void } {
    let cancel = silent;
    const onCancellationRequested = (listener: () => void) => {
      cancel = listener;
      return { dispose: silent };
    };
    return {
      token: { onCancellationRequested } as unknown as vscode.CancellationToken,
      cancel: () => cancel(),
    };
  }
  const surface = () => ({
    markdown: silent,
    quote: silent,
    file: silent,
    output: silent,
    progress: silent,
    buttons: silent,
  });
  const invocation = (name: string) => name as unknown as vscode.ChatParticipantToolToken;
  const cli = {
    path: process.execPath,
    program: process.execPath,
    programArgs: ['-e', fakeCli, '--'],
    programEnv: {},
    version: '2.1.0',
    flags: new Set(['--model', '--permission-mode']),
    stamp: '',
  };
  const options = {
    folders: [folder],
    mode: 'default',
    mayBypass: false,
    env: { CLAUDE_CONFIG_DIR: folder },
  } as const;
  let thread: ChatThread;
  /** Prompts of turns that have begun. */
  const begun: string[] = [];
  /** A diff that waits until it is withdrawn. */
  const reviewer =
    (surface: () => Surface | undefined): ReviewEdit =>
    (_edit, signal) =>
      new Promise((resolve) => {
        surface()?.markdown('Proposed.');
        signal.addEventListener('abort', async () => {
          await Promise.resolve();
          surface()?.markdown('Withdrawn.');
          resolve({ kind: 'rejected', reason: '' });
        });
      });
  const edits = {
    hooks: undefined,
    reviewer,
    decided: silent,
    beginTurn: (prompt: string) => void begun.push(prompt),
  };

  const begin = (resume?: string, held: HeldWith = { picks: {} }, wanted: AgentOptions = options) =>
    new ChatThread(
      {
        processes: new ChildProcesses(() => true, 30_000),
        log: { trace: silent, info: silent, warn: silent, error: silent },
      },
      edits as unknown as EditsOfAgent,
      () => () => Promise.resolve({ kind: 'deny', reason: '' }),
      cli,
      wanted,
      held,
      { remedies: () => [], review: () => Promise.resolve(undefined) },
      resume,
      () => Promise.resolve({ count: 2, bytes: 1_000 }),
    );

  before(() => {
    thread = begin();
  });

  after(() => {
    thread.dispose();
    rmSync(folder, { recursive: true });
  });

  it('has tools ask in the request whose turn runs, and in none before, between or after', async () => {
    assert.equal(thread.invocation, undefined);
    const first = thread.turn({ text: 'one', images: [] }, surface(), token, invocation('first'));
    const second = thread.turn({ text: 'two', images: [] }, surface(), token, invocation('second'));
    await until('the first turn', () => thread.state === 'running');
    assert.equal(thread.invocation, 'first');
    await thread.useModel('a');
    await first;
    assert.equal(thread.state, 'running');
    assert.equal(thread.invocation, 'second');
    await thread.useModel('b');
    await second;
    assert.equal(thread.invocation, undefined);
  });

  it('has them ask nowhere while a request waits for the CLI to start', async () => {
    thread.stop();
    await until('the process to end', () => thread.state === 'none');
    const turn = thread.turn({ text: 'three', images: [] }, surface(), token, invocation('third'));
    await until('the start', () => thread.state === 'starting');
    assert.equal(thread.invocation, undefined);
    await until('the turn', () => thread.state === 'running');
    assert.equal(thread.invocation, 'third');
    await thread.useModel('c');
    await turn;
  });

  it('knows which images each request has by now, until they are compacted away', async () => {
    const say = async (text: string, sizes: readonly number[]) => {
      const images = sizes.map((size) => ({ mediaType: 'image/gif', bytes: new Uint8Array(size) }));
      const turn = thread.turn({ text, images }, surface(), token, invocation('images'));
      await until('the turn', () => thread.state === 'running');
      await thread.useModel(text);
      await turn;
    };
    await say('two', [10, 20]);
    await say('one more', [5]);
    assert.deepEqual(await thread.images(), { count: 5, bytes: 1_035 });
    await say('/compact all', []);
    assert.deepEqual(await thread.images(), { count: 0, bytes: 0 });
  });

  it('knows that the CLI has compacted them away by itself', async () => {
    const say = async (model: string, size: number) => {
      const images = [{ mediaType: 'image/gif', bytes: new Uint8Array(size) }];
      const turn = thread.turn({ text: 'go on', images }, surface(), token, invocation('images'));
      await until('the turn', () => thread.state === 'running');
      await thread.useModel(model);
      await turn;
    };
    await say('as before', 10);
    await say('compacted', 5);
    assert.deepEqual(await thread.images(), { count: 1, bytes: 5 });
    await say('as before, again', 7);
    assert.deepEqual(await thread.images(), { count: 2, bytes: 12 });
  });

  it('sends nothing of a request that was cancelled before its turn', async () => {
    const cancelled = {
      isCancellationRequested: true,
      onCancellationRequested: () => ({ dispose: silent }),
    } as unknown as vscode.CancellationToken;
    const before = thread.state;
    const turn = thread.turn({ text: 'no', images: [] }, surface(), cancelled, invocation('cancelled'));
    await new Promise(setImmediate);
    assert.equal(thread.state, before);
    assert.deepEqual(await turn, []);
  });

  it('does not stop the next turn when a request is cancelled whose own has ended', async () => {
    const late = cancellable();
    const first = thread.turn({ text: 'one', images: [] }, surface(), late.token, invocation('first'));
    const second = thread.turn({ text: 'two', images: [] }, surface(), token, invocation('second'));
    await until('the first turn', () => thread.invocation === 'first');
    const listening = thread.onDidChangeState(() =>
      queueMicrotask(() => {
        if (thread.invocation === 'second') {
          listening.dispose();
          late.cancel();
        }
      }),
    );
    await thread.useModel('d');
    await first;
    await thread.request('anything'); // by then it would have stopped
    assert.equal(thread.state, 'running');
    await thread.useModel('e');
    await second;
  });

  /** With which its next process is started, by a turn that asks for nothing. */
  const argsOfNext = async (changed: object): Promise<string[]> => {
    thread.configure(cli, { ...options, ...changed });
    const turn = thread.turn({ text: 'go on', images: [] }, surface(), token, invocation('next'));
    await until('the turn', () => thread.invocation === 'next');
    const { args } = (await thread.request('anything')) as { args: string[] };
    await thread.request('interrupt');
    await turn;
    return args;
  };

  it('goes on with the model of the editor’s picker when other settings start it anew', async () => {
    await thread.useModel('plum');
    assert.ok((await argsOfNext({ systemPrompt: 'one' })).includes('--model=plum'));
    await thread.pick('model', 'pear'); // the newest holds
    await thread.useModel('plum');
    assert.ok((await argsOfNext({ systemPrompt: 'two' })).includes('--model=pear'));
  });

  it('goes on in the mode of a plan that was approved when other settings start it anew, until a newer one is set', async () => {
    const approve = async () => {
      const turn = thread.turn({ text: 'go on', images: [] }, surface(), token, invocation('plan'));
      await until('the turn', () => thread.invocation === 'plan');
      await thread.useModel('approved');
      await turn;
      await thread.useModel('another');
    };
    await approve();
    assert.ok((await argsOfNext({ systemPrompt: 'three' })).includes('--permission-mode=acceptEdits'));
    assert.ok((await argsOfNext({ mode: 'dontAsk' })).includes('--permission-mode=dontAsk'));
    await thread.pick('mode', 'plan');
    await approve();
    assert.ok(
      (await argsOfNext({ systemPrompt: 'four', mode: 'default' })).includes('--permission-mode=acceptEdits'),
    );
    await thread.pick('mode', 'plan');
    assert.ok((await argsOfNext({ systemPrompt: 'five' })).includes('--permission-mode=plan'));
  });

  it('counts the images that tools have found with those of prompts, until they are cleared away', async () => {
    const say = async (text: string, model: string) => {
      const turn = thread.turn({ text, images: [] }, surface(), token, invocation('found'));
      await until('the turn', () => thread.invocation === 'found');
      await thread.useModel(model);
      await turn;
      return thread.images();
    };
    const { count, bytes } = await thread.images();
    assert.deepEqual(await say('paint', 'painter'), { count: count + 1, bytes: bytes + 3 });
    assert.deepEqual(await say('/clear', 'none'), { count: 0, bytes: 0 });
    assert.deepEqual(await say('paint again', 'painter'), { count: 1, bytes: 3 });
    assert.deepEqual(await say('/compact', 'compacted'), { count: 0, bytes: 0 });
  });

  it('begins a turn when its prompt is sent, not while that waits', async () => {
    begun.length = 0;
    const first = thread.turn({ text: 'one', images: [] }, surface(), token, invocation('first'));
    const second = thread.turn({ text: 'two', images: [] }, surface(), token, invocation('second'));
    await until('the first turn', () => thread.invocation === 'first');
    assert.deepEqual(begun, ['one']);
    await thread.useModel('begins');
    await first;
    assert.deepEqual(begun, ['one', 'two']);
    await thread.useModel('begins another');
    await second;
  });

  it('says of a diff that was withdrawn by an interruption so in its answer, not in the next', async () => {
    const [said, saidNext]: [string[], string[]] = [[], []];
    const telling = (words: string[]) => ({
      ...surface(),
      markdown: (text: string) => void (/Proposed|Withdrawn/.test(text) && words.push(text)),
    });
    const stopped = cancellable();
    const prompt = { text: `write ${join(folder, 'plum.txt')}`, images: [] };
    const first = thread.turn(prompt, telling(said), stopped.token, invocation('first'));
    const second = thread.turn({ text: 'two', images: [] }, telling(saidNext), token, invocation('second'));
    await until('the diff', () => said.length > 0);
    stopped.cancel();
    await first;
    await thread.useModel('after it');
    await second;
    assert.deepEqual([said, saidNext], [['Proposed.', 'Withdrawn.'], []]);
  });

  it('still counts the images of a conversation that was not compacted, as the user has stopped that', async () => {
    const images = [{ mediaType: 'image/gif', bytes: new Uint8Array(9) }];
    const say = async (text: string, isStopped: boolean) => {
      const turn = thread.turn({ text, images }, surface(), token, invocation('stopped'));
      await until('the turn', () => thread.invocation === 'stopped');
      await (isStopped ? thread.request('interrupt') : thread.useModel(text));
      await turn;
      return (await thread.images()).count;
    };
    const count = await say('look', false);
    assert.equal(await say('/compact', true), count + 1);
  });

  it('says in a sentence why nothing was sent', async () => {
    const said = async () => {
      const words: string[] = [];
      const telling = { ...surface(), markdown: (text: string) => void words.push(text) };
      const next = await thread.turn({ text: 'no', images: [] }, telling, token, invocation('none'));
      assert.deepEqual(next, []);
      return words.join('');
    };
    thread.dispose();
    assert.match(await said(), /The prompt was not sent: This agent session has ended/);
  });
});
