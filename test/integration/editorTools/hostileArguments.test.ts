import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import * as vscode from 'vscode';
import { errorMessage } from '../../../src/base/errors.ts';
import { editorToolNames } from '../../../src/editorTools/names.ts';
import { until } from '../../support/until.ts';
import { useDesk } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { callTool, connectTools } from './toolClient.ts';

/**
 * What no answer may have: it begins as a symbol and as a text that the tools are asked for. In no other suite, as a language
 * server still finds what has stood in their files, and was excluded only then.
 */
const secret = 'muffled';
const wanted = 'muff';
/** Ms that a call may take. */
const patience = 20_000;

const shared = 'export class Square {\n  area(): number {\n    return 1;\n  }\n}\n';

type Properties = Readonly<Record<string, { readonly type?: string; readonly enum?: readonly unknown[] }>>;

/** Some at a time, as a client could. */
async function each<T>(all: Iterable<T>, act: (one: T) => Promise<unknown>): Promise<void> {
  const left = [...all];
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      await act(next);
    }
  };
  await Promise.all([work(), work(), work(), work()]);
}

describe('hostile arguments for each editor tool', function () {
  this.timeout(180_000);
  const desk = useDesk();
  let client: Client;
  let outside: string;
  let tools: Tool[];
  let files: Readonly<Record<'plain' | 'excluded' | 'outside', string>>;

  before(() => configure('editorTools.enabled', true));
  after(() => configure('editorTools.enabled', undefined));
  beforeEach(async () => {
    for (const group of ['editing', 'running', 'debugging']) {
      await desk.configure(`ideBridge.editorTools.${group}`, true);
    }
    outside = mkdtempSync(join(realpathSync(tmpdir()), 'ide-bridge-outside-'));
    files = {
      plain: desk.scratch.write('plain.ts', shared),
      excluded: desk.scratch.write('id_rsa.ts', `export const ${secret} = 1;\n`),
      outside: join(outside, 'outside.ts'),
    };
    writeFileSync(files.outside, `export const ${secret} = 2;\n`);
    symlinkSync(files.outside, desk.scratch.path('link.ts'));
    client = await connectTools('hostile');
    ({ tools } = await client.listTools());
    await until('the language server', async () =>
      (await answerOf('documentSymbols', {})).includes('Square'),
    );
  });
  afterEach(async () => {
    await client.close();
    rmSync(outside, { recursive: true, force: true });
  });

  const propertiesOf = ({ inputSchema }: Tool): Properties => inputSchema.properties ?? {};

  /** What makes a call of that tool one that could be answered, with some of it replaced. */
  function argumentsFor(tool: Tool, replaced: object): Record<string, unknown> {
    const usual: Record<string, unknown> = { file: files.plain, symbol: 'Square', query: 'Square' };
    const { required = [] } = tool.inputSchema;
    const filled = Object.entries(propertiesOf(tool)).flatMap(
      ([name, { type, enum: choices }]): [string, unknown][] =>
        name in usual
          ? [[name, usual[name]]]
          : required.includes(name)
            ? [[name, choices?.[0] ?? (type === 'integer' || type === 'number' ? 1 : 'none')]]
            : [],
    );
    return { ...Object.fromEntries(filled), ...replaced };
  }

  /** Words for the model, be it an error. @throws when it takes too long */
  async function answerOf(name: string, replaced: object): Promise<string> {
    const tool = tools.find((each) => each.name === name);
    assert.ok(tool, name);
    const args = argumentsFor(tool, replaced);
    const begun = performance.now();
    const words = await callTool(client, name, args, AbortSignal.timeout(patience)).then(
      ({ isError, text, data }) => `${isError ? 'Error: ' : ''}${text} ${JSON.stringify(data)}`,
      (error: unknown) => `Error: ${errorMessage(error)}`,
    );
    const asked = `${name} ${JSON.stringify(replaced).slice(0, 100)}`;
    assert.ok(performance.now() - begun < patience, `${asked} does not end`);
    assert.ok(!words.includes(secret), `${asked} tells what is not shared: ${words.slice(0, 500)}`);
    assert.ok(
      JSON.stringify(args).includes('id_rsa') || !words.includes('id_rsa'),
      `${asked} names it: ${words.slice(0, 500)}`,
    );
    return words;
  }

  function assertUntouched(): void {
    assert.equal(readFileSync(files.plain, 'utf8'), shared);
    assert.equal(readFileSync(files.excluded, 'utf8'), `export const ${secret} = 1;\n`);
    assert.equal(readFileSync(files.outside, 'utf8'), `export const ${secret} = 2;\n`);
  }

  it('reach no file outside of the workspace, and none that is not shared', async () => {
    const taking = tools.filter((tool) => 'file' in propertiesOf(tool));
    assert.ok(taking.length > 15, 'most of them take a file');
    const refused = [
      files.outside,
      relative(desk.scratch.folder, files.outside),
      join(basename(desk.scratch.folder), relative(desk.scratch.folder, files.outside)),
      desk.scratch.path('link.ts'),
      files.excluded,
      desk.scratch.folder,
      'untitled:Untitled-1',
      'vscode-userdata:/User/settings.json',
      'command:workbench.action.closeWindow',
      'http://127.0.0.1:1/x.ts',
      `${files.plain}\0`,
      'x/'.repeat(50_000),
      '',
    ];
    const calls = taking.flatMap(({ name }) => refused.map((file) => [name, file] as const));
    await each(calls, async ([name, file]) => {
      const words = await answerOf(name, { file });
      assert.ok(words.startsWith('Error: '), `${name} takes ${file.slice(0, 100)}: ${words.slice(0, 300)}`);
    });
    assertUntouched();
    assert.ok((await answerOf('documentSymbols', {})).includes('Square'), 'the next call is answered');
  });

  it('end, and tell nothing that is not shared, whatever they are', async () => {
    const texts = [
      '',
      wanted,
      '[x](command:y)',
      '(a+)+$',
      '**/*',
      '../../**',
      '\0',
      'x'.repeat(100_000),
      'NaN',
    ];
    const numbers = [-1, 0, 1.5, 1e9, Number.MAX_SAFE_INTEGER, 1e300, '7', null];
    const ofType: Record<string, readonly unknown[]> = {
      string: texts,
      integer: numbers,
      number: numbers,
      boolean: ['yes', 1, null],
      array: [[], [[]], 'x', Array.from({ length: 10_000 }, () => wanted)],
      object: [[], 'x', { __proto__: null, constructor: 1 }],
    };
    const reading = tools.filter(({ name }) => (editorToolNames as readonly string[]).includes(name));
    const calls = reading.flatMap((tool) =>
      Object.entries(propertiesOf(tool)).flatMap(([property, { type = 'string' }]) =>
        property === 'file'
          ? []
          : (ofType[type] ?? texts).map((value) => [tool.name, { [property]: value }] as const),
      ),
    );
    assert.ok(calls.length > 100, `${calls.length} calls`);
    await each(calls, async ([name, replaced]) => {
      await answerOf(name, replaced);
    });
    assertUntouched();
    assert.ok((await answerOf('documentSymbols', {})).includes('Square'), 'the next call is answered');
  });
});

