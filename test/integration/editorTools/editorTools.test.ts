import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as vscode from 'vscode';
import { editorToolNames } from '../../../src/editorTools/names.ts';
import { SdkTransport } from '../../support/sdkTransport.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';
import { connectUi } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { chooseSharing, currentLock, Scratch } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { ipynb } from '../notebooks/ipynb.ts';
import { type Answer, callTool, connectTools } from './toolClient.ts';

interface GitExports {
  getAPI(version: 1): { openRepository(root: vscode.Uri): Promise<unknown> };
}

const files = {
  'tsconfig.json': '{ "include": ["*.ts"] }\n',
  'shapes.ts': [
    'export interface Shape {',
    '  area(): number;',
    '}',
    '',
    'export class Square implements Shape {',
    '  constructor(private readonly side: number) {}',
    '',
    '  /** In square units. */',
    '  area(): number {',
    '    return this.side * this.side;',
    '  }',
    '}',
    '',
  ].join('\n'),
  'main.ts': [
    "import { Square, type Shape } from './shapes';",
    '',
    'export function total(shapes: Shape[]): number {',
    '  return shapes.reduce((sum, shape) => sum + shape.area(), 0);',
    '}',
    '',
    'const square = new Square(3);',
    'console.log(total([square]));',
    "export const wrong: number = 'text';",
    '',
  ].join('\n'),
  'id_rsa.ts': "import { Square } from './shapes';\n\nexport const secret = new Square(42);\n",
  'plain.xyz': 'words that no server knows\n',
};

