import assert from 'node:assert/strict';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { SelectionChanged } from '../../../src/protocol/ide.ts';
import type { OpenEditor } from '../../../src/tools/openEditors.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { until } from '../../support/until.ts';
import { connectClient, prompt, proposalTabs, Scratch, tabs } from '../bridge.ts';
import { ipynb } from '../notebooks/ipynb.ts';

/** A PNG of one pixel, in base64. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
/** What follows the OK of reformat_file then. */
const nothingToFormat = 'Nothing was changed: no formatter for it is installed, or it is formatted already.';

describe('tools', () => {
  let client: IdeClient;
  let scratch: Scratch;
  let file: string;
  let workspaceFolder: string;

  beforeEach(async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(root);
    workspaceFolder = root;
    scratch = new Scratch();
    file = scratch.write('täst #1.ts', 'one {\r\n  two();\r\n}\r\nthree {\r\n}\r\n');
    client = await connectClient();
  });
  afterEach(async () => {
    await client.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  const call = async (name: string, args?: object) => (await client.callForTexts(name, args)).join('\n');
  const selected = () => {
    const { document, selection } = vscode.window.activeTextEditor ?? assert.fail('no active editor');
    return document.getText(selection);
  };

  async function openText(path: string): Promise<vscode.TextEditor> {
    const document = await vscode.workspace.openTextDocument(path);
    return vscode.window.showTextDocument(document, { preview: false });
  }

  describe('openFile', () => {
    it('opens a file in front, not as a preview', async () => {
      assert.equal(await call('openFile', { filePath: file }), `Opened file: ${file}`);
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, file);
      assert.deepEqual(
        tabs().map(({ isPreview }) => isPreview),
        [false],
      );
    });

    it('takes empty texts for absent, and opens a preview if asked', async () => {
      const args = { filePath: file, startText: '', endText: '', preview: true };
      assert.equal(await call('openFile', args), `Opened file: ${file}`);
      assert.equal(tabs()[0]?.isPreview, true);
    });

    it('selects a text', async () => {
      assert.equal(
        await call('openFile', { filePath: file, startText: 'two' }),
        'Opened file and selected text "two"',
      );
      assert.equal(selected(), 'two');
    });

    it('selects from a text to the end of another that comes after it', async () => {
      assert.equal(
        await call('openFile', { filePath: file, startText: 'three', endText: '}' }),
        'Opened file and selected text from "three" to "}"',
      );
      assert.equal(selected(), 'three {\r\n}');
    });

    it('selects a pattern of several lines in a file with other line ends, to the end of the line', async () => {
      const args = { filePath: file, startText: 'one {\n  two', selectToEndOfLine: true };
      assert.equal(await call('openFile', args), 'Opened file and selected text "one {\n  two"');
      assert.equal(selected(), 'one {\r\n  two();');
    });

    it('opens although a text is not there, and says so', async () => {
      assert.equal(
        await call('openFile', { filePath: file, startText: 'nowhere' }),
        'Opened file, but text "nowhere" not found',
      );
      assert.equal(
        await call('openFile', { filePath: file, startText: 'three', endText: 'two' }),
        'Opened file and selected text "three", but text "two" not found after it',
      );
      assert.equal(selected(), 'three');
    });

    it('opens behind the others if asked, and tells about the file', async () => {
      const other = await openText(scratch.write('other.txt', ''));
      const answer = await client.callForJson('openFile', { filePath: file, makeFrontmost: false });
      assert.deepEqual(answer, {
        success: true,
        filePath: file,
        fileUrl: `file://${file}`,
        message: `Opened file: ${file}`,
        languageId: 'typescript',
        lineCount: 6,
        isDirty: false,
        isUntitled: false,
        isClosed: false,
      });
      assert.equal(vscode.window.activeTextEditor?.document, other.document);
      assert.deepEqual(
        tabs().map(({ label, isActive }) => [label, isActive]),
        [
          ['other.txt', true],
          [basename(file), false],
        ],
      );
    });

    it('resolves a path against the workspace folder, and takes file URIs', async () => {
      const relative = file.slice(workspaceFolder.length + 1);
      assert.equal(await call('openFile', { filePath: relative }), `Opened file: ${file}`);
      assert.equal(await call('openFile', { filePath: `file://${file}` }), `Opened file: ${file}`);
      const encoded = vscode.Uri.file(file).toString();
      assert.equal(await call('openFile', { filePath: encoded }), `Opened file: ${file}`);
    });

    it('shows an untitled document by its name', async () => {
      const document = await vscode.workspace.openTextDocument({ content: 'draft' });
      await vscode.window.showTextDocument(document);
      await openText(file);
      assert.equal(
        await call('openFile', { filePath: document.uri.path }),
        `Opened file: ${document.uri.path}`,
      );
      assert.equal(vscode.window.activeTextEditor?.document, document);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });

    it('opens a notebook in the notebook editor', async () => {
      const notebook = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
      const path = scratch.write('book.ipynb', JSON.stringify(notebook));
      assert.equal(await call('openFile', { filePath: path }), `Opened file: ${path}`);
      await until('the notebook', () => vscode.window.activeNotebookEditor?.notebook.uri.fsPath === path);
    });

    const failures: [string, () => string, (path: string) => RegExp][] = [
      [
        'a missing file',
        () => scratch.path('missing.txt'),
        (path) => new RegExp(`^File not found: ${path}$`),
      ],
      ['a folder', () => scratch.folder, (path) => new RegExp(`^Not a file but a folder: ${path}$`)],
      [
        'a binary file',
        () => scratch.write('b.bin', Buffer.from([0, 1, 2, 0, 255, 0])),
        () => /it is binary/,
      ],
      ['a path that leaves the workspace', () => '../../../etc/hostname', () => /^File not found/],
      [
        'a file over the editor’s limit',
        () => {
          const path = scratch.write('huge.txt', '');
          truncateSync(path, 51 * 1024 * 1024);
          return path;
        },
        () => /too large for the editor \(51 MB, at most 50 MB\)/,
      ],
    ];
    for (const [what, path, message] of failures) {
      it(`of ${what} is a tool error`, async () => {
        const filePath = path();
        const { isError, content } = await client.call('openFile', { filePath });
        assert.equal(isError, true);
        assert.match(content[0]?.text ?? '', message(filePath));
        assert.equal(tabs().length, 0);
      });
    }

    it('without a path, or with a NUL in it, is refused', async () => {
      await assert.rejects(client.call('openFile', {}), /filePath/);
      await assert.rejects(client.call('openFile', { filePath: 'a\0b' }), /NUL/);
    });
  });

  describe('selections', () => {
    it('are the current one and the latest one', async () => {
      assert.deepEqual(await client.callForJson('getCurrentSelection'), {
        success: false,
        message: 'No active editor found',
      });
      const editor = await openText(file);
      editor.selection = new vscode.Selection(0, 0, 0, 3);
      const expected = {
        text: 'one',
        filePath: file,
        fileUrl: `file://${file}`,
        selection: { start: { line: 0, character: 0 }, end: { line: 0, character: 3 }, isEmpty: false },
      };
      assert.deepEqual(await client.callForJson('getCurrentSelection'), { success: true, ...expected });
      assert.deepEqual(await client.callForJson('getLatestSelection'), expected);
    });

    it('of a proposal are never told: the latest stays that of a real file', async () => {
      const editor = await openText(file);
      editor.selection = new vscode.Selection(0, 0, 0, 3);
      await prompt(client);
      void client.call('openDiff', { old_file_path: file, new_file_contents: 'other', tab_name: 'T' });
      await until('the diff', () => proposalTabs().length === 1);
      const label = proposalTabs()[0];
      await until('the proposed side', async () => {
        await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
        return vscode.window.activeTextEditor?.document.uri.scheme === 'ide-bridge-proposal';
      });
      const proposed = vscode.window.activeTextEditor;
      assert.equal(proposed?.document.getText(), 'other');
      proposed.selection = new vscode.Selection(0, 0, 0, 5);
      for (const tool of ['getCurrentSelection', 'getLatestSelection']) {
        const told = await client.callForJson<SelectionChanged>(tool);
        assert.equal(told.filePath, file);
        assert.notEqual(told.text, 'other');
      }
      const { tabs: open } = await client.callForJson<{ tabs: OpenEditor[] }>('getOpenEditors');
      const diff = open.find((tab) => tab.label === label);
      assert.equal(diff?.kind, 'diff');
      assert.deepEqual([diff?.uri, diff?.originalUri], [`file://${file}`, `file://${file}`]);
      await client.callForTexts('closeAllDiffTabs');
    });
  });

  describe('getOpenEditors', () => {
    const list = async () => (await client.callForJson<{ tabs: OpenEditor[] }>('getOpenEditors')).tabs;

    it('tells everything about a text file', async () => {
      const editor = await openText(file);
      editor.selection = new vscode.Selection(1, 5, 1, 2);
      const told = await until('the selection', async () => (await list())[0]);
      assert.deepEqual(told, {
        kind: 'text',
        uri: `file://${file}`,
        isActive: true,
        isPinned: false,
        isPreview: false,
        isDirty: false,
        label: basename(file),
        groupIndex: 0,
        viewColumn: 1,
        isGroupActive: true,
        fileName: basename(file),
        languageId: 'typescript',
        lineCount: 6,
        isUntitled: false,
        selection: { start: { line: 1, character: 2 }, end: { line: 1, character: 5 }, isReversed: true },
      });
    });

    it('lists untitled files, diffs, pictures, notebooks and files beside, too', async () => {
      const untitled = await vscode.workspace.openTextDocument({ content: '' });
      await vscode.window.showTextDocument(untitled, { preview: false });
      const [a, b] = [scratch.write('a.txt', 'a'), scratch.write('b.txt', 'b')];
      const sides = [vscode.Uri.file(a), vscode.Uri.file(b)];
      await vscode.commands.executeCommand('vscode.diff', ...sides, 'a and b', { preview: false });
      const picture = scratch.write('picture.png', Buffer.from(dot, 'base64'));
      await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(picture), { preview: false });
      const notebook = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });
      const options = { preview: false, viewColumn: vscode.ViewColumn.Two };
      await vscode.commands.executeCommand(
        'vscode.open',
        vscode.Uri.file(scratch.write('c.ipynb', notebook)),
        options,
      );
      await until('four tabs', () => tabs().length === 4);
      const told = (await list()).map(({ kind, uri, groupIndex, isUntitled }) => ({
        kind,
        name: basename(uri),
        groupIndex,
        isUntitled,
      }));
      assert.deepEqual(told, [
        { kind: 'text', name: untitled.uri.toString(), groupIndex: 0, isUntitled: true },
        { kind: 'diff', name: 'b.txt', groupIndex: 0, isUntitled: false },
        { kind: 'custom', name: 'picture.png', groupIndex: 0, isUntitled: false },
        { kind: 'notebook', name: 'c.ipynb', groupIndex: 1, isUntitled: false },
      ]);
    });

    it('get_all_opened_file_paths tells their paths, one a line', async () => {
      await openText(file);
      const other = scratch.write('other.txt', '');
      await openText(other);
      assert.equal(await call('get_all_opened_file_paths'), `${file}\n${other}`);
    });
  });

  it('getWorkspaceFolders tells the folders', async () => {
    assert.deepEqual(await client.callForJson('getWorkspaceFolders'), {
      success: true,
      folders: [
        {
          name: basename(workspaceFolder),
          uri: `file://${workspaceFolder}`,
          path: workspaceFolder,
          index: 0,
        },
      ],
      rootPath: workspaceFolder,
      workspaceFile: null,
    });
  });

  describe('unsaved changes', () => {
    it('are told, and saved', async () => {
      const editor = await openText(file);
      const state = { success: true, filePath: file, isUntitled: false };
      assert.deepEqual(await client.callForJson('checkDocumentDirty', { filePath: file }), {
        ...state,
        isDirty: false,
      });
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'new '));
      assert.deepEqual(await client.callForJson('checkDocumentDirty', { filePath: file }), {
        ...state,
        isDirty: true,
      });
      assert.deepEqual(await client.callForJson('saveDocument', { filePath: `file://${file}` }), {
        success: true,
        filePath: file,
        saved: true,
        message: 'Document saved successfully',
      });
      assert.match(readFileSync(file, 'utf8'), /^new one/);
    });

    it('of a notebook are told and saved, so that its tab can be closed', async () => {
      const filePath = scratch.write('book.ipynb', ipynb(['x = 1']));
      const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(filePath));
      await vscode.window.showNotebookDocument(notebook, { preview: false });
      const edit = new vscode.WorkspaceEdit();
      edit.set(notebook.uri, [vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(0, 1))]);
      await vscode.workspace.applyEdit(edit);
      assert.deepEqual(await client.callForJson('checkDocumentDirty', { filePath }), {
        success: true,
        filePath,
        isDirty: true,
        isUntitled: false,
      });
      assert.match(await call('close_tab', { tab_name: filePath }), /^TAB_NOT_CLOSED: book\.ipynb/);
      assert.match(await call('saveDocument', { filePath }), /"saved": true/);
      assert.deepEqual((JSON.parse(readFileSync(filePath, 'utf8')) as { cells: unknown }).cells, []);
      assert.equal(await call('close_tab', { tab_name: filePath }), 'TAB_CLOSED');
      assert.equal(tabs().length, 0);
    });

    // An extension cannot veto a save: of a participant that fails the editor takes no notice.
    for (const [what, veto] of [
      ['because the file has changed on the disk', () => writeFileSync(file, 'more than there was before\n')],
      [
        'because the file is read-only in the editor',
        () => vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession'),
      ],
    ] as const) {
      it(`are not saved ${what}, and the answer says so`, async () => {
        const editor = await openText(file);
        await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'new '));
        try {
          await veto();
          const onDisk = readFileSync(file, 'utf8');
          assert.deepEqual(await client.callForJson('saveDocument', { filePath: file }), {
            success: false,
            filePath: file,
            saved: false,
            message: 'The editor did not save the document',
          });
          assert.equal(readFileSync(file, 'utf8'), onDisk);
          assert.ok(editor.document.isDirty);
        } finally {
          await vscode.commands.executeCommand('workbench.action.files.resetActiveEditorReadonlyInSession');
          await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
        }
      });
    }

    it('of an untitled document are not saved where there can be no file, and the answer says why', async () => {
      const uri = vscode.Uri.file(join(file, 'child.txt')).with({ scheme: 'untitled' });
      const editor = await vscode.window.showTextDocument(uri, { preview: false });
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'new '));
      try {
        const answer = await client.callForJson<{ success: boolean; saved: boolean; message: string }>(
          'saveDocument',
          { filePath: uri.path },
        );
        assert.deepEqual([answer.success, answer.saved], [false, false]);
        assert.match(answer.message, /child\.txt/);
        assert.ok(editor.document.isDirty);
      } finally {
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      }
    });

    it('of a document that is not open cannot be told or saved', async () => {
      const filePath = join(scratch.folder, 'closed.txt');
      const message = `Document not open: ${filePath}`;
      assert.deepEqual(await client.callForJson('checkDocumentDirty', { filePath }), {
        success: false,
        message,
      });
      assert.deepEqual(await client.callForJson('saveDocument', { filePath }), { success: false, message });
    });
  });

  describe('the JetBrains dialect', () => {
    it('open_files opens what can be opened, and says what cannot', async () => {
      const other = scratch.write('other.txt', '');
      const [opened, failed] = await client.callForTexts('open_files', {
        file_paths: [file, scratch.path('missing'), other],
      });
      assert.deepEqual(JSON.parse(opened ?? ''), { opened_files: [file, other] });
      assert.match(failed ?? '', /File not found/);
      assert.equal(tabs().length, 2);
    });

    it('reformat_file formats with the editor’s formatter, and saves', async () => {
      const path = scratch.write('data.json', '{"a":1}');
      const reformat = () => client.callForTexts('reformat_file', { file_path: path });
      const answer = await until('the JSON formatter', async () => {
        const texts = await reformat();
        return texts.length === 1 ? texts : undefined; // it may not have started yet
      });
      assert.deepEqual(answer, ['OK']);
      assert.match(readFileSync(path, 'utf8'), /^\{\s+"a": 1\s+\}/);
      assert.deepEqual(await reformat(), ['OK', nothingToFormat]);
    });

    it('reformat_file leaves unsaved changes unsaved', async () => {
      const path = scratch.write('data.json', '{}');
      const editor = await openText(path);
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 1), '"a":1'));
      await until(
        'the JSON formatter',
        async () => (await client.callForTexts('reformat_file', { file_path: path })).length === 1,
      );
      assert.match(editor.document.getText(), /^\{\s+"a": 1\s+\}/);
      assert.equal(editor.document.isDirty, true);
      assert.equal(readFileSync(path, 'utf8'), '{}');
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });

    it('reformat_file fits no edits to a text that has changed meanwhile', async () => {
      const path = scratch.write('notes.changing', 'a');
      const { document } = await openText(path);
      let changes = 1;
      const formatter = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: '**/*.changing' },
        {
          async provideDocumentFormattingEdits(old) {
            const edits = [vscode.TextEdit.insert(old.lineAt(0).range.end, '!')];
            const typed = new vscode.WorkspaceEdit();
            typed.insert(old.uri, new vscode.Position(0, 0), 'x');
            if (changes > 0) {
              changes -= 1;
              await vscode.workspace.applyEdit(typed);
            }
            return edits;
          },
        },
      );
      try {
        assert.equal(await call('reformat_file', { file_path: path }), 'OK');
        assert.equal(document.getText(), 'xa!');
        changes = 2;
        const { content, isError } = await client.call('reformat_file', { file_path: path });
        assert.equal(isError, true);
        assert.match(content[0]?.text ?? '', /notes\.changing was edited meanwhile/);
        assert.equal(document.getText(), 'xxxa!');
      } finally {
        formatter.dispose();
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
      }
    });

    it('reformat_file refuses what is not there, and says that a file without a formatter is as it was', async () => {
      assert.deepEqual(await client.call('reformat_file', { file_path: scratch.path('x') }), {
        content: [{ type: 'text', text: 'File not found' }],
        isError: true,
      });
      const file_path = scratch.write('x.txt', 'x');
      assert.deepEqual(await client.callForTexts('reformat_file', { file_path }), ['OK', nothingToFormat]);
    });

    it('close_tab takes a path in every form', async () => {
      for (const path of [file, file.slice(workspaceFolder.length + 1), `file://${file}`]) {
        await openText(file);
        assert.equal(await call('close_tab', { tab_name: path }), 'TAB_CLOSED');
        assert.deepEqual(tabs(), [], path);
      }
    });

    it('close_tab closes files of every kind, and no other version of one', async () => {
      const text = JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 });
      const notebook = vscode.Uri.file(scratch.write('a.ipynb', text));
      await vscode.commands.executeCommand('vscode.open', notebook, { preview: false });
      const version = vscode.workspace.registerTextDocumentContentProvider('version', {
        provideTextDocumentContent: () => 'earlier',
      });
      const earlier = vscode.Uri.file(file).with({ scheme: 'version' });
      await vscode.window.showTextDocument(earlier, { preview: false });
      await until('both', () => tabs().length === 2);
      await call('close_tab', { tab_name: notebook.fsPath });
      await call('close_tab', { tab_name: file });
      await until('one', () => tabs().length === 1);
      assert.equal((tabs()[0]?.input as vscode.TabInputText).uri.scheme, 'version');
      version.dispose();
    });
  });

  describe('getDiagnostics after a write', () => {
    it('has what the language server says of the written text', async () => {
      const path = scratch.write('code.ts', 'export const a: number = 1;\n');
      const { document } = await openText(path); // the TypeScript server reports on files that have a tab
      await until('the TypeScript server', async () => {
        const symbols = await vscode.commands.executeCommand<unknown[] | undefined>(
          'vscode.executeDocumentSymbolProvider',
          vscode.Uri.file(path),
        );
        return symbols && symbols.length > 0;
      });
      // Of a file that has just been made, the editor was seen to miss the next change.
      await until('the editor to follow the file', async () => {
        const text = `export const a: number = ${Date.now()};\n`;
        scratch.write('code.ts', text);
        await until('the text', () => document.getText() === text, 2_000).catch(() => {});
        return document.getText() === text;
      });
      await client.callForJson('getDiagnostics', { uri: `file://${path}` });
      scratch.write('code.ts', 'export const a: number = "no";\n');
      const found = await until(
        'the problem',
        async () => {
          const all =
            await client.callForJson<{ uri: string; diagnostics: { code: string }[] }[]>('getDiagnostics');
          return all.find(({ uri }) => uri === `file://${path}`);
        },
        20_000,
        () => ({ text: document.getText(), isDirty: document.isDirty, isClosed: document.isClosed }),
      );
      assert.equal(found.diagnostics[0]?.code, '2322');
    });
  });
});
