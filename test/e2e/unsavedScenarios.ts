import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import type { Desk } from './desk.ts';
import { editTurns, text } from './mockApi.ts';

/**
 * An edit of a file that has unsaved changes, which the user saves before they accept it.
 * @param merges whether that CLI makes its edit in the file as it is by then, or has the model read it again
 */
export function unsavedScenarios(desk: () => Desk, { merges }: { merges: boolean }): void {
  it('loses nothing of what is saved first, and then accepted', async () => {
    const file = await desk().file('unsaved.txt', 'one\ntwo\nthree\n');
    const { page } = desk().window;
    await desk().window.openFile(file.path);
    await page.locator('.editor-group-container.active .view-line').first().click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('mine\n');
    const claude = await desk().startClaude();
    claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('that was it')]);
    await claude.prompt('please edit');

    const diff = await desk().window.diffOf('unsaved.txt (proposed edit)');
    await diff.accept();
    await page.getByRole('button', { name: 'Save First' }).click();
    await until('the file to be saved', async () => (await file.text()) === 'mine\none\ntwo\nthree\n');
    await diff.accept();
    await page.getByRole('dialog').getByRole('button', { name: 'Merge' }).click(); // a lens has that name, too
    await until(
      'what it will be',
      async () => (await diff.lines('modified')).join() === 'mine,one,TWO,three,',
    );
    await diff.accept();

    const { isError, text: told } = await claude.api.nextResult('Edit');
    await claude.terminal.shows('that was it');
    assert.equal(isError, !merges, told);
    assert.match(told, merges ? /had been modified on disk/ : /modified\. Read it again/);
    assert.equal(await file.text(), merges ? 'mine\none\nTWO\nthree\n' : 'mine\none\ntwo\nthree\n');
    await diff.gone();
  });
}