describe('the editor tools', function () {
  this.timeout(60_000);
  let client: Client;
  let scratch: Scratch;
  let name: string;

  before(async () => {
    await configure('editorTools.enabled', true);
    scratch = new Scratch();
    name = basename(scratch.folder);
    Object.entries(files).forEach(([file, content]) => scratch.write(file, content));
    client = await connectTools();
    // The server starts, and reads the project.
    await until(
      'the language server',
      async () => (await call('hover', at('main.ts', 'total'))).text.includes('total'),
      40_000,
    );
  });
  after(async () => {
    await client.close();
    scratch.remove();
    await configure('editorTools.enabled', undefined);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const call = (tool: string, args: object = {}) => callTool(client, tool, args);

  const at = (file: string, symbol: string) => ({ file: `${name}/${file}`, symbol });
  /** Of the lines that begin with a path: without the folder of the test. */
  const places = ({ text }: Answer<unknown>) =>
    text.split('\n').flatMap((line) => (line.startsWith(`${name}/`) ? [line.slice(name.length + 1)] : []));

  it('are all read-only, and no others are offered at that path', async () => {
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map((tool) => tool.name),
      editorToolNames,
    );
    assert.ok(tools.every(({ annotations, outputSchema }) => annotations?.readOnlyHint && outputSchema));
    assert.ok(!tools.some((tool) => tool.name === 'openDiff'));
    await assert.rejects(client.callTool({ name: 'closeAllDiffTabs' }), /not found/);
    const other = new Client({ name: 'sdk', version: '1.0.0' });
    const { port, authToken } = await currentLock();
    await other.connect(new SdkTransport(port, authToken));
    assert.ok(!(await other.listTools()).tools.some((tool) => tool.name === 'references'));
    await other.close();
  });

  it('find definitions and implementations, with the source line', async () => {
    assert.deepEqual(
      places(await call('definition', { file: `${name}/main.ts`, line: 7, symbol: 'Square' })),
      [
        'shapes.ts:5:14  export class Square implements Shape {',
        'shapes.ts:6:3  constructor(private readonly side: number) {}',
      ],
    );
    assert.deepEqual(places(await call('implementation', at('shapes.ts', 'Shape.area'))), [
      'shapes.ts:9:3  area(): number {',
    ]);
    const { data } = await call('typeDefinition', { file: scratch.path('main.ts'), line: 8, column: 20 });
    assert.deepEqual(data, {
      places: [
        {
          path: scratch.path('shapes.ts'),
          line: 5,
          column: 14,
          text: 'export class Square implements Shape {',
        },
      ],
      total: 1,
    });
  });

  it('find references page by page, but for those in excluded files', async () => {
    const all = await call('references', at('shapes.ts', 'Square'));
    assert.deepEqual(places(all), [
      "main.ts:1:10  import { Square, type Shape } from './shapes';",
      'main.ts:7:20  const square = new Square(3);',
      'shapes.ts:5:14  export class Square implements Shape {',
    ]);
    assert.match(all.text, /^3 places\n[^]*\n2 more not shared by the settings of this editor\.$/);
    assert.doesNotMatch(JSON.stringify(all), /id_rsa|secret/);
    const page = await call('references', { ...at('shapes.ts', 'Square'), limit: 1, offset: 1 });
    assert.deepEqual(places(page), ['main.ts:7:20  const square = new Square(3);']);
    assert.equal(page.data?.nextOffset, 2);
  });

  it('find a member by its class, and who calls it', async () => {
    const incoming = await call('callHierarchy', { ...at('shapes.ts', 'Shape.area'), direction: 'incoming' });
    assert.ok(incoming.text.includes('main.ts:3:17  function total  (calls in 4)'), incoming.text);
    const outgoing = await call('callHierarchy', { ...at('main.ts', 'total'), direction: 'outgoing' });
    assert.ok(outgoing.text.includes('shapes.ts:2:3  method area  (calls in 4)'), outgoing.text);
  });

  it('say type and documentation, and the signature of a call', async () => {
    const { text } = await call('hover', at('shapes.ts', 'Square.area'));
    assert.match(text, /Square\.area\(\): number[^]*In square units\./);
    const signature = await call('signature', { file: `${name}/main.ts`, line: 8, column: 19 });
    assert.match(signature.text, /total\(shapes: Shape\[\]\): number {2}\(parameter 1 stands there\)/);
  });

  it('say what can be written at a position, members and names in scope', async () => {
    const members = await call('completion', { file: `${name}/main.ts`, line: 4, column: 52 });
    assert.equal(members.text, '1 item\nmethod area');
    assert.deepEqual(members.data?.items, [{ label: 'area', kind: 'method' }]);
    const scope = await call('completion', { file: `${name}/main.ts`, line: 8, column: 1, limit: 500 });
    assert.match(scope.text, /^\w+ square$/m);
    assert.doesNotMatch(scope.text, /secret/, 'what other files export is not offered');
    const first = await call('completion', { file: `${name}/main.ts`, line: 8, column: 1, limit: 2 });
    assert.equal(first.data?.nextOffset, 2);
    const none = await call('completion', { file: `${name}/plain.xyz`, line: 1, column: 3 });
    assert.match(none.text, /No language server/);
  });

  it('say nothing of what an excluded file declares', async () => {
    const secret =
      "/** Of mine. */\nexport const key = 'abc';\nexport function sign(text: string) {\n  return text + key;\n}\n";
    scratch.write('id_rsa_2.ts', secret);
    scratch.write('user.ts', "import { key, sign } from './id_rsa_2';\n\nsign((key));\nkey.at(0);\n");
    for (const [tool, line, column] of [
      ['hover', 3, 1],
      ['hover', 3, 7],
      ['signature', 3, 6],
      ['completion', 4, 5],
    ] as const) {
      const { text, isError } = await call(tool, { file: `${name}/user.ts`, line, column });
      assert.ok(isError, text);
      assert.match(text, /^What declares that is not shared/);
    }
    rmSync(scratch.path('user.ts'));
    rmSync(scratch.path('id_rsa_2.ts'));
  });

  it('list the symbols of a file, and find them in the workspace', async () => {
    const { text } = await call('documentSymbols', { file: `${name}/shapes.ts` });
    assert.match(
      text,
      /^6 symbols\n[^]*5:14 {2}class Square\n[^]* {2}6:32 {2}property side\n {2}9:3 {2}method area/,
    );
    const found = await call('workspaceSymbols', { query: 'Square', file: `${name}/main.ts` });
    assert.ok(found.text.includes(`${name}/shapes.ts:5:1  class Square`), found.text);
    assert.doesNotMatch(found.text, /id_rsa/);
    assert.deepEqual(places(await call('definition', { symbol: 'Square' })), [
      'shapes.ts:5:14  export class Square implements Shape {',
    ]);
  });

  it('preview a rename, and change nothing', async () => {
    const unsaved = () => vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty);
    const before = unsaved(); // of other suites
    const preview = await call('renamePreview', { ...at('main.ts', 'total'), newName: 'sum' });
    assert.match(preview.text, /^In 1 file: 2 edits\n/);
    assert.deepEqual(places(preview), [
      'main.ts:3:17  export function total(shapes: Shape[]): number {',
      'main.ts:8:13  console.log(total([square]));',
    ]);
    assert.deepEqual(unsaved(), before);
    const refused = await call('renamePreview', {
      file: `${name}/main.ts`,
      line: 4,
      column: 3,
      newName: 'x',
    });
    assert.equal(refused.isError, true);
  });

  it('tell problems of files without a tab, and list what mends them', async () => {
    const { text } = await call('diagnostics', { file: `${name}/main.ts` });
    assert.ok(
      text.includes(
        `${name}/main.ts:9:14  error [ts 2322]: Type 'string' is not assignable to type 'number'.`,
      ),
      text,
    );
    const actions = await call('codeActions', { file: `${name}/main.ts`, line: 3 });
    assert.equal(actions.isError, false, actions.text);
    assert.match(actions.text, /refactor/);
  });

  it('tell which problems have come and gone since an answer', async () => {
    scratch.write('problems.ts', "export const a: number = '';\nexport const b = 1;\n");
    const file = `${name}/problems.ts`;
    const first = await until('its problem', async () => {
      const answer = await call('diagnostics', { file });
      return answer.text.startsWith('1 problem\n') && answer;
    });
    assert.match(first.text, /\nMark \d+\.$/);
    const since = Number(first.data?.mark);
    const document = await vscode.workspace.openTextDocument(scratch.path('problems.ts'));
    const editor = await vscode.window.showTextDocument(document);
    try {
      await editor.edit((edit) => {
        edit.replace(new vscode.Range(0, 0, 0, 28), '// moved\nexport const a = 2;');
        edit.replace(new vscode.Range(1, 17, 1, 18), 'missing');
      });
      const changed = await until(
        'the news',
        async () => {
          const answer = await call('diagnostics', { file, since });
          return answer.data?.total === 2 && answer;
        },
        30_000, // the language server is busy with all that the tests before have opened
      );
      assert.match(
        changed.text,
        /^2 problems have come or gone\n\+ .*problems\.ts:3:18 .*'missing'.*\n- .*:1:14 /,
      );
      const { text } = await call('diagnostics', { file, since: Number(changed.data?.mark) });
      assert.match(text, /^0 problems have come or gone/);
      assert.match((await call('diagnostics', { since: 1_000_000 })).text, /^There is no mark 1000000/);
    } finally {
      await vscode.commands.executeCommand('workbench.action.files.revert');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      rmSync(scratch.path('problems.ts'));
    }
  });

  it('keep a file on one line of a list, whatever it is called', async () => {
    const path = scratch.write('odd\nfake.ts', 'export {};\n');
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
    try {
      assert.match((await call('openEditors')).text, /odd\uFFFDfake\.ts {2}\(active\)/);
    } finally {
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      rmSync(path);
    }
  });

  it('know of unsaved text', async () => {
    const document = await vscode.workspace.openTextDocument(scratch.path('shapes.ts'));
    const editor = await vscode.window.showTextDocument(document);
    try {
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), '// new\n'));
      editor.selection = new vscode.Selection(0, 0, 0, 6);
      assert.match(
        (await call('readBuffer', { file: `${name}/shapes.ts`, endLine: 2 })).text,
        /unsaved changes\n\/\/ new\nexport interface/,
      );
      assert.match((await call('openEditors')).text, /shapes\.ts {2}\(active, unsaved\)/);
      assert.match((await call('selection')).text, /shapes\.ts:1:1-1:7\n\/\/ new$/);
      assert.deepEqual(places(await call('searchFiles', { glob: '**/*.ts', text: '// NEW' })), [
        'shapes.ts:1:1  // new',
      ]);
      const [line] = places(await call('definition', { file: `${name}/main.ts`, line: 7, symbol: 'Square' }));
      assert.equal(line, 'shapes.ts:6:14  export class Square implements Shape {');
    } finally {
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
  });

  it('list folders and changed files, but for what is excluded', async () => {
    const listed = await call('listDirectory', { folder: name });
    assert.deepEqual(places(listed), ['main.ts', 'plain.xyz', 'shapes.ts', 'tsconfig.json']);
    assert.match(listed.text, /1 more not shared/);
    assert.deepEqual(places(await call('searchFiles', { glob: `${name}/*.ts` })), ['main.ts', 'shapes.ts']);
    execFileSync('git', ['init', '-q', '-b', 'trunk', scratch.folder]);
    const git = await vscode.extensions.getExtension<GitExports>('vscode.git')?.activate();
    await git?.getAPI(1).openRepository(vscode.Uri.file(scratch.folder));
    const changed = await until('the changes', async () => {
      const answer = await call('changedFiles');
      return places(answer).length > 0 && answer;
    });
    assert.deepEqual(places(changed).sort(), [
      'main.ts  untracked',
      'plain.xyz  untracked',
      'shapes.ts  untracked',
      'tsconfig.json  untracked',
    ]);
    assert.doesNotMatch(changed.text, /id_rsa/);
    const commit = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'all'];
    execFileSync('git', ['-C', scratch.folder, 'add', '.']);
    execFileSync('git', ['-C', scratch.folder, ...commit]);
    const diffOf = async (file: string) => (await call('changedFiles', { file: `${name}/${file}` })).text;
    await until('the commit', async () => (await diffOf('plain.xyz')).endsWith('As in the last commit.'));
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(scratch.path('plain.xyz')));
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'not saved\n');
    await vscode.workspace.applyEdit(edit);
    assert.match(
      await diffOf('plain.xyz'),
      /a\/plain\.xyz\n.*b\/plain\.xyz\n@@ -1,1 \+1,2 @@\n\+not saved\n words that no server knows$/,
    );
    await vscode.commands.executeCommand('workbench.action.files.revert');
    scratch.write('new.xyz', 'new\n');
    assert.match(await diffOf('new.xyz'), /--- \/dev\/null\n.*\n@@ -0,0 \+1,1 @@\n\+new$/);
    assert.match(await diffOf('id_rsa.ts'), /not shared/);
    rmSync(scratch.path('new.xyz'));
    rmSync(scratch.path('.git'), { recursive: true });
  });

  it('find text as it is written, at the column that the editor has', async () => {
    scratch.write('words.xyz', 'İİ a(b)[c].$d+ *?|^{1}\\/-\n');
    for (const [text, column] of [
      ['A(B)[C].$D+', 4],
      ['*?|^{1}\\/-', 16],
      ['b)[', 6],
    ] as const) {
      const found = places(await call('searchFiles', { glob: `${name}/words.xyz`, text }));
      assert.match(found.join(), new RegExp(`words\\.xyz:1:${column} `), text);
    }
    const { text } = await call('searchFiles', { glob: `${name}/words.xyz`, text: 'A(B)', matchCase: true });
    assert.match(text, /^0 places/);
    rmSync(scratch.path('words.xyz'));
  });

  it('search what they say, and say what they have not searched', async () => {
    const found = (args: object) => call('searchFiles', { glob: `${name}/searched/*`, ...args });
    scratch.write('searched/wide.txt', Buffer.from('\uFEFFneedle in UTF-16\n', 'utf16le'));
    scratch.write('searched/two.txt', 'one\r\ntwo\r\n');
    scratch.write('searched/excluded.txt', 'needle\n');
    const settings = vscode.workspace.getConfiguration('search');
    await settings.update('exclude', { '**/excluded.txt': true }, vscode.ConfigurationTarget.Global);
    try {
      const answer = await found({ text: 'needle' });
      assert.deepEqual(places(answer), ['searched/wide.txt:1:1  needle in UTF-16']);
      assert.equal(answer.data?.['isComplete'], true);
      await assert.rejects(found({ text: 'one\ntwo' }), /looked for within a line/);
      scratch.write('searched/large.txt', `${'x'.repeat(5 * 1024 * 1024)}\nneedle\n`);
      const cut = await until('the large file to be known', async () => {
        const again = await found({ text: 'needle' });
        return again.data?.['isComplete'] === false && again;
      });
      assert.match(cut.text, /\n1 file of more than 4 MB not searched: a narrower glob leaves them out\.$/);
    } finally {
      await settings.update('exclude', undefined, vscode.ConfigurationTarget.Global);
      rmSync(scratch.path('searched'), { recursive: true });
    }
  });

  it('take the name of a document without a file as they tell it', async () => {
    const document = await vscode.workspace.openTextDocument({ content: 'not on disk' });
    await vscode.window.showTextDocument(document, { preview: false });
    try {
      const { text: told } = await call('openEditors');
      assert.ok(told.includes(`\n${document.uri.path}  (active`), told);
      assert.match((await call('readBuffer', { file: document.uri.path })).text, /\nnot on disk$/);
      const { text, isError } = await call('diagnostics', { file: document.uri.path });
      assert.ok(isError, text);
      assert.match(text, /without a file are not told\. Save it first/);
    } finally {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
  });

  it('know of cells that are not saved', async () => {
    const path = scratch.write('cells.ipynb', ipynb(['needle = 1']));
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
    await vscode.window.showNotebookDocument(notebook);
    try {
      const edit = new vscode.WorkspaceEdit();
      edit.set(notebook.uri, [
        vscode.NotebookEdit.insertCells(1, [
          new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, 'unsaved\nneedle', 'markdown'),
        ]),
      ]);
      await vscode.workspace.applyEdit(edit);
      const { text } = await call('readBuffer', { file: path });
      assert.match(text, /: lines 1 to 5 of 5, unsaved changes\n# Cell 1 \(code, python\)\nneedle = 1\n/);
      assert.match(text, /\n# Cell 2 \(text\)\nunsaved\nneedle$/);
      const found = await call('searchFiles', { glob: `${name}/cells.ipynb`, text: 'needle' });
      assert.match(found.text, /\n1 notebook searched without what is not saved: readBuffer tells that\.$/);
      assert.equal(found.data?.['isComplete'], false);
    } finally {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      rmSync(path);
    }
  });

  it('tell what was in a file that is deleted', async () => {
    const repository = new Scratch();
    const git = (...args: string[]) => execFileSync('git', ['-C', repository.folder, ...args]);
    git('init', '-q', '-b', 'trunk');
    repository.write('gone.xyz', 'was here\n');
    repository.write('id_rsa.ts', 'secret\n');
    git('add', '-f', 'gone.xyz', 'id_rsa.ts');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'both');
    const exports = await vscode.extensions.getExtension<GitExports>('vscode.git')?.activate();
    await exports?.getAPI(1).openRepository(vscode.Uri.file(repository.folder));
    rmSync(repository.path('gone.xyz'));
    rmSync(repository.path('id_rsa.ts'));
    const diffOf = (file: string) => call('changedFiles', { file: repository.path(file) });
    try {
      const { text } = await until('the deletion', async () => {
        const answer = await diffOf('gone.xyz');
        return !answer.isError && answer;
      });
      assert.match(text, /gone\.xyz {2}deleted\n[^]*\+\+\+ \/dev\/null\n@@ -1,1 \+0,0 @@\n-was here$/);
      assert.match((await diffOf('id_rsa.ts')).text, /not shared/);
      assert.match((await diffOf('never.xyz')).text, /There is no/);
    } finally {
      repository.remove();
    }
  });

  it('say so where no language server covers a file', async () => {
    const { text, isError } = await call('references', { file: `${name}/plain.xyz`, line: 1, column: 1 });
    assert.ok(isError);
    assert.match(text, /No language server in this editor seems to cover/);
  });

  describe('refuse', () => {
    let outside: string;

    before(() => {
      outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')));
      writeFileSync(join(outside, 'outside.ts'), 'export const outside = 1;\n');
      symlinkSync(join(outside, 'outside.ts'), scratch.path('link.ts'));
      symlinkSync(scratch.path('id_rsa.ts'), scratch.path('harmless.ts'));
      execFileSync('mkfifo', [scratch.path('pipe.ts')]);
    });
    after(() => rmSync(outside, { recursive: true }));

    const refusals: [string, () => string, RegExp][] = [
      ['a file outside of the workspace', () => join(outside, 'outside.ts'), /There is no/],
      ['one that is not there in the same words', () => join(outside, 'missing.ts'), /There is no/],
      ['a way out of the workspace', () => '../../../etc/passwd', /There is no/],
      ['a link that leads out of it', () => `${name}/link.ts`, /There is no/],
      ['a link to an excluded file', () => `${name}/harmless.ts`, /not shared/],
      ['an excluded file', () => `${name}/id_rsa.ts`, /not shared/],
      ['another scheme', () => 'command:workbench.action.quit', /Only files/],
      ['a document of ours', () => 'ide-bridge-proposal:/x.ts?1', /Only files/],
      ['a web page', () => 'http://127.0.0.1/x.ts', /Only files/],
      ['a folder', () => name, /no file/],
      ['a pipe', () => `${name}/pipe.ts`, /no file/],
    ];
    for (const [what, file, words] of refusals) {
      it(what, async () => {
        for (const tool of ['readBuffer', 'documentSymbols']) {
          const { text, isError } = await call(tool, { file: file() });
          assert.ok(isError, text);
          assert.match(text, words);
        }
      });
    }

    it('nothing of a file outside that the user has open', async () => {
      const path = join(outside, 'outside.ts');
      await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
      try {
        assert.match((await call('readBuffer', { file: path })).text, /export const outside = 1;/);
      } finally {
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      }
      await until('its tab to be gone', async () => (await call('readBuffer', { file: path })).isError);
    });

    it('patterns that never end: text is literal, and a glob modest', async () => {
      const { text } = await call('searchFiles', { text: '(a+)+$', glob: `${name}/**` });
      assert.match(text, /^0 places/);
      await assert.rejects(call('searchFiles', { glob: '{a,{a,'.repeat(20) }), /too many/);
      await assert.rejects(call('searchFiles', { glob: '*a'.repeat(50) }), /too many/);
      assert.match((await call('definition', { symbol: '(a+)+$' })).text, /No language server knows of/);
      assert.deepEqual(places(await call('searchFiles', { glob: '../**' })), []);
    });

    it('everything while sharing is off', async () => {
      await configure('share.enabled', false);
      try {
        const { tools } = await client.listTools();
        for (const tool of tools) {
          const args = {
            file: `${name}/main.ts`,
            line: 3,
            column: 17,
            direction: tool.name === 'typeHierarchy' ? 'subtypes' : 'incoming',
            newName: 'x',
            query: 'total',
          };
          const { text, isError } = await call(tool.name, args);
          assert.ok(isError, `${tool.name}: ${text}`);
          assert.match(text, /Sharing is off/);
        }
      } finally {
        await configure('share.enabled', undefined);
      }
    });

    it('everything while sharing is paused', async () => {
      const ui = await connectUi();
      try {
        await chooseSharing(ui, 'Paused', 'On');
        await until('the pause', async () => (await call('selection')).text.startsWith('Sharing is paused'));
        assert.ok((await call('definition', at('main.ts', 'total'))).isError);
        await chooseSharing(ui, 'On', 'Paused');
        await until('the end of it', async () => !(await call('selection')).isError);
      } finally {
        await ui.close();
      }
    });

    describe('what was taken back while a language server was waited for', () => {
      const changes: [string, Parameters<typeof configure>, RegExp][] = [
        ['by switching sharing off', ['share.enabled', false], /^Sharing is off/],
        ['by excluding the file', ['share.exclude', ['**/slow.txt']], /not shared/],
      ];
      for (const [what, [key, value], words] of changes) {
        it(what, async () => {
          scratch.write('slow.txt', 'text\n');
          let answer = () => {};
          const answered = new Promise<void>((resolve) => (answer = resolve));
          let isAsked = false;
          const provider = vscode.languages.registerDocumentSymbolProvider(
            { pattern: '**/slow.txt' },
            {
              async provideDocumentSymbols() {
                isAsked = true;
                await answered;
                const range = new vscode.Range(0, 0, 0, 4);
                return [new vscode.DocumentSymbol('kept', '', vscode.SymbolKind.Class, range, range)];
              },
            },
          );
          try {
            const called = call('documentSymbols', { file: `${name}/slow.txt` });
            await until('the provider to be asked', () => isAsked);
            await configure(key, value);
            answer();
            const { text, isError, data } = await called;
            assert.ok(isError, text);
            assert.match(text, words);
            assert.doesNotMatch(text + JSON.stringify(data ?? {}), /kept/);
          } finally {
            answer();
            provider.dispose();
            await configure(key, undefined);
          }
          const { text } = await call('readBuffer', { file: `${name}/slow.txt` });
          assert.match(text, /text/);
        });
      }
    });

    it('a symbol of a file that is excluded while its language server is waited for', async () => {
      scratch.write('slow.txt', 'slowly\n');
      const uri = vscode.Uri.file(scratch.path('slow.txt'));
      let answer = () => {};
      const answered = new Promise<void>((resolve) => (answer = resolve));
      let isAsked = false;
      const place = new vscode.Location(uri, new vscode.Range(0, 0, 0, 6));
      const provider = vscode.Disposable.from(
        vscode.languages.registerWorkspaceSymbolProvider({
          provideWorkspaceSymbols: () => [
            new vscode.SymbolInformation('slowly', vscode.SymbolKind.Class, '', place),
          ],
        }),
        vscode.languages.registerHoverProvider(
          { pattern: '**/slow.txt' },
          {
            async provideHover() {
              isAsked = true;
              await answered;
              return new vscode.Hover('kept');
            },
          },
        ),
      );
      try {
        const called = call('hover', { symbol: 'slowly' });
        await until('the provider to be asked', () => isAsked);
        await configure('share.exclude', ['**/slow.txt']);
        answer();
        const { text, isError } = await called;
        assert.ok(isError, text);
        assert.match(text, /not shared/);
      } finally {
        answer();
        provider.dispose();
        await configure('share.exclude', undefined);
      }
    });

    it('everything while they are switched off', async () => {
      await configure('editorTools.enabled', undefined);
      try {
        assert.deepEqual((await client.listTools()).tools, []);
        await assert.rejects(call('openEditors'), /not found/);
      } finally {
        await configure('editorTools.enabled', true);
      }
    });
  });

  it('leave no token of a bridge that is gone, nor of tools that are off, where sessions are told to look', async () => {
    const userData = process.env[testEnvironment.userData] ?? '';
    const identity = readdirSync(userData, { recursive: true, encoding: 'utf8' }).find((path) =>
      path.endsWith(join('ide-bridge.ide-bridge-for-claude-code', 'bridge.json')),
    );
    assert.ok(identity);
    const config = join(userData, identity, '..', 'editor-tools.json');
    writeFileSync(config, '{"token":"left"}');
    const reads = (words: string) => until(words, () => readFileSync(config, 'utf8').includes(words));
    try {
      await configure('editorTools.enabled', undefined);
      await reads('{"mcpServers":{}}');
      await configure('editorTools.enabled', true);
      await reads((await currentLock()).authToken);
    } finally {
      await configure('editorTools.enabled', true);
      rmSync(config);
    }
  });
});
