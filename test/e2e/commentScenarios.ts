import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Claude } from './claude.ts';
import type { Desk, WorkspaceFile } from './desk.ts';
import { contextText, editTurns, text } from './mockApi.ts';

/** What the user writes about lines that the agent has changed without asking. */
export function commentScenarios(desk: () => Desk): void {
  it('is told of the comments on its changes in one prompt, which the user sends', async () => {
    const { claude, file } = await startWithComment(desk());
    await sendComment(desk(), claude, file);
    // By its words, and not by what the CLI writes around what is pasted.
    await desk().window.runCommand('Claude Code: Focus on Sessions View');
    const rows = desk().window.page.locator('.pane .monaco-list-row');
    await rows.filter({ hasText: '“Review of your changes, with 1 comment:”' }).first().waitFor();
  });
}

export function keepsCommentsAfter(event: string, desk: () => Desk, happen: () => Promise<void>): void {
  it(`is told of the comments on its changes also when ${event}`, async () => {
    const { claude, file } = await startWithComment(desk());
    try {
      await sleep(2_000); // in a browser the editor keeps nothing that is newer
      const away = await desk().absenceOf(Number(claude.terminal.bridgePort), happen);
      await desk().comesBack(claude, away);
      await showComment(desk(), file, 'Not sent');
      await sendComment(desk(), claude, file);
    } catch (error) {
      await deleteComment(desk(), file).catch(() => {}); // else the next try asks who is to have it
      throw error;
    }
  });
}

async function startWithComment(desk: Desk): Promise<{ claude: Claude; file: WorkspaceFile }> {
  const file = await desk.file('reviewed.txt', 'one\ntwo\nthree\n');
  const claude = await desk.startClaude('acceptEdits');
  claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
  await claude.prompt('please edit');
  await claude.terminal.shows('edited it');

  await desk.window.openFile(file.path);
  const { page } = desk.window;
  await page.locator('.codelens-decoration a', { hasText: 'Comment' }).first().click();
  await writeComment(page, 'Not so loud.\nPlease.');
  await comment(desk).getByText('Not sent').waitFor();
  return { claude, file };
}

/** Where the user has asked for one. */
export async function writeComment(page: Page, words: string): Promise<void> {
  const add = page.getByRole('button', { name: 'Add Comment' });
  await add.waitFor(); // its input has the focus then
  await page.keyboard.insertText(words);
  await add.click();
}

const comment = ({ window: { page } }: Desk) => page.locator('.review-comment', { hasText: 'Not so loud.' });

async function showComment(desk: Desk, file: WorkspaceFile, label: string): Promise<void> {
  await desk.window.openFile(file.path);
  await desk.window.runCommand('Comments: Expand All Comments');
  await comment(desk).getByText(label).waitFor();
}

async function deleteComment(desk: Desk, file: WorkspaceFile): Promise<void> {
  await showComment(desk, file, 'Not sent');
  await comment(desk).hover();
  await comment(desk).getByRole('button', { name: 'Delete Comment' }).click({ timeout: 5_000 });
}

async function sendComment(desk: Desk, claude: Claude, file: WorkspaceFile): Promise<void> {
  await sendReview(desk, claude, file, 'line 2:\n```txt\nTWO\n```\nNot so loud.\nPlease.');
  await showComment(desk, file, 'Sent to');
}

/** @param words which the model is told, behind the name of the file */
export async function sendReview(
  desk: Desk,
  claude: Claude,
  file: WorkspaceFile,
  words: string,
): Promise<void> {
  claude.api.script([text('heard it')]);
  const { turnCount } = claude.api;
  const { page } = desk.window;
  await page.locator('.review-widget').getByRole('button', { name: 'Send Review' }).first().click();
  await page.getByText('Review pasted').first().waitFor();
  await claude.terminal.settled();
  assert.equal(claude.api.turnCount, turnCount, 'it waits for Enter');

  await page.keyboard.press('Enter'); // the focus is in the terminal
  const name = path.relative(path.dirname(path.dirname(file.path)), file.path);
  const told = `1. ${name}, ${words}`;
  await claude.api.nextRequest('the review', (turn) => contextText(turn).includes(told));
  await claude.terminal.shows('heard it');
}
