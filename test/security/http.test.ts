import assert from 'node:assert/strict';
import { initialize } from '../support/httpClient.ts';
import type { Lock } from '../support/ideClient.ts';
import { TestBridges, upgradeRequest } from '../support/testBridges.ts';
import { until } from '../support/until.ts';

const own = 'X-Claude-Code-Ide-Authorization';
const mebibyte = 1024 * 1024;

type Request = (lock: Lock) => string;

/** As a client of ours sends it; `changes` replace header lines, null removes one. */
function post(
  changes: Record<string, string | null> = {},
  lines: string[] = [],
  { line = 'POST /editor HTTP/1.1', body = initialize } = {},
): Request {
  const headers = {
    Connection: 'keep-alive',
    Upgrade: null,
    'Sec-WebSocket-Version': null,
    'Sec-WebSocket-Key': null,
    'Sec-WebSocket-Protocol': null,
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'Content-Length': String(body.length),
    ...changes,
  };
  return (lock) => upgradeRequest(lock, headers, lines, line) + body;
}

const cases: [string, number | 'refused', Request][] = [
  ['the token in our header', 200, post()],
  [
    'the token as a bearer',
    200,
    (lock) => post({ [own]: null, Authorization: `Bearer ${lock.authToken}` })(lock),
  ],
  ['https Origin', 403, post({}, ['Origin: https://evil.example'])],
  ['Origin null', 403, post({}, ['Origin: null'])],
  ['Origin on loopback', 403, (lock) => post({}, [`Origin: http://127.0.0.1:${lock.port}`])(lock)],
  [
    'what a page asks before it sends a token',
    403,
    post({ [own]: null }, ['Origin: https://evil.example', 'Access-Control-Request-Method: POST'], {
      line: 'OPTIONS /editor HTTP/1.1',
      body: '',
    }),
  ],
  ['a foreign Host, as by DNS rebinding', 403, (lock) => post({ Host: `evil.example:${lock.port}` })(lock)],
  ['no token', 401, post({ [own]: null })],
  ['an empty bearer', 401, post({ [own]: null, Authorization: 'Bearer ' })],
  ['a wrong token', 401, post({ [own]: 'x'.repeat(43) })],
  ['another scheme', 401, (lock) => post({ [own]: null, Authorization: `Basic ${lock.authToken}` })(lock)],
  ['a wrong one, then the right one', 401, post({}, [`Authorization: Bearer wrong`])],
  ['the right one twice', 401, (lock) => post({}, [`Authorization: Bearer ${lock.authToken}`])(lock)],
  [
    'the token in the path',
    426,
    (lock) => post({ [own]: null }, [], { line: `POST /editor?token=${lock.authToken} HTTP/1.1` })(lock),
  ],
  ['another path', 426, post({}, [], { line: 'POST /other HTTP/1.1' })],
  ['a way round to the path', 426, post({}, [], { line: 'POST /x/../editor HTTP/1.1' })],
  ['GET without a session', 400, post({}, [], { line: 'GET /editor HTTP/1.1', body: '' })],
  ['a made-up session', 404, post({}, ['Mcp-Session-Id: 1'])],
  ['two sessions', 404, post({}, ['Mcp-Session-Id: 1', 'Mcp-Session-Id: 2'])],
  ['TRACE', 'refused', post({}, [], { line: 'TRACE /editor HTTP/1.1', body: '' })],
  ['a form of a page', 415, post({ 'Content-Type': 'text/plain' })],
  ['two lengths', 'refused', post({}, ['Content-Length: 5'])],
  ['a length of 1 GB', 413, post({ 'Content-Length': String(1024 * mebibyte) })],
  ['5 MB', 413, post({}, [], { body: ' '.repeat(5 * mebibyte) })],
  [
    '5 MB in chunks',
    413,
    (lock) =>
      post({ 'Content-Length': null, 'Transfer-Encoding': 'chunked' }, [], {
        body: `${(5 * mebibyte).toString(16)}\r\n${' '.repeat(5 * mebibyte)}\r\n0\r\n\r\n`,
      })(lock),
  ],
];

describe('a request to the tools over HTTP with', () => {
  let bridges: TestBridges;
  let lock: Lock;

  before(async () => {
    bridges = new TestBridges();
    const { bridge, lock: written } = await bridges.start();
    lock = written;
    bridge.endpoints.set('/editor', {
      isOn: true,
      list: async () => [],
      call: async () => assert.fail('nobody calls'),
    });
  });
  after(() => bridges.cleanUp());

  for (const [what, expected, request] of cases) {
    it(`${what}: ${expected}`, async () => {
      const socket = bridges.socket(lock);
      let answer = '';
      socket.on('data', (data) => (answer += data.toString('latin1')));
      socket.write(request(lock), 'latin1');
      await until('an answer', () => socket.closed || answer.includes('\r\n\r\n'));
      socket.destroy();
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
      if (expected === 'refused') {
        assert.ok(status === 0 || status >= 400, answer);
      } else {
        assert.equal(status, expected, answer);
      }
      if (expected === 401 || expected === 403) {
        assert.match(answer, /content-length: 0/i, 'a refusal gives no detail');
        assert.match(answer, /\r\n\r\n$/);
      }
    });
  }

  it('any of that leaves no token in the log', () => {
    assert.ok(!bridges.log.lines.join('\n').includes(lock.authToken));
  });
});
