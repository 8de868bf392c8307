import assert from 'node:assert/strict';
import * as z from 'zod';
import { Session } from '../../../src/server/session.ts';
import { ToolRegistry } from '../../../src/tools/registry.ts';
import { defineTool, text } from '../../../src/tools/tool.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { until } from '../../support/until.ts';
import { MemoryTransport } from '../../support/memoryTransport.ts';

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  input: z.object({ value: z.string() }),
  run: ({ value }, { toolUseId }) => text(value, toolUseId === undefined ? 'client' : 'model'),
});
const fail = defineTool({
  name: 'fail',
  description: 'Throws.',
  input: z.object({}),
  run: () => {
    throw new Error('No luck.');
  },
});

function start() {
  const transport = new MemoryTransport();
  const signals: AbortSignal[] = [];
  const wait = defineTool({
    name: 'wait',
    description: 'Waits until it is aborted.',
    input: z.object({}),
    run: (_args, { signal }) =>
      new Promise((resolve) => {
        signals.push(signal);
        signal.addEventListener('abort', () => resolve(text('aborted')));
      }),
  });
  const log = new MemoryLog();
  const serverInfo = { name: 'test', title: 'Test', version: '1.2.3' };
  const session = new Session(1, transport, new ToolRegistry([echo, fail, wait], log), serverInfo, log);
  return { transport, session, signals, log };
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'claude-code', version: '2.1.330' },
  },
};

/** The answer to one message in a session of its own. */
async function answerTo(message: unknown) {
  const { transport, session } = start();
  await transport.receive(message);
  session.dispose();
  return transport.sent[0];
}

