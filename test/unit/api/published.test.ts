import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../../..');

/** What the compiler says of an extension that has a copy of the file, and nothing else of ours; '' if nothing. */
function complaints(source: string, options: readonly string[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'ide-bridge-extension-'));
  try {
    cpSync(join(root, 'api/ideBridge.d.ts'), join(folder, 'ideBridge.d.ts'));
    writeFileSync(join(folder, 'extension.ts'), source);
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    symlinkSync(join(root, 'node_modules/@types/vscode'), join(folder, 'node_modules/@types/vscode'));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const common = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2022', '--types', 'vscode'];
    const modules = options.length > 0 ? options : ['--module', 'node16'];
    const { stdout } = spawnSync(
      process.execPath,
      [tsc, ...common, ...modules, 'extension.ts', 'ideBridge.d.ts'],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the published types', function () {
  this.timeout(60_000);
  const sample = readFileSync(join(root, 'test/fixtures/sample/extension.ts'), 'utf8').replace(
    '../../../api/ideBridge.d.ts',
    './ideBridge',
  );

  it('compile by themselves, with the libraries checked, and with an extension that uses all of them', () => {
    assert.equal(complaints(sample), '');
  });

  it('compile for an extension that is bundled, as the example in README does', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const [, example = ''] = /### For other extensions[^]*?```ts\n([^]*?)```/.exec(readme) ?? [];
    assert.match(example, /getAPI/);
    const around = [
      "import * as vscode from 'vscode';",
      "import type { IdeBridgeExports } from './ideBridge';",
      'declare const context: vscode.ExtensionContext, uri: vscode.Uri, newText: string;',
      'declare const tracker: { read(id: number): Promise<string> };',
      'declare const console: { log(...words: unknown[]): void };',
    ];
    const options = ['--module', 'esnext', '--moduleResolution', 'bundler'];
    assert.equal(complaints([...around, example].join('\n'), options), '');
  });

  it('refuse what makes no sense', () => {
    const begin = "import type { IdeBridgeApi, IdeBridgeExports } from './ideBridge';\n";
    const wrong = [
      "export const version = (e: IdeBridgeExports) => e.getAPI(2, 'a.b');",
      'export const rename = (a: IdeBridgeApi) => { a.sessions.all[0]!.label = "mine"; };',
      'export const mention = (a: IdeBridgeApi) => a.mention({ uri: "file:///a" });',
      'export const group = (a: IdeBridgeApi) => a.registerTool({ name: "a", title: "A", description: "a", inputSchema: {}, group: "all", handler: () => "" });',
      'export const silent = (a: IdeBridgeApi) => a.registerTool({ name: "a", title: "A", description: "a", inputSchema: {}, group: "reading", handler: () => {} });',
    ];
    const lines = complaints(begin + wrong.join('\n')).matchAll(/extension\.ts\((\d+),/g);
    assert.deepEqual([...new Set([...lines].map(([, line]) => Number(line)))], [2, 3, 4, 5, 6]);
  });

  it('import nothing but types of the editor', () => {
    const text = readFileSync(join(root, 'api/ideBridge.d.ts'), 'utf8');
    const imports = [...text.matchAll(/^import .*$/gm)].map(([line]) => line);
    assert.equal(imports.length, 1);
    assert.match(imports[0] ?? '', /^import type \{.*\} from 'vscode';$/);
  });

  it('are in the .vsix', () => {
    assert.match(readFileSync(join(root, '.vscodeignore'), 'utf8'), /^!api\/\*\*$/m);
  });
});
