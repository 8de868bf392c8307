import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { editorGit, type GitRepository } from '../../../src/editor/editorGit.ts';
import { until } from '../../support/until.ts';
import { connectClient, endReview, useDesk } from '../bridge.ts';
import { changesRows, editAs } from './edits.ts';

describe('what agents have changed', () => {
  let nextPid = 3_980_000; // above what Linux gives out, so that no two tests share a session
  const desk = useDesk(() => nextPid++);
  const page = () => desk.ui.page;
  const folder = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  const git = (...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: folder() }).toString();
  const toast = (words: string | RegExp) => page().locator('.notification-toast', { hasText: words });
  const row = (words: string) => changesRows(desk.ui).filter({ hasText: words }).first();

  beforeEach(async () => {
    git('init', '--quiet');
    await vscode.commands.executeCommand('ideBridge.review.focus');
  });
  afterEach(endReview);
  afterEach(() => rmSync(join(folder(), '.git'), { recursive: true }));

  const edit = (path: string, content: string | undefined, by = desk.client) => editAs(by, path, content);

  const takeBack = (input: string, cwd = folder()) =>
    execFileSync('git', ['apply', '--reverse'], { cwd, input });

  /** What is in the index and not in the last commit: how it has changed, and its name. */
  const staged = () =>
    git('diff', '--cached', '--no-renames', '--name-status', '-z', '--', desk.scratch.folder)
      .split('\0')
      .slice(0, -1)
      .map((part) => basename(part))
      .join(' ')
      .match(/\S+ \S+/g) ?? [];

  function commitAll(): void {
    git('add', '--all', '--', desk.scratch.folder);
    git('commit', '--quiet', '-m', 'All');
  }

  /** Once the editor's Git has the folder open. */
  async function repositoryOpen(): Promise<GitRepository> {
    const api = await editorGit();
    return until('the repository', async () => {
      const repository = api?.getRepository(vscode.Uri.file(folder()));
      return repository?.status().then(
        () => repository,
        () => undefined,
      );
    });
  }

  /** One file changed by two sessions, one new, one deleted. */
  async function editAll(): Promise<string[]> {
    const changed = desk.scratch.write('changed.txt', 'one\ntwo\n');
    const gone = desk.scratch.write('gone.txt', 'gone\n');
    const made = desk.scratch.path('made.txt');
    await edit(changed, 'ONE\ntwo\n');
    await edit(gone, undefined);
    await edit(made, 'made');
    await edit(changed, 'ONE\nTWO\n', await connectClient(nextPid++));
    await row('made.txt').waitFor();
    await until('both', async () => (await row('2 changed').count()) + (await row('+1 −1').count()) > 0);
    return [changed, gone, made];
  }

  async function choose(words: string, item: string): Promise<void> {
    await row(words).click({ button: 'right' });
    const entry = page().locator('.context-view .action-label', { hasText: item });
    await entry.waitFor();
    // The editor heeds no click just after the menu has come.
    await until('the menu to go', async () => {
      await entry.click({ timeout: 1_000 }).catch(() => {});
      return !(await entry.isVisible());
    });
  }

  it('is copied as a patch, which git takes back', async () => {
    const [changed = '', gone = '', made = ''] = await editAll();
    await vscode.commands.executeCommand('ideBridge.copyPatch');
    await toast('Copied a patch of 3 files, for git apply in workspace.').waitFor();
    takeBack(await vscode.env.clipboard.readText());
    assert.equal(readFileSync(changed, 'utf8'), 'one\ntwo\n');
    assert.equal(readFileSync(gone, 'utf8'), 'gone\n');
    assert.throws(() => readFileSync(made));
  });

  it('is staged and kept from its row, or neither', async () => {
    const [, , made = ''] = await editAll();
    const api = await editorGit();
    await until('the repository', () => api?.getRepository(vscode.Uri.file(made)));
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(made));
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'mine '));
    await choose('made.txt', 'Keep and Stage');
    await toast('made.txt has unsaved changes. Save it first').waitFor();
    assert.equal(git('diff', '--cached', '--name-only'), '');
    await editor.document.save();
    await vscode.commands.executeCommand('notifications.clearAll');
    await choose('made.txt', 'Keep and Stage');
    await toast('Kept made.txt. It is staged; Undo leaves it so.').waitFor();
    await until('it to go', async () => (await row('made.txt').count()) === 0);
    assert.equal(git('diff', '--cached', '--name-only').trim(), made.slice(folder().length + 1));
    await desk.ui.screenshot('kept-and-staged');
  });

  it('is copied as a patch that counts from the root of a repository above the folder', async () => {
    const root = dirname(folder());
    rmSync(join(folder(), '.git'), { recursive: true });
    execFileSync('git', ['init', '--quiet'], { cwd: root });
    try {
      const [changed = ''] = await editAll();
      await vscode.commands.executeCommand('ideBridge.copyPatch');
      await toast(`Copied a patch of 3 files, for git apply in ${root}.`).waitFor();
      takeBack(await vscode.env.clipboard.readText(), root);
      assert.equal(readFileSync(changed, 'utf8'), 'one\ntwo\n');
    } finally {
      rmSync(join(root, '.git'), { recursive: true });
      git('init', '--quiet');
    }
  });

  it('is copied with the text from before the session that came first to the file, not from before the older session', async () => {
    const changed = desk.scratch.write('changed.txt', 'one\ntwo\n');
    await edit(desk.scratch.path('made.txt'), 'made');
    await edit(changed, 'ONE\ntwo\n', await connectClient(nextPid++));
    await edit(changed, 'ONE\nTWO\n');
    await until('both', async () => (await row('2 changed').count()) + (await row('+1 −1').count()) > 0);
    await vscode.commands.executeCommand('ideBridge.copyPatch');
    await toast('Copied a patch of 2 files').waitFor();
    takeBack(await vscode.env.clipboard.readText());
    assert.equal(readFileSync(changed, 'utf8'), 'one\ntwo\n');
  });

  it('is copied as a patch without what cannot be read, which is named', async () => {
    const folderNow = desk.scratch.write('folder-now.txt', 'one\n');
    await edit(folderNow, 'ONE\n');
    await edit(desk.scratch.path('made.txt'), 'made');
    rmSync(folderNow);
    mkdirSync(folderNow);
    await row('made.txt').waitFor();
    await vscode.commands.executeCommand('ideBridge.copyPatch');
    await toast(/Copied a patch of 1 file.* not to be read: scratch-.*folder-now.txt\./).waitFor();
    takeBack(await vscode.env.clipboard.readText());
    assert.equal(existsSync(desk.scratch.path('made.txt')), false);
  });

  it('is staged and kept as far as Git takes it: the rest is named with the reason', async () => {
    desk.scratch.write('.gitignore', 'ignored.txt\n');
    const removed = desk.scratch.write('removed.txt', 'removed\n');
    commitAll();
    const untracked = desk.scratch.write('untracked.txt', 'untracked\n');
    await repositoryOpen();
    await edit(desk.scratch.path('ignored.txt'), 'ignored');
    await edit(removed, undefined);
    git('rm', '--quiet', '--cached', removed);
    await edit(untracked, undefined);
    await edit(desk.scratch.path('made.txt'), 'made');
    await row('made.txt').waitFor();
    await vscode.commands.executeCommand('ideBridge.keepAndStage');
    await toast(
      /Kept 3 files\. It is staged.* Not kept: scratch-.*ignored\.txt is ignored by Git\./,
    ).waitFor();
    assert.deepEqual(staged(), ['A made.txt', 'D removed.txt']);
    await until('the rest to go', async () => (await row('made.txt').count()) === 0);
    await row('ignored.txt').waitFor();
  });

  it('is not staged while a notebook has unsaved cells', async () => {
    const path = desk.scratch.path('notes.ipynb');
    await repositoryOpen();
    await edit(path, JSON.stringify({ cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    await row('notes.ipynb').waitFor();
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
    await vscode.window.showNotebookDocument(notebook);
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Markup, 'mine', 'markdown');
    const insert = new vscode.WorkspaceEdit();
    insert.set(notebook.uri, [vscode.NotebookEdit.insertCells(0, [cell])]);
    await vscode.workspace.applyEdit(insert);
    assert.ok(notebook.isDirty);
    try {
      await assert.rejects(
        async () => vscode.commands.executeCommand('ideBridge.keepAndStage', notebook.uri),
        /notes\.ipynb has unsaved changes\. Save it first/,
      );
      assert.deepEqual(staged(), []);
    } finally {
      await notebook.save();
    }
  });

  it('is not staged as resolved with conflict markers in it', async () => {
    const names = ['marked.txt', 'gone.txt', 'resolved.txt'];
    const [marked = '', gone = '', resolved = ''] = names.map((name) => desk.scratch.path(name));
    const write = (content: string) => names.forEach((name) => desk.scratch.write(name, content));
    write('base\n');
    commitAll();
    git('checkout', '--quiet', '-b', 'other');
    write('theirs\n');
    commitAll();
    git('checkout', '--quiet', '-');
    write('ours\n');
    commitAll();
    assert.throws(() => git('merge', '--quiet', 'other'));
    assert.match(readFileSync(marked, 'utf8'), /^<{7}/);
    await repositoryOpen();
    await edit(marked, `first\n${readFileSync(marked, 'utf8')}`);
    await edit(gone, undefined);
    await edit(resolved, 'both\n');
    await row('resolved.txt').waitFor();
    await vscode.commands.executeCommand('ideBridge.keepAndStage');
    await toast(
      /Kept resolved\.txt\..*marked\.txt still has conflict markers.*gone\.txt is deleted/,
    ).waitFor();
    const unmerged = git('ls-files', '--unmerged').trim().split('\n');
    assert.deepEqual([...new Set(unmerged.map((line) => basename(line)))], ['gone.txt', 'marked.txt']);
  });

  it('is not kept where an agent has written it while Git staged it', async () => {
    const [changed, other] = [desk.scratch.path('changed.txt'), desk.scratch.path('other.txt')];
    const repository = await repositoryOpen();
    await edit(changed, 'read');
    await edit(other, 'other');
    await row('other.txt').waitFor();
    const api = Object.getPrototypeOf(repository) as { add: (paths: string[]) => Promise<void> };
    const { add } = api;
    api.add = async function (paths) {
      await add.call(this, paths);
      writeFileSync(changed, 'unread');
    };
    try {
      await vscode.commands.executeCommand('ideBridge.keepAndStage');
    } finally {
      api.add = add;
    }
    await toast(/Kept other\.txt\..* Not kept: scratch-.*changed\.txt was written while/).waitFor();
    await row('changed.txt').waitFor();
  });

  it('is one file, by its real name, where an agent has edited it through a link', async () => {
    const real = desk.scratch.write('real.txt', 'one\ntwo\n');
    const link = desk.scratch.path('link.txt');
    symlinkSync('real.txt', link);
    commitAll();
    await repositoryOpen();
    await edit(link, 'ONE\ntwo\n');
    await edit(real, 'ONE\nTWO\n');
    await row('real.txt').waitFor();
    await row('link.txt').waitFor();
    await vscode.commands.executeCommand('ideBridge.copyPatch');
    await toast(/Copied a patch of 1 file, for git apply in workspace\.$/).waitFor();
    const patch = await vscode.env.clipboard.readText();
    await vscode.commands.executeCommand('ideBridge.keepAndStage', vscode.Uri.file(link));
    await toast('Kept link.txt. It is staged').waitFor();
    assert.deepEqual(staged(), ['M real.txt']);
    takeBack(patch);
    assert.equal(readFileSync(real, 'utf8'), 'one\ntwo\n');
  });

  it('is a rename where the user has renamed it since, as a patch and staged', async () => {
    const old = desk.scratch.write('old.txt', 'one\ntwo\nthree\nfour\n');
    commitAll();
    await repositoryOpen();
    await edit(old, 'ONE\ntwo\nthree\nfour\n');
    await row('old.txt').waitFor();
    const rename = new vscode.WorkspaceEdit();
    rename.renameFile(vscode.Uri.file(old), vscode.Uri.file(desk.scratch.path('new.txt')));
    await vscode.workspace.applyEdit(rename);
    await row('new.txt').waitFor();
    await vscode.commands.executeCommand('ideBridge.copyPatch');
    await toast('Copied a patch of 1 file').waitFor();
    const patch = await vscode.env.clipboard.readText();
    await vscode.commands.executeCommand('ideBridge.keepAndStage');
    await toast('Kept new.txt. It is staged').waitFor();
    assert.deepEqual(staged(), ['A new.txt', 'D old.txt']);
    takeBack(patch);
    assert.equal(readFileSync(old, 'utf8'), 'one\ntwo\nthree\nfour\n');
    assert.equal(existsSync(desk.scratch.path('new.txt')), false);
  });
});
