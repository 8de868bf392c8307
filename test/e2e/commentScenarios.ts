import assert from 'node:assert/strict';
import path from 'node:path';
import type { Desk } from './desk.ts';
import { contextText, editTurns, text } from './mockApi.ts';

/** What the user writes about lines that the agent has changed without asking. */
export function commentScenarios(desk: () => Desk): void {
  it('is told of the comments on its changes in one prompt, which the user sends', async () => {
    const file = await desk().file('reviewed.txt', 'one\ntwo\nthree\n');
    const claude = await desk().startClaude('acceptEdits');
    claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
    await claude.prompt('please edit');
    await claude.terminal.shows('edited it');

    await desk().window.openFile(file.path);
    const { page } = desk().window;
    await page.locator('.codelens-decoration a', { hasText: 'Comment' }).first().click();
    await page.getByRole('button', { name: 'Add Comment' }).waitFor(); // it has the focus once it is there
    await page.keyboard.insertText('Not so loud.\nPlease.');
    await page.getByRole('button', { name: 'Add Comment' }).click();
    const comment = page.locator('.review-comment', { hasText: 'Not so loud.' });
    await comment.getByText('Not sent').waitFor();

    claude.api.script([text('quieter now')]);
    const { turnCount } = claude.api;
    await page.locator('.review-widget').getByRole('button', { name: 'Send Review' }).first().click();
    await page.getByText('Review pasted').first().waitFor();
    await claude.terminal.settled();
    assert.equal(claude.api.turnCount, turnCount, 'it waits for Enter');

    await page.keyboard.press('Enter'); // the focus is in the terminal
    const name = path.relative(path.dirname(path.dirname(file.path)), file.path);
    const words = `1. ${name}, line 2:\n\`\`\`txt\nTWO\n\`\`\`\nNot so loud.\nPlease.`;
    await claude.api.nextRequest('the review', (turn) => contextText(turn).includes(words));
    await claude.terminal.shows('quieter now');
    await desk().window.openFile(file.path);
    await desk().window.runCommand('Comments: Expand All Comments');
    await comment.getByText('Sent to').waitFor();
  });
}
