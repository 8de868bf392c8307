import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as vscode from 'vscode';
import { editingToolNames, editorToolNames } from '../../../src/editorTools/names.ts';
import { reviewRows } from '../../support/reviewRows.ts';
import { until } from '../../support/until.ts';
import { proposalTabs, proposedSide, useDesk } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { callTool, connectTools } from './toolClient.ts';

interface Data {
  files?: { path: string; outcome: string; reason?: string }[];
}

describe('the editor tools that edit', function () {
  this.timeout(60_000);
  const desk = useDesk();
  let client: Client;

  before(() => configure('editorTools.enabled', true));
  after(() => configure('editorTools.enabled', undefined));
  beforeEach(async () => {
    await desk.configure('ideBridge.editorTools.editing', true);
    client = await connectTools();
    desk.scratch.write(
      'tsconfig.json',
      '{ "compilerOptions": { "module": "esnext" }, "include": ["*.ts"] }\n',
    );
  });
  afterEach(() => client.close());

  const call = (tool: string, args: object, signal?: AbortSignal, by = client) =>
    callTool<Data>(by, tool, args, signal);

  const file = (name: string) => `${basename(desk.scratch.folder)}/${name}`;
  const onDisk = (name: string) => readFileSync(desk.scratch.path(name), 'utf8');
  const accept = async (name: string) =>
    vscode.commands.executeCommand('ideBridge.acceptProposal', await proposedSide(name));
  const reject = async (name: string) =>
    vscode.commands.executeCommand('ideBridge.rejectProposal', await proposedSide(name));
  const noneIsOpen = () => until('the diffs to be gone', () => proposalTabs().length === 0);

  /** Two files that use one name: the first with a byte order mark and CRLF. */
  function twoFiles(): void {
    desk.scratch.write('shape.ts', '\uFEFFexport const side = 3;\r\nexport const area = side * side;\r\n');
    desk.scratch.write('uses.ts', "import { side } from './shape';\n\nconsole.log(side);\n");
  }
  const rename = (signal?: AbortSignal, newName = 'edge') =>
    call('rename', { file: file('shape.ts'), line: 1, symbol: 'side', newName }, signal);

  it('are offered only while the user has them on, and say how', async () => {
    await desk.configure('ideBridge.editorTools.editing', undefined);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names(), editorToolNames);
    const { text, isError } = await rename();
    assert.ok(isError);
    assert.match(text, /setting ideBridge\.editorTools\.editing/);
    await desk.configure('ideBridge.editorTools.editing', true);
    assert.deepEqual(await names(), [...editorToolNames, ...editingToolNames]);
    const { tools } = await client.listTools();
    const editing = tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
    assert.deepEqual(
      editing.map(({ name }) => name),
      editingToolNames,
    );
  });

  it('rename in two files: each is reviewed, and written as the user has it', async () => {
    twoFiles();
    const answer = rename();
    const shape = await proposedSide('shape.ts');
    await proposedSide('uses.ts');
    assert.ok(
      proposalTabs().every((label) => /\(proposed edit, sdk by the editor tools\)$/.test(label)),
      proposalTabs().join(),
    );
    await vscode.commands.executeCommand('ideBridge.openProposal', shape);
    await desk.ui.screenshot('editor-tools-rename');
    const document = await vscode.workspace.openTextDocument(shape);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(shape, new vscode.Position(0, 0), '// mine\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.match(document.getText(), /^\/\/ mine\r?\nexport const edge/);
    await accept('shape.ts');
    assert.match(onDisk('shape.ts'), /side/, 'written before the other was decided');
    await reject('uses.ts');
    const { text, data, isError } = await answer;
    assert.ok(!isError, text);
    assert.deepEqual(
      data?.files?.map(({ path, outcome }) => [basename(path), outcome]),
      [
        ['shape.ts', 'acceptedWithChanges'],
        ['uses.ts', 'rejected'],
      ],
    );
    assert.match(text, /^Renamed; 1 file written, 1 not\.\n.*shape\.ts {2}accepted with changes by the user/);
    assert.equal(
      onDisk('shape.ts'),
      '\uFEFF// mine\r\nexport const edge = 3;\r\nexport const area = edge * edge;\r\n',
    );
    assert.equal(onDisk('uses.ts'), "import { side } from './shape';\n\nconsole.log(side);\n");
    await noneIsOpen();
    await vscode.commands.executeCommand('ideBridge.review.focus');
    const row = reviewRows(desk.ui.page);
    await row.filter({ hasText: /sdk by the editor tools.*all reviewed/ }).waitFor();
    assert.equal(await row.filter({ hasText: 'shape.ts' }).count(), 0, 'to be reviewed once more');
  });

  it('format a file, or lines of it', async () => {
    desk.scratch.write('loose.ts', 'export const a   =  1;\nexport const b   =  2;\n');
    const lines = call('format', { file: file('loose.ts'), line: 2 });
    await accept('loose.ts');
    assert.match((await lines).text, /^Formatted; 1 file written\.\n.*loose\.ts {2}accepted as proposed$/);
    assert.equal(onDisk('loose.ts'), 'export const a   =  1;\nexport const b = 2;\n');
    await noneIsOpen();
    await until('the editor to have read it', async () => {
      const document = await vscode.workspace.openTextDocument(desk.scratch.path('loose.ts'));
      return document.getText().includes('b = 2');
    });
    const all = call('format', { file: file('loose.ts') });
    await accept('loose.ts');
    await all;
    assert.equal(onDisk('loose.ts'), 'export const a = 1;\nexport const b = 2;\n');
  });

  it('say so where there is nothing to change', async () => {
    desk.scratch.write('neat.ts', 'export const a = 1;\n');
    const { text, data } = await call('format', { file: file('neat.ts') });
    assert.equal(text, 'Nothing to change.');
    assert.deepEqual(data?.files, []);
  });

  it('organize imports', async () => {
    twoFiles();
    desk.scratch.write(
      'imports.ts',
      "import { side, area } from './shape';\nimport { join } from 'path';\n\nconsole.log(area);\n",
    );
    const answer = call('organizeImports', { file: file('imports.ts') });
    await accept('imports.ts');
    assert.match((await answer).text, /^Imports organized; 1 file written/);
    assert.equal(onDisk('imports.ts'), "import { area } from './shape';\n\nconsole.log(area);\n");
  });

  it('apply a quick fix by its title', async () => {
    twoFiles();
    desk.scratch.write('missing.ts', 'export const twice = area * 2;\n');
    // TypeScript's own server tells problems, which quick fixes are for, of files in tabs only.
    await vscode.window.showTextDocument(vscode.Uri.file(desk.scratch.path('missing.ts')));
    const listed = await until(
      'the quick fix',
      async () => {
        const { text } = await call('codeActions', { file: file('missing.ts'), line: 1, kind: 'quickfix' });
        return text.includes('import') && text;
      },
      20_000,
      async () => (await call('codeActions', { file: file('missing.ts'), line: 1 })).text,
    );
    const [, title = ''] = /^(.*import.*?) {2}\(/m.exec(listed) ?? [];
    assert.match(listed, /changes .*missing\.ts/, listed);
    const none = await call('applyCodeAction', {
      file: file('missing.ts'),
      line: 1,
      title: '[x](command:quit)',
    });
    assert.ok(none.isError);
    assert.match(none.text, /offers no/);
    const answer = call('applyCodeAction', { file: file('missing.ts'), line: 1, title });
    await accept('missing.ts');
    assert.match((await answer).text, /^Applied /);
    assert.match(
      onDisk('missing.ts'),
      /^import \{ area \} from ["']\.\/shape["'];\r?\n\r?\nexport const twice/,
    );
  });

  it('withdraw their proposals when the call is cancelled or the client goes, and write nothing', async () => {
    twoFiles();
    const before = [onDisk('shape.ts'), onDisk('uses.ts')];
    const over = new AbortController();
    const cancelled = rename(over.signal);
    cancelled.catch(() => {});
    await accept('shape.ts');
    await proposedSide('uses.ts');
    over.abort();
    await assert.rejects(cancelled);
    await noneIsOpen();
    const gone = rename();
    gone.catch(() => {});
    await proposedSide('shape.ts');
    await proposedSide('uses.ts');
    await client.close();
    await noneIsOpen();
    assert.deepEqual([onDisk('shape.ts'), onDisk('uses.ts')], before);
  });

  it('of one client, the newer call on a file takes the place of the older, which writes nothing', async () => {
    twoFiles();
    const first = rename(undefined, 'one');
    const older = [await proposedSide('shape.ts'), await proposedSide('uses.ts')].map(String);
    const second = rename(undefined, 'two');
    const { text, isError } = await first;
    assert.ok(isError, text);
    assert.match(text, /ended without a decision\. Nothing was written\./);
    await until('the newer diffs', async () => {
      const newer = [await proposedSide('shape.ts'), await proposedSide('uses.ts')].map(String);
      return proposalTabs().length === 2 && !newer.some((uri) => older.includes(uri));
    });
    await accept('shape.ts');
    await accept('uses.ts');
    assert.ok(!(await second).isError);
    assert.match(onDisk('shape.ts'), /const two = 3/);
    assert.match(onDisk('uses.ts'), /console\.log\(two\)/);
  });

  it('write nothing where a file has changed since the user has decided about it', async () => {
    twoFiles();
    const answer = rename();
    await accept('shape.ts');
    writeFileSync(desk.scratch.path('shape.ts'), 'export const side = 4;\n');
    await accept('uses.ts');
    const { text, isError } = await answer;
    assert.ok(isError, text);
    assert.match(text, /shape\.ts has changed since .* Nothing was written: ask again\./);
    assert.equal(onDisk('shape.ts'), 'export const side = 4;\n');
    assert.match(onDisk('uses.ts'), /console\.log\(side\)/);
  });

  it('do not name a file that the user excludes during the review, though they write it', async () => {
    twoFiles();
    const answer = rename();
    await accept('shape.ts');
    await proposedSide('uses.ts');
    await desk.configure('ideBridge.share.exclude', ['**/uses.ts']);
    await accept('uses.ts');
    const { text, data } = await answer;
    assert.match(text, /^Renamed; 2 files written\.\n.*shape\.ts {2}accepted[^]*1 of them not shared/);
    assert.doesNotMatch(text + JSON.stringify(data), /uses\.ts/);
    assert.match(onDisk('uses.ts'), /console\.log\(edge\)/);
  });

  it('do not name it either where that is refused which they would have written', async () => {
    twoFiles();
    const answer = rename();
    await accept('shape.ts');
    await proposedSide('uses.ts');
    await desk.configure('ideBridge.share.exclude', ['**/shape.ts']);
    writeFileSync(desk.scratch.path('shape.ts'), 'export const side = 4;\n');
    await accept('uses.ts');
    const { text, isError } = await answer;
    assert.ok(isError, text);
    assert.match(text, /not shared .* any more: why is not told/);
    assert.doesNotMatch(text, /shape\.ts/);
    assert.match(onDisk('uses.ts'), /console\.log\(side\)/);
  });

  describe('refuse', () => {
    it('the whole where one file is excluded, without its name', async () => {
      twoFiles();
      desk.scratch.write('id_rsa.ts', "import { side } from './shape';\nexport const key = side;\n");
      const { text, isError } = await rename();
      assert.ok(isError, text);
      assert.match(text, /also change 1 file that is not shared .* Nothing was changed\./);
      assert.doesNotMatch(text, /id_rsa/);
      assert.deepEqual(proposalTabs(), []);
    });

    it('the whole where one file lies outside of the workspace', async () => {
      const outside = realpathSync(mkdtempSync(join(tmpdir(), 'outside-')));
      try {
        twoFiles();
        writeFileSync(
          join(outside, 'far.ts'),
          `import { side } from '${desk.scratch.path('shape')}';\nexport const far = side;\n`,
        );
        desk.scratch.write('tsconfig.json', `{ "include": ["*.ts", "${outside}/*.ts"] }\n`);
        const { text, isError } = await rename();
        assert.ok(isError, text);
        assert.match(text, /1 file outside of the workspace folders/);
        assert.deepEqual(proposalTabs(), []);
      } finally {
        rmSync(outside, { recursive: true });
      }
    });

    it('a file with unsaved changes', async () => {
      twoFiles();
      const document = await vscode.workspace.openTextDocument(desk.scratch.path('uses.ts'));
      const editor = await vscode.window.showTextDocument(document);
      await editor.edit((edit) => edit.insert(new vscode.Position(2, 0), '// typed\n'));
      const { text, isError } = await rename();
      await vscode.commands.executeCommand('workbench.action.files.revert');
      assert.ok(isError, text);
      assert.match(text, /uses\.ts has unsaved changes/);
    });

    it('a file that is not in UTF-8', async () => {
      twoFiles();
      const bytes = Buffer.from("import { side } from './shape';\nconsole.log(side); // caf\xe9\n", 'latin1');
      desk.scratch.write('uses.ts', bytes);
      const { text, isError } = await rename();
      assert.ok(isError, text);
      assert.match(text, /uses\.ts is not encoded in UTF-8/);
      assert.deepEqual(readFileSync(desk.scratch.path('uses.ts')), bytes);
    });

    describe('of a language server', () => {
      const selector = { scheme: 'file', pattern: '**/*.made-up' };
      let registered: vscode.Disposable;
      let made: (uri: vscode.Uri) => vscode.WorkspaceEdit | Promise<vscode.WorkspaceEdit>;

      const quit = { title: 'Run it', command: 'workbench.action.quit' };
      const actions: (vscode.CodeAction | vscode.Command)[] = [
        quit,
        Object.assign(new vscode.CodeAction('Do it'), { command: quit }),
      ];

      beforeEach(() => {
        const whole = new vscode.Range(0, 0, 0, 5);
        registered = vscode.Disposable.from(
          vscode.languages.registerDocumentSymbolProvider(selector, {
            provideDocumentSymbols: () => [
              new vscode.DocumentSymbol('word', '', vscode.SymbolKind.Variable, whole, whole),
            ],
          }),
          vscode.languages.registerRenameProvider(selector, {
            provideRenameEdits: ({ uri }) => made(uri),
          }),
          vscode.languages.registerCodeActionsProvider(selector, { provideCodeActions: () => actions }),
        );
        desk.scratch.write('words.made-up', 'words\n');
        desk.scratch.write('others.made-up', 'words\n');
      });
      afterEach(() => void registered.dispose());

      const beside = (uri: vscode.Uri, name: string) => vscode.Uri.joinPath(uri, '..', name);
      const replaced = (...uris: vscode.Uri[]) => {
        const edit = new vscode.WorkspaceEdit();
        uris.forEach((uri) => edit.replace(uri, new vscode.Range(0, 0, 0, 5), 'texts'));
        return edit;
      };
      const refusals: [string, (uri: vscode.Uri) => vscode.WorkspaceEdit, RegExp][] = [
        [
          'new, deleted and renamed files',
          (uri) => {
            const edit = replaced(uri);
            edit.createFile(beside(uri, 'new.made-up'));
            edit.deleteFile(beside(uri, 'others.made-up'));
            edit.renameFile(uri, beside(uri, 'id_rsa.made-up'));
            return edit;
          },
          /^This would create 1 file and delete 1 file and rename 1 file, which/,
        ],
        [
          'snippets',
          (uri) => {
            const edit = new vscode.WorkspaceEdit();
            edit.set(uri, [
              new vscode.SnippetTextEdit(new vscode.Range(0, 0, 0, 0), new vscode.SnippetString('$1')),
            ]);
            return edit;
          },
          /snippet/,
        ],
        [
          'more files than anyone reviews',
          (uri) => replaced(...Array.from({ length: 51 }, (_, i) => beside(uri, `${i}.made-up`))),
          /would change 51 files/,
        ],
        [
          'what is no file',
          (uri) => replaced(uri, vscode.Uri.parse('untitled:x')),
          /something else than files/,
        ],
        ['a file that is not there', (uri) => replaced(beside(uri, 'none.made-up')), /no longer there/],
        [
          'the same text twice',
          (uri) => {
            const edit = new vscode.WorkspaceEdit();
            const ranges = [new vscode.Range(0, 0, 0, 3), new vscode.Range(0, 2, 0, 5)];
            edit.set(
              uri,
              ranges.map((range) => vscode.TextEdit.replace(range, 'x')),
            );
            return edit;
          },
          /the same text .* twice/,
        ],
        [
          'an answer for a text that has changed since',
          (uri) => {
            desk.scratch.write('others.made-up', 'wards\n');
            return replaced(uri, beside(uri, 'others.made-up'));
          },
          /others\.made-up has changed while the language server answered/,
        ],
      ];
      for (const [what, edit, words] of refusals) {
        it(what, async () => {
          made = edit;
          const { text, isError } = await call('rename', {
            file: file('words.made-up'),
            line: 1,
            column: 1,
            newName: 'texts',
          });
          assert.ok(isError, text);
          assert.match(text, words);
          assert.doesNotMatch(text, /id_rsa/);
          assert.deepEqual(proposalTabs(), []);
          assert.equal(onDisk('words.made-up'), 'words\n');
        });
      }

      it('a code action that names an excluded file, as if there were none', async () => {
        const title = 'Add import from "./id_rsa"';
        const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
        action.edit = replaced(vscode.Uri.file(desk.scratch.path('words.made-up')));
        actions.push(action);
        desk.scratch.write('id_rsa.made-up', '');
        try {
          const args = { file: file('words.made-up'), line: 1 };
          const applied = await call('applyCodeAction', { ...args, title });
          assert.match(applied.text, /^The editor offers no "Add import/);
          assert.deepEqual(proposalTabs(), []);
          const listed = await call('codeActions', args);
          assert.match(listed.text, /: 2 code actions\n[^]*\n1 more not shared/);
          assert.doesNotMatch(listed.text, /id_rsa/);
        } finally {
          actions.pop();
        }
      });

      it('everything that is taken back while it is waited for', async () => {
        for (const [setting, words] of [
          ['share.enabled', /^Sharing is off/],
          ['editorTools.editing', /^The user has switched this off meanwhile/],
        ] as const) {
          let answer = () => {};
          const answered = new Promise<void>((resolve) => (answer = resolve));
          let isAsked = false;
          made = async (uri) => {
            isAsked = true;
            await answered;
            return replaced(uri);
          };
          const args = { file: file('words.made-up'), line: 1, column: 1, newName: 'texts' };
          const renaming = call('rename', args);
          await until('the server to be asked', () => isAsked);
          await desk.configure(`ideBridge.${setting}`, false);
          answer();
          assert.match((await renaming).text, words);
          assert.deepEqual(proposalTabs(), []);
          await desk.configure(`ideBridge.${setting}`, true);
        }
      });

      it('code actions that are commands', async () => {
        const apply = (title: string) =>
          call('applyCodeAction', { file: file('words.made-up'), line: 1, title });
        for (const [title, words] of [
          ['Run it', /a command of the editor, not an edit, and these tools run none/],
          ['Do it', /a command of the editor, not an edit, and these tools run none/],
        ] as const) {
          const { text, isError } = await apply(title);
          assert.ok(isError, text);
          assert.match(text, words);
        }
        const { text } = await call('codeActions', { file: file('words.made-up'), line: 1 });
        assert.match(text, /Run it {2}\(a command\)\nDo it {2}\(a command\)/);
      });
    });

    it('what else is no file of the workspace, in any of them', async () => {
      twoFiles();
      symlinkSync('/etc/hostname', desk.scratch.path('link.ts'));
      const name = '](command:workbench.action.quit)';
      for (const named of [
        '/etc/hostname',
        '../../../etc/passwd',
        file('link.ts'),
        'command:x',
        'untitled:x',
      ]) {
        for (const tool of editingToolNames) {
          const args = { file: named, line: 1, column: 1, newName: name, title: name };
          const { text, isError } = await call(tool, args);
          assert.ok(isError, `${tool} ${named}: ${text}`);
          assert.match(text, /There is no|Only files/);
        }
      }
      await assert.rejects(rename(undefined, ''), /newName/);
    });

    it('everything while sharing is off', async () => {
      twoFiles();
      await desk.configure('ideBridge.share.enabled', false);
      for (const tool of editingToolNames) {
        const { text, isError } = await call(tool, {
          file: file('shape.ts'),
          line: 1,
          symbol: 'side',
          newName: 'x',
          title: 'x',
        });
        assert.ok(isError, text);
        assert.match(text, /Sharing is off/);
      }
    });
  });
});
