import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { bridgeName } from '../../../src/relay/findWindow.ts';
import { Relay } from '../../../src/relay/relay.ts';
import type { Bridge } from '../../../src/server/bridge.ts';
import type { ToolCall } from '../../../src/server/session.ts';
import { TestBridges } from '../../support/testBridges.ts';
import { until } from '../../support/until.ts';

describe('the program for clients that know only stdio', function () {
  this.timeout(30_000);
  let bridges: TestBridges;
  let bridge: Bridge;
  let client: Client;
  let transport: StdioClientTransport;
  let errors: string;
  const calls: ToolCall[] = [];

  beforeEach(async () => {
    bridges = new TestBridges();
    bridges.folders = [process.cwd()];
    bridge = await startBridge();
  });
  afterEach(async () => {
    await client.close();
    await bridges.cleanUp();
  });

  async function startBridge(): Promise<Bridge> {
    const serverInfo = { name: bridgeName, title: 'Test', version: '1.0.0' };
    const { bridge: started } = await bridges.start({ serverInfo });
    calls.length = 0;
    started.endpoints.set('/editor', {
      isOn: true,
      list: async () => [{ name: 'look', description: '', inputSchema: { type: 'object' } }],
      call: async (_, args, call) => {
        calls.push(call);
        await ('wait' in (args as object) ? new Promise(() => {}) : undefined);
        return { content: [{ type: 'text', text: JSON.stringify(args) }] };
      },
    });
    return started;
  }

  async function connect(...args: string[]): Promise<void> {
    errors = '';
    client = new Client({ name: 'sdk', version: '1.0.0' });
    transport = new StdioClientTransport({
      command: process.execPath,
      args: ['--import', 'tsx', 'src/relay/main.ts', ...args],
      env: { CLAUDE_CONFIG_DIR: bridges.root },
      stderr: 'pipe',
    });
    transport.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
    await client.connect(transport);
  }

  async function look(args: Record<string, unknown>): Promise<string | undefined> {
    const { content } = await client.callTool({ name: 'look', arguments: args });
    return (content as { text: string }[])[0]?.text;
  }

  it('carries calls to the window that has the current folder open, and ends with its client', async () => {
    await connect();
    assert.equal(client.getServerVersion()?.name, bridgeName);
    assert.deepEqual(await Promise.all([look({ a: 'ä\n' }), look({ b: 2 })]), ['{"a":"ä\\n"}', '{"b":2}']);
    assert.match(errors, /^Connected to Test Editor, .* \(port \d+\)\.\n$/);
    const abort = new AbortController();
    const called = assert.rejects(
      client.callTool({ name: 'look', arguments: { wait: true } }, undefined, { signal: abort.signal }),
    );
    const { signal } = await until('the call', () => calls[2]);
    abort.abort();
    await called;
    await until('the tool to hear of it', () => signal.aborted);
    const { pid } = transport;
    assert.ok(pid);
    await client.close();
    assert.throws(() => process.kill(pid, 0), /ESRCH/);
  });

  it('is there again after a reload of the window, with nothing to do for its client', async () => {
    await connect();
    let toldOfTools = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void toldOfTools++);
    const waiting = assert.rejects(look({ wait: true }), /went away meanwhile/);
    await until('the call', () => calls[0]);
    const { port } = bridge;
    await bridge.stop();
    await waiting;
    const asked = look({ during: 'reload' });
    bridge = await startBridge();
    assert.equal(bridge.port, port);
    assert.equal(await asked, '{"during":"reload"}');
    assert.equal(calls.length, 1);
    assert.equal(toldOfTools, 1);
    assert.equal(calls[0]?.session.clientInfo?.name, 'sdk');
  });

  it('goes to the window that is named, also where several have the folder', async () => {
    bridges.folders = ['/elsewhere'];
    bridge.updateLockFile();
    await connect('--folder', '/elsewhere/deep');
    assert.equal(await look({}), '{}');
    await client.close();
    await connect('--port', String(bridge.port));
    assert.equal(await look({}), '{}');
  });

  it('has no tools where there is no window, says why, and has them once one is there', async () => {
    bridges.folders = ['/elsewhere'];
    bridge.updateLockFile();
    await connect();
    const why = /^No editor window has .* open\. There are: Test Editor with \/elsewhere/;
    assert.match(client.getInstructions() ?? '', why);
    assert.match(errors, why);
    assert.deepEqual((await client.listTools()).tools, []);
    await client.ping();
    await assert.rejects(look({}), /No editor window has/);
    const told = new Promise<void>((resolve) =>
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve()),
    );
    bridges.folders = [process.cwd()];
    bridge.updateLockFile();
    await told;
    assert.deepEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ['look'],
    );
    assert.equal(await look({}), '{}');
    assert.equal(calls[0]?.session.clientInfo?.name, 'sdk');
  });

  it('tries the window of its terminal first, and any with the folder once that has closed', async () => {
    const ports: (number | undefined)[] = [];
    const relay = new Relay(
      async (_, last) => {
        ports.push(last?.port);
        throw new Error('closed');
      },
      () => {},
      () => {},
      { port: 7 },
    );
    await relay.take({ jsonrpc: '2.0', id: 1, method: 'initialize' });
    await relay.take({ jsonrpc: '2.0', id: 2, method: 'initialize' });
    assert.deepEqual(ports, [7, undefined, undefined]);
    await connect(); // what is cleaned up
  });

  it('refuses a message that the window would not take, and those before and after it are answered', async () => {
    await connect();
    const waiting = look({ wait: true });
    waiting.catch(() => {}); // it ends with the client
    await until('the call', () => calls[0]);
    await assert.rejects(look({ a: 'x'.repeat(17 * 1024 * 1024) }), /too long: 16 MB/);
    assert.equal(await look({ b: 2 }), '{"b":2}');
    assert.equal(calls[0]?.signal.aborted, false);
  });

  it('is named after the extension whose lock files it looks for', () => {
    const { name, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as {
      name: string;
      bin: Record<string, string>;
    };
    assert.equal(name, bridgeName);
    assert.deepEqual(Object.values(bin), ['dist/relay.js']);
  });
});
