import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import type { Lock } from '../support/ideClient.ts';
import { TestBridges, upgradeRequest } from '../support/testBridges.ts';
import { until } from '../support/until.ts';

/** [what, status, request]; 'refused' where Node's parser or ws decides how. */
type Case = [string, number | 'refused', (lock: Lock) => string];

const withHeader = (changes: Record<string, string | null>) => (lock: Lock) => upgradeRequest(lock, changes);
const withHost = (host: (port: number) => string) => (lock: Lock) =>
  upgradeRequest(lock, { Host: host(lock.port) });
const withLines =
  (...lines: string[]) =>
  (lock: Lock) =>
    upgradeRequest(lock, {}, lines);
const token = 'X-Claude-Code-Ide-Authorization';

const groups: Record<string, Case[]> = {
  'the real client': [
    ['as the CLI sends it', 101, (lock) => upgradeRequest(lock)],
    ['with localhost as its host', 101, withHost((port) => `localhost:${port}`)],
    ['with other subprotocols beside mcp', 101, withHeader({ 'Sec-WebSocket-Protocol': 'x, mcp' })],
    ['with an extension offered', 101, withLines('Sec-WebSocket-Extensions: permessage-deflate')],
  ],
  'a web page': [
    ['https Origin', 403, withLines('Origin: https://evil.example')],
    [
      'Origin on loopback',
      403,
      (lock) => upgradeRequest(lock, {}, [`Origin: http://127.0.0.1:${lock.port}`]),
    ],
    ['Origin localhost', 403, withLines('Origin: http://localhost')],
    ['Origin null, of a sandboxed frame or a file', 403, withLines('Origin: null')],
    ['empty Origin', 403, withLines('Origin:')],
    ['Origin in capitals', 403, withLines('ORIGIN: https://evil.example')],
    ['two Origins', 403, withLines('Origin: https://claude.ai', 'Origin: https://evil.example')],
    ['Origin of a webview', 403, withLines('Origin: vscode-webview://x')],
    ['Origin of a browser extension', 403, withLines('Origin: chrome-extension://x')],
  ],
  'DNS rebinding and other spellings of the host': [
    ['a foreign name', 403, withHost((port) => `evil.example:${port}`)],
    ['a name that begins like ours', 403, withHost((port) => `127.0.0.1:${port}.evil.example`)],
    ['a name that ends like ours', 403, withHost((port) => `evil.localhost:${port}`)],
    ['a wildcard DNS name', 403, withHost((port) => `127.0.0.1.nip.io:${port}`)],
    ['user info before the host', 403, withHost((port) => `evil@127.0.0.1:${port}`)],
    ['another port', 403, withHost(() => '127.0.0.1:1')],
    ['no port', 403, withHost(() => '127.0.0.1')],
    ['a port with a leading zero', 403, withHost((port) => `127.0.0.1:0${port}`)],
    ['decimal IP', 403, withHost((port) => `2130706433:${port}`)],
    ['hexadecimal IP', 403, withHost((port) => `0x7f000001:${port}`)],
    ['octal IP', 403, withHost((port) => `0177.0.0.1:${port}`)],
    ['short IP', 403, withHost((port) => `127.1:${port}`)],
    ['another loopback IP', 403, withHost((port) => `127.0.0.2:${port}`)],
    ['any-address', 403, withHost((port) => `0.0.0.0:${port}`)],
    ['IPv6 loopback', 403, withHost((port) => `[::1]:${port}`)],
    ['IPv4 in IPv6', 403, withHost((port) => `[::ffff:127.0.0.1]:${port}`)],
    ['trailing dot', 403, withHost((port) => `localhost.:${port}`)],
    ['full-width digits', 403, withHost((port) => Buffer.from(`１２７.0.0.1:${port}`).toString('latin1'))],
    ['empty host', 403, withHost(() => '')],
    ['two hosts, the right one first', 403, withLines('Host: evil.example')],
    ['no host', 'refused', withHeader({ Host: null })],
    [
      'a foreign host forwarded',
      403,
      (lock) => upgradeRequest(lock, { Host: 'evil.example' }, [`X-Forwarded-Host: 127.0.0.1:${lock.port}`]),
    ],
    [
      'an absolute request target beside a foreign host',
      403,
      (lock) =>
        upgradeRequest(lock, { Host: 'evil.example' }, [], `GET http://127.0.0.1:${lock.port}/ HTTP/1.1`),
    ],
  ],
  'somebody without the token': [
    ['none', 401, withHeader({ [token]: null })],
    ['an empty one', 401, withHeader({ [token]: '' })],
    ['a wrong one of the right length', 401, withHeader({ [token]: 'x'.repeat(43) })],
    [
      'all but the first character',
      401,
      (lock) => upgradeRequest(lock, { [token]: lock.authToken.slice(1) }),
    ],
    [
      'all but the last character',
      401,
      (lock) => upgradeRequest(lock, { [token]: lock.authToken.slice(0, -1) }),
    ],
    ['one character more', 401, (lock) => upgradeRequest(lock, { [token]: `${lock.authToken}x` })],
    ['in another case', 401, (lock) => upgradeRequest(lock, { [token]: swapCase(lock.authToken) })],
    ['twice', 401, (lock) => upgradeRequest(lock, {}, [`${token}: ${lock.authToken}`])],
    ['a wrong one, then the right one', 401, (lock) => upgradeRequest(lock, {}, [`${token}: wrong`])],
    [
      'as a bearer',
      401,
      (lock) => upgradeRequest(lock, { [token]: null }, [`Authorization: Bearer ${lock.authToken}`]),
    ],
    [
      'in the path',
      401,
      (lock) => upgradeRequest(lock, { [token]: null }, [], `GET /?token=${lock.authToken} HTTP/1.1`),
    ],
    [
      'in a cookie',
      401,
      (lock) => upgradeRequest(lock, { [token]: null }, [`Cookie: ${token}=${lock.authToken}`]),
    ],
    ['of 12 kB', 401, withHeader({ [token]: 'x'.repeat(12_000) })],
    ['of 100 kB', 'refused', withHeader({ [token]: 'x'.repeat(100_000) })],
    [
      'on a continued line',
      'refused',
      (lock) => upgradeRequest(lock, { [token]: null }, [`${token}:\r\n ${lock.authToken}`]),
    ],
  ],
  'something that is no WebSocket client of ours': [
    ['no subprotocol', 400, withHeader({ 'Sec-WebSocket-Protocol': null })],
    ['another subprotocol', 400, withHeader({ 'Sec-WebSocket-Protocol': 'chat' })],
    ['a subprotocol that contains mcp', 400, withHeader({ 'Sec-WebSocket-Protocol': 'mcpx' })],
    ['POST', 'refused', (lock) => upgradeRequest(lock, {}, [], 'POST / HTTP/1.1')],
    ['CONNECT', 'refused', (lock) => upgradeRequest(lock, {}, [], `CONNECT 127.0.0.1:${lock.port} HTTP/1.1`)],
    ['an unknown method', 'refused', (lock) => upgradeRequest(lock, {}, [], 'EVIL / HTTP/1.1')],
    ['HTTP/2 in clear', 'refused', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an upgrade to h2c', 'refused', withHeader({ Upgrade: 'h2c' })],
    ['a wrong WebSocket version', 'refused', withHeader({ 'Sec-WebSocket-Version': '12' })],
    ['a WebSocket key of the wrong length', 'refused', withHeader({ 'Sec-WebSocket-Key': 'eA==' })],
    ['no WebSocket key', 'refused', withHeader({ 'Sec-WebSocket-Key': null })],
    ['a TLS hello', 'refused', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['zeroes', 'refused', () => '\0'.repeat(100)],
    ['the right one with 20 kB of headers', 'refused', withLines(`X-A: ${'x'.repeat(20_000)}`)],
    ['5,000 headers', 'refused', withLines(...Array.from({ length: 5_000 }, (_, i) => `X-${i}: y`))],
  ],
  'request smuggling': [
    ['two lengths', 'refused', withLines('Content-Length: 5', 'Content-Length: 6')],
    ['length and chunks', 'refused', withLines('Content-Length: 5', 'Transfer-Encoding: chunked')],
    ['a strange transfer encoding', 'refused', withLines('Transfer-Encoding: \x0bchunked')],
    ['a space before the colon', 'refused', withLines(`Origin : https://evil.example`)],
    ['a bare line feed in a header', 'refused', withLines('X-A: b\nX-B: c')],
    ['a NUL in a header', 'refused', withLines('X-A: b\0c')],
    [
      'a second, good request behind a refused one',
      403,
      (lock) => upgradeRequest(lock, { Host: 'evil.example' }) + upgradeRequest(lock),
    ],
    [
      'a second request, with the right host, behind a plain one',
      'refused',
      (lock) => `GET / HTTP/1.1\r\nHost: x\r\n\r\n${upgradeRequest(lock, { [token]: null })}`,
    ],
  ],
};

describe('an upgrade by', () => {
  let bridges: TestBridges;
  let lock: Lock;

  before(async () => {
    bridges = new TestBridges();
    ({ lock } = await bridges.start());
  });
  after(() => bridges.cleanUp());

  /** Everything that the server says before it hangs up, or before it has let us in. */
  async function answerTo(request: string): Promise<string> {
    const socket = bridges.socket(lock);
    socket.write(request, 'latin1');
    let answer = '';
    socket.on('data', (data) => (answer += data.toString('latin1')));
    await until('an answer', () => socket.closed || answer.includes('HTTP/1.1 101'));
    socket.destroy();
    return answer;
  }

  for (const [attacker, cases] of Object.entries(groups)) {
    describe(attacker, () => {
      for (const [what, expected, request] of cases) {
        it(`${what}: ${expected}`, async () => {
          const answer = await answerTo(request(lock));
          const statuses = [...answer.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
          if (expected === 'refused') {
            assert.ok(!statuses.includes(101), answer);
          } else {
            assert.deepEqual(statuses, [expected], answer);
          }
          if (expected === 401 || expected === 403) {
            assert.match(answer, /\r\nContent-Length: 0\r\n\r\n$/, 'a refusal gives no detail');
          }
        });
      }
    });
  }

  // A clock cannot show it: on loopback the noise is thousands of times what one byte more to compare takes.
  it('somebody without the token: timingSafeEqual alone decides, whatever was offered', async () => {
    const original = crypto.timingSafeEqual;
    const lengths: number[] = [];
    const decideBy = (verdict: boolean) => {
      crypto.timingSafeEqual = (a, b) => {
        lengths.push(a.byteLength, b.byteLength);
        return verdict;
      };
      syncBuiltinESMExports();
    };
    try {
      for (const offered of ['', 'x', lock.authToken.slice(1), lock.authToken, 'x'.repeat(12_000)]) {
        const request = upgradeRequest(lock, { [token]: offered });
        decideBy(true);
        assert.match(await answerTo(request), /^HTTP\/1\.1 101/, offered);
        decideBy(false);
        assert.match(await answerTo(request), /^HTTP\/1\.1 401/, offered);
      }
      assert.deepEqual(lengths, Array(20).fill(32), 'nor does the length tell: digests are compared');
    } finally {
      crypto.timingSafeEqual = original;
      syncBuiltinESMExports();
    }
  });

  describe('all of them', () =>
    it('leave no token in the log, and one line per kind', () => {
      const { log } = bridges;
      assert.ok(!log.lines.join('\n').includes(lock.authToken));
      assert.equal(log.lines.filter((line) => line.includes('Origin')).length, 1);
    }));

  it('a page that tries 500 times fills neither the log nor the table of sockets', async () => {
    const count = () => bridges.log.lines.filter((line) => line.includes('it has an Origin')).length;
    const earlier = count();
    await Promise.all(
      Array.from({ length: 500 }, () => answerTo(upgradeRequest(lock, {}, ['Origin: https://evil.example']))),
    );
    assert.ok(count() - earlier <= 1);
    const client = await bridges.connect(lock);
    assert.deepEqual(await client.callForTexts('hello'), ['hello']);
  });

  it('nobody outside this machine: the port is closed on every other address', async () => {
    const others = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ address }) => address !== '127.0.0.1')
      .map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address));
    for (const host of [...others, '::1', '127.0.0.2']) {
      const reached = await new Promise<boolean>((resolve) => {
        const socket = connect({ host, port: lock.port });
        socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
        socket.once('connect', () => socket.destroy());
      });
      assert.equal(reached, false, host);
    }
  });
});

function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
}
