import { setTimeout as sleep } from 'node:timers/promises';
import { reviewRows } from '../support/reviewRows.ts';
import { until } from '../support/until.ts';
import type { Desk } from './desk.ts';
import { editTurns, text, toolUse } from './mockApi.ts';

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
      await sleep(600); // a click on a row that has just moved does nothing
      await turns.nth(index).hover();
      await turns.nth(index).getByRole('button', { name: 'Revert to Before This Prompt' }).click();
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
