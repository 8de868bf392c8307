import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { clickHovered } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { endReview, letMomentPass, useDesk } from '../bridge.ts';
import { changesRows, editAs } from './edits.ts';

describe('turns of agent changes', () => {
  let nextPid = 3_950_000; // above what Linux gives out, so that no two tests share a session
  const desk = useDesk(() => nextPid++);

  beforeEach(() => vscode.commands.executeCommand('ideBridge.review.focus'));
  afterEach(endReview);

  /** As the CLI tells of it. */
  const prompt = () => desk.client.call('closeAllDiffTabs');
  const edit = (path: string, content: string | undefined) => editAs(desk.client, path, content);
  const rows = () => changesRows(desk.ui);
  const texts = async () =>
    (await rows().allTextContents())
      .map((text) => text.replace(/\s+/g, ' ').trim())
      .filter((text) => !text.startsWith('History'));
  const text = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);

  async function listed(...expected: RegExp[]): Promise<void> {
    const isSo = (all: string[]) =>
      all.length === expected.length && expected.every((each, index) => each.test(all[index] ?? ''));
    await until('the rows', async () => isSo(await texts()), 10_000, texts);
  }

  async function press(row: RegExp, button: string): Promise<void> {
    const found = rows().filter({ hasText: row }).first();
    await clickHovered(found, button, letMomentPass);
    await desk.ui.page.mouse.move(700, 500); // else a tooltip comes, and covers other rows
  }

  const earlier = /A prompt.*1 file above, changed again/;

  /** Two turns over one file, the second with a new one. */
  async function twoTurns(): Promise<{ first: string; second: string }> {
    const first = desk.scratch.write('first.txt', 'zero\n');
    const second = desk.scratch.path('second.txt');
    await prompt();
    await edit(first, 'one\n');
    await prompt();
    await edit(first, 'two\n');
    await edit(second, 'two\n');
    await listed(/2 files/, /A prompt.*2 files/, /first\.txt/, /second\.txt/, earlier);
    return { first, second };
  }

  it('stand under their session, the last first, and are gone back to one by one, and forth', async () => {
    const { first, second } = await twoTurns();
    await desk.ui.screenshot('turns');

    await press(/A prompt.*2 files/, 'Revert to Before This Prompt');
    await until('the first turn alone', () => text(first) === 'one\n' && text(second) === undefined);
    await listed(/1 file/, /A prompt.*1 file/, /first\.txt/);
    const told = desk.ui.page.locator('.notification-toast', { hasText: 'Reverted 2 files' });
    await told.waitFor();
    await desk.ui.screenshot('turns-gone-back');
    await told.getByRole('button', { name: 'Undo' }).click();
    await until('both turns', () => text(first) === 'two\n' && text(second) === 'two\n');
    await listed(/2 files/, /A prompt.*2 files/, /first\.txt/, /second\.txt/, earlier);

    await press(earlier, 'Revert to Before This Prompt');
    await until('none', () => text(first) === 'zero\n' && text(second) === undefined);
    await until('no file', async () => (await texts()).every((row) => !row.includes('.txt')));
  });

  it('show what was done in each', async () => {
    const { first } = await twoTurns();
    await press(earlier, 'Review Changes After This Prompt');
    const { page } = desk.ui;
    const line = (words: string) => page.locator('.multiDiffEntry .view-line', { hasText: words });
    await line('zero').waitFor();
    await line('one').waitFor();
    assert.equal(await line('two').count(), 0);
    await desk.ui.screenshot('turn-review');
    await press(/A prompt.*2 files/, 'Review Changes After This Prompt');
    await line('one').first().waitFor();
    await line('two').first().waitFor();
    await desk.ui.screenshot('turn-review-last');
    assert.equal(text(first), 'two\n');
  });

  it('leave alone what is not saved, say so, and say where the user has saved', async () => {
    const { first, second } = await twoTurns();
    const document = await vscode.workspace.openTextDocument(first);
    const typed = new vscode.WorkspaceEdit();
    typed.insert(document.uri, new vscode.Position(1, 0), 'typed\n');
    await vscode.workspace.applyEdit(typed);
    const saved = await vscode.workspace.openTextDocument(second);
    const more = new vscode.WorkspaceEdit();
    more.insert(saved.uri, new vscode.Position(1, 0), 'saved\n');
    await vscode.workspace.applyEdit(more);
    await saved.save();

    await press(/A prompt.*2 files/, 'Revert to Before This Prompt');
    const problem = desk.ui.page.locator('.notification-toast', { hasText: 'it has unsaved changes' });
    await problem.filter({ hasText: 'first.txt' }).waitFor();
    const told = desk.ui.page.locator('.notification-toast', { hasText: 'with what you saved there since' });
    await told.filter({ hasText: 'second.txt' }).waitFor();
    await desk.ui.screenshot('turns-not-all');
    assert.equal(document.getText(), 'two\ntyped\n');
    assert.equal(text(first), 'two\n');
    assert.equal(text(second), undefined);
    await listed(/1 file/, /A prompt.*1 file/, /first\.txt/, earlier);
    await told.getByRole('button', { name: 'Undo' }).click();
    await until('the user’s text', () => text(second) === 'two\nsaved\n');
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('are gone back to only once, and another prompt begins anew', async () => {
    const { first } = await twoTurns();
    await press(/A prompt.*2 files/, 'Revert to Before This Prompt');
    await until('the first turn alone', () => text(first) === 'one\n');
    writeFileSync(first, 'one\n');
    await prompt();
    await edit(first, 'three\n');
    await listed(/1 file/, /A prompt.*1 file/, /first\.txt/, earlier);
    await press(/A prompt.*1 file/, 'Revert to Before This Prompt');
    await until('the first turn alone again', () => text(first) === 'one\n');
  });
});
