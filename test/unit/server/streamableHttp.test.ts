import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Bridge } from '../../../src/server/bridge.ts';
import type { ToolCall } from '../../../src/server/session.ts';
import { StreamableHttp } from '../../../src/server/streamableHttp.ts';
import { connectOverHttp, initialize } from '../../support/httpClient.ts';
import type { Lock } from '../../support/ideClient.ts';
import { TestBridges } from '../../support/testBridges.ts';
import { until } from '../../support/until.ts';

describe('MCP over HTTP', () => {
  let bridges: TestBridges;
  let bridge: Bridge;
  let lock: Lock;
  const clients: Client[] = [];
  const calls: ToolCall[] = [];

  beforeEach(async () => {
    bridges = new TestBridges();
    ({ bridge, lock } = await bridges.start());
    calls.length = 0;
    bridge.endpoints.set('/other', {
      isOn: true,
      list: async () => [
        { name: 'look', description: '', inputSchema: { type: 'object' } },
        { name: 'wait', description: '', inputSchema: { type: 'object' } },
      ],
      call: async (name, args, call) => {
        calls.push(call);
        await (name === 'wait' ? new Promise(() => {}) : undefined);
        return { content: [{ type: 'text', text: JSON.stringify(args) }] };
      },
    });
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await bridges.cleanUp();
  });

  async function connect(): ReturnType<typeof connectOverHttp> {
    const connected = await connectOverHttp(lock, '/other');
    clients.push(connected.client);
    return connected;
  }

  /** As somebody who may come in. */
  function request(init: RequestInit & { headers?: Record<string, string> }): Promise<Response> {
    return fetch(`http://127.0.0.1:${lock.port}/other`, {
      ...init,
      headers: {
        authorization: `Bearer ${lock.authToken}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        ...init.headers,
      },
    });
  }

  it('offers the tools of that path to several clients, which are no sessions of a CLI', async () => {
    const [first, second] = [await connect(), await connect()];
    assert.notEqual(first.transport.sessionId, second.transport.sessionId);
    const { tools } = await first.client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['look', 'wait'],
    );
    const answers = await Promise.all(
      [first, second, first].map(({ client }, index) =>
        client.callTool({ name: 'look', arguments: { index } }),
      ),
    );
    assert.deepEqual(
      answers.map(({ content }) => (content as { text: string }[])[0]?.text),
      ['{"index":0}', '{"index":1}', '{"index":2}'],
    );
    assert.equal(bridge.sessions.size, 0);
  });

  it('ends a call that is cancelled, and its stream with it', async () => {
    const { client, transport } = await connect();
    const abort = new AbortController();
    const called = client.callTool({ name: 'wait' }, undefined, { signal: abort.signal });
    const stopped = assert.rejects(called);
    const { signal } = await until('the call', () => calls[0]);
    abort.abort();
    await stopped;
    await until('the tool to hear of it', () => signal.aborted);
    // By hand, as the library's client does not tell when a stream ends.
    const headers = { 'mcp-session-id': transport.sessionId ?? '' };
    const post = (message: object) =>
      request({ method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    const waiting = await post({ id: 'w', method: 'tools/call', params: { name: 'wait' } });
    await post({ method: 'notifications/cancelled', params: { requestId: 'w' } });
    assert.match(await waiting.text(), /"id":"w"/);
  });

  it('tells who asks for progress of a call that it goes on', async () => {
    const { client } = await connect();
    const steps: number[] = [];
    void client
      .callTool({ name: 'wait' }, undefined, { onprogress: ({ progress }) => void steps.push(progress) })
      .catch(() => {});
    void client.callTool({ name: 'wait' }).catch(() => {});
    await until('both calls', () => calls.length === 2);
    await until('two steps', () => {
      calls.forEach(({ tellProgress }) => tellProgress());
      return steps.length >= 2;
    });
    assert.deepEqual(steps.slice(0, 2), [steps[0], Number(steps[0]) + 1]);
  });

  it('says by a comment that a stream without an answer is alive, and no more once it has one', async () => {
    let answer = () => {};
    const http = new StreamableHttp((transport) => {
      transport.onDidReceive((message) => {
        const { id, method } = JSON.parse(message) as { id: number; method: string };
        const send = () => transport.send(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
        if (method === 'ping') {
          answer = send;
        } else {
          send();
        }
      });
    }, 20);
    const server = createServer((asked, response) => void http.handle(asked, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      const post = (body: string, more: Record<string, string> = {}) =>
        fetch(url, {
          method: 'POST',
          body,
          headers: {
            accept: 'application/json, text/event-stream',
            'content-type': 'application/json',
            ...more,
          },
        });
      const begun = await post(initialize);
      const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
      await begun.text();
      const { body } = await post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }), session);
      let text = '';
      for await (const chunk of (body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (text.endsWith(':\n\n:\n\n')) answer();
      }
      assert.match(text, /^(:\n\n){2,}event: message\n.*"id":1.*\n\n$/s);
    } finally {
      http.close();
      server.close();
    }
  });

  it('tells of other tools by the stream that is open for that', async () => {
    const { client } = await connect();
    let told = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
    await until('the stream to be open and to tell', () => {
      bridge.toolsChanged();
      return told > 0;
    });
  });

  it('ends a session by DELETE: its calls are aborted, and its id is unknown', async () => {
    const { client, transport } = await connect();
    const headers = { 'mcp-session-id': transport.sessionId ?? '' };
    const called = assert.rejects(client.callTool({ name: 'wait' }));
    const { signal } = await until('the call', () => calls[0]);
    await transport.terminateSession();
    assert.ok(signal.aborted);
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    assert.equal((await request({ method: 'POST', headers, body: ping })).status, 404);
    await client.close();
    await called;
  });

  /** Of one that leaves no stream open. @returns its id */
  async function begin(): Promise<string> {
    const { body, headers } = await request({ method: 'POST', body: initialize });
    await body?.cancel();
    return headers.get('mcp-session-id') ?? '';
  }

  /** @returns the status of the answer */
  async function ping(id: string): Promise<number> {
    const { body, status } = await request({
      method: 'POST',
      headers: { 'mcp-session-id': id },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    await body?.cancel();
    return status;
  }

  it('keeps 64 sessions, those used last', async () => {
    const [first, second] = [await begin(), await begin()];
    assert.equal(await ping(first), 200);
    for (let i = 0; i < 63; i++) {
      await begin();
    }
    assert.deepEqual([await ping(first), await ping(second)], [200, 404]);
  });

  it('refuses what is no session yet, what is too long, and what is not JSON', async () => {
    const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
    const status = async (init: Parameters<typeof request>[0]) => (await request(init)).status;
    assert.equal(await status({ method: 'GET' }), 400);
    assert.equal(await status({ method: 'DELETE' }), 400);
    assert.equal(await status({ method: 'POST', body: ping }), 400);
    assert.equal(await status({ method: 'POST', headers: { 'mcp-session-id': 'x' }, body: ping }), 404);
    assert.equal(await status({ method: 'PUT', body: ping }), 405);
    assert.equal(await status({ method: 'POST', body: '{' }), 400);
    assert.equal(await status({ method: 'POST', body: '['.repeat(100_000) }), 400);
    assert.equal(
      await status({ method: 'POST', headers: { 'content-type': 'text/plain' }, body: ping }),
      415,
    );
    const { client } = await connect();
    await client.ping(); // nothing of that has harmed others
  });

  it('is not there while its endpoint is off, whoever asks with the token', async () => {
    const { client } = await connect();
    const endpoint = bridge.endpoints.get('/other');
    assert.ok(endpoint);
    bridge.endpoints.set('/other', { ...endpoint, isOn: false });
    await assert.rejects(client.ping(), { code: 404 });
    assert.equal((await request({ method: 'POST', body: initialize })).status, 404);
    const elsewhere = await fetch(`http://127.0.0.1:${lock.port}/elsewhere`);
    assert.equal(elsewhere.status, 426);
  });

  it('goes with the bridge, and leaves nothing open', async () => {
    const { client } = await connect();
    const called = assert.rejects(client.callTool({ name: 'wait' }));
    const { signal } = await until('the call', () => calls[0]);
    await bridge.stop();
    assert.ok(signal.aborted);
    await client.close();
    await called;
  });

  it('keeps a session that waits for an answer, however many come and go meanwhile', async () => {
    const waiting = await begin();
    const called = await request({
      method: 'POST',
      headers: { 'mcp-session-id': waiting },
      body: JSON.stringify({ jsonrpc: '2.0', id: 'w', method: 'tools/call', params: { name: 'wait' } }),
    });
    const { signal } = await until('the call', () => calls[0]);
    for (let i = 0; i < 70; i++) {
      await begin();
    }
    assert.equal(signal.aborted, false);
    await called.body?.cancel();
    await until('it to give way, once nobody waits', async () => {
      await begin();
      return signal.aborted;
    });
  });

  it('tells of progress in the stream of the call: its client need not have another open', async () => {
    const id = await begin();
    const call = (progressToken: string) =>
      request({
        method: 'POST',
        headers: { 'mcp-session-id': id },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: `call of ${progressToken}`,
          method: 'tools/call',
          params: { name: 'wait', _meta: { progressToken } },
        }),
      });
    const told = async ({ body }: Response) => {
      let text = '';
      for await (const chunk of (body ?? assert.fail()).pipeThrough(new TextDecoderStream())) {
        text += chunk;
        if (text.includes('notifications/progress')) break;
      }
      return text;
    };
    const answers = await Promise.all([call('a'), call('b')]);
    await until('the calls', () => calls.length === 2);
    const telling = setInterval(() => calls.forEach(({ tellProgress }) => tellProgress()), 20);
    try {
      const [a = '', b = ''] = await Promise.all(answers.map(told));
      assert.match(a, /"progressToken":"a"/);
      assert.match(b, /"progressToken":"b"/);
      assert.doesNotMatch(a, /"progressToken":"b"/);
    } finally {
      clearInterval(telling);
    }
  });
});
