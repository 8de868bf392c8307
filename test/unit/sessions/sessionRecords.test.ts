import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Emitter } from '../../../src/base/emitter.ts';
import { Session } from '../../../src/server/session.ts';
import { SessionRecords } from '../../../src/sessions/sessionRecords.ts';
import { ToolRegistry } from '../../../src/tools/registry.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { MemoryTransport } from '../../support/memoryTransport.ts';
import { RecordedCli } from '../../support/recordedCli.ts';
import { until } from '../../support/until.ts';

const serverInfo = { name: 'test', title: 'Test', version: '1.0.0' };
const cwd = '/home/user/project';

describe('the records of connected sessions', () => {
  let configDir: string;
  let isAllowed: boolean;
  let folder: string | undefined;
  let records: SessionRecords;
  let log: MemoryLog;
  const sessions = new Set<Session>();
  const identified = new Emitter<Session>();
  const used = new Emitter<Session>();
  const stateChanged = new Emitter<void>();

  beforeEach(() => {
    configDir = mkdtempSync(join(tmpdir(), 'session-records-'));
    isAllowed = true;
    folder = cwd;
    log = new MemoryLog();
    records = new SessionRecords(
      {
        sessions,
        onDidIdentify: identified.event,
        onDidUse: used.event,
        onDidChangeState: stateChanged.event,
      },
      { isAllowed: () => isAllowed, folderOf: () => folder, configDir, log },
    );
  });

  afterEach(() => {
    records.dispose();
    sessions.forEach((session) => session.dispose());
    sessions.clear();
    rmSync(configDir, { recursive: true, force: true });
  });

  async function connect(pid = process.pid, version = '2.1.330'): Promise<Session> {
    const transport = new MemoryTransport();
    const session = new Session(sessions.size + 1, transport, new ToolRegistry([], log), serverInfo, log);
    session.onDidIdentify(() => {
      sessions.add(session);
      identified.fire(session);
    });
    session.onDidClose(() => {
      sessions.delete(session);
      stateChanged.fire();
    });
    await transport.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'claude-code', version },
      },
    });
    await transport.receive({ jsonrpc: '2.0', method: 'notifications/initialized' });
    await transport.receive({ jsonrpc: '2.0', method: 'ide_connected', params: { pid } });
    return session;
  }

  const cliOf = (pid = process.pid) => new RecordedCli(configDir, cwd, pid);
  const status = (session: Session) => records.stateOf(session)?.status;
  const comesTo = (session: Session, expected: string | undefined) =>
    until(
      String(expected),
      () => status(session) === expected,
      5_000,
      () => status(session),
    );

  it('tell the state of a session from the moment at which it connects, and each that follows', async () => {
    const cli = cliOf();
    cli.prompt('mend it\nplease');
    cli.call('Bash', { command: 'npm test' });
    cli.is('waiting', 'permission prompt');
    const session = await connect();
    await comesTo(session, 'waiting');
    const state = records.stateOf(session);
    assert.equal(state?.status, 'waiting');
    assert.deepEqual(
      state.asks.map(({ name, input }) => [name, input]),
      [['Bash', { command: 'npm test' }]],
    );
    const recorded = records.of(session);
    assert.equal(recorded?.turn?.prompt, 'mend it\nplease');
    assert.equal(recorded.mode, 'default');
    assert.equal(recorded.model, 'mock-model');
    assert.equal(recorded.contextTokens, 1_234);
    assert.equal(recorded.source.known, 'session file and transcript');
    for (const [next, expected] of [
      ['busy', 'working'],
      ['idle', 'idle'],
    ] as const) {
      cli.is(next);
      await comesTo(session, expected);
    }
  });

  it('tell two sessions in one folder apart', async () => {
    const child: ChildProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(child, 'spawn');
    try {
      assert.ok(child.pid);
      cliOf().is('idle');
      cliOf(child.pid).is('busy');
      const [one, two] = [await connect(), await connect(child.pid)];
      await comesTo(one, 'idle');
      await comesTo(two, 'working');
    } finally {
      child.kill();
    }
  });

  it('follow a session to the conversation that it resumes', async () => {
    const cli = cliOf();
    cli.prompt('one');
    cli.is('idle');
    const session = await connect();
    await comesTo(session, 'idle');
    const other = cliOf();
    other.prompt('two');
    other.is('idle');
    await until('the other prompt', () => records.of(session)?.turn?.prompt === 'two');
  });

  it('are not read where that is not allowed, and no longer from when it is not', async () => {
    isAllowed = false;
    cliOf().is('waiting', 'permission prompt');
    const session = await connect();
    records.update();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(records.of(session), undefined);
    assert.equal(records.sourceOf(session), 'off');
    isAllowed = true;
    records.update();
    await comesTo(session, 'waiting');
    isAllowed = false;
    records.update();
    assert.equal(records.sourceOf(session), 'off');
    await comesTo(session, undefined);
    assert.equal(records.of(session), undefined);
  });

  it('end with the session', async () => {
    const cli = cliOf();
    cli.is('idle');
    const session = await connect();
    await comesTo(session, 'idle');
    const changed: Session[] = [];
    records.onDidChange((each) => changed.push(each));
    session.dispose();
    await until('the end', () => records.of(session) === undefined);
    assert.deepEqual(changed, [session]);
  });

  it('tell no state of a CLI without a session file, and say why', async () => {
    const session = await connect(process.pid, '2.0.77');
    await until('a look', () => records.of(session));
    assert.equal(records.stateOf(session), undefined);
    const source = records.sourceOf(session);
    assert.ok(source !== undefined && source !== 'off');
    assert.equal(source.known, 'nothing');
    assert.match(source.reasons.join(), /keeps no session file/);
  });

  it('find the transcript of a CLI without a session file once its folder is known, and its calls come', async () => {
    folder = undefined;
    const session = await connect(process.pid, '2.0.77');
    await until('a look', () => records.of(session));
    folder = cwd;
    records.update();
    const cli = new RecordedCli(configDir, cwd, process.pid, '2.0.77');
    await until('its turn', () => {
      cli.prompt('one');
      used.fire(session);
      return records.of(session)?.turn?.prompt === 'one';
    });
    assert.equal(records.stateOf(session), undefined);
    assert.equal(records.of(session)?.state?.status, 'running');
  });

  it('are not those of a process that had the number before', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    assert.ok(child.pid);
    cliOf(child.pid).is('waiting', 'permission prompt');
    const session = await connect(child.pid);
    await until('a look', () => records.of(session));
    assert.equal(records.stateOf(session), undefined);
    const source = records.sourceOf(session);
    assert.match(JSON.stringify(source), /has ended/);
  });
});