describe('files that the user has excluded from sharing, for each editor tool', function () {
  this.timeout(300_000);
  const desk = useDesk();
  let client: Client;
  let tools: Tool[];

  /** Stands in excluded files and in their names only; what shared files have of these is named otherwise. */
  const hidden = /hushed/i;
  const uses = `import { alpha, beta, type Delta, Epsilon, type Kind, makesEta, zeta } from './vault/inner';

export const one = beta(alpha);
export const two: Delta = { side: 1 };
export const three = zeta.side;
export class Mine extends Epsilon {}
export function outer() {
  return beta('x') + theta;
}
export const four: Delta = {  };
export const five = alpha;
export const six = [alpha] as const;
export const seven = makesEta();
export const eight: Kind = '';
export const nine = zeta
  .side;
export const { side } = zeta;
export const ten = makesEta().side + beta(five).length + (zeta).side;
export const eleven: Kind = 'a.';
export { gamma } from './gamma';
import '.';
export const twelve = { ...zeta };
export const thirteen = new Mine().side;
`;

  before(() => configure('editorTools.enabled', true));
  after(() => configure('editorTools.enabled', undefined));
  beforeEach(async () => {
    for (const group of ['editing', 'running', 'debugging']) {
      await desk.configure(`ideBridge.editorTools.${group}`, true);
    }
    await desk.configure('ideBridge.share.exclude', ['vault', '**/*-hushed.*']);
    desk.scratch.write(
      'tsconfig.json',
      '{ "compilerOptions": { "module": "esnext", "moduleResolution": "bundler", "strict": true } }\n',
    );
    desk.scratch.write('vault/hushedLog.txt', 'hushed\n');
    desk.scratch.write(
      'vault/inner.ts',
      `import { gamma } from '../gamma';
/** Hushed words. */
export const alpha = 'hushed-value';
export function beta(hushedText: string) {
  return gamma(hushedText);
}
export interface Delta { side: number; hushedSide?: number }
export class Epsilon { hushedMethod() { return 1; } }
export const zeta: Delta = { side: 1 };
export const hushedProblem: number = 'x';
export type Kind = 'hushed-kind' | 'a.hushed-kind';
export function makesEta() {
  return { side: 1, hushedEta: 2 };
}
`,
    );
    desk.scratch.write('theta-hushed.ts', 'export const theta = 1;\n');
    desk.scratch.write('gamma.ts', 'export function gamma(text: string) {\n  return text;\n}\n');
    desk.scratch.write('uses.ts', uses);
    symlinkSync(desk.scratch.path('vault/inner.ts'), desk.scratch.path('door.ts'));
    symlinkSync(desk.scratch.path('vault'), desk.scratch.path('rooms'));
    client = await connectTools('curious');
    ({ tools } = await client.listTools());
    await until('the language server', async () => {
      const { text } = await callTool(client, 'references', {
        file: desk.scratch.path('gamma.ts'),
        symbol: 'gamma',
      });
      return /more not shared/.test(text);
    });
    const excluded = await vscode.workspace.openTextDocument(desk.scratch.path('vault/inner.ts'));
    await vscode.window.showTextDocument(excluded, {
      preview: false,
      selection: new vscode.Range(2, 0, 3, 0),
    });
    const shared = await vscode.workspace.openTextDocument(desk.scratch.path('uses.ts'));
    await vscode.window.showTextDocument(shared, { preview: false });
    await until('its problems', () => vscode.languages.getDiagnostics(shared.uri).length > 0);
    const at = new vscode.Location(excluded.uri, new vscode.Position(4, 0));
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(at, true, 'hushedText')]);
  });
  afterEach(async () => {
    await client.close();
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
  });

  let told: string[];
  beforeEach(() => (told = []));
  async function mustHide(name: string, args: Readonly<Record<string, unknown>>): Promise<string> {
    const words = await callTool(client, name, args, AbortSignal.timeout(30_000)).then(
      ({ text, data }) => `${text} ${JSON.stringify(data)}`,
      (error: unknown) => errorMessage(error),
    );
    const { file = '' } = args;
    if (hidden.test(words.replaceAll(String(file), ''))) {
      told.push(`${name} ${JSON.stringify(args)}: ${words.slice(0, 500)}`);
    }
    return words;
  }

  it('are not named, and nothing of them is told', async () => {
    const file = desk.scratch.path('uses.ts');
    /** By what they are, as some come twice. */
    const calls = new Map<string, [string, Record<string, unknown>]>();
    const willCall = (name: string, args: Record<string, unknown>) =>
      calls.set(JSON.stringify([name, args]), [name, args]);
    const text = uses.split('\n');
    /** Each place where a pattern matches, from 1. */
    const placesOf = (pattern: RegExp) =>
      text.flatMap((line, index) =>
        [...line.matchAll(pattern)].map((match) => ({
          word: match[0],
          at: { line: index + 1, column: match.index + 1 },
        })),
      );
    const words = new Map(placesOf(/[\w$]+/g).map(({ word, at }) => [word, at]));
    const bySymbol: [string, Record<string, unknown>][] = [
      ...[
        'definition',
        'declaration',
        'typeDefinition',
        'implementation',
        'references',
        'hover',
        'signature',
      ].map((name): [string, Record<string, unknown>] => [name, {}]),
      ['callHierarchy', { direction: 'incoming' }],
      ['callHierarchy', { direction: 'outgoing' }],
      ['typeHierarchy', { direction: 'supertypes' }],
      ['typeHierarchy', { direction: 'subtypes' }],
      ['renamePreview', { newName: 'renamed' }],
    ];
    for (const at of words.values()) {
      for (const [name, args] of bySymbol) {
        willCall(name, { file, ...at, ...args });
      }
    }
    for (const { at } of placesOf(/(?<![\w$])\w|(?<=[.({'] ?)/g)) {
      willCall('completion', { file, ...at, limit: 500 });
      willCall('signature', { file, ...at });
    }
    for (const [index] of text.entries()) {
      willCall('codeActions', { file, line: index + 1 });
    }
    for (const symbol of ['alpha', 'beta', 'Delta', 'Epsilon', 'zeta', 'theta', 'gamma', 'Mine', 'one']) {
      for (const [name, args] of bySymbol) {
        willCall(name, { symbol, ...args });
        willCall(name, { file, symbol, ...args });
      }
      willCall('workspaceSymbols', { query: symbol });
    }
    for (const query of ['h', 'hush', 'inner', 'vault']) {
      willCall('workspaceSymbols', { query, file });
      willCall('searchFiles', { text: query });
    }
    for (const glob of ['**/*', 'vault/**', '**/inner.ts', 'rooms/**', '**/hush*', '**/*-hush*']) {
      willCall('searchFiles', { glob });
      willCall('searchFiles', { glob, text: 'export' });
    }
    for (const folder of ['vault', 'rooms', '.', desk.scratch.path('vault'), desk.scratch.path('rooms')]) {
      willCall('listDirectory', { folder });
    }
    willCall('listDirectory', { folder: desk.scratch.folder });
    const names = [
      'vault/inner.ts',
      'door.ts',
      'rooms/inner.ts',
      'vault/../vault/inner.ts',
      'theta-hushed.ts',
    ];
    for (const tool of tools) {
      const { properties = {}, required = [] } = tool.inputSchema;
      for (const named of 'file' in properties ? names : [undefined]) {
        const path = named && desk.scratch.path(named);
        const args: Record<string, unknown> = path ? { file: path, symbol: 'beta', line: 3 } : {};
        for (const key of required) {
          args[key] ??= key === 'direction' ? 'incoming' : ['line', 'column'].includes(key) ? 3 : 'x';
        }
        willCall(tool.name, args);
      }
    }
    await each(calls.values(), ([name, args]) => mustHide(name, args));
    assert.deepEqual(told, []);
    const outgoing = await mustHide('callHierarchy', {
      file,
      line: 3,
      symbol: 'beta',
      direction: 'outgoing',
    });
    assert.match(outgoing, /^What declares that is not shared/);
    const hover = await mustHide('hover', { file, symbol: 'five' });
    assert.match(hover, /const five: "…"/);
    const imported = await callTool(client, 'completion', { file, line: 20, column: 10 });
    assert.match(imported.text, /gamma/, 'of what is shared');
  });

  it('tell no value to a file that takes it from a shared one, by however many', async () => {
    const write = (name: string, text: string) => desk.scratch.write(name, text);
    write('steps/index.ts', "import { alpha } from '../vault/inner';\nexport const one = alpha;\n");
    write(
      'two.ts',
      "const steps = import('./steps');\nexport const two = (await steps).one;\nexport const ours = 'ours';\n",
    );
    write('three.ts', "export * from './two';\n");
    const file = write(
      'last.ts',
      `import { ours, two } from './three';
export const last = two;
export const plain = ours;
export function take<T extends string>(text: T) {
  return text;
}
take(last);
take(plain);
`,
    );
    const hover = (symbol: string) => mustHide('hover', { file, symbol });
    await until('its type', async () => (await hover('plain')).includes('"ours"'), 30_000);
    assert.match(await hover('last'), /const last: "…"/);
    const signature = (line: number) => mustHide('signature', { file, line, column: 6 });
    assert.match(await signature(7), /text: "…"/);
    assert.match(await signature(8), /text: "ours"/);
    assert.deepEqual(told, []);
  });
});
