import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AnthropicUpstream } from '../../../../src/agent/proxy/anthropicUpstream.ts';
import { ModelProxy, type ProxiedSession } from '../../../../src/agent/proxy/modelProxy.ts';
import { until } from '../../../support/until.ts';

const secret = 'sk-ant-the-real-key';

describe('The model proxy, before an API', () => {
  let proxy: ModelProxy;
  let api: Server;
  let answer: (request: IncomingMessage, body: string) => { status?: number; body: string } | 'stall' | 'cut';
  let seen: { url: string; headers: IncomingMessage['headers']; body: string }[];
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);

  beforeEach(async () => {
    proxy = await ModelProxy.start({ trace: note, info: note, warn: note, error: note });
    seen = [];
    logged.length = 0;
    answer = () => ({ body: '{"ok":true}' });
    api = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        seen.push({ url: request.url ?? '', headers: request.headers, body });
        const said = answer(request, body);
        if (said === 'stall') {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write('event: ping\ndata: {}\n\n');
        } else if (said === 'cut') {
          response.writeHead(200, { 'content-length': '100' });
          response.write('half', () => response.destroy());
        } else {
          response.writeHead(said.status ?? 200, {
            'content-type': 'application/json',
            'request-id': 'req_1',
          });
          response.end(said.body);
        }
      });
    });
    await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    proxy.dispose();
    api.closeAllConnections();
    api.close();
  });

  function upstream(stall?: number, path = ''): AnthropicUpstream {
    const base = `http://127.0.0.1:${(api.address() as AddressInfo).port}${path}`;
    return new AnthropicUpstream(base, () => Promise.resolve({ value: secret, sentAs: 'x-api-key' }), stall);
  }

  function ask(
    session: ProxiedSession,
    {
      path = '/v1/messages?beta=true',
      key = session.envWith({})['ANTHROPIC_API_KEY'],
      body = '{"model":"m"}',
      headers = {},
    } = {},
  ): Promise<Response> {
    return fetch(`${session.envWith({})['ANTHROPIC_BASE_URL']}${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': key ?? '', ...headers },
    });
  }

  /** With any header and path, as they are. */
  function askRaw(path: string, headers: Record<string, string>): Promise<number> {
    return new Promise((resolve, reject) => {
      httpRequest({ port: proxy.port, host: '127.0.0.1', method: 'POST', path, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .once('error', reject)
        .end('{}');
    });
  }

  it('leaves what the user has set', () => {
    const session = proxy.admit(upstream());
    const env = session.envWith({ MINE: 'x', ANTHROPIC_API_KEY: 'mine' });
    assert.equal(env['MINE'], 'x');
    assert.equal(env['ANTHROPIC_API_KEY'], session.envWith({})['ANTHROPIC_API_KEY']);
  });

  it('passes a request on with the key that the CLI does not have, and the answer back as it is', async () => {
    const session = proxy.admit(upstream());
    const response = await ask(session, {
      body: '{"model":"m","text":"ü"}',
      headers: { 'anthropic-beta': 'a,b' },
    });
    assert.deepEqual(await response.json(), { ok: true });
    assert.equal(response.headers.get('request-id'), 'req_1');
    assert.equal(seen[0]?.url, '/v1/messages?beta=true');
    assert.equal(seen[0].body, '{"model":"m","text":"ü"}');
    assert.equal(seen[0].headers['x-api-key'], secret);
    assert.equal(seen[0].headers['anthropic-beta'], 'a,b');
    assert.doesNotMatch(JSON.stringify(session.envWith({})), new RegExp(secret));
  });

  it('passes an error of the API on as it is', async () => {
    answer = () => ({
      status: 429,
      body: '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}',
    });
    const response = await ask(proxy.admit(upstream()));
    assert.equal(response.status, 429);
    assert.match(await response.text(), /rate_limit_error/);
  });

  it('keeps the path of a gateway', async () => {
    await ask(proxy.admit(upstream(undefined, '/gateway/')));
    assert.equal(seen[0]?.url, '/gateway/v1/messages?beta=true');
  });

  it('sends no key in the clear to another machine', () => {
    for (const base of ['nowhere', 'ftp://api.example', 'http://api.example', 'http://localhost.example']) {
      assert.throws(() => new AnthropicUpstream(base, () => Promise.resolve(undefined)), /no address/, base);
    }
    for (const base of ['https://api.example/v', 'http://localhost:1', 'http://[::1]:1']) {
      new AnthropicUpstream(base, () => Promise.resolve(undefined));
    }
  });

  it('refuses what is not the session that it says', async () => {
    const session = proxy.admit(upstream());
    const other = proxy.admit(upstream());
    const ended = proxy.admit(upstream());
    ended.dispose();
    const { ANTHROPIC_API_KEY: nonce = '', ANTHROPIC_BASE_URL: base = '' } = session.envWith({});
    const path = `${new URL(base).pathname}/v1/messages`;
    assert.equal((await ask(session, { key: other.envWith({})['ANTHROPIC_API_KEY'] ?? '' })).status, 401);
    assert.equal((await ask(session, { key: '' })).status, 401);
    assert.equal((await ask(ended)).status, 401);
    assert.equal(await askRaw('/v1/messages', { 'x-api-key': nonce }), 401);
    assert.equal(await askRaw(path, { 'x-api-key': nonce, origin: 'https://evil.example' }), 403);
    assert.equal(await askRaw(path, { 'x-api-key': nonce, host: `evil.example:${proxy.port}` }), 403);
    assert.equal(await askRaw(`${path}/../../other`, { 'x-api-key': nonce }), 404);
    assert.equal(await askRaw(`${path}/%2e%2e/%2e%2e/other`, { 'x-api-key': nonce }), 404);
    assert.equal(seen.length, 0);
    assert.equal(await askRaw(path, { authorization: `Bearer ${nonce}` }), 200);
  });

  it('says why the API cannot be asked', async () => {
    const without = proxy.admit(
      new AnthropicUpstream('https://api.example', () => Promise.resolve(undefined)),
    );
    const response = await ask(without);
    assert.equal(response.status, 401);
    assert.match(await response.text(), /No API key is stored/);
    const nowhere = new AnthropicUpstream('http://127.0.0.1:9', () =>
      Promise.resolve({ value: secret, sentAs: 'bearer' }),
    );
    const refused = await ask(proxy.admit(nowhere));
    assert.equal(refused.status, 500);
    assert.match(await refused.text(), /127\.0\.0\.1:9 cannot be reached/);
    assert.throws(
      () => new AnthropicUpstream('file:///etc', () => Promise.resolve(undefined)),
      /must begin with/,
    );
  });

  it('ends an answer that stalls, and one that is cut off', async () => {
    answer = () => 'stall';
    await assert.rejects(ask(proxy.admit(upstream(200))).then((response) => response.text()));
    answer = () => 'cut';
    await assert.rejects(ask(proxy.admit(upstream())).then((response) => response.text()));
  });

  it('asks no further when the CLI has gone, or its session has ended', async () => {
    answer = () => 'stall';
    let closed = 0;
    api.on('connection', (socket) => socket.on('close', () => closed++));
    const cancel = new AbortController();
    const session = proxy.admit(upstream());
    const gone = await fetch(`${session.envWith({})['ANTHROPIC_BASE_URL']}/v1/messages`, {
      method: 'POST',
      body: '{}',
      headers: { 'x-api-key': session.envWith({})['ANTHROPIC_API_KEY'] ?? '' },
      signal: cancel.signal,
    });
    cancel.abort();
    await assert.rejects(gone.text());
    await until('the API is left', () => closed === 1);
    const ended = await ask(session);
    session.dispose();
    await assert.rejects(ended.text());
    await until('the API is left again', () => closed === 2);
  });

  it('logs neither keys nor what is said', async () => {
    const session = proxy.admit(upstream());
    answer = () => 'cut';
    await assert.rejects(
      ask(session, { body: '{"text":"a secret plan"}' }).then((response) => response.text()),
    );
    await ask(session, { key: 'wrong', body: '{"text":"a secret plan"}' });
    assert.ok(logged.length > 0);
    assert.doesNotMatch(logged.join('\n'), /secret|wrong|sk-ant/);
  });

  it('lets a request take its time, but not its head', async () => {
    proxy.dispose();
    const headersTimeout = 100;
    proxy = await ModelProxy.start({ trace: note, info: note, warn: note, error: note }, headersTimeout);
    const { ANTHROPIC_API_KEY: nonce = '', ANTHROPIC_BASE_URL: base } = proxy.admit(upstream()).envWith({});
    const slow = httpRequest(`${base}/v1/messages`, { method: 'POST', headers: { 'x-api-key': nonce } });
    const answered = once(slow, 'response') as Promise<[IncomingMessage]>;
    slow.write('{"slow":');
    await delay(10 * headersTimeout); // longer than a request had before
    slow.end('true}');
    const [response] = await answered;
    response.resume();
    assert.equal(response.statusCode, 200);
    assert.equal(seen[0]?.body, '{"slow":true}');

    const headless = connect(proxy.port, '127.0.0.1');
    headless.write('POST / HTTP/1.1\r\n');
    const [said] = (await once(headless, 'data')) as [Buffer];
    headless.destroy();
    assert.match(said.toString(), /^HTTP\/1\.1 408 /);
  });

  it('leaves the CLI no other way to a model', () => {
    const session = proxy.admit(upstream());
    // What 2.1.330 knows, and asks in the place of the address that it is given.
    for (const name of [
      'BEDROCK',
      'VERTEX',
      'FOUNDRY',
      'MANTLE',
      'ANTHROPIC_AWS',
      'ANTHROPIC_GOOGLE_CLOUD',
    ]) {
      const variable = `CLAUDE_CODE_USE_${name}`;
      const env = session.envWith({ [variable]: '1' });
      assert.ok(variable in env && env[variable] === undefined, variable);
    }
  });
});
