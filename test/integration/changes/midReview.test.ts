import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import * as vscode from 'vscode';
import { editorGit } from '../../../src/editor/editorGit.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';
import { asText, original } from '../../support/threeChanges.ts';
import { clickHovered } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { endReview, letMomentPass, useDesk } from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';
import { reviewPane } from '../../support/reviewRows.ts';
import { changesRows, editAs } from './edits.ts';

describe('a file under review that becomes something else', () => {
  let nextPid = 3_880_000; // above what Linux gives out, so that no two tests share a session
  const desk = useDesk(() => nextPid++);
  const nextDialog = useDialogs();
  let path: string;

  /** Two changes of an agent, shown in the editor of the file. */
  beforeEach(async () => {
    await vscode.commands.executeCommand('ideBridge.review.focus');
    path = desk.scratch.write('a.txt', asText(original));
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
    await editAs(desk.client, path, asText(original.with(2, 'LINE 2').with(20, 'LINE 20')));
    await lens('2/2').waitFor();
  });
  afterEach(endReview);

  const row = () => changesRows(desk.ui).filter({ hasText: 'a.txt' }).first();
  const lens = (place: string) => desk.ui.page.locator('.codelens-decoration:visible', { hasText: place });
  const clickLens = (name: string, place: string) => {
    letMomentPass();
    return lens(place)
      .locator('a', { hasText: new RegExp(`${name}$`) })
      .first()
      .click();
  };
  const clickRow = (name: string) => {
    return clickHovered(row(), name, letMomentPass);
  };
  const says = (words: string | RegExp) =>
    desk.ui.page.locator('.notification-toast', { hasText: words }).first().waitFor();
  const statusSays = (words: string) => desk.ui.page.locator('.statusbar-item', { hasText: words }).waitFor();
  const toastButton = (name: string) =>
    desk.ui.page.locator('.notification-toast').getByRole('button', { name }).first();
  /** At its end, and saves. */
  const userAdds = async (line: string) => {
    const editor = vscode.window.activeTextEditor ?? assert.fail();
    const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
    assert.ok(await editor.edit((edit) => edit.insert(end, `${line}\n`)));
    assert.ok(await editor.document.save());
  };
  /** Until the watcher has told of what was saved. */
  const letListSettle = () => new Promise((resolve) => setTimeout(resolve, 1_500));
  /** What the user has saved, of which no message says that it goes. */
  const revertLeaves = async (left: string) => {
    await vscode.commands.executeCommand('notifications.clearAll');
    await clickRow('Revert File');
    await until('the lines of the user alone', () => readFileSync(path, 'utf8') === left);
    assert.equal(await desk.ui.page.getByText('with what you saved there since').count(), 0);
  };
  /** In the editor of the file, with no message left from before. */
  const pressThere = async (key: string) => {
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    letMomentPass();
    await desk.ui.page.keyboard.press(key);
  };
  const isInLine = (line: number) =>
    until(
      `the cursor in line ${line}`,
      () => vscode.window.activeTextEditor?.selection.active.line === line,
      10_000,
      () => vscode.window.activeTextEditor?.selection.active.line,
    );
  /** What a lens of the editor in front does, drawn or not. */
  const lensCommand = async (command: string) => {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      vscode.window.activeTextEditor?.document.uri,
      100,
    );
    const found = lenses.find((each) => each.command?.command === command)?.command ?? assert.fail();
    return () => vscode.commands.executeCommand(found.command, ...((found.arguments ?? []) as unknown[]));
  };
  const isAsBefore = () => readFileSync(path).equals(Buffer.from(asText(original)));

  it('nothing: it comes back by Revert File, and stays away by Keep', async () => {
    rmSync(path);
    await row().filter({ hasText: 'deleted · −30' }).waitFor();
    await clickRow('Revert File');
    await until('the file', () => existsSync(path) && isAsBefore());
    await editAs(desk.client, path, undefined);
    await row().filter({ hasText: 'deleted · −30' }).waitFor();
    await clickRow('Keep Agent Changes');
    await row().waitFor({ state: 'detached' });
    assert.ok(!existsSync(path));
  });

  it('a folder: nothing in it is touched, whatever is clicked', async () => {
    rmSync(path);
    mkdirSync(path);
    writeFileSync(join(path, 'inside.txt'), 'mine');
    await row().filter({ hasNotText: '+2' }).waitFor();
    for (const name of ['Keep', 'Revert']) {
      await vscode.commands.executeCommand('notifications.clearAll');
      await clickLens(name, '1/2');
      await says('a.txt is no longer a file.');
      // The editor may still have unsaved text of another suite, without a tab.
      const own = vscode.workspace.textDocuments.filter(({ fileName }) => fileName === path);
      assert.ok(own.every(({ isDirty }) => !isDirty));
    }
    await vscode.commands.executeCommand('notifications.clearAll');
    await clickRow('Revert File');
    (await nextDialog()).press('Revert File');
    await says(/Not everything could be reverted.*a\.txt is no longer a file\./);
    assert.equal(readFileSync(join(path, 'inside.txt'), 'utf8'), 'mine');
    await clickRow('Keep Agent Changes');
    await row().waitFor({ state: 'detached' });
    assert.equal(readFileSync(join(path, 'inside.txt'), 'utf8'), 'mine');
  });

  it('binary, or another encoding: no part of it is kept, and every byte comes back', async () => {
    writeFileSync(path, Buffer.from([0, 1, 2, 0, 3]));
    await row().filter({ hasText: 'binary' }).waitFor();
    await lens('2/2').waitFor({ state: 'detached' });
    await lens('Keep File').waitFor();
    assert.equal(await lens('Comment').count(), 0, 'there are no lines to decide about');
    const binary = readFileSync(path);
    for (const key of ['Alt+Y', 'Alt+N']) {
      await pressThere(key);
      await says('a.txt is binary: keep or revert the file.');
    }
    assert.ok(readFileSync(path).equals(binary));
    await clickRow('Revert File');
    await until('the file', isAsBefore);
    await editAs(desk.client, path, Buffer.from(`\uFEFF${asText(original)}`, 'utf16le'));
    await row().waitFor();
    await clickRow('Revert File');
    await until('the file', isAsBefore);
  });

  it('of other line ends: its changes are decided, and what comes back is every byte', async () => {
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
    await row().filter({ hasText: '+2 −2 · line ends now CRLF' }).waitFor();
    await clickLens('Keep', '2/2');
    await lens('2/2').waitFor({ state: 'detached' });
    assert.ok(readFileSync(path, 'utf8').includes('LINE 2\r\n'));
    await clickRow('Revert File');
    await until('the lines from before', () =>
      readFileSync(path, 'utf8').startsWith('line 0\nline 1\nline 2\n'),
    );
    assert.ok(readFileSync(path, 'utf8').includes('LINE 20'), 'what was kept');
  });

  it('what it was before: it is reviewed', async () => {
    writeFileSync(path, asText(original));
    await row().waitFor({ state: 'detached' });
    await until('no lenses', async () => (await lens('of').count()) === 0);
  });

  it('kept, saved since, and not kept after all: what the user has saved is not listed, and stays', async () => {
    await clickRow('Keep Agent Changes');
    await row().waitFor({ state: 'detached' });
    await userAdds('mine');
    letMomentPass();
    await toastButton('Undo').click();
    await row().filter({ hasText: '+2 −2' }).waitFor();
    await lens('2/2').waitFor();
    await revertLeaves(`${asText(original)}mine\n`);
  });

  it('reverted, saved since, and not reverted after all: what the user has saved is not listed, and stays', async () => {
    await clickRow('Revert File');
    await until('the file', isAsBefore);
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    await until('the editor to have read it', () => document.getText() === asText(original));
    await userAdds('mine');
    letMomentPass();
    await toastButton('Undo').click();
    await row().filter({ hasText: '+2 −2' }).waitFor();
    await revertLeaves(`${asText(original)}mine\n`);
  });

  it('formatted by a save: what agents wrote still waits, what they did not is the user’s, and nothing is lost', async () => {
    const formatter = vscode.languages.registerDocumentFormattingEditProvider('plaintext', {
      provideDocumentFormattingEdits: (document) =>
        [2, 20, 26].map((line) => vscode.TextEdit.insert(document.lineAt(line).range.end, ';')),
    });
    try {
      await desk.configure('editor.formatOnSave', true);
      await userAdds('mine');
    } finally {
      formatter.dispose();
    }
    const formatted = (lines: readonly string[]) => `${asText(lines.with(26, 'line 26;'))}mine\n`;
    assert.equal(
      readFileSync(path, 'utf8'),
      formatted(original.with(2, 'LINE 2;').with(20, 'LINE 20;')),
      'the formatter has run',
    );
    await desk.ui.page
      .locator('.statusbar-item[id$="ideBridge.changes"]', { hasText: /1 file, 2 changes\b/ })
      .waitFor();
    await row().filter({ hasText: '+2 −2' }).waitFor();
    await lens('2/2').waitFor();
    await letListSettle();
    await clickRow('Revert File');
    await says('with what you saved there since');
    await until('the lines of the user alone', () => readFileSync(path, 'utf8') === formatted(original));
  });

  it('what it is on another branch: it is compared with that, written by nobody, and its revert can be undone', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: desk.scratch.folder });
    const agents = readFileSync(path);
    const other = asText(original.with(10, 'of the other branch'));
    git('init', '--quiet', '--initial-branch=first');
    const api = await editorGit();
    const repository = await until(
      'the repository',
      () => api?.getRepository(vscode.Uri.file(path)) ?? undefined,
    );
    const checkedOut = (branch: string) =>
      until(`git to tell of ${branch}`, () => repository.state.HEAD?.name === branch);
    writeFileSync(path, asText(original));
    commit(git);
    git('checkout', '--quiet', '-b', 'other');
    writeFileSync(path, other);
    commit(git);
    git('checkout', '--quiet', '-b', 'work', 'first');
    writeFileSync(path, agents);
    commit(git);
    await row().filter({ hasText: '+2 −2' }).waitFor();
    await checkedOut('work');
    git('checkout', '--quiet', 'first');
    await row().waitFor({ state: 'detached' });
    assert.ok(isAsBefore());
    await checkedOut('first');
    const message = reviewPane(desk.ui.page).getByText(
      'On first, a.txt is as before the edits of agents: it waits for review again once you switch back.',
    );
    await message.waitFor();
    await statusSays('a.txt waits on another branch: see Review');
    await desk.ui.screenshot('changes-branch-switched');
    await vscode.commands.executeCommand('ideBridge.keepAllChanges'); // not what cannot be seen
    git('checkout', '--quiet', 'other');
    await row().filter({ hasText: '+1 −1' }).waitFor();
    await message.waitFor({ state: 'detached' });
    assert.equal(readFileSync(path, 'utf8'), other);
    await clickRow('Revert File');
    await says('Reverted a.txt');
    await until('the file', isAsBefore);
    await toastButton('Undo').click();
    await until('every byte of the branch', () => readFileSync(path, 'utf8') === other);
    git('checkout', '--quiet', 'work');
    await row().filter({ hasText: '+2 −2' }).waitFor();
    await lens('2/2').waitFor();
    assert.ok(readFileSync(path).equals(agents));
  });

  it('another text than the editor has read yet: no part of it is kept, nor is that of a lens that it has no more', async () => {
    const { document } = vscode.window.activeTextEditor ?? assert.fail();
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      document.uri,
      100,
    );
    const keep = lenses.find(({ command }) => command?.command === 'ideBridge.keepChangedHunk')?.command;
    assert.ok(keep);
    const click = () =>
      vscode.commands.executeCommand(keep.command, ...((keep.arguments ?? []) as unknown[]));
    const { version } = document;
    writeFileSync(path, asText(original.with(2, 'ANOTHER').with(20, 'LINE 20')));
    const clicked = click();
    assert.equal(document.version, version, 'the editor has read it before the click');
    await clicked;
    await until('the editor to have read it', () => document.getText().includes('ANOTHER'));
    await click();
    await row().filter({ hasText: '+2 −2' }).waitFor();
    await clickRow('Revert File');
    await until('the file', isAsBefore); // a part that was kept would have stayed
  });

  it('one of which nobody knows any more what it was: that is said, and nothing is reverted', async () => {
    const userData = process.env[testEnvironment.userData] ?? assert.fail();
    const kept = ['ide-bridge.ide-bridge-for-claude-code', 'changes', ''].join(sep);
    for (const each of readdirSync(userData, { recursive: true, encoding: 'utf8' })) {
      if (each.includes(kept) && /[0-9a-f]{64}/.test(each)) rmSync(join(userData, each));
    }
    const now = readFileSync(path);
    await clickLens('Keep', '1/2');
    await says('What a.txt was before is no longer kept.');
    await clickRow('Revert File');
    await says('Not everything could be reverted. a.txt: What a.txt was before is no longer kept.');
    assert.ok(readFileSync(path).equals(now));
    await editAs(desk.client, path, 'anew\n');
    await row().waitFor({ state: 'detached' });
    await desk.ui.page.getByText('a.txt is no longer listed: what it was before').first().waitFor();
    assert.equal(readFileSync(path, 'utf8'), 'anew\n');
  });

  it('what it was, by a stash: that is said until it is back, and nothing is taken for reviewed', async () => {
    const { git, agents } = committed();
    await row().filter({ hasText: '+2 −2' }).waitFor();
    asSomebody(git, 'stash', '--quiet');
    const message = reviewPane(desk.ui.page).getByText(
      'Since a stash, a.txt is as before the edits of agents: it waits for review again once you apply it.',
    );
    await message.waitFor();
    await statusSays('a.txt waits in a stash: see Review');
    await desk.ui.screenshot('changes-stashed');
    await vscode.commands.executeCommand('ideBridge.nextAgentChange');
    await statusSays('All that is here is reviewed; 1 file waits: see Review');
    await vscode.commands.executeCommand('ideBridge.keepAllChanges'); // not what cannot be seen
    asSomebody(git, 'stash', 'pop', '--quiet');
    await row().filter({ hasText: '+2 −2' }).waitFor();
    await message.waitFor({ state: 'detached' });
    assert.ok(readFileSync(path).equals(agents));
  });

  it('what it was, by a reset: that is said, and nothing waits', async () => {
    const { git } = committed();
    await row().filter({ hasText: '+2 −2' }).waitFor();
    git('reset', '--quiet', '--hard');
    await statusSays('a.txt is as before agents’ edits');
    assert.ok(isAsBefore());
    await vscode.commands.executeCommand('ideBridge.nextAgentChange');
    await statusSays('All changes by agents are reviewed.');
  });

  it('nothing, while its tab is open: no part of it is decided, and it is not written back', async () => {
    const byLens = [
      await lensCommand('ideBridge.keepChangedHunk'),
      await lensCommand('ideBridge.revertHunk'),
    ];
    rmSync(path);
    await row().filter({ hasText: 'deleted · −30' }).waitFor();
    for (const key of ['Alt+Y', 'Alt+N']) {
      await pressThere(key);
      await says('a.txt is deleted: keep or revert the file.');
      assert.ok(!existsSync(path), key);
    }
    for (const click of byLens) {
      await assert.rejects(async () => click(), /a\.txt is deleted: keep or revert the file\./);
      assert.ok(!existsSync(path));
    }
  });

  describe('not in UTF-8', () => {
    const latin = (...lines: readonly (readonly [line: number, text: string])[]) => {
      const all = Array.from({ length: 20 }, (_, i) => `caf\xe9 ${i}`);
      lines.forEach(([line, text]) => (all[line] = text));
      return Buffer.from(asText(all), 'latin1');
    };

    it('before the agent, too: a change of it is reverted to the last byte, which can be undone', async () => {
      const file = desk.scratch.write('latin.txt', latin());
      const agents = latin([3, 'CAF\xc9'], [12, 'th\xe9']);
      await editAs(desk.client, file, agents);
      await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
      await clickLens('Revert', '1/2');
      await until('its bytes', () => readFileSync(file).equals(latin([12, 'th\xe9'])));
      await changesRows(desk.ui).filter({ hasText: 'latin.txt' }).filter({ hasText: '+1 −1' }).waitFor();
      const undo = desk.ui.page.locator('[id$="ideBridge.undoKeep"]', { hasText: 'a change in latin.txt' });
      await undo.click();
      await until('the bytes of the agent', () => readFileSync(file).equals(agents));
      await lens('2/2').waitFor();
      await vscode.commands.executeCommand('ideBridge.revertFile');
      await until('every byte from before', () => readFileSync(file).equals(latin()));
      await says('Reverted latin.txt');
      assert.equal(await desk.ui.page.getByText('with what you saved there since').count(), 0);
    });

    it('since then: a change of it is reverted to the last byte, and the next one is gone to', async () => {
      const encoded = (line: string) =>
        Buffer.from(asText(original.with(2, line).with(17, 'caf\xe9').with(20, 'LINE 20')), 'latin1');
      writeFileSync(path, encoded('LINE 2'));
      await lens('3/3').waitFor();
      await pressThere('Control+Home');
      await pressThere('Alt+F5');
      await isInLine(2);
      await pressThere('Alt+N');
      await until('its bytes', () => readFileSync(path).equals(encoded('line 2')));
      await isInLine(17);
    });

    it('and not saved: it is said why no change of it can be reverted, and what to do', async () => {
      const file = desk.scratch.write('latin.txt', latin());
      const agents = latin([3, 'CAFE'], [12, 'THE']);
      await editAs(desk.client, file, agents);
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
      await lens('2/2').waitFor();
      await editor.edit((edit) => edit.insert(new vscode.Position(20, 0), 'mine'));
      const text = editor.document.getText();
      await pressThere('Control+Home');
      await pressThere('Alt+F5');
      await isInLine(3);
      await pressThere('Alt+N');
      await says(
        'latin.txt has unsaved changes and is not in UTF-8, in which a part of it would lose characters. Revert the file, or save it first.',
      );
      assert.equal(editor.document.getText(), text);
      assert.ok(readFileSync(file).equals(agents));
    });
  });

  /** The text from before is, and the agent's is not. */
  function committed() {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: desk.scratch.folder });
    const agents = readFileSync(path);
    git('init', '--quiet');
    writeFileSync(path, asText(original));
    commit(git);
    writeFileSync(path, agents);
    return { git, agents };
  }
});

/** All that is there, as somebody. */
function commit(git: (...args: string[]) => unknown): void {
  git('add', '--all');
  asSomebody(git, 'commit', '--quiet', '--message=now');
}

function asSomebody(git: (...args: string[]) => unknown, ...args: string[]): void {
  git('-c', 'user.name=a', '-c', 'user.email=a@b', ...args);
}
