import assert from 'node:assert/strict';
import { clickRowButton, reviewRows } from '../support/reviewRows.ts';
import { until } from '../support/until.ts';
import { sendReview, writeComment } from './commentScenarios.ts';
import type { Desk } from './desk.ts';
import { editTurns, text, toolUse } from './mockApi.ts';

const numbers = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
const original = `${numbers.join('\n')}\n`;

/** Back to before a prompt, of an agent that asks nobody. */
export function turnScenarios(desk: () => Desk, { names }: { names: boolean }): void {
  it('is gone back from prompt by prompt, over one file, and forth', async () => {
    const [shared, created] = [
      await desk().file('shared.txt', 'one\ntwo\n'),
      await desk().file('created.txt'),
    ];
    const claude = await desk().startClaude('acceptEdits');
    claude.api.script([...editTurns(shared.path, 'one', 'ONE'), text('done once')]);
    await claude.prompt('shout the first');
    await claude.terminal.shows('done once');
    claude.api.script([
      ...editTurns(shared.path, 'two', 'TWO'),
      toolUse('Write', { file_path: created.path, content: 'new\n' }),
      text('done twice'),
    ]);
    await claude.prompt('shout the second');
    await claude.terminal.shows('done twice');

    const { window } = desk();
    await window.runCommand('Claude Code: Focus on Review View');
    const turns = reviewRows(window.page).filter({ hasText: names ? /^\s*shout the/ : /^\s*A prompt/ });
    await until(
      'both turns',
      async () => (await turns.count()) === 2,
      20_000,
      () => turns.allTextContents(),
    );
    if (names) await turns.first().filter({ hasText: 'shout the second' }).waitFor();
    const goBack = async (index: number) => {
      await clickRowButton(turns.nth(index), 'Revert to Before This Prompt');
    };
    await goBack(0);
    await until(
      'the first turn alone',
      async () => (await shared.text()) === 'ONE\ntwo\n' && !created.exists(),
    );
    await window.page
      .locator('.notification-toast', { hasText: 'Reverted 2 files' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await until('both', async () => (await shared.text()) === 'ONE\nTWO\n' && created.exists());
    await until('both turns again', async () => (await turns.count()) === 2);
    await goBack(1);
    await until('neither', async () => (await shared.text()) === 'one\ntwo\n' && !created.exists());
  });
}

/** As a pull request is: two prompts over one file, one change kept, one reverted, one commented on; and then none of it. */
export function reviewedTurnScenarios(desk: () => Desk): void {
  it('has its work in acceptEdits and auto mode reviewed change by change, is told what is said of it, and is gone back from altogether', async () => {
    const file = await desk().file('pull-request.txt', original);
    const claude = await desk().startClaude('acceptEdits');
    const { window } = desk();
    const { page } = window;
    claude.api.script([
      ...editTurns(file.path, 'two', 'TWO'),
      ...editTurns(file.path, 'eight', 'EIGHT'),
      text('two of them'),
    ]);
    await claude.prompt('shout some');
    await claude.terminal.shows('two of them');
    await claude.switchTo('auto'); // for all that follows: another test for it would take 15 s
    claude.api.script([...editTurns(file.path, 'five', 'FIVE'), text('another one')]);
    await claude.prompt('and the middle');
    await claude.terminal.shows('another one');

    await window.openFile(file.path);
    const lens = (place: string, name: string) =>
      page.locator('.codelens-decoration', { hasText: place }).locator('a', { hasText: name }).first();
    await lens('1/3', 'Keep').click();
    await lens('2/2', 'Revert').click();
    await until('the line from before', async () => (await file.text()).includes('\neight\n'));
    await lens('Comment', 'Comment').click();
    await writeComment(page, 'Why *this* one?');
    await sendReview(desk(), claude, file, 'line 5:\n```txt\nFIVE\n```\nWhy *this* one?');
    assert.equal(await file.text(), original.replace('two', 'TWO').replace('five', 'FIVE'));

    await window.runCommand('Claude Code: Focus on Review View');
    const first = reviewRows(page).filter({ hasText: /^\s*shout some/ });
    await first.waitFor();
    await clickRowButton(first, 'Revert to Before This Prompt');
    await until(
      'the file from before both prompts',
      async () => (await file.text()) === original,
      10_000,
      () => file.text(),
    );
  });
}
