import assert from 'node:assert/strict';
import { Calls } from '../../../src/editorTools/calls.ts';
import {
  auditLine,
  callDescription,
  callReport,
  callText,
  clientDescription,
  stateAndCall,
  subjectOf,
} from '../../../src/editorTools/callWords.ts';
import type { ToolResult } from '../../../src/protocol/mcp.ts';
import { Session, type ToolCall } from '../../../src/server/session.ts';
import { text, toolError } from '../../../src/tools/tool.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { MemoryTransport } from '../../support/memoryTransport.ts';

const nothing = { list: () => Promise.resolve([]), call: () => Promise.resolve(text()) };
const info = { name: 'bridge', title: 'Bridge', version: '1' };

describe('the calls of clients', () => {
  const sessions: Session[] = [];
  afterEach(() => sessions.splice(0).forEach((session) => session.dispose()));

  async function connect(name = 'sdk'): Promise<Session> {
    const transport = new MemoryTransport();
    const session = new Session(0, transport, nothing, info, new MemoryLog());
    sessions.push(session);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name, version: '1' } };
    await transport.receive({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
    assert.ok(session.clientInfo);
    return session;
  }

  function callBy(session: Session, abort = new AbortController()): ToolCall {
    session.onDidClose(() => abort.abort());
    return { session, signal: abort.signal, toolUseId: 'toolu_1', tellProgress: () => {} };
  }

  const done = () => Promise.resolve(text('Done.'));
  let isOn = true;
  afterEach(() => (isOn = true));
  let audited: string[] = [];
  afterEach(() => (audited = []));
  const create = () =>
    new Calls(
      subjectOf,
      () => isOn,
      (call) => audited.push(auditLine(call)),
    );
  const states = (calls: Calls) => calls.clients.map((client) => client.calls.map(({ state }) => state));

  it('leave a line each in the log, without what another extension was given', async () => {
    const calls = create();
    const session = await connect();
    const call = (tool: string, args: object, abort?: AbortController) =>
      calls.follow(callBy(session, abort), tool, args, done);
    await call('runTask', { name: 'build\nall' });
    await call('stopDebugging', {});
    await call('other_tool', { password: 'x' });
    const abort = new AbortController();
    const pending = calls.follow(
      callBy(session, abort),
      'evaluate',
      { expression: '1' },
      () => new Promise(() => {}),
    );
    abort.abort();
    session.dispose();
    assert.deepEqual(audited, [
      'sdk: runTask: build ⏎ all (done)',
      'sdk: stopDebugging (done)',
      'sdk: other_tool (done)',
      'sdk: evaluate: 1 (cancelled)',
    ]);
    void pending;
  });

  it('are there with what became of them, the last one first', async () => {
    const calls = create();
    const session = await connect();
    const call = (run: () => Promise<ToolResult>) => calls.follow(callBy(session), 'runTask', {}, run);
    await call(done);
    await call(() => Promise.resolve(toolError('No.')));
    await assert.rejects(call(() => Promise.reject(new Error('Bad arguments'))));
    const pending = call(() => new Promise(() => {}));
    assert.deepEqual(states(calls), [['runs', 'failed', 'failed', 'done']]);
    assert.deepEqual(
      calls.clients[0]?.calls.map(({ answer }) => answer),
      ['', 'Bad arguments', 'No.', 'Done.'],
    );
    void pending;
  });

  it('ask, until the user has answered, and are refused by their no', async () => {
    const calls = create();
    const call = callBy(await connect());
    let shown = 0;
    let answer: (isYes: boolean) => void = () => {};
    const running = calls.follow(call, 'runTask', { name: 'build' }, async () => {
      const isYes = await calls.whileAsking(
        call,
        () => shown++,
        () => new Promise<boolean>((resolve) => (answer = resolve)),
      );
      if (!isYes) {
        calls.refused(call);
      }
      return toolError('No.');
    });
    const [asking] = calls.asking;
    assert.ok(asking);
    assert.equal(stateAndCall(asking), 'Asks: runTask: build');
    asking.question?.();
    assert.equal(shown, 1);
    answer(false);
    await running;
    assert.deepEqual([calls.asking, asking.state, asking.question], [[], 'refused', undefined]);
  });

  it('are cancelled by the client, and when it leaves, whatever the tool still says', async () => {
    const calls = create();
    const session = await connect();
    const abort = new AbortController();
    let end = () => {};
    const until = () => new Promise<ToolResult>((resolve) => (end = () => resolve(text('Done.'))));
    const first = calls.follow(callBy(session, abort), 'format', {}, until);
    abort.abort();
    end();
    await first;
    void calls.follow(callBy(session), 'format', {}, until);
    session.dispose();
    assert.deepEqual(
      calls.clients[0]?.calls.map(({ state, answer }) => [state, answer]),
      [
        ['cancelled', 'The client has left.'],
        ['cancelled', 'The client has cancelled it.'],
      ],
    );
  });

  it('are those of the client that comes back under its name, but not of two at a time', async () => {
    const calls = create();
    const follow = (session: Session) => calls.follow(callBy(session), 'format', {}, done);
    const [first, second, other] = [await connect(), await connect(), await connect('other')];
    for (const session of [first, second, other]) {
      await follow(session);
    }
    assert.deepEqual(states(calls), [['done'], ['done'], ['done']]);
    first.dispose();
    await follow(await connect());
    assert.deepEqual(states(calls), [['done', 'done'], ['done'], ['done']]);
  });

  it('are remembered in number, but for those that have not ended: none is pushed out of sight', async () => {
    const calls = create();
    const session = await connect();
    const follow = (run: () => Promise<ToolResult>) => calls.follow(callBy(session), 'format', {}, run);
    void follow(() => new Promise(() => {}));
    for (let count = 0; count < 30; count++) {
      await follow(done);
    }
    const [client] = calls.clients;
    assert.equal(client?.calls.filter(({ state }) => state === 'done').length, 20);
    assert.equal(client?.calls.at(-1)?.state, 'runs');
    for (let count = 0; count < 5; count++) {
      const leaving = await connect(`one of ${count}`);
      await calls.follow(callBy(leaving), 'format', {}, done);
      leaving.dispose();
    }
    assert.deepEqual(
      calls.clients.map(({ name }) => name),
      ['sdk', 'one of 2', 'one of 3', 'one of 4'],
    );
  });

  it('are forgotten once their client has left and the tools are off, whichever comes first', async () => {
    const calls = create();
    const [early, late] = [await connect('early'), await connect('late')];
    for (const session of [early, late]) {
      await calls.follow(callBy(session), 'runTask', {}, done);
    }
    const names = () => calls.clients.map(({ name }) => name);
    early.dispose();
    assert.deepEqual(names(), ['early', 'late']);
    isOn = false;
    calls.forgetLeft();
    assert.deepEqual(names(), ['late']);
    late.dispose();
    assert.deepEqual(names(), []);
  });

  it('are of ten clients at most, that called last, and of all that wait: who is quiet may have gone without a word', async () => {
    const calls = create();
    const names = () => calls.clients.map(({ name }) => name);
    const waits = new AbortController();
    const first = await connect('waits');
    const waiting = calls.follow(callBy(first, waits), 'runTask', {}, () => new Promise(() => {}));
    waiting.catch(() => {});
    const quiet = [];
    for (let number = 1; number <= 12; number++) {
      const session = await connect(`quiet ${number}`);
      quiet.push(session);
      await calls.follow(callBy(session), 'runTask', {}, done);
    }
    assert.deepEqual(names(), ['waits', ...quiet.slice(3).map((_, index) => `quiet ${index + 4}`)]);
    const [back] = quiet;
    assert.ok(back);
    await calls.follow(callBy(back), 'runTask', {}, done);
    assert.equal(names().length, 10);
    assert.equal(names().at(-1), 'quiet 1');
    assert.ok(!names().includes('quiet 4'));
    back.dispose();
    assert.deepEqual(names().slice(-1), ['quiet 1'], 'it has left');
  });

  it('are not begun for a client that has left already', async () => {
    const calls = create();
    const session = await connect();
    const call = callBy(session);
    session.dispose();
    await assert.rejects(calls.follow(call, 'format', {}, done));
    assert.deepEqual(calls.clients, []);
  });

  describe('in words', () => {
    async function ended(tool: string, args: unknown, result: ToolResult = text('Done.'), name = 'sdk') {
      const calls = create();
      await calls.follow(callBy(await connect(name)), tool, args, () => Promise.resolve(result));
      const call = calls.clients[0]?.calls[0];
      assert.ok(call);
      return call;
    }

    const subjects: [tool: string, args: unknown, shown: string][] = [
      ['rename', { file: 'src/a.ts', line: 3, symbol: 'side', newName: 'edge' }, 'rename: side → edge'],
      ['rename', { file: 'src/a.ts', line: 3, newName: 'edge' }, 'rename: a.ts:3 → edge'],
      ['applyCodeAction', { file: 'a.ts', line: 1, title: 'Add import' }, 'applyCodeAction: Add import'],
      ['format', { file: 'src/a.ts' }, 'format: a.ts'],
      ['runTask', { name: 'build' }, 'runTask: build'],
      ['evaluate', { expression: 'a(\n  b)' }, 'evaluate: a( ⏎ b)'],
      ['setBreakpoint', { file: 'src/a.ts', line: 3 }, 'setBreakpoint: a.ts:3'],
      ['stepDebugging', { how: 'over' }, 'stepDebugging: over'],
      ['stopDebugging', {}, 'stopDebugging'],
      ['publisher_tool', { a: 1 }, 'publisher_tool: {"a":1}'],
      ['runTask', undefined, 'runTask'],
      ['runTask', { name: ['no', 'string'] }, 'runTask: ["no","string"]'],
      ['runTask', null, 'runTask'],
    ];
    for (const [tool, args, shown] of subjects) {
      it(`say ${shown}`, async () => {
        assert.equal(callText(await ended(tool, args), 100), shown);
      });
    }

    it('say why one has failed, on one line', async () => {
      const call = await ended('runTask', { name: 'x' }, toolError('There is no such task.\nSay another.'));
      assert.match(callDescription(call), /^Failed: There is no such task\. ⏎ Say another\. · /);
    });

    it('let nothing in a name read as something else', async () => {
      const name = '[Trust me](command:evil)\n\u202Egnp.exe\u2066 $(error)\u0007';
      const call = await ended('runTask', { name }, toolError(name), name);
      for (const shown of [
        callText(call, 200),
        callDescription(call),
        stateAndCall(call),
        clientDescription(call.client, 1),
        call.client.name,
      ]) {
        assert.doesNotMatch(shown, /\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u, shown);
      }
      const report = callReport(call);
      assert.doesNotMatch(report, /[\u202A-\u202E\u2066-\u2069\u0007]/);
      assert.match(report, /^runTask, failed\nCalled by /);
    });

    it('are cut where they are long', async () => {
      const call = await ended('runTask', { name: 'x'.repeat(1_000_000) }, text('y'.repeat(1_000_000)));
      assert.ok(callText(call, 100).length < 120);
      assert.ok(callReport(call).length < 41_000);
    });

    it('tell two clients of the same name apart, and say that one has left', async () => {
      const { client } = await ended('format', { file: 'a.ts' });
      assert.equal(clientDescription(client, 0), 'Done: format: a.ts · editor tools');
      assert.match(clientDescription(client, 1), /^Done: format: a\.ts · since \d.* · editor tools$/);
      client.session = undefined;
      assert.equal(clientDescription(client, 0), 'Done: format: a.ts · has left · editor tools');
    });
  });
});
