import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as vscode from 'vscode';
import type { IdeClient } from '../support/ideClient.ts';
import { hostilePaths } from '../support/hostilePaths.ts';
import { until } from '../support/until.ts';
import { connectClient, proposalTabs, Scratch, tabs } from './bridge.ts';

interface Schema {
  type?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
}

const isText = ({ type, anyOf }: Schema): boolean => type === 'string' || (anyOf?.some(isText) ?? false);

describe('hostile arguments', function () {
  this.timeout(120_000);
  let client: IdeClient;
  let scratch: Scratch;

  beforeEach(async () => {
    client = await connectClient();
    scratch = new Scratch();
  });
  afterEach(async () => {
    await client.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  /** Settles with what happened to a call; one that waits for the user is ended by closeAllDiffTabs. */
  async function call(name: string, args: object): Promise<'answer' | 'error' | 'review'> {
    const { answer } = client.start('tools/call', { name, arguments: args });
    const outcome = answer.then(
      () => 'answer' as const,
      () => 'error' as const,
    );
    const isWaiting = until(`an answer of ${name}`, () => proposalTabs().length > 0, 20_000).then(
      () => 'review' as const,
    );
    isWaiting.catch(() => {});
    const first = await Promise.race([outcome, isWaiting]);
    if (first === 'review') {
      await client.call('closeAllDiffTabs');
      await outcome;
      await until('the diff to go', () => proposalTabs().length === 0);
    }
    return first;
  }

  it('in every text of every tool are answered, and open, save and run nothing', async () => {
    const { tools } = (await client.request('tools/list')) as {
      tools: { name: string; inputSchema: Schema }[];
    };
    let calls = 0;
    for (const { name, inputSchema } of tools) {
      const { properties = {}, required = [] } = inputSchema;
      for (const [field, schema] of Object.entries(properties)) {
        const isList = schema.items !== undefined && isText(schema.items);
        if (!isText(schema) && !isList) {
          continue;
        }
        // Contents and names of proposals are any text; they are not paths.
        const values =
          name === 'openDiff' && !field.endsWith('path') ? hostilePaths.slice(0, 6) : hostilePaths;
        for (const value of values) {
          const args: Record<string, unknown> = { [field]: isList ? [value] : value };
          for (const other of required) {
            args[other] ??= other.endsWith('path') ? scratch.path('x.txt') : 'x';
          }
          await call(name, args);
          calls++;
        }
      }
    }
    assert.ok(calls > 300, `${calls} calls`);
    assert.deepEqual(await client.callForTexts('closeAllDiffTabs'), ['CLOSED_0_DIFF_TABS']);
    const opened = tabs().map(({ input }) =>
      input instanceof vscode.TabInputText ? input.uri.toString() : input,
    );
    assert.deepEqual(opened, []);
  });

  it('that name a pipe are answered at once, and take none of the editor’s threads', async () => {
    const pipe = scratch.path('pipe.txt');
    execFileSync('mkfifo', [pipe]);
    for (let i = 0; i < 8; i++) {
      assert.equal((await client.call('openFile', { filePath: pipe })).isError, true);
      const args = { old_file_path: pipe, new_file_path: pipe, new_file_contents: 'x', tab_name: `${i}` };
      assert.equal((await client.call('openDiff', args)).isError, true);
      await client.call('getDiagnostics', { uri: `file://${pipe}` });
    }
    const document = await vscode.workspace.openTextDocument(scratch.write('still.txt', 'here'));
    assert.equal(document.getText(), 'here');
  });
});
