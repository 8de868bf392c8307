import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { repeatTime } from '../../../src/proposals/inFront.ts';
import { hasReviewFocus, reviewGroups, reviewPane, reviewRows } from '../../support/reviewRows.ts';
import { clickHovered } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import {
  endReview,
  extensionUnderTest,
  holdMoment,
  letMomentPass,
  proposalTabs,
  propose,
  tabs,
  useDesk,
} from '../bridge.ts';
import { editAs } from '../changes/edits.ts';
import { useDialogs } from '../dialogs.ts';

describe('the view of what is to be reviewed', () => {
  let nextPid = 3_720_000; // above what Linux gives out, so that no two tests share a session
  const desk = useDesk(() => nextPid++);
  const nextDialog = useDialogs();

  beforeEach(async () => {
    await vscode.commands.executeCommand('ideBridge.review.focus');
    await endReview(); // what other tests have left
    await reviewPane(desk.ui.page).getByText('Nothing to review.').waitFor();
  });
  afterEach(endReview);

  const row = (text: string) => reviewRows(desk.ui.page).filter({ hasText: text }).first();
  const group = (text: string) => reviewGroups(desk.ui.page).filter({ hasText: text });
  const press = (key: string) => desk.ui.page.keyboard.press(key);
  const toast = (text: string) => desk.ui.page.locator('.notification-toast', { hasText: text });
  const said = (text: string) => desk.ui.page.locator('.statusbar').getByText(text).first();

  /** From the first to the last, each with its level. */
  const texts = () =>
    reviewPane(desk.ui.page)
      .locator('.monaco-list-row')
      .evaluateAll((rows) =>
        (rows as unknown as { offsetTop: number; ariaLevel: string; textContent: string }[])
          .sort((a, b) => a.offsetTop - b.offsetTop)
          .map(({ ariaLevel, textContent }) => `${ariaLevel} ${textContent.replace(/\s+/g, ' ').trim()}`),
      );

  async function lists(...expected: RegExp[]): Promise<void> {
    const isSo = (all: string[]) =>
      all.length === expected.length && expected.every((each, index) => each.test(all[index] ?? ''));
    await until('the rows', async () => isSo(await texts()), 10_000, texts);
  }

  async function change(name: string): Promise<string> {
    const path = desk.scratch.write(name, 'one\n');
    await editAs(desk.client, path, 'ONE\n');
    await row(name).waitFor();
    return path;
  }

  const proposeFor = (name: string) => propose(desk.client, desk.scratch.path(name), `${name}\n`, name);

  /** Some rows below the first one. */
  async function goTo(name: string, ...down: string[]): Promise<void> {
    const focused = reviewPane(desk.ui.page).locator('.monaco-list-row.focused', { hasText: name });
    await until(`the focus on ${name}`, async () => {
      await vscode.commands.executeCommand('ideBridge.review.focus');
      for (const key of ['Home', ...down]) await press(key);
      return (await focused.count()) > 0;
    });
    await sleep(repeatTime + 100); // as long as a key may be held
    letMomentPass();
  }
  const down = (count: number) => Array.from({ length: count }, () => 'ArrowDown');

  it('shows what waits above what was changed, each while there is some', async () => {
    await change('changed.txt');
    await lists(/^1 Changed$/, /^2 Claude.*1 file · \+1 −1$/, /^3 changed\.txt/);
    const { answer } = await proposeFor('new.txt');
    await row('new · +1').waitFor();
    const all = [/^1 Waiting for You$/, /^2 Claude/, /^3 new\.txt/, /^1 Changed$/, /^2 Claude/, /^3 changed/];
    await lists(...all);
    const title = reviewPane(desk.ui.page).locator('.pane-header');
    await title.filter({ hasText: '1 proposal · 1 file, 1 change' }).waitFor();
    await row('changed.txt').hover();
    await desk.ui.screenshot('review-both');
    await group('Waiting').hover();
    await desk.ui.screenshot('review-waiting-hovered');
    await vscode.commands.executeCommand('ideBridge.rejectAllProposals');
    await answer;
    await lists(/^1 Changed$/, /^2 Claude/, /^3 changed/);
    await vscode.commands.executeCommand('ideBridge.keepAllChanges');
    await row('all reviewed').waitFor(); // with its history
    await vscode.commands.executeCommand('ideBridge.clearChangeHistory');
    await reviewPane(desk.ui.page).getByText('Nothing to review.').waitFor();
  });

  it('decides by the buttons of its two on all that is below', async () => {
    const [first, second] = [await change('one.txt'), await change('two.txt')];
    const proposed = [await proposeFor('a.txt'), await proposeFor('b.txt')];
    await row('b.txt').waitFor();
    const button = async (name: string, action: string) => {
      await clickHovered(group(name), action, letMomentPass);
    };
    await button('Changed', 'Review What Agents Changed');
    await until('the changes', () => tabs().some(({ label }) => label.startsWith('Changes by Agents')));
    await button('Waiting', 'Review All Proposals');
    await until('the proposals', () => tabs().some(({ label }) => label.includes('Proposals')));
    await button('Changed', 'Revert All Agent Changes');
    await toast('Reverted').first().waitFor();
    assert.deepEqual(
      [first, second].map((path) => readFileSync(path, 'utf8')),
      ['one\n', 'one\n'],
    );
    await button('Waiting', 'Accept All Proposals');
    (await nextDialog()).press('Accept 2 Proposals');
    assert.deepEqual(await Promise.all(proposed.map(({ answer }) => answer)), [
      ['FILE_SAVED', 'a.txt\n'],
      ['FILE_SAVED', 'b.txt\n'],
    ]);
  });

  it('does nothing on the click on a row that the editor does not know, as the rows are drawn anew', async () => {
    const path = await change('changed.txt');
    const { answer } = await proposeFor('in-front.txt');
    await row('in-front.txt').waitFor();
    const { contributes } = extensionUnderTest().packageJSON as {
      contributes: { menus: Record<'view/item/context' | 'view/title', { command: string }[]> };
    };
    const commandsOf = (menu: 'view/item/context' | 'view/title') =>
      contributes.menus[menu].map(({ command }) => command);
    const ofTitles = commandsOf('view/title');
    for (const command of commandsOf('view/item/context').filter((each) => !ofTitles.includes(each))) {
      await vscode.commands.executeCommand(command, undefined, undefined);
    }
    await said('Nothing was done: the row is gone, or just drawn anew.').waitFor();
    assert.equal(proposalTabs().length, 1);
    assert.equal(readFileSync(path, 'utf8'), 'ONE\n');
    await row('changed.txt').waitFor();
    await clickHovered(reviewPane(desk.ui.page), 'Review What Agents Changed'); // of the title, which passes none, either
    await until('the changes', () => tabs().some(({ label }) => label.startsWith('Changes by Agents')));
    await vscode.commands.executeCommand('ideBridge.rejectAllProposals');
    await answer;
  });

  it('takes the same keys on rows of both, and on the two themselves none', async () => {
    const [first, second] = [await change('one.txt'), await change('two.txt')];
    const { answer } = await proposeFor('new.txt');
    await row('new · +1').waitFor();
    for (const [name, place] of [
      ['Waiting', 0],
      ['Changed', 3],
    ] as const) {
      await goTo(name, ...down(place));
      await press('Control+Enter');
      await said('Nothing was done: the key decides on sessions and files.').waitFor();
    }
    assert.equal(proposalTabs().length, 1);
    for (const [name, yes] of [
      ['new.txt', 'Accept Proposed Changes (Ctrl+Enter)'],
      ['one.txt', 'Keep Agent Changes of This File (Ctrl+Enter)'],
    ] as const) {
      await row(name).hover();
      await row(name).getByRole('button', { name: yes }).waitFor();
    }
    await goTo('one.txt', ...down(5));
    await press('Control+Shift+Backspace');
    await until('the text from before', () => readFileSync(first, 'utf8') === 'one\n');
    await row('one.txt').waitFor({ state: 'detached' });
    await goTo('new.txt', ...down(2));
    await press('Control+Enter');
    assert.deepEqual(await answer, ['FILE_SAVED', 'new.txt\n']);
    await group('Waiting').waitFor({ state: 'detached' });
    await goTo('two.txt', ...down(2));
    await press('Control+Enter');
    await toast('Kept two.txt.').waitFor();
    assert.equal(readFileSync(second, 'utf8'), 'ONE\n');
  });

  it('gives the focus to the next proposal after a key has decided one, and from the last to no change', async () => {
    await change('changed.txt');
    const [first, second] = [await proposeFor('a.txt'), await proposeFor('b.txt')];
    await row('b.txt').waitFor();
    await goTo('a.txt', ...down(2));
    await press('Control+Enter');
    assert.deepEqual(await first.answer, ['FILE_SAVED', 'a.txt\n']);
    await row('b.txt').and(desk.ui.page.locator('.focused')).waitFor();
    assert.ok(await hasReviewFocus(desk.ui.page));
    await sleep(repeatTime + 100);
    letMomentPass();
    await press('Control+Enter');
    assert.deepEqual(await second.answer, ['FILE_SAVED', 'b.txt\n']);
    await group('Waiting').waitFor({ state: 'detached' });
    await sleep(repeatTime + 100);
    letMomentPass();
    await press('Control+Shift+Backspace');
    await sleep(500); // time for a decision, if there were one
    assert.equal(readFileSync(desk.scratch.path('changed.txt'), 'utf8'), 'ONE\n');
  });

  it('takes no click on a change that a proposal has just moved', async () => {
    const file = await change('changed.txt');
    letMomentPass();
    const button = await until('the button', async () => {
      await row('changed.txt').hover();
      const revert = row('changed.txt').getByRole('button', { name: 'Revert File' });
      return (await revert.boundingBox()) ?? undefined;
    });
    const goOn = holdMoment();
    const { answer } = await proposeFor('new.txt');
    await row('new · +1').waitFor();
    await row('changed.txt').hover();
    await row('changed.txt').getByRole('button', { name: 'Revert File' }).click();
    await said('Nothing was done: the row has moved just now.').waitFor();
    // And where it was, something else is.
    await desk.ui.page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
    await sleep(300);
    goOn();
    assert.equal(readFileSync(file, 'utf8'), 'ONE\n');
    assert.equal(proposalTabs().length, 1);
    await vscode.commands.executeCommand('ideBridge.rejectAllProposals');
    await answer;
  });
});
