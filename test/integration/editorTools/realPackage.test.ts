import assert from 'node:assert/strict';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as vscode from 'vscode';
import { until } from '../../support/until.ts';
import { extensionUnderTest, Scratch } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { type Answer, callTool, connectTools } from './toolClient.ts';

interface Place {
  path: string;
  line: number;
  column: number;
}

interface Page {
  places: Place[];
  nextOffset?: number;
}

const wanted = 50;

describe('the editor tools on the sources of a package from npm', function () {
  this.timeout(180_000);
  let client: Client;
  let scratch: Scratch;

  before(async () => {
    await configure('editorTools.enabled', true);
    scratch = new Scratch();
    const sources = join(extensionUnderTest().extensionPath, 'node_modules', 'zod', 'src', 'v4');
    for (const folder of ['core', 'locales']) {
      cpSync(join(sources, folder), scratch.path(folder), {
        recursive: true,
        filter: (path) => !path.includes('tests'),
      });
    }
    scratch.write(
      'tsconfig.json',
      '{ "compilerOptions": { "module": "nodenext", "target": "es2022" }, "include": ["core", "locales"] }\n',
    );
    const uri = vscode.Uri.file(scratch.path('core/api.ts'));
    await vscode.workspace.openTextDocument(uri);
    await until('the language server', async () => (await outlineOf(uri)).length > 0, 60_000);
    client = await connectTools();
  });
  after(async () => {
    await client.close();
    scratch.remove();
    await configure('editorTools.enabled', undefined);
  });

  /** All pages. */
  async function places(tool: string, args: object): Promise<Place[]> {
    const found: Place[] = [];
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page: Answer<Page> = await callTool(client, tool, { ...args, offset, limit: 500 });
      assert.ok(page.data && !page.isError, page.text);
      found.push(...page.data.places);
      offset = page.data.nextOffset;
    }
    return found;
  }

  /** Empty where there is nothing in it, or the server is not there yet. */
  async function outlineOf(uri: vscode.Uri): Promise<vscode.DocumentSymbol[]> {
    const found = await vscode.commands.executeCommand<vscode.DocumentSymbol[] | undefined>(
      'vscode.executeDocumentSymbolProvider',
      uri,
    );
    return found ?? [];
  }

  /** Functions, classes, types and constants, each where its name stands. */
  async function symbols(): Promise<{ uri: vscode.Uri; name: string; at: vscode.Position }[]> {
    const found = [];
    for (const file of readdirSync(scratch.path('core')).sort()) {
      const uri = vscode.Uri.file(scratch.path(`core/${file}`));
      await vscode.workspace.openTextDocument(uri);
      const outline = await outlineOf(uri);
      // A few of each file: those of one would be much alike.
      found.push(
        ...outline
          .filter(({ name }) => /^[\w$]+$/.test(name))
          .slice(0, 8)
          .map(({ name, selectionRange }) => ({ uri, name, at: selectionRange.start })),
      );
    }
    return found.slice(0, wanted);
  }

  const key = ({ path, line, column }: Place) => `${path}:${line}:${column}`;
  const keyOf = (uri: vscode.Uri, { start }: vscode.Range) =>
    key({ path: uri.fsPath, line: start.line + 1, column: start.character + 1 });

  it(`answer for ${wanted} symbols as the language server itself does`, async () => {
    const all = await symbols();
    assert.equal(all.length, wanted);
    let references = 0;
    for (const { uri, name, at } of all) {
      const args = { file: uri.fsPath, line: at.line + 1, column: at.character + 1 };
      const direct = await vscode.commands.executeCommand<vscode.Location[]>(
        'vscode.executeReferenceProvider',
        uri,
        at,
      );
      const theirs = new Set(direct.map((each) => keyOf(each.uri, each.range)));
      const ours = (await places('references', args)).map(key);
      assert.deepEqual(ours.toSorted(), [...theirs].sort(), `references of ${name}`);
      references += ours.length;

      const definitions = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[]>(
        'vscode.executeDefinitionProvider',
        uri,
        at,
      );
      const defined = new Set(
        definitions.map((each) =>
          'targetUri' in each
            ? keyOf(each.targetUri, each.targetSelectionRange ?? each.targetRange)
            : keyOf(each.uri, each.range),
        ),
      );
      assert.deepEqual(
        (await places('definition', args)).map(key).sort(),
        [...defined].sort(),
        `definition of ${name}`,
      );
    }
    assert.ok(references > 500, `${references} references are few for ${wanted} symbols`);
  });
});
