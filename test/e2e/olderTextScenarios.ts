import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { until } from '../support/until.ts';
import type { Desk } from './desk.ts';
import { editTurns, text } from './mockApi.ts';

const lines = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const asText = (all: readonly string[]) => all.map((line) => `${line}\n`).join('');

/**
 * A file that somebody changes while an edit of it is under review.
 * @param merges whether that CLI makes its edit in the file as it is by then, or has the model read it again
 */
export function olderTextScenarios(desk: () => Desk, { merges }: { merges: boolean }): void {
  // CLI 2.1 looks for all that it had read, and refuses where newer lines stand within.
  const cases: [where: string, newer: readonly string[], isWritten: boolean][] = [
    ['before it and after it', ['newer', ...lines, 'newer too'], true],
    ['two lines after it', [...lines.slice(0, 3), 'newer', ...lines.slice(3)], false],
  ];
  // One that leaves the file alone does so whatever it is told, and wherever the lines are.
  for (const [where, newer, isWritten] of merges ? cases : cases.slice(1)) {
    for (const typed of merges ? [[], ['typed']] : [['typed']]) {
      it(`${isWritten ? 'is what the diff shows' : 'is left alone, and read anew'}, with lines that came ${where}${typed.length > 0 ? ', and what was typed' : ''}`, async () => {
        const file = await desk().file('older.txt', asText(lines));
        const claude = await desk().startClaude();
        claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('that was it')]);
        await claude.prompt('please edit');
        const diff = await desk().window.diffOf('older.txt (proposed edit)');
        await diff.show();
        await writeFile(file.path, asText(newer));
        await desk().window.page.locator('.codelens-decoration a', { hasText: 'Merge' }).first().click();
        let shown = newer.map((line) => (line === 'two' ? 'TWO' : line));
        const isShown = async () => (await diff.lines('modified')).join() === [...shown, ''].join();
        await until('the merge', isShown);
        if (typed.length > 0) {
          await diff.typeAfter('eight', ' typed');
          shown = shown.map((line) => (line === 'eight' ? 'eight typed' : line));
          await until('what was typed', isShown);
        }
        await diff.accept();

        const { isError, text: told } = await claude.api.nextResult('Edit');
        await claude.terminal.shows('that was it');
        assert.equal(isError, !isWritten, told);
        assert.equal(await file.text(), asText(isWritten ? shown : newer));
        await diff.gone();
        const toast = desk().window.page.locator('.notification-toast', { hasText: 'was not written' });
        if (!isWritten && typed.length === 0) {
          await toast.getByText('older.txt was not written').waitFor({ timeout: 20_000 });
        }
        if (!isWritten && typed.length > 0) {
          await toast.getByText('Open', { exact: true }).click({ timeout: 20_000 });
          await desk()
            .window.page.locator('.view-line', { hasText: /^eight.typed$/ })
            .waitFor();
        }
      });
    }
  }
}
