import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import * as vscode from 'vscode';
import { editorToolNames } from '../../../src/editorTools/names.ts';
import { SdkTransport } from '../../support/sdkTransport.ts';
import { until } from '../../support/until.ts';
import { currentLock, extensionUnderTest, proposalTabs, Scratch, skipOnFloor, useDesk } from '../bridge.ts';

type AnyTransport = Parameters<Client['connect']>[0];

interface ServerConfiguration {
  command: string;
  args: string[];
  url: string;
  headers: Record<string, string>;
}

describe('the editor tools', function () {
  this.timeout(60_000);
  const desk = useDesk();
  const clients: Client[] = [];
  let scratch: Scratch;

  before(() => {
    scratch = new Scratch();
    ['a.ts', 'b.ts', 'c.ts'].forEach((file) => scratch.write(file, `export const ${file[0]} = 1;\n`));
  });
  beforeEach(() => desk.configure('ideBridge.editorTools.enabled', true));
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
  });
  after(() => scratch.remove());

  async function connect(transport: AnyTransport): Promise<Client> {
    const client = new Client({ name: 'sdk', version: '1.0.0' });
    await client.connect(transport);
    clients.push(client);
    await client.listTools(); // from then on it checks what tools answer
    return client;
  }

  const overHttp = (url: string, headers: Record<string, string>) =>
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as AnyTransport;
  const byProgram = (command: string, args: string[]) =>
    new StdioClientTransport({ command, args, env: environment() });

  const transports: [string, () => Promise<AnyTransport>][] = [
    [
      'WebSocket',
      async () => {
        const { port, authToken } = await currentLock();
        return new SdkTransport(port, authToken, '/editor');
      },
    ],
    [
      'HTTP',
      async () => {
        const { port, authToken } = await currentLock();
        return overHttp(`http://127.0.0.1:${port}/editor`, { Authorization: `Bearer ${authToken}` });
      },
    ],
    [
      'stdio',
      async () => {
        const program = vscode.Uri.joinPath(extensionUnderTest().extensionUri, 'dist', 'relay.js').fsPath;
        return byProgram(process.execPath, [program, '--folder', scratch.folder]);
      },
    ],
  ];
  for (const [name, open] of transports) {
    it(`are there over ${name}: listed, called page by page, cancelled, told of when they change`, async () => {
      const client = await connect(await open());
      let told = 0;
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void told++);
      const names = async () => (await client.listTools()).tools.map((tool) => tool.name);
      assert.deepEqual(await names(), editorToolNames);
      const search = (offset: number) =>
        client.callTool({
          name: 'searchFiles',
          arguments: { glob: `${basename(scratch.folder)}/*.ts`, limit: 2, offset },
        });
      const [first, second] = await Promise.all([search(0), search(2)]);
      assert.deepEqual(
        [first, second].map(({ structuredContent }) => {
          const { total, nextOffset, files } = structuredContent as {
            total: number;
            nextOffset?: number;
            files: string[];
          };
          return { total, nextOffset, files: files.map((file) => basename(file)) };
        }),
        [
          { total: 3, nextOffset: 2, files: ['a.ts', 'b.ts'] },
          { total: 3, nextOffset: undefined, files: ['c.ts'] },
        ],
      );
      const abort = new AbortController();
      const called = client.callTool({ name: 'openEditors' }, undefined, { signal: abort.signal });
      abort.abort();
      await assert.rejects(called);
      await desk.configure('ideBridge.tools.disabled', ['references']);
      await until('the news', () => told > 0);
      assert.deepEqual(
        await names(),
        editorToolNames.filter((each) => each !== 'references'),
      );
    });
  }

  for (const [name, open] of transports) {
    it(`have an edit reviewed over ${name}, and withdraw it with the call or the client`, async () => {
      await desk.configure('ideBridge.editorTools.editing', true);
      const transport = await open();
      const client = await connect(transport);
      const file = `loose-${name}.ts`;
      const path = scratch.write(file, 'export const  loose=1;\n');
      const format = (signal?: AbortSignal) =>
        client.callTool(
          { name: 'format', arguments: { file: `${basename(scratch.folder)}/${file}` } },
          undefined,
          signal ? { signal } : {},
        );
      const isShown = () => until('the proposal', () => proposalTabs()[0]?.startsWith(file), 30_000);
      const isGone = () => until('it to be gone', () => proposalTabs().length === 0);

      const abort = new AbortController();
      const cancelled = assert.rejects(format(abort.signal));
      await isShown();
      abort.abort();
      await cancelled;
      await isGone();

      const accepted = format();
      await isShown();
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.match(JSON.stringify((await accepted).content), /1 file written/);
      assert.equal(readFileSync(path, 'utf8'), 'export const loose = 1;\n');
      await isGone();

      scratch.write(file, 'export const  loose=2;\n');
      const document = await vscode.workspace.openTextDocument(path);
      // On a machine that is busier than a tool waits for it.
      await until('the editor to have read it', () => document.getText().includes('loose=2'), 30_000);
      const left = assert.rejects(format());
      await isShown();
      // One that only hangs up may come back.
      await (transport instanceof StreamableHTTPClientTransport ? transport.terminateSession() : undefined);
      await client.close();
      await left;
      await isGone();
      assert.equal(readFileSync(path, 'utf8'), 'export const  loose=2;\n');
      rmSync(path); // the other tests count the files
    });
  }

  it('are not there over HTTP while they are off, nor for a web page while they are on', async () => {
    const { port, authToken } = await currentLock();
    const status = async (headers: Record<string, string>) => {
      const response = await fetch(`http://127.0.0.1:${port}/editor`, { method: 'POST', headers });
      return response.status;
    };
    const authorization = `Bearer ${authToken}`;
    assert.equal(await status({ authorization }), 406);
    assert.equal(await status({ authorization, origin: 'http://127.0.0.1' }), 403);
    assert.equal(await status({}), 401);
    await desk.configure('ideBridge.editorTools.enabled', false);
    assert.equal(await status({ authorization }), 404);
    assert.equal(await status({}), 401);
  });

  describe('are offered to other clients by a configuration that is copied', () => {
    async function copied(label: string, shot?: string): Promise<string> {
      await vscode.env.clipboard.writeText('');
      void vscode.commands.executeCommand('ideBridge.copyMcpConfiguration');
      const row = desk.ui.page.locator('.quick-input-widget .monaco-list-row', { hasText: label });
      await row.waitFor();
      if (shot) {
        await desk.ui.screenshot(shot);
      }
      await row.click();
      const text = await until('the configuration', async () => await vscode.env.clipboard.readText());
      const { authToken } = await currentLock();
      assert.equal(text.includes(authToken), label.includes('HTTP'));
      return text;
    }

    const editorOf = (text: string) =>
      (JSON.parse(text) as { mcpServers: { editor: ServerConfiguration } }).mcpServers.editor;

    it('for a program', async () => {
      const { command, args } = editorOf(await copied('by a Program', 'mcp-configuration'));
      assert.equal(command, 'node');
      assert.doesNotMatch(args[0] ?? '', /0\.1\.0|dist/, 'the next version has another folder');
      const client = await connect(byProgram(process.execPath, args));
      assert.equal((await client.callTool({ name: 'openEditors' })).isError, undefined);
    });

    it('by HTTP', async () => {
      const { url, headers } = editorOf(await copied('by HTTP'));
      const client = await connect(overHttp(url, headers));
      assert.equal((await client.callTool({ name: 'openEditors' })).isError, undefined);
      await desk.ui.screenshot('mcp-configuration-copied');
    });

    it('for Claude Code', async () => {
      assert.match(
        await copied('Claude Code'),
        /^\S+ mcp add --env '?CLAUDE_CONFIG_DIR=[^']+'? --scope user editor node '?\/[^']+relay\.js'?$/,
      );
    });

    it('but not while they are off, which is said with the way to the setting', async () => {
      await desk.configure('ideBridge.editorTools.enabled', false);
      void vscode.commands.executeCommand('ideBridge.copyMcpConfiguration');
      const toast = desk.ui.page.locator('.notification-toast', { hasText: 'The editor tools are off' });
      await toast.waitFor();
      assert.ok(await toast.locator('.monaco-button', { hasText: 'Open Setting' }).isVisible());
    });
  });

  it('are offered to the models of the editor’s own chat', async function () {
    skipOnFloor(this); // it knows nothing of MCP
    await desk.configure('chat.disableAIFeatures', false);
    // Which another suite may have left open: to close it later would close the list, too.
    await vscode.commands.executeCommand('workbench.action.closePanel');
    void vscode.commands.executeCommand('workbench.mcp.listServer');
    const row = desk.ui.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Editor Tools' });
    await row.waitFor();
    await desk.ui.screenshot('mcp-servers');
    await row.click();
    const start = desk.ui.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Start Server' });
    await start.click();
    const tool = await until('the tools', () =>
      vscode.lm.tools.find(({ name }) => name.endsWith('searchFiles')),
    );
    const { content } = await vscode.lm.invokeTool(tool.name, {
      input: { glob: `${basename(scratch.folder)}/*.ts` },
      toolInvocationToken: undefined,
    });
    assert.match(JSON.stringify(content), /total\W+3/);
    // It shows what the server says, once it has started, and that takes the focus from whoever comes next.
    await desk.ui.page.locator('.part.panel').waitFor();
    await desk.ui.screenshot('mcp-started');
    await vscode.commands.executeCommand('workbench.action.closePanel');
  });
});

/** Where the program finds the lock files. */
function environment(): Record<string, string> {
  const { CLAUDE_CONFIG_DIR = '', PATH = '' } = process.env;
  return { CLAUDE_CONFIG_DIR, PATH };
}
