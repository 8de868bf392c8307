import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { errorMessage } from '../../../src/base/errors.ts';
import { editorToolNames } from '../../../src/editorTools/names.ts';
import { until } from '../../support/until.ts';
import { useDesk } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { callTool, connectTools } from './toolClient.ts';

/** What no answer may have: it begins as a symbol and as a text that the tools are asked for. */
const secret = 'hushed';
const wanted = 'hush';
/** Ms that a call may take. */
const patience = 20_000;

const shared = 'export class Square {\n  area(): number {\n    return 1;\n  }\n}\n';

type Properties = Readonly<Record<string, { readonly type?: string; readonly enum?: readonly unknown[] }>>;

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

  /** Some at a time, as a client could. */
  async function each<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
    const left = [...all];
    const work = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        await act(next);
      }
    };
    await Promise.all([work(), work(), work(), work()]);
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
