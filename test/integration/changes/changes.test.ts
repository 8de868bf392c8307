import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { OpenEditor } from '../../../src/tools/openEditors.ts';
import { writeTime } from '../../../src/changes/changeReview.ts';
import { ShellEdits } from '../../../src/changes/shellEdits.ts';
import type { RecordedSession } from '../../../src/records/recordedSession.ts';
import type { Session } from '../../../src/server/session.ts';
import { repeatTime } from '../../../src/proposals/inFront.ts';
import { FakeEditor } from '../../support/fakeEditor.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { openReview } from '../../support/openReview.ts';
import { clickRow, reviewPane } from '../../support/reviewRows.ts';
import { trustedGit } from '../../support/trusted.ts';
import { clickHovered } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, endReview, holdMoment, letMomentPass, propose, tabs, useDesk } from '../bridge.ts';
import { changesRows, editAs } from './edits.ts';
import { useDialogs } from '../dialogs.ts';
import { GitSpy } from '../gitSpy.ts';
import { noted, ShellAgent } from './shellAgent.ts';
import { withStored } from './stored.ts';

describe('agent changes', () => {
  let nextPid = 3_900_000; // above what Linux gives out, so that no two tests share a session
  const desk = useDesk(() => nextPid++);
  const nextDialog = useDialogs();

  beforeEach(() => vscode.commands.executeCommand('ideBridge.review.focus'));
  afterEach(endReview);

  const edit = (path: string, content: string | Buffer | undefined, by = desk.client) =>
    editAs(by, path, content);

  /** Of what waits for review. */
  const rows = () => changesRows(desk.ui).filter({ hasNotText: /all reviewed|History/ });
  const row = (text: string) => rows().filter({ hasText: text }).first();

  const toast = (text: string | RegExp) => desk.ui.page.locator('.notification-toast', { hasText: text });

  async function texts(): Promise<string[]> {
    return (await rows().allTextContents()).map((text) => text.replace(/\s+/g, ' ').trim());
  }

  async function rowAction(text: string, action: string, which = row(text)): Promise<void> {
    await clickHovered(which, action, letMomentPass);
    await desk.ui.page.mouse.move(700, 500); // else a tooltip comes, and covers other rows
  }

  /** Reverts what the row is about, without a question. @returns the message with its undo */
  async function revert(text: string, which = row(text)): Promise<string> {
    await vscode.commands.executeCommand('notifications.clearAll');
    await rowAction(text, text === 'Claude' ? 'Revert All Changes' : 'Revert File', which);
    const told = toast(/Reverted/).first();
    await told.getByRole('button', { name: 'Undo' }).waitFor();
    return told.innerText();
  }

  /** Reverts what cannot be brought back by an undo of ours, and says yes. @returns what was asked */
  async function revertAsked(text: string): Promise<string> {
    await rowAction(text, 'Revert File');
    const dialog = await nextDialog();
    dialog.press('Revert File');
    return dialog.text;
  }

  describe('the view', () => {
    /** New files of one line, as fast as it goes. */
    async function editMany(count: number, nameOf = (i: number) => `file-${i}.txt`): Promise<void> {
      for (let i = 0; i < count; i++) {
        const path = desk.scratch.path(nameOf(i));
        mkdirSync(dirname(path), { recursive: true });
        await desk.client.call('getDiagnostics', { uri: `file://${path}` }); // announces it
        writeFileSync(path, 'new\n');
      }
      await desk.client.call('getDiagnostics', {});
      await row(`${count} files`).waitFor();
    }

    it('lists 200 files, and the others when they are asked for', async () => {
      const count = 230;
      await editMany(count);
      await vscode.commands.executeCommand('ideBridge.review.focus');
      await desk.ui.page.keyboard.press('End');
      await row('30 more files').waitFor();
      await desk.ui.screenshot('changes-more-files');
      await row('30 more files').locator('.monaco-tl-twistie').click();
      await until('the last file', async () => {
        await desk.ui.page.keyboard.press('End'); // they come a moment later
        return row(`file-${count - 1}.txt`).isVisible();
      });
      await rowAction(`file-${count - 1}.txt`, 'Keep Agent Changes');
      await row('29 more files').waitFor();
      assert.equal(readFileSync(desk.scratch.path(`file-${count - 1}.txt`), 'utf8'), 'new\n');
    });

    it('has more than 200 files by folder, each decided at once, until they are half as many', async () => {
      await editMany(204, (i) => `folder-${i % 2}/file-${i}.txt`);
      const folder = (words: string) => row(`folder-${words}`).filter({ hasNotText: 'txt' });
      await folder('0').filter({ hasText: '102 files · +102' }).waitFor();
      await desk.ui.screenshot('changes-folders');
      await folder('1').locator('.monaco-tl-twistie').click();
      await row('file-203.txt').or(row('file-1.txt')).first().waitFor();
      await rowAction('file-1.txt', 'Revert File');
      await folder('1').filter({ hasText: '101 files' }).waitFor();
      assert.ok(!existsSync(desk.scratch.path('folder-1/file-1.txt')));
      await rowAction('', 'Keep All Changes Below', folder('1'));
      await folder('1').waitFor({ state: 'detached' });
      assert.ok(existsSync(desk.scratch.path('folder-1/file-3.txt')));
      await row('file-0.txt').waitFor();
      assert.equal(await folder('0').count(), 0, '102 of one folder stand for themselves');
      await row('102 files').waitFor();
    });

    it('has the others below a prompt, too, as they are once they are asked for', async () => {
      await edit(desk.scratch.path('first.txt'), 'new\n');
      await desk.client.call('closeAllDiffTabs'); // as a prompt begins
      await editMany(230);
      const other = await connectClient(nextPid++);
      await edit(desk.scratch.path('by-another.txt'), 'new\n', other);
      await row('by-another.txt').waitFor();
      const [from, to] = ['file-229.txt', 'renamed.txt'].map((name) =>
        vscode.Uri.file(desk.scratch.path(name)),
      );
      assert.ok(from && to);
      const renaming = new vscode.WorkspaceEdit();
      renaming.renameFile(from, to);
      await vscode.workspace.applyEdit(renaming);
      await delay(300); // by which all is drawn, and of what is below a row that is shut nothing shows
      await vscode.commands.executeCommand('ideBridge.review.focus');
      await desk.ui.page.keyboard.press('End');
      await row('30 more files').locator('.monaco-tl-twistie').click();
      await until('the renamed file', async () => {
        await desk.ui.page.keyboard.press('End');
        return row('renamed.txt').isVisible();
      });
      await desk.ui.screenshot('changes-more-below-a-prompt');
      assert.equal(await row('file-229.txt').count(), 0);
      await rowAction('renamed.txt', 'Revert File');
      await until('the file to go', () => !existsSync(to.fsPath));
      await row('29 more files').waitFor();
    });

    it('lists what a session has changed, with its lines', async () => {
      const modified = desk.scratch.write('greet.ts', 'const a = 1;\nconst b = 2;\n');
      const deleted = desk.scratch.write('old.md', 'x\n');
      await edit(modified, 'const a = 1;\nconst b = 3;\nconst c = 4;\n');
      await edit(desk.scratch.path('new.ts'), 'export {};\n');
      await edit(deleted, undefined);
      await row('old.md').waitFor();
      await until('three files', async () => /3 files · \+3 −2/.test((await texts())[0] ?? ''));
      const [session, ...files] = await texts();
      assert.match(session ?? '', /Claude.*3 files · \+3 −2/);
      assert.match(files[0] ?? '', /greet\.ts.*\+2 −1/);
      assert.match(files[1] ?? '', /new\.ts.*new · \+1/);
      assert.match(files[2] ?? '', /old\.md.*deleted · −1/);
      await desk.ui.screenshot('changes-view');
    });

    it('says how much is left in its title and in the status bar, where a click goes to a change', async () => {
      const [first = '', second = ''] = ['a.txt', 'b.txt'].map((name) =>
        desk.scratch.write(name, 'one\ntwo\nthree\n'),
      );
      await edit(first, 'one\nTWO\nthree\nfour\n');
      await edit(second, 'one\nTWO\nthree\n');
      const left = '2 files, 3 changes';
      const status = desk.ui.page.locator('.statusbar-item[id$="ideBridge.changes"]');
      await status.filter({ hasText: left }).waitFor();
      const title = reviewPane(desk.ui.page).locator('.pane-header');
      await title.filter({ hasText: left }).waitFor();
      await desk.ui.screenshot('changes-left');
      await status.click();
      await until('the first change', () => {
        const editor = vscode.window.activeTextEditor;
        return editor?.document.uri.fsPath === first && editor.selection.active.line === 1;
      });
      await vscode.commands.executeCommand('ideBridge.keepAllChanges');
      await status.waitFor({ state: 'detached' });
      await title.filter({ hasNotText: /\d change/ }).waitFor();
    });

    it('leaves out what the model itself asks about', async () => {
      const file = desk.scratch.write('read.txt', 'a\n');
      await desk.client.call(
        'getDiagnostics',
        { uri: `file://${file}` },
        { 'claudecode/toolUseId': 'toolu_1' },
      );
      writeFileSync(file, 'b\n');
      const other = desk.scratch.write('other.txt', 'a\n');
      await edit(other, 'b\n');
      await row('other.txt').waitFor();
      assert.equal(await row('read.txt').count(), 0);
    });

    it('follows later edits of the file by anybody', async () => {
      const file = desk.scratch.write('a.txt', 'one\n');
      await edit(file, 'ONE\n');
      await row('+1 −1').waitFor();
      writeFileSync(file, 'ONE\ntwo\nthree\n');
      await row('+3 −1').waitFor();
      writeFileSync(file, 'one\n');
      await until('nothing to list', async () => (await texts()).length === 0);
    });

    it('keys keep and revert what the row is about that has the focus', async () => {
      const [first = '', second = ''] = ['a.txt', 'b.txt'].map((name) => desk.scratch.write(name, 'one\n'));
      await edit(first, 'ONE\n');
      await edit(second, 'ONE\n');
      await row('a.txt').waitFor();
      await row('b.txt').waitFor();
      letMomentPass();
      const goTo = async (text: string, ...keys: string[]) => {
        await vscode.commands.executeCommand('ideBridge.review.focus');
        for (const key of ['Home', 'ArrowDown', ...keys]) await desk.ui.page.keyboard.press(key);
        await changesRows(desk.ui)
          .filter({ hasText: text })
          .and(desk.ui.page.locator('.focused'))
          .first()
          .waitFor();
      };
      await goTo('b.txt', 'ArrowDown', 'ArrowDown');
      await desk.ui.page.keyboard.press('Control+Shift+Backspace');
      await until('its text from before', () => readFileSync(second, 'utf8') === 'one\n');
      assert.equal(readFileSync(first, 'utf8'), 'ONE\n');
      await row('b.txt').waitFor({ state: 'detached' });
      await row('a.txt').and(desk.ui.page.locator('.focused')).waitFor(); // on to the one that is left
      await delay(repeatTime + 100); // as long as one may be held
      letMomentPass();
      await goTo('1 file');
      await desk.ui.page.keyboard.press('Control+Enter');
      await toast('Kept a.txt.').getByRole('button', { name: 'Undo' }).click();
      await row('a.txt').waitFor();
    });

    it('takes no decision by a click on a row that has just moved', async () => {
      const [first = '', second = ''] = ['a.txt', 'b.txt'].map((name) => desk.scratch.write(name, 'one\n'));
      const other = await connectClient(nextPid++);
      const { mouse } = desk.ui.page;
      await edit(second, 'ONE\n');
      letMomentPass();
      const button = await until('the button, once the row stands still', async () => {
        await row('b.txt').hover();
        return (await row('b.txt').getByRole('button', { name: 'Revert File' }).boundingBox()) ?? undefined;
      });
      const [x, y] = [button.x + button.width / 2, button.y + button.height / 2];
      await mouse.move(x, y);
      const goOn = holdMoment();
      const edited = edit(first, 'ONE\n', other); // the newest session is the first: its file is where the other was
      await row('a.txt').waitFor();
      await mouse.click(x, y);
      await desk.ui.page.getByText('Nothing was done: the row has moved just now.').first().waitFor();
      goOn();
      await edited;
      assert.equal(await toast(/Reverted/).count(), 0);
      assert.deepEqual(
        [first, second].map((file) => readFileSync(file, 'utf8')),
        ['ONE\n', 'ONE\n'],
      );
      letMomentPass();
      await row('a.txt').getByRole('button', { name: 'Revert File' }).click();
      await until('the text of the row that is there', () => readFileSync(first, 'utf8') === 'one\n');
      assert.equal(readFileSync(second, 'utf8'), 'ONE\n');
    });

    it('shows before and now on a click', async () => {
      const file = desk.scratch.write('a.txt', 'the old line\n');
      await edit(file, 'the new line\n');
      await clickRow(row('a.txt'));
      const tab = await until('the diff', () =>
        tabs().find(({ input }) => input instanceof vscode.TabInputTextDiff),
      );
      assert.match(tab.label, /^a\.txt \(modified by Claude/);
      const input = tab.input as vscode.TabInputTextDiff;
      assert.equal(input.modified.fsPath, file);
      const before = await vscode.workspace.openTextDocument(input.original);
      assert.equal(before.getText(), 'the old line\n');
      await desk.ui.page.getByText('the new line').first().waitFor();
      await desk.ui.screenshot('changes-diff');
    });

    it('compares with what was kept, once a file is edited again', async () => {
      const file = desk.scratch.write('a.txt', 'first\n');
      const diff = () => tabs().find(({ input }) => input instanceof vscode.TabInputTextDiff)?.input;
      const before = async () => {
        await clickRow(row('a.txt'));
        const { original } = (await until('the diff', diff)) as vscode.TabInputTextDiff;
        return (await vscode.workspace.openTextDocument(original)).getText();
      };
      await edit(file, 'second\n');
      assert.equal(await before(), 'first\n');
      const { tabs: told } = await desk.client.callForJson<{ tabs: OpenEditor[] }>('getOpenEditors');
      assert.deepEqual(
        told.map(({ uri, originalUri }) => [uri, originalUri]),
        [[`file://${file}`, `file://${file}`]],
      );
      await rowAction('a.txt', 'Keep Agent Changes of This File');
      await until('the diff to close', () => diff() === undefined);
      await edit(file, 'third\n');
      assert.equal(await before(), 'second\n');
    });

    it('shows new and deleted files in a diff, too', async () => {
      const deleted = desk.scratch.write('old.txt', 'gone text\n');
      await edit(deleted, undefined);
      await edit(desk.scratch.path('new.txt'), 'fresh text\n');
      // What the editor keeps for screen readers has the text as well, and is never visible.
      const line = (words: string) => desk.ui.page.locator('.view-line:visible', { hasText: words }).first();
      await row('new.txt').waitFor();
      await clickRow(row('old.txt'));
      await line('gone text').waitFor();
      await row('new.txt').click();
      await line('fresh text').waitFor();
    });

    it('reviews all in one editor', async () => {
      for (const name of ['a.txt', 'b.txt']) {
        await edit(desk.scratch.write(name, 'the old line\n'), `the new line of ${name}\n`);
      }
      await edit(desk.scratch.path('c.txt'), 'a new file\n');
      await row('c.txt').filter({ hasText: 'new · +1' }).waitFor();
      await clickRow(row('Claude').filter({ hasText: '3 files · +3 −2' }));
      await rowAction('Claude', 'Review What Agents Changed');
      await until('the editor', () => tabs().some(({ label }) => label.startsWith('Changes by Claude')));
      for (const text of ['the new line of a.txt', 'the new line of b.txt', 'a new file']) {
        await desk.ui.page.getByText(text).first().waitFor();
      }
      await desk.ui.screenshot('changes-review-all');
    });

    for (const [verb, text] of [
      ['Keep', 'new\n'],
      ['Revert', 'old\n'],
    ] as const) {
      it(`has ${verb.toLowerCase()} of all that it shows in its title, and closes with the last of them`, async () => {
        const file = desk.scratch.write('a.txt', 'old\n');
        await edit(file, 'new\n');
        await edit(desk.scratch.path('b.txt'), 'new\n');
        await row('b.txt').waitFor();
        await vscode.commands.executeCommand('ideBridge.reviewChanges');
        const other = await connectClient(nextPid++);
        await edit(desk.scratch.path('later.txt'), 'new\n', other);
        await row('later.txt').waitFor();
        const buttons = desk.ui.page.locator('.editor-actions .action-label:visible');
        await desk.ui.page.locator(`.editor-actions [aria-label^="${verb} All Agent Changes"]`).waitFor();
        const labels = await buttons.evaluateAll((all) =>
          all.map((each) => each.getAttribute('aria-label') ?? ''),
        );
        assert.deepEqual(labels.slice(0, 2), ['Keep All Agent Changes', 'Revert All Agent Changes']);
        assert.ok(!labels.some((label) => label.startsWith('Run Claude Code')), labels.join());
        await desk.ui.page.locator(`.editor-actions [aria-label^="${verb} All Agent Changes"]`).click();
        await until('it to close', () => !tabs().some(({ label }) => label.startsWith('Changes by')));
        assert.equal(readFileSync(file, 'utf8'), text);
        await until(
          'what came later alone',
          async () => !(await texts()).some((each) => /[ab]\.txt/.test(each)),
        );
        await row('later.txt').waitFor();
      });
    }

    it('keeps sessions apart that edit the same file', async () => {
      const file = desk.scratch.write('a.txt', '0\n');
      const other = await connectClient(nextPid++);
      await edit(file, '1\n');
      await edit(file, '2\n', other);
      await until('both', async () => (await texts()).filter((text) => text.includes('a.txt')).length === 2);
      const told = await revert('a.txt', rows().filter({ hasText: 'a.txt' }).last());
      assert.match(told, /Reverted a\.txt\. a\.txt: with changes by Claude/);
      await until('the first text', () => readFileSync(file, 'utf8') === '0\n');
      await until('both to go from the view', async () => (await texts()).length === 0);
      await other.close();
    });

    it('brings back what one session found, with the work of the one before it', async () => {
      const file = desk.scratch.write('a.txt', '0\n');
      const other = await connectClient(nextPid++);
      await edit(file, '1\n');
      await edit(file, '2\n', other);
      await until('both', async () => (await texts()).filter((text) => text.includes('a.txt')).length === 2);
      const told = await revert('a.txt'); // of the newest session
      assert.match(told, /a\.txt: with later changes, if any, by Claude/);
      await until('the text of the first', () => readFileSync(file, 'utf8') === '1\n');
      await until('one', async () => (await texts()).filter((text) => text.includes('a.txt')).length === 1);
      await revert('a.txt');
      await until('the first text', () => readFileSync(file, 'utf8') === '0\n');
      await until('the view to be empty', async () => (await texts()).length === 0);
      await other.close();
    });
  });

  /** The user accepts, and the CLI writes what it is answered. */
  async function accept(path: string, text: string): Promise<void> {
    const { answer, uri } = await propose(desk.client, path, text);
    await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
    const [verdict, written] = await answer;
    assert.equal(verdict, 'FILE_SAVED');
    await desk.client.callForTexts('close_tab', { tab_name: 'T1' });
    await edit(path, written);
  }

  it('are not what becomes of a file after an edit that was announced and did not come', async () => {
    const file = desk.scratch.write('a.txt', 'one\n');
    await desk.client.call('getDiagnostics', { uri: `file://${file}` });
    await delay(writeTime + 1_000);
    writeFileSync(file, 'of git\n');
    await edit(desk.scratch.write('b.txt', 'one\n'), 'ONE\n');
    await row('b.txt').waitFor();
    assert.equal(await row('a.txt').count(), 0);
  });

  describe('what is accepted in its diff', () => {
    it('has been reviewed: no row, no marks', async () => {
      const accepted = desk.scratch.write('accepted.txt', 'one\ntwo\n');
      const document = await vscode.workspace.openTextDocument(accepted);
      await vscode.window.showTextDocument(document, { preview: false });
      await accept(accepted, 'one\nTWO\n');
      await until('the editor to follow', () => document.getText() === 'one\nTWO\n');
      await edit(desk.scratch.write('other.txt', 'one\n'), 'ONE\n');
      await row('other.txt').waitFor();
      assert.equal((await texts()).length, 2, String(await texts()));
      assert.equal(await desk.ui.page.locator('.editor-instance [class*="dirty-diff-"]').count(), 0);
      await desk.ui.screenshot('changes-accepted');
    });

    it('has been reviewed also when it was merged with what is newer', async () => {
      const file = desk.scratch.write('a.txt', 'a\nb\nc\nd\ne\n');
      const { answer, uri } = await propose(desk.client, file, 'A\nb\nc\nd\ne\n');
      writeFileSync(file, 'a\nb\nc\nd\ne\nnewer\n');
      await vscode.commands.executeCommand('ideBridge.mergeProposal', uri);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', 'A\nb\nc\nd\ne\n']);
      await desk.client.call('getDiagnostics', { uri: `file://${file}` });
      writeFileSync(file, 'A\nb\nc\nd\ne\nnewer\n'); // as CLI 2.1 does
      await changesRows(desk.ui).filter({ hasText: 'all reviewed' }).waitFor();
      assert.deepEqual(await texts(), []);
    });

    it('is what later edits are compared with, in the gutter too, and earlier ones still wait', async () => {
      const file = desk.scratch.write('a.txt', 'a\nb\nc\nd\ne\n');
      await edit(file, 'A\nb\nc\nd\ne\n');
      await row('+1 −1').waitFor();
      const document = await vscode.workspace.openTextDocument(file);
      await vscode.window.showTextDocument(document, { preview: false });
      const marks = desk.ui.page.locator('.editor-instance [class*="dirty-diff-"]');
      await until('one mark', async () => (await marks.count()) === 1);
      await accept(file, 'A\nb\nC\nC+\nd\ne\n');
      await until('the editor to follow', () => document.lineCount === 7);
      await edit(file, 'A\nb\nC\nC+\nd\nE\n');
      await row('+2 −2').waitFor();
      await until(
        'two marks',
        async () => (await marks.count()) === 2,
        10_000,
        () => marks.count(),
      );
      await desk.ui.screenshot('changes-accepted-between');
      await revert('a.txt');
      await until('the accepted text', () => readFileSync(file, 'utf8') === 'a\nb\nC\nC+\nd\ne\n');
    });
  });

  describe('the history', () => {
    const historyRow = (text: string | RegExp) => changesRows(desk.ui).filter({ hasText: text }).first();
    const onDisk = () => withStored(async (sets) => sets.history.entries.map(({ kind }) => kind));

    /** Opens the group, under a session that may be closed since nothing waits there any more. */
    async function openHistory(): Promise<void> {
      const session = changesRows(desk.ui)
        .filter({ hasText: /^\s*Claude/ })
        .first();
      await until('the group', async () => {
        if ((await session.getAttribute('aria-expanded')) === 'false') {
          await session.click();
        }
        return (await historyRow('History').count()) > 0;
      });
      await until('the group to be open', async () => {
        if ((await historyRow('History').getAttribute('aria-expanded')) === 'false') {
          await historyRow('History').click();
        }
        return (await historyRow('History').getAttribute('aria-expanded')) === 'true';
      });
    }

    it('is not there before anything was decided', async () => {
      await edit(desk.scratch.write('a.txt', 'one\n'), 'ONE\n');
      await row('a.txt').waitFor();
      assert.equal(await historyRow('History').count(), 0);
    });

    it('has what was kept, from which it waits again by the button in the message', async () => {
      for (const name of ['a.txt', 'b.txt']) {
        await edit(desk.scratch.write(name, 'one\n'), 'ONE\n');
      }
      await until('both, counted', async () => /2 files · \+2 −2/.test((await texts())[0] ?? ''));
      const before = await texts();
      await rowAction('Claude', 'Keep All Changes');
      await until('none', async () => (await texts()).length === 0);
      await openHistory();
      await historyRow('Kept 2 files').waitFor();
      await desk.ui.screenshot('changes-history-kept');
      await until('the entry on disk', async () => (await onDisk()).join() === 'kept');
      await toast('Kept 2 files.').getByRole('button', { name: 'Undo' }).click();
      await until('both', async () => String(await texts()) === String(before), 5_000, texts);
      assert.equal(await historyRow('History').count(), 0);
      await until('nothing on disk', async () => (await onDisk()).length === 0);
    });

    it('has what was reverted, and brings it back where nothing came between', async () => {
      const [mine = '', file = ''] = ['mine.txt', 'a.txt'].map((name) => desk.scratch.write(name, 'one\n'));
      await edit(mine, 'ONE\n');
      await edit(file, 'ONE\n');
      await edit(desk.scratch.path('new.txt'), 'new\n');
      await row('new.txt').waitFor();
      assert.match(await revert('Claude'), /Reverted 3 files\./);
      await until('none', async () => (await texts()).length === 0);
      writeFileSync(mine, 'mine\n');
      await openHistory();
      await historyRow('Reverted 3 files').click();
      await historyRow('mine.txt').waitFor();
      await historyRow('a.txt').click();
      const diff = await until('the diff', () => tabs().find(({ label }) => label === 'a.txt (reverted)'));
      const { original, modified } = diff.input as vscode.TabInputTextDiff;
      assert.equal((await vscode.workspace.openTextDocument(original)).getText(), 'one\n');
      assert.equal((await vscode.workspace.openTextDocument(modified)).getText(), 'ONE\n');
      await desk.ui.screenshot('changes-history-reverted');
      await rowAction('', 'Undo', historyRow('Reverted 3 files'));
      await until('what could be', () => readFileSync(file, 'utf8') === 'ONE\n');
      await until('the new file', () => existsSync(desk.scratch.path('new.txt')));
      await toast('Not everything could be undone. mine.txt: it has changed since.').waitFor();
      assert.equal(readFileSync(mine, 'utf8'), 'mine\n');
      await row('+1 −1').waitFor(); // the tree is new, with its groups closed
      await openHistory();
      await historyRow('Reverted mine.txt').waitFor();
    });

    it('has what was accepted, and puts back the text from before', async () => {
      const file = desk.scratch.write('a.txt', 'one\n');
      const document = await vscode.workspace.openTextDocument(file);
      await vscode.window.showTextDocument(document, { preview: false });
      await accept(file, 'ONE\n');
      await openHistory();
      await historyRow('Accepted a.txt').waitFor();
      await until('the editor to follow', () => document.getText() === 'ONE\n');
      await rowAction('', 'Undo', historyRow('Accepted a.txt'));
      await until('the text', () => readFileSync(file, 'utf8') === 'one\n' && document.getText() === 'one\n');
      await until('an empty view', async () => (await changesRows(desk.ui).count()) === 0);
      assert.ok(!document.isDirty);
    });

    it('puts back nothing under unsaved changes', async () => {
      const file = desk.scratch.write('a.txt', 'one\n');
      await accept(file, 'ONE\n');
      const document = await vscode.workspace.openTextDocument(file);
      await until('the editor to follow', () => document.getText() === 'ONE\n');
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), 'mine '));
      await openHistory();
      await rowAction('', 'Undo', historyRow('Accepted a.txt'));
      await toast('a.txt: it has unsaved changes. Save or discard them first.').waitFor();
      assert.equal(document.getText(), 'mine ONE\n');
      assert.equal(readFileSync(file, 'utf8'), 'ONE\n');
      await document.save();
    });

    it('can be cleared', async () => {
      await accept(desk.scratch.write('a.txt', 'one\n'), 'ONE\n');
      await openHistory();
      await rowAction('', 'Clear History', historyRow('History'));
      await until('an empty view', async () => (await changesRows(desk.ui).count()) === 0);
    });

    it('can be cleared on the row of a session of which all is reviewed', async () => {
      await accept(desk.scratch.write('a.txt', 'one\n'), 'ONE\n');
      await rowAction('', 'Clear History', historyRow('all reviewed'));
      await until('an empty view', async () => (await changesRows(desk.ui).count()) === 0);
    });

    it('does not say that a file is reviewed which is only as it was before', async () => {
      await accept(desk.scratch.write('a.txt', 'one\n'), 'ONE\n');
      await historyRow('all reviewed').waitFor();
      const file = desk.scratch.write('b.txt', 'one\n');
      await edit(file, 'ONE\n');
      await row('b.txt').waitFor();
      writeFileSync(file, 'one\n'); // as git does
      await historyRow('nothing differs now').waitFor();
      writeFileSync(file, 'ONE\n'); // to be kept by the end of the test
      await row('b.txt').waitFor();
    });
  });

  describe('reverting', () => {
    it('a file brings back every byte, and can be undone in the editor', async () => {
      const bytes = Buffer.from('\uFEFFone  \r\ntwo\nüdrei', 'utf8');
      const file = desk.scratch.write('a.txt', bytes);
      const document = await vscode.workspace.openTextDocument(file);
      await vscode.window.showTextDocument(document, { preview: false });
      await edit(file, 'ONE\n');
      await until('the editor to follow', () => document.getText() === 'ONE\n');
      await row('a.txt').waitFor();
      assert.match(await revert('a.txt'), /Reverted a\.txt\./);
      await until('the bytes', () => readFileSync(file).equals(bytes));
      await until('the view to be empty', async () => (await texts()).length === 0);
      await until('the editor to follow', () => document.getText().startsWith('one'));
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('undo');
      await until('the change again', () => document.getText().startsWith('ONE'));
    });

    it('a file with unsaved changes asks, and undo brings them back', async () => {
      const file = desk.scratch.write('a.txt', 'one\ntwo\n');
      await edit(file, 'ONE\ntwo\n');
      const document = await vscode.workspace.openTextDocument(file);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((builder) => builder.insert(new vscode.Position(1, 0), 'mine\n'));
      await row('a.txt').waitFor();
      assert.match(
        await revertAsked('a.txt'),
        /^Revert a\.txt to before Claude[^]*unsaved changes, not to be undone here/,
      );
      await until('the text', () => readFileSync(file, 'utf8') === 'one\ntwo\n' && !document.isDirty);
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), 'ONE\nmine\ntwo\n');
      await document.save();
    });

    it('of all sessions asks about what each of them has changed', async () => {
      const file = desk.scratch.write('a.txt', 'one\n');
      const other = await connectClient(nextPid++);
      await edit(file, 'ONE\n');
      await edit(desk.scratch.path('b.txt'), 'new\n', other);
      const document = await vscode.workspace.openTextDocument(file);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), 'mine\n'));
      await until('both', async () => (await texts()).length === 4);
      void vscode.commands.executeCommand('ideBridge.revertAllChanges');
      const asked = await nextDialog();
      assert.match(asked.text, /^Revert 2 files to before 2 sessions changed them\?/);
      asked.press('Show Changes');
      await until('what it is about', () =>
        tabs().some(({ label }) => label.startsWith('Changes by Agents')),
      );
      await vscode.commands.executeCommand('workbench.action.files.revert');
    });

    it('asks where no undo brings it back, and the first answer only shows it', async () => {
      const created = desk.scratch.path('large.bin');
      await desk.configure('ideBridge.changes.maxFileSize', 0.001);
      await edit(created, 'x'.repeat(5_000));
      await row('large.bin').waitFor();
      await rowAction('large.bin', 'Revert File');
      const asked = await nextDialog();
      assert.match(asked.text, /large\.bin: is deleted, as it was new, not to be undone here/);
      assert.deepEqual(asked.buttons, ['Show Change', 'Revert File']);
      asked.press('Show Change');
      await until('the diff', () => tabs().find(({ label }) => label.startsWith('large.bin')));
      assert.ok(existsSync(created));
      await rowAction('large.bin', 'Revert File');
      (await nextDialog()).press('Revert File');
      await until('it to be deleted', () => !existsSync(created));
    });

    it('a file says what the user had saved there, which the button in the message brings back', async () => {
      const file = desk.scratch.write('a.txt', 'one\n');
      await edit(file, 'ONE\n');
      await row('a.txt').waitFor();
      const document = await vscode.workspace.openTextDocument(file);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((builder) => builder.insert(new vscode.Position(1, 0), 'mine\n'));
      await document.save();
      await row('+2 −1').waitFor();
      assert.match(await revert('a.txt'), /Reverted a\.txt\. a\.txt: with what you saved there since\./);
      await until('the first text', () => readFileSync(file, 'utf8') === 'one\n');
      await toast('Reverted a.txt').getByRole('button', { name: 'Undo' }).click();
      await until('what was there', () => readFileSync(file, 'utf8') === 'ONE\nmine\n');
      await row('+2 −1').waitFor();
    });

    it('a file leaves to the user what they write there after that', async () => {
      const file = desk.scratch.write('a.txt', 'one\n');
      await edit(file, 'ONE\n');
      await row('a.txt').waitFor();
      await revert('a.txt');
      await until('the view to be empty', async () => (await texts()).length === 0);
      const document = await vscode.workspace.openTextDocument(file);
      await until('the editor to follow', () => document.getText() === 'one\n');
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((builder) => builder.insert(new vscode.Position(1, 0), 'mine\n'));
      await document.save();
      await edit(desk.scratch.path('b.txt'), 'new\n');
      await row('b.txt').waitFor();
      assert.ok(!String(await texts()).includes('a.txt'));
      await edit(file, 'ONE\n');
      await row('a.txt').waitFor();
      await revert('a.txt');
      await until('the text of the user', () => readFileSync(file, 'utf8') === 'one\nmine\n');
    });

    it('a file takes nothing of the user’s that was saved without formatting, or created anew', async () => {
      const names = ['saved.txt', 'created.txt'];
      const [saved = '', created = ''] = names.map((name) => desk.scratch.write(name, 'one\n'));
      for (const file of [saved, created]) {
        await edit(file, 'ONE\n');
        await row(basename(file)).waitFor();
        await edit(file, 'one\n'); // the agent takes it back by itself
        await row(basename(file)).waitFor({ state: 'detached' });
      }
      const document = await vscode.workspace.openTextDocument(saved);
      const editor = await vscode.window.showTextDocument(document);
      await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), 'mine\n'));
      await vscode.commands.executeCommand('workbench.action.files.saveWithoutFormatting');
      await until('the file to be saved', () => !document.isDirty);
      assert.equal(readFileSync(saved, 'utf8'), 'mine\none\n');
      const creation = new vscode.WorkspaceEdit();
      creation.createFile(vscode.Uri.file(created), { overwrite: true, contents: Buffer.from('mine\n') });
      assert.ok(await vscode.workspace.applyEdit(creation));
      assert.equal(readFileSync(created, 'utf8'), 'mine\n');
      await edit(desk.scratch.path('b.txt'), 'new\n');
      await row('b.txt').waitFor();
      const listed = String(await texts());
      assert.deepEqual(
        names.filter((name) => listed.includes(name)),
        [],
      );
    });

    it('a session deletes new files and brings back deleted ones', async () => {
      const files = ['a.txt', 'dir/b.bin'].map((name) =>
        desk.scratch.write(name, Buffer.from([0, 255, 10, 13])),
      );
      const [modified = '', deleted = ''] = files;
      const created = desk.scratch.path('new.txt');
      await edit(modified, 'text\n');
      await edit(deleted, undefined);
      await edit(created, 'new\n');
      await row('new.txt').waitFor();
      await revert('Claude');
      await until('the old state', () => !existsSync(created) && existsSync(deleted));
      for (const file of files) {
        await until('the bytes', () => readFileSync(file).equals(Buffer.from([0, 255, 10, 13])));
      }
      await until('the view to be empty', async () => (await texts()).length === 0);
    });

    it('a file that the agent wrote under unsaved changes brings back the file, and undo brings them back', async () => {
      const file = desk.scratch.write('a.txt', 'one\ntwo\n');
      const document = await vscode.workspace.openTextDocument(file);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((builder) => builder.insert(new vscode.Position(1, 0), 'mine\n'));
      await edit(file, 'ONE\ntwo\nand three\n');
      await row('a.txt').waitFor();
      assert.match(
        await revertAsked('a.txt'),
        /^Revert a\.txt to before Claude[^]*unsaved changes, not to be undone here/,
      );
      await until('the text', () => readFileSync(file, 'utf8') === 'one\ntwo\n' && !document.isDirty);
      await until('the view to be empty', async () => (await texts()).length === 0);
      assert.equal(document.getText(), 'one\ntwo\n');
      await desk.ui.screenshot('changes-reverted-under-unsaved');
      assert.equal(await toast(/could not be reverted/).count(), 0);
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), 'one\nmine\ntwo\n');
      assert.ok(await document.save());
      assert.equal(readFileSync(file, 'utf8'), 'one\nmine\ntwo\n');
    });

    it('a file that is no longer listed under the first session does not come back with it', async () => {
      const file = desk.scratch.write('a.txt', '0\n');
      const mine = desk.scratch.write('b.txt', '0\n');
      const other = await connectClient(nextPid++);
      await edit(file, '1\n');
      await edit(mine, '1\n');
      await row('a.txt').waitFor();
      await revert('a.txt');
      await until('only b.txt', async () => (await texts()).length === 2);
      await edit(file, '2\n', other);
      await until('both sessions', async () => (await texts()).length === 4);
      assert.equal((await texts()).filter((text) => text.includes('a.txt')).length, 1);
      await rowAction('a.txt', 'Keep Agent Changes of This File');
      await until('only b.txt again', async () => (await texts()).length === 2);
      await revert('Claude');
      await until('b.txt', () => readFileSync(mine, 'utf8') === '0\n');
      await until('the view to be empty', async () => (await texts()).length === 0);
      assert.equal(readFileSync(file, 'utf8'), '2\n');
    });

    it('a file that was reverted leaves to the user what they bring back by undo', async () => {
      const file = desk.scratch.write('a.txt', 'one\n');
      const document = await vscode.workspace.openTextDocument(file);
      await vscode.window.showTextDocument(document, { preview: false });
      await edit(file, 'ONE\n');
      await until('the editor to follow', () => document.getText() === 'ONE\n');
      await row('a.txt').waitFor();
      await revert('a.txt');
      await until('the editor to follow', () => document.getText() === 'one\n');
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('undo');
      await document.save();
      assert.equal(readFileSync(file, 'utf8'), 'ONE\n');
      await edit(desk.scratch.path('b.txt'), 'new\n');
      await row('b.txt').waitFor();
      assert.equal((await texts()).length, 2, String(await texts()));
    });

    it('a file follows it to where the user has moved it', async () => {
      const file = desk.scratch.write('dir/a.txt', 'one\n');
      const target = desk.scratch.path('moved/a.txt');
      await edit(file, 'ONE\n');
      await row('a.txt').waitFor();
      const rename = new vscode.WorkspaceEdit();
      rename.renameFile(
        vscode.Uri.file(desk.scratch.path('dir')),
        vscode.Uri.file(desk.scratch.path('moved')),
      );
      assert.ok(await vscode.workspace.applyEdit(rename));
      await until('the new name', async () => /a\.txt\s?\+1 −1.*moved/.test(String(await texts())));
      assert.equal((await texts()).length, 2, String(await texts()));
      await desk.ui.screenshot('changes-moved');
      await revert('Claude');
      await until('the text', () => readFileSync(target, 'utf8') === 'one\n');
      await until('the view to be empty', async () => (await texts()).length === 0);
      assert.ok(!existsSync(file));
    });

    it('a file follows it to where it was moved in a terminal, and does not double it', async () => {
      const file = desk.scratch.write('a.txt', 'one\n');
      const target = desk.scratch.path('moved.txt');
      await edit(file, 'ONE\n');
      await row('a.txt').waitFor();
      renameSync(file, target);
      await row('moved.txt').waitFor();
      assert.equal((await texts()).length, 2, String(await texts()));
      await revert('Claude');
      await until('the text', () => readFileSync(target, 'utf8') === 'one\n');
      await until('the view to be empty', async () => (await texts()).length === 0);
      assert.ok(!existsSync(file));
    });

    it('a deletion brings back what may be executed', async () => {
      const script = desk.scratch.write('run.sh', '#!/bin/sh\n');
      chmodSync(script, 0o750);
      await edit(script, undefined);
      await row('run.sh').waitFor();
      await revert('run.sh');
      await until('the file', () => existsSync(script));
      await until('the view to be empty', async () => (await texts()).length === 0);
      assert.equal(statSync(script).mode & 0o777, 0o750);
    });

    it('a hunk leaves the others', async () => {
      const lines = ['a', 'b', 'c', 'd', 'e', 'f', ''];
      const file = desk.scratch.write('a.txt', lines.join('\n'));
      await edit(
        file,
        lines.map((line) => (line === 'b' || line === 'e' ? line.toUpperCase() : line)).join('\n'),
      );
      await row('+2 −2').waitFor();
      const document = await vscode.workspace.openTextDocument(file);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      editor.selection = new vscode.Selection(4, 0, 4, 0);
      await vscode.commands.executeCommand('ideBridge.revertHunk');
      await until('the hunk', () => readFileSync(file, 'utf8') === 'a\nB\nc\nd\ne\nf\n');
      await row('+1 −1').waitFor();
    });

    for (const [index, expected] of ['w\nA\nB\nC\n', 'A\nx\nB\nC\n', 'A\nB\ny\nC\n'].entries()) {
      it(`from the gutter takes the deletion after line ${index}, if that is named`, async () => {
        const file = desk.scratch.write('a.txt', 'w\nA\nx\nB\ny\nC\n');
        await edit(file, 'A\nB\nC\n');
        await row('−3').waitFor();
        const document = await vscode.workspace.openTextDocument(file);
        await vscode.window.showTextDocument(document, { preview: false });
        await until('the text', () => document.getText() === 'A\nB\nC\n');
        const marks = [0, 1, 2].map((modifiedStartLineNumber) => ({ modifiedStartLineNumber }));
        await vscode.commands.executeCommand('ideBridge.revertHunk', document.uri, marks, index);
        await until('the hunk', () => !document.isDirty && document.getText() !== 'A\nB\nC\n');
        assert.equal(document.getText(), expected);
      });
    }

    for (const [what, before, now, line] of [
      ['added lines at the end', 'a\nb', 'a\nb\nc\nd', 3],
      ['removed lines at the end', 'a\nb\nc', 'a', 0],
      ['removed lines at the start', 'a\nb\nc\n', 'c\n', 0],
      ['the whole text', 'a\n', 'x\ny', 1],
      ['a text that is gone', 'a\nb\n', '', 0],
      ['a text where there was none', '', 'a\nb\n', 0],
    ] as const) {
      it(`a hunk of ${what}`, async () => {
        const file = desk.scratch.write('a.txt', before);
        await edit(file, now);
        await row('a.txt').waitFor();
        const document = await vscode.workspace.openTextDocument(file);
        const editor = await vscode.window.showTextDocument(document, { preview: false });
        await until('the text', () => document.getText() === now);
        editor.selection = new vscode.Selection(line, 0, line, 0);
        await vscode.commands.executeCommand('ideBridge.revertHunk');
        await until('the old text', () => readFileSync(file, 'utf8') === before);
      });
    }
  });

  describe('by shell commands', () => {
    const folder = () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        cwd: folder(),
      });
    let agent: ShellAgent;

    beforeEach(async () => {
      desk.scratch.write('script.txt', 'committed\n');
      desk.scratch.write('mine.txt', 'committed\n');
      git('init', '--quiet');
      git('add', '--all');
      git('commit', '--quiet', '--message=first');
      desk.scratch.write('mine.txt', 'not committed\n');
      agent = await ShellAgent.connect(desk.scratch);
    });
    afterEach(() => rmSync(join(folder(), '.git'), { recursive: true }));
    afterEach(() => ShellAgent.endAll());

    const write = (name: string, text = 'scripted\n') => writeFileSync(desk.scratch.path(name), text);

    /** Of a file that comes and goes before the watcher tells, the editor tells nothing. */
    async function toldOf(name: string, act: () => unknown): Promise<void> {
      const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder(), '**'));
      const told = new Promise<void>((resolve) => {
        const path = desk.scratch.path(name);
        watcher.onDidCreate(({ fsPath }) => [path, dirname(path)].includes(fsPath) && resolve());
      });
      act();
      await told;
      watcher.dispose();
    }

    /** By then all that came before has been judged. @returns what is listed, but for the row of the prompt */
    async function listedWith(name: string, by = agent): Promise<string[]> {
      await by.runs(() => write(name));
      await row(name).waitFor();
      return (await texts()).filter((text) => !/^go ?\d/.test(text));
    }

    it('are not looked for anew with each of many prompts', async () => {
      const spy = new GitSpy(desk.scratch);
      const notes = () => spy.runs.filter((run) => run.endsWith('rev-parse HEAD')).length;
      try {
        await Promise.all(Array.from({ length: 100 }, () => agent.client.callForTexts('closeAllDiffTabs')));
        let before = 0;
        await until(
          'git to be at rest',
          async () => {
            const isAtRest = before > 0 && spy.runs.length === before;
            before = spy.runs.length;
            await delay(1_000);
            return isAtRest;
          },
          30_000,
        );
        assert.ok(notes() >= 1 && notes() <= 5, `noted ${notes()} times, by ${spy.runs.length} runs of git`);
      } finally {
        spy.remove();
      }
    });

    it('are listed as such, and can be reverted to what was there', async () => {
      writeFileSync(join(folder(), '.git/info/exclude'), 'hidden/\n');
      desk.scratch.write('hidden/only copy.txt', 'mine\n');
      await toldOf('removed/mine.txt', () => desk.scratch.write('removed/mine.txt', 'mine\n'));
      await agent.prompted();
      await agent.runs(() => {
        renameSync(desk.scratch.path('hidden/only copy.txt'), desk.scratch.path('only copy.txt'));
        rmSync(desk.scratch.path('removed'), { recursive: true });
        ['script.txt', 'mine.txt', 'made.txt'].forEach((name) => write(name));
        git('add', desk.scratch.path('script.txt'));
      });
      for (const name of ['script.txt', 'mine.txt', 'made.txt', 'removed']) {
        await row(name).waitFor();
        assert.match((await row(name).textContent()) ?? '', /by shell/);
      }
      assert.equal((await texts()).filter((text) => text.includes('only copy')).length, 0);
      await desk.ui.screenshot('changes-by-shell');
      const told = await revert('Claude');
      assert.match(told, /Reverted 4 files\. .*: by a shell command, compared with .*; and 1 more/);
      await until('the old state', () => !existsSync(desk.scratch.path('made.txt')));
      assert.ok(existsSync(desk.scratch.path('only copy.txt')));
      for (const [name, text] of Object.entries({
        'script.txt': 'committed\n',
        'mine.txt': 'not committed\n',
        'removed/mine.txt': 'mine\n',
      })) {
        await until(name, () => readFileSync(desk.scratch.path(name), 'utf8') === text);
      }
    });

    it('are not what somebody else writes a second before, or after', async () => {
      await agent.prompted();
      write('before.txt', 'mine\n');
      await delay(1_000);
      await agent.runs(() => write('script.txt'));
      await delay(1_000);
      write('after.txt', 'mine\n');
      git('checkout', '--quiet', '--', desk.scratch.path('mine.txt'));
      await row('script.txt').waitFor();
      await delay(1_000);
      const listed = await listedWith('made.txt');
      assert.equal(listed.length, 3, String(listed));
      assert.ok(!/before|after|mine/.test(String(listed)), String(listed));
    });

    it('are not what Source Control does for the user while the session is idle', async () => {
      const script = desk.scratch.write('script.txt', 'stashed\n');
      git('stash', '--quiet', '--', script);
      const mine = desk.scratch.write('mine.txt', 'staged\n');
      git('add', mine);
      writeFileSync(mine, 'staged, and more\n');
      await agent.prompted();
      assert.equal((await listedWith('made.txt')).length, 2);
      agent.ends();
      git('stash', 'apply', '--quiet');
      await until('the stash', () => readFileSync(script, 'utf8') === 'stashed\n');
      git('checkout', '--quiet', '--', mine);
      await until('what is staged', () => readFileSync(mine, 'utf8') === 'staged\n');
      await delay(500); // longer than what the clock of files may be behind, here and below
      await agent.prompted();
      const listed = await listedWith('again.txt');
      assert.equal(listed.length, 3, String(listed));
      await agent.runs(() => write('mine.txt'));
      await row('mine.txt').waitFor();
      await revert('mine.txt');
      await until('what is staged', () => readFileSync(mine, 'utf8') === 'staged\n');
    });

    it('are not what the user saves meanwhile, and are right after that', async () => {
      await agent.prompted();
      const mine = desk.scratch.path('mine.txt');
      const document = await vscode.workspace.openTextDocument(mine);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await agent.runs(async () => {
        await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), 'typed '));
        await document.save();
      });
      const listed = await listedWith('made.txt');
      assert.equal(listed.length, 2, String(listed));
      await agent.runs(() => write('mine.txt'));
      await row('mine.txt').waitFor();
      await revert('mine.txt');
      await until('what was saved', () => readFileSync(mine, 'utf8') === 'typed not committed\n');
    });

    it('are not what comes while the CLI asks whether it may, or after a no', async () => {
      await agent.prompted();
      agent.asks();
      await delay(500);
      write('script.txt', 'mine\n');
      await delay(500);
      await agent.isAllowed(() => write('made.txt'));
      await row('made.txt').waitFor();
      agent.asks();
      await delay(500);
      write('mine.txt', 'mine\n');
      agent.isRefused();
      await delay(500);
      const listed = await listedWith('again.txt');
      assert.equal(listed.length, 3, String(listed));
    });

    it('are not known of what somebody has written just before a command wrote there, too', async () => {
      await agent.prompted();
      agent.asks();
      await delay(500);
      write('script.txt', 'mine\n');
      await delay(700); // the watcher has told, and it has not been judged
      await agent.isAllowed(() => {
        write('script.txt', 'mine\nand more\n');
        write('made.txt');
      });
      await row('made.txt').waitFor();
      const listed = await listedWith('again.txt');
      assert.ok(!String(listed).includes('script.txt'), String(listed));
    });

    it('are of either of two sessions whose commands run, which a revert says', async () => {
      const other = await ShellAgent.connect(desk.scratch);
      await agent.prompted();
      await other.prompted();
      await agent.runs(() => other.runs(() => write('script.txt')));
      await row('script.txt').waitFor();
      await other.runs(() => write('made.txt'));
      await row('made.txt').waitFor();
      const [mark = '', label = ''] =
        /by shell, or (.+?) · /.exec((await row('script.txt').textContent()) ?? '') ?? [];
      assert.notEqual(label, '', String(await texts()));
      assert.ok(!((await row('made.txt').textContent()) ?? '').includes(' or '));
      await desk.ui.screenshot('changes-by-either');

      await rowAction('script.txt', 'Keep Agent Changes of This File');
      await row(mark.trim()).waitFor({ state: 'detached' });
      await toast('Kept script.txt').getByRole('button', { name: 'Undo' }).click();
      await row(mark.trim()).waitFor();
      const stored = await withStored(async (sets) => sets.ofPath(desk.scratch.path('script.txt')));
      assert.equal(stored[0]?.snapshot.orBy?.length, 1);

      const told = await revert('script.txt');
      assert.ok(told.includes(` or ${label}`), told);
      await until('committed', () => readFileSync(desk.scratch.path('script.txt'), 'utf8') === 'committed\n');
    });

    it('are compared with what the user has kept', async () => {
      const file = desk.scratch.path('script.txt');
      await agent.prompted();
      await edit(file, 'kept\n', agent.client);
      await row('script.txt').waitFor();
      await rowAction('script.txt', 'Keep Agent Changes of This File');
      await until('the view to be empty', async () => (await texts()).length === 0);
      await agent.runs(() => write('script.txt'));
      await row('script.txt').waitFor();
      await revert('script.txt');
      await until('what was kept', () => readFileSync(file, 'utf8') === 'kept\n');
    });

    it('are compared with what the agent has committed itself', async () => {
      await agent.prompted();
      await agent.runs(() => {
        write('script.txt', 'agent\n');
        git('commit', '--quiet', '--message=second', '--', desk.scratch.path('script.txt'));
      });
      assert.equal((await listedWith('made.txt')).length, 2);
      await agent.runs(() => write('script.txt'));
      await row('script.txt').waitFor();
      await revert('script.txt');
      await until('committed', () => readFileSync(desk.scratch.path('script.txt'), 'utf8') === 'agent\n');
    });

    it('are nobody’s without the record', async () => {
      await agent.prompted();
      await desk.configure('ideBridge.records.enabled', false);
      await agent.runs(() => write('script.txt'));
      await delay(4_000);
      assert.deepEqual(await texts(), []);
    });

    it('are listed also where git writes while they are looked for: once it has', async () => {
      await agent.prompted();
      const lock = join(folder(), '.git/index.lock');
      writeFileSync(lock, '');
      await agent.runs(() => write('script.txt'));
      await delay(3_000); // in which they are looked for
      assert.deepEqual(await texts(), []);
      rmSync(lock);
      await row('script.txt').waitFor();
    });

    const shell = (command: string) => execFileSync('sh', ['-c', command], { cwd: desk.scratch.folder });

    /** In a turn that has just begun. */
    async function editListed(name: string): Promise<void> {
      await agent.prompted();
      await edit(desk.scratch.path(name), 'edited\n', agent.client);
      await row(basename(name)).waitFor();
    }

    async function isListedOnce(name: string): Promise<void> {
      const listed = await texts();
      assert.equal(listed.filter((text) => text.includes(name)).length, 1, String(listed));
    }

    it('are listed in a folder that the same command has made', async () => {
      await agent.prompted();
      await agent.runs(() => shell('mkdir -p made/deep && echo new >made/deep/new.txt'));
      await row('new.txt').waitFor();
      await revert('new.txt');
      await until('the file to go', () => !existsSync(desk.scratch.path('made/deep/new.txt')));
    });

    it('that move a file into a folder that they have made leave it in the list, with its text from before', async () => {
      await editListed('mine.txt');
      await agent.runs(() => shell('mkdir -p made/deep && mv mine.txt made/deep/'));
      await row('made/deep').waitFor();
      await isListedOnce('mine.txt');
      await revert('mine.txt');
      const moved = desk.scratch.path('made/deep/mine.txt');
      await until('the text', () => readFileSync(moved, 'utf8') === 'not committed\n');
    });

    it('that rename a folder, or move a file into one at the moment in which it comes, leave it in the list', async () => {
      const path = (name: string) => desk.scratch.path(name);
      await editListed('mine.txt');
      await agent.runs(() => {
        mkdirSync(path('made/deep'), { recursive: true });
        renameSync(path('mine.txt'), path('made/deep/mine.txt'));
      });
      await row('made/deep').waitFor();
      await agent.runs(() => shell('mv made moved'));
      await row('moved/deep').waitFor();
      await isListedOnce('mine.txt');
      await revert('mine.txt');
      await until('the text', () => readFileSync(path('moved/deep/mine.txt'), 'utf8') === 'not committed\n');
    });

    it('that put a changed copy of a folder in its place keep the text from before of what was edited there', async () => {
      const file = desk.scratch.write('gen/b.txt', 'mine, not committed\n');
      await editListed('gen/b.txt');
      await agent.runs(() => shell('cp -r gen copied && echo more >>copied/b.txt'));
      await row('copied').waitFor();
      await agent.runs(() => shell('rm -rf gen && mv copied gen'));
      await row('copied').waitFor({ state: 'detached' });
      await listedWith('made.txt');
      await revert('b.txt');
      await until('the text', () => readFileSync(file, 'utf8') === 'mine, not committed\n');
    });

    it('that move a file under review onto another one list that with its text from before', async () => {
      await agent.prompted();
      await edit(desk.scratch.path('made.txt'), 'made\n', agent.client);
      await row('made.txt').waitFor();
      await agent.runs(() => shell('mv made.txt mine.txt'));
      await row('mine.txt').filter({ hasText: 'by shell' }).waitFor();
      await row('made.txt').waitFor({ state: 'detached' });
      await revert('mine.txt');
      const mine = desk.scratch.path('mine.txt');
      await until('the text', () => existsSync(mine) && readFileSync(mine, 'utf8') === 'not committed\n');
    });

    it('are followed by what the user moves in a terminal while the session is idle', async () => {
      await editListed('mine.txt');
      agent.ends();
      await delay(3_000); // longer than the record may be behind
      shell('mv mine.txt moved.txt');
      await row('moved.txt').waitFor();
      await row('mine.txt').waitFor({ state: 'detached' });
      shell('mv moved.txt mine.txt');
      await row('mine.txt').waitFor();
      await revert('mine.txt');
      const mine = desk.scratch.path('mine.txt');
      await until('the text', () => readFileSync(mine, 'utf8') === 'not committed\n');
    });

    it('that delete a folder with files under review say so at once', async () => {
      mkdirSync(desk.scratch.path('gen'));
      await editListed('gen/a.txt');
      await agent.runs(() => shell('rm -rf gen'));
      await row('a.txt').waitFor({ state: 'detached', timeout: 3_000 });
    });

    it('that move a committed file into a folder that they have made list both, and lose nothing', async () => {
      await agent.prompted();
      await agent.runs(() => shell('mkdir made && mv script.txt made/'));
      await until(
        'both',
        async () => (await texts()).filter((text) => text.includes('script.txt')).length === 2,
      );
      await revert('Claude');
      await until('the file', () => existsSync(desk.scratch.path('script.txt')));
      await until('the other to go', () => !existsSync(desk.scratch.path('made/script.txt')));
    });

    it('that have Git clean up leave a new file recoverable that was listed, with its text from before', async () => {
      desk.scratch.write('untracked.txt', 'by me\n');
      await editListed('untracked.txt');
      await agent.runs(() => shell('git clean -fdq .'));
      await row('untracked.txt').filter({ hasText: '−1', hasNotText: '+1' }).waitFor();
      assert.ok(!existsSync(desk.scratch.path('untracked.txt')));
      await revert('untracked.txt');
      await until(
        'the text',
        () =>
          existsSync(desk.scratch.path('untracked.txt')) &&
          readFileSync(desk.scratch.path('untracked.txt'), 'utf8') === 'by me\n',
      );
    });

    it('are not compared with what was there before the folder had left the workspace', async () => {
      // The window would begin anew: what it tells of its folders is told by hand, to what looks for edits for this test.
      const folders = new vscode.EventEmitter<vscode.WorkspaceFoldersChangeEvent>();
      const prompts = new vscode.EventEmitter<Session>();
      const original = Object.getOwnPropertyDescriptor(vscode.workspace, 'onDidChangeWorkspaceFolders');
      assert.ok(original?.configurable, 'the editor’s API cannot be told so');
      const get = () => folders.event;
      Object.defineProperty(vscode.workspace, 'onDidChangeWorkspaceFolders', { configurable: true, get });
      const kept = mkdtempSync(join(tmpdir(), 'ide-bridge-shell-'));
      const { sets, changes, review } = openReview(kept, new FakeEditor());
      const session = { id: 1, label: 'Claude Code' } as unknown as Session;
      const onDidChange = () => ({ dispose: () => {} });
      const recorded = {
        turn: undefined,
        openTools: [{ id: 'one', name: 'Bash', begun: Date.now() }],
        state: { status: 'busy', since: Date.now(), asks: [] },
        refresh: () => Promise.resolve(),
        onDidHappen: onDidChange,
      } as unknown as RecordedSession;
      const shellEdits = new ShellEdits({
        sets,
        changes,
        review,
        sessions: new Set([session]),
        records: { of: () => recorded, stateOf: () => recorded.state, onDidChange },
        onDidPrompt: prompts.event,
        git: trustedGit,
        log: new MemoryLog(),
      });
      const found = () =>
        sets.all.flatMap(({ snapshots }) => [...snapshots.keys()].map((path) => basename(path)));
      const isFound = (name: string) => until(name, () => found().includes(name), 20_000);
      try {
        await noted();
        write('script.txt');
        await isFound('script.txt');
        const { workspaceFolders: all = [] } = vscode.workspace;
        folders.fire({ added: [], removed: all });
        folders.fire({ added: all, removed: [] });
        write('mine.txt');
        write('made.txt');
        await delay(4_000); // that would be judged by now
        prompts.fire(session);
        await noted();
        write('later.txt');
        await isFound('later.txt');
        assert.deepEqual(found(), ['script.txt', 'later.txt']);
      } finally {
        Object.defineProperty(vscode.workspace, 'onDidChangeWorkspaceFolders', original);
        shellEdits.dispose();
        changes.dispose();
        sets.dispose();
        rmSync(kept, { recursive: true });
      }
    });
  });

  it('tells the problems that came with an edit, and not those that were there', async () => {
    const file = desk.scratch.write('a.txt', 'one\ntwo\n');
    const uri = vscode.Uri.file(file);
    const problems = vscode.languages.createDiagnosticCollection('test');
    const problem = (line: number, message: string, severity = vscode.DiagnosticSeverity.Error) =>
      new vscode.Diagnostic(new vscode.Range(line, 0, line, 3), message, severity);
    problems.set(uri, [problem(0, 'was there')]);
    await edit(file, 'zero\none\nTWO\n');
    problems.set(uri, [
      problem(1, 'was there'),
      problem(2, 'came with it'),
      problem(2, 'a hint', vscode.DiagnosticSeverity.Hint),
    ]);
    await row('1 new problem').waitFor();
    if ((await row('came with it').count()) === 0) {
      await row('1 new problem').locator('.monaco-tl-twistie').click();
    }
    await row('came with it').waitFor();
    assert.match((await row('a.txt').textContent()) ?? '', /1 new problem/);
    assert.equal(await row('was there').count(), 0);
    assert.equal(await row('a hint').count(), 0);
    await desk.ui.screenshot('changes-new-problem');
    await row('came with it').click();
    await until('the line', () => vscode.window.activeTextEditor?.selection.active.line === 2);
    problems.dispose();
    await until('it to go', async () => (await row('came with it').count()) === 0);
  });

  it('keeping a file takes it from the list, and the file stays', async () => {
    const file = desk.scratch.write('a.txt', 'one\n');
    await edit(file, 'ONE\n');
    await edit(desk.scratch.write('b.txt', 'one\n'), 'ONE\n');
    await row('b.txt').waitFor();
    await clickRow(row('a.txt'));
    await until('the diff', () => tabs().length === 1);
    await rowAction('a.txt', 'Keep Agent Changes');
    await until('one file', async () => (await texts()).length === 2);
    assert.equal(readFileSync(file, 'utf8'), 'ONE\n');
    await until('its diff to close', () => tabs().length === 0);
    await rowAction('Claude', 'Keep All Changes');
    await until('none', async () => (await texts()).length === 0);
  });

  it('marks files in the explorer, in tabs and in the gutter, until they are kept', async () => {
    const file = desk.scratch.write('marked.txt', 'one\ntwo\n');
    await edit(file, 'one\nTWO\nthree\n');
    await row('marked.txt').waitFor();
    await vscode.commands.executeCommand('workbench.view.explorer');
    const document = await vscode.workspace.openTextDocument(file);
    await vscode.window.showTextDocument(document, { preview: false });
    await desk.ui.page
      .locator('.tab', { hasText: 'marked.txt' })
      .locator('[class*="itemColor"], .label-name')
      .first()
      .waitFor();
    await desk.ui.page.locator('.editor-instance [class*="dirty-diff-"]').first().waitFor();
    await desk.ui.screenshot('changes-marks');
    await vscode.commands.executeCommand('ideBridge.keepAllChanges');
    await until(
      'the marks to go',
      async () => (await desk.ui.page.locator('.editor-instance [class*="dirty-diff-"]').count()) === 0,
    );
  });

  it('lists them once each in the source control view, where a click shows the change', async () => {
    const file = desk.scratch.write('shared.txt', 'one\n');
    const other = await connectClient(nextPid++);
    await edit(file, 'two\n');
    await edit(file, 'three\n', other);
    await until('both', async () => (await texts()).filter((text) => text.includes('shared')).length === 2);
    await edit(desk.scratch.path('new.txt'), 'new\n');
    await row('new.txt').waitFor();
    await vscode.commands.executeCommand('workbench.view.scm');
    const resources = desk.ui.page.locator('.scm-view .monaco-list-row .resource');
    await until('two files', async () => (await resources.count()) === 2);
    await desk.ui.screenshot('changes-source-control');
    await resources.filter({ hasText: 'new.txt' }).click();
    await until('the diff', () => tabs().some(({ label }) => label.startsWith('new.txt (created by')));
    await other.close();
  });
});