describe('session', () => {
  describe('initialize', () => {
    it('answers the id 0, the offered version, and announces tools, resources and prompts', async () => {
      assert.deepEqual(await answerTo(initialize), {
        jsonrpc: '2.0',
        id: 0,
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
          serverInfo: { name: 'test', title: 'Test', version: '1.2.3' },
        },
      });
    });

    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18']) {
      it(`speaks ${version}`, async () => {
        const answer = await answerTo({ ...initialize, params: { protocolVersion: version } });
        assert.equal((answer?.result as { protocolVersion: string }).protocolVersion, version);
      });
    }

    it('offers its newest version to a client of the future', async () => {
      const answer = await answerTo({ ...initialize, params: { protocolVersion: '2999-01-01' } });
      assert.equal((answer?.result as { protocolVersion: string }).protocolVersion, '2025-11-25');
    });

    it('refuses to be initialized twice', async () => {
      const { transport, session } = start();
      await transport.receive(initialize);
      await transport.receive({ ...initialize, id: 1 });
      assert.equal(transport.sent[1]?.error?.code, -32600);
      session.dispose();
    });
  });

  describe('requests', () => {
    it('lists tools with their JSON Schemas, and empty resources and prompts', async () => {
      const { transport, session } = start();
      await transport.receive({ jsonrpc: '2.0', id: 'a', method: 'tools/list' });
      const { result } = await until('the list', () => transport.sent[0]); // its schemas are a chunk of their own
      session.dispose();
      const [tool] = (result as { tools: { name: string; inputSchema: { required: string[] } }[] }).tools;
      assert.equal(tool?.name, 'echo');
      assert.deepEqual(tool?.inputSchema.required, ['value']);
      assert.deepEqual((await answerTo({ jsonrpc: '2.0', id: 1, method: 'resources/list' }))?.result, {
        resources: [],
      });
      assert.deepEqual((await answerTo({ jsonrpc: '2.0', id: 1, method: 'prompts/list' }))?.result, {
        prompts: [],
      });
      assert.deepEqual((await answerTo({ jsonrpc: '2.0', id: 1, method: 'ping' }))?.result, {});
    });

    it('calls a tool, and tells calls of the model from those of the client', async () => {
      const params = { name: 'echo', arguments: { value: 'hi' } };
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      assert.deepEqual((await answerTo(call))?.result, text('hi', 'client'));
      const _meta = { 'claudecode/toolUseId': 'toolu_1', progressToken: 1 };
      assert.deepEqual(
        (await answerTo({ ...call, params: { ...params, _meta } }))?.result,
        text('hi', 'model'),
      );
    });

    it('answers a tool that throws as a tool error', async () => {
      const answer = await answerTo({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'fail' },
      });
      assert.deepEqual(answer?.result, { ...text('No luck.'), isError: true });
    });

    const errors: [string, unknown, number, RegExp][] = [
      ['text that is not JSON', '{"jsonrpc":', -32700, /JSON/],
      ['a message without a version', { id: 1, method: 'ping' }, -32600, /JSON-RPC 2.0/],
      ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }, -32600, /params/],
      ['a number', 7, -32600, /JSON-RPC/],
      ['an empty batch', [], -32600, /batch/],
      ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'nope' }, -32601, /nope/],
      [
        'an unknown tool',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } },
        -32602,
        /Tool x not found/,
      ],
      ['a call without a name', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }, -32602, /name/],
      [
        'bad arguments',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { value: 7 } } },
        -32602,
        /echo[^]*value/,
      ],
    ];
    for (const [what, message, code, text] of errors) {
      it(`answers ${what} with ${code}`, async () => {
        const error = (await answerTo(message))?.error;
        assert.equal(error?.code, code);
        assert.match(error.message, text);
      });
    }

    it('answers a batch with one list, without answers to notifications', async () => {
      const answer = await answerTo([
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 2, method: 'nope' },
      ]);
      assert.deepEqual(
        (answer as unknown as { id: number }[]).map(({ id }) => id),
        [1, 2],
      );
    });

    it('does not answer unknown notifications', async () => {
      assert.equal(await answerTo({ jsonrpc: '2.0', method: 'notifications/whatever' }), undefined);
    });
  });

  describe('cancelling', () => {
    const wait = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'wait' } };

    it('aborts the call and does not answer it', async () => {
      const { transport, session, signals } = start();
      await transport.receive(wait);
      await transport.receive({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 5 },
      });
      assert.equal(signals[0]?.aborted, true);
      assert.deepEqual(transport.sent, []);
      session.dispose();
    });

    it('aborts every call when the client goes away', async () => {
      const { transport, session, signals } = start();
      let closed = 0;
      session.onDidClose(() => closed++);
      await transport.receive(wait);
      transport.close();
      session.dispose();
      assert.equal(signals[0]?.aborted, true);
      assert.equal(closed, 1);
      assert.deepEqual(transport.sent, []);
    });

    it('refuses a second call with the id of one in flight', async () => {
      const { transport, session } = start();
      await transport.receive(wait);
      await transport.receive(wait);
      assert.equal(transport.sent[0]?.error?.code, -32600);
      session.dispose();
    });
  });

  describe('notifications', () => {
    it('are kept back until the client is initialized', async () => {
      const { transport, session } = start();
      let initialized = 0;
      session.onDidInitialize(() => initialized++);
      const done = { jsonrpc: '2.0', method: 'notifications/initialized' };
      await transport.receive(done); // too early
      await transport.receive(initialize);
      session.notify('diagnostics_changed', { uris: [] });
      assert.equal(initialized, 0);
      assert.equal(transport.sent.length, 1);
      await transport.receive(done);
      await transport.receive(done);
      session.notify('diagnostics_changed', { uris: [] });
      assert.equal(initialized, 1);
      assert.equal(transport.sent[1]?.method, 'diagnostics_changed');
      session.dispose();
    });

    it('take the pid from ide_connected, and nothing from a broken one', async () => {
      const { transport, session } = start();
      let identified = 0;
      session.onDidIdentify(() => identified++);
      await transport.receive({ jsonrpc: '2.0', method: 'ide_connected', params: { pid: 'x' } });
      assert.equal(session.pid, undefined);
      await transport.receive({ jsonrpc: '2.0', method: 'ide_connected', params: { pid: 42 } });
      assert.equal(session.pid, 42);
      assert.equal(identified, 1);
      session.dispose();
    });

    it('take the pid once: each time a terminal is looked for, which may start a process', async () => {
      const { transport, session } = start();
      let identified = 0;
      session.onDidIdentify(() => identified++);
      for (const pid of [42, 42, 43]) {
        await transport.receive({ jsonrpc: '2.0', method: 'ide_connected', params: { pid } });
      }
      assert.equal(session.pid, 42);
      assert.equal(identified, 1);
      session.dispose();
    });
  });

  it('logs no content', async () => {
    const { transport, session, log } = start();
    await transport.receive({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { value: 'top secret' } },
    });
    session.dispose();
    assert.ok(log.lines.length > 0);
    assert.doesNotMatch(log.lines.join('\n'), /top secret/);
  });
});
