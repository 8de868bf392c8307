import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { chromium, type Browser } from 'playwright-core';
import { ensureChromium } from '../host/provision.ts';
import type { Lock } from '../support/ideClient.ts';
import { TestBridges } from '../support/testBridges.ts';

// The attack of CVE-2025-52882: a page that the user visits connects to a server on loopback. Here it even knows
// port and token.
describe('a web page in a real browser', function () {
  this.timeout(120_000);
  let bridges: TestBridges;
  let lock: Lock;
  let site: Server;
  let browser: Browser;
  let address: string;

  before(async () => {
    bridges = new TestBridges();
    ({ lock } = await bridges.start());
    site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>evil</title>');
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const bound = site.address();
    assert.ok(bound && typeof bound === 'object');
    address = `http://127.0.0.1:${bound.port}/`;
    browser = await chromium.launch({
      executablePath: ensureChromium(),
      // rebound.example is what DNS rebinding makes of a name.
      args: ['--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
    });
  });
  after(async () => {
    await browser.close();
    site.close();
    await bridges.cleanUp();
  });

  /** What a script in the page finds out by `expression`, a promise of a string. */
  async function attempt(expression: string, from = address): Promise<string> {
    const page = await browser.newPage();
    try {
      await page.goto(from);
      return await page.evaluate<string>(expression);
    } finally {
      await page.close();
    }
  }

  const socket = (url: string, protocols: string) => `new Promise((resolve) => {
    const socket = new WebSocket(${JSON.stringify(url)}, ${protocols});
    socket.onopen = () => resolve('open');
    socket.onerror = () => resolve('refused');
  })`;

  it('is refused a WebSocket, from http, data: and a sandboxed frame', async () => {
    const url = `ws://127.0.0.1:${lock.port}/`;
    assert.equal(await attempt(socket(url, "['mcp']")), 'refused');
    assert.equal(await attempt(socket(url, "['mcp']"), 'data:text/html,evil'), 'refused');
    const inFrame = `new Promise((resolve) => {
      onmessage = ({ data }) => resolve(data);
      const frame = document.createElement('iframe');
      frame.sandbox = 'allow-scripts';
      frame.srcdoc = '<script>' + ${JSON.stringify(
        socket(url, "['mcp']") + ".then((what) => parent.postMessage(what, '*'))",
      )} + '</' + 'script>';
      document.body.append(frame);
    })`;
    assert.equal(await attempt(inFrame), 'refused');
  });

  it('is refused with the token in every place that a page can put it', async () => {
    const url = `ws://127.0.0.1:${lock.port}/?x-claude-code-ide-authorization=${lock.authToken}`;
    assert.equal(await attempt(socket(url, JSON.stringify(['mcp', lock.authToken]))), 'refused');
    const asUser = `ws://x:${lock.authToken}@127.0.0.1:${lock.port}/`;
    assert.equal(await attempt(socket(asUser, "['mcp']")), 'refused');
  });

  it('is refused over a rebound name', async () => {
    assert.equal(await attempt(socket(`ws://rebound.example:${lock.port}/`, "['mcp']")), 'refused');
  });

  it('cannot read an answer over fetch, nor send the token', async () => {
    const url = `http://127.0.0.1:${lock.port}/`;
    const plain = `fetch(${JSON.stringify(url)}).then(() => 'read', () => 'refused')`;
    assert.equal(await attempt(plain), 'refused');
    const withToken = `fetch(${JSON.stringify(url)}, { headers: { 'x-claude-code-ide-authorization': ${JSON.stringify(lock.authToken)} } }).then(() => 'read', () => 'refused')`;
    assert.equal(await attempt(withToken), 'refused');
  });

  it('has left no session, and the log says why', () => {
    const log = bridges.log.lines.join('\n');
    assert.doesNotMatch(log, /Session 1 connected/);
    assert.match(log, /it has an Origin, so it comes from a web page/);
  });
});
