import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import * as vscode from 'vscode';
import { SdkTransport } from '../../support/sdkTransport.ts';
import { until } from '../../support/until.ts';
import { currentLock, proposalTabs, Scratch } from '../bridge.ts';

describe('the official MCP SDK’s client', () => {
  let client: Client;
  let scratch: Scratch;

  beforeEach(async () => {
    scratch = new Scratch();
    const { port, authToken } = await currentLock();
    client = new Client({ name: 'sdk', version: '1.0.0' });
    await client.connect(new SdkTransport(port, authToken));
  });
  afterEach(async () => {
    await client.close();
    scratch.remove();
  });

  it('initializes, and finds tools, resources and prompts', async () => {
    assert.equal(client.getServerVersion()?.name, 'ide-bridge-for-claude-code');
    assert.deepEqual(client.getServerCapabilities(), {
      tools: { listChanged: true },
      resources: {},
      prompts: {},
    });
    const { tools } = await client.listTools();
    assert.ok(tools.some(({ name }) => name === 'openDiff'));
    assert.deepEqual((await client.listResources()).resources, []);
    assert.deepEqual((await client.listPrompts()).prompts, []);
    await client.ping();
  });

  it('calls a tool, and gets its refusals as errors', async () => {
    const { content } = await client.callTool({ name: 'closeAllDiffTabs' });
    assert.deepEqual(content, [{ type: 'text', text: 'CLOSED_0_DIFF_TABS' }]);
    await assert.rejects(client.callTool({ name: 'openFile', arguments: {} }), /-32602/);
  });

  it('is told when the list of tools has changed', async () => {
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve());
    });
    const disable = (names: string[] | undefined) =>
      vscode.workspace
        .getConfiguration('ideBridge')
        .update('tools.disabled', names, vscode.ConfigurationTarget.Global);
    await disable(['openFile']);
    try {
      await changed;
      const { tools } = await client.listTools();
      assert.ok(!tools.some(({ name }) => name === 'openFile'));
    } finally {
      await disable(undefined);
    }
  });

  it('cancels a call', async () => {
    const abort = new AbortController();
    const file = scratch.write('a.txt', '');
    const args = { old_file_path: file, new_file_path: file, new_file_contents: 'x', tab_name: 'T' };
    const call = client.callTool({ name: 'openDiff', arguments: args }, undefined, { signal: abort.signal });
    await until('the diff', () => proposalTabs().length === 1);
    abort.abort('not needed');
    await assert.rejects(call);
    await until('the diff to go', () => proposalTabs().length === 0);
    await client.ping();
  });
});
