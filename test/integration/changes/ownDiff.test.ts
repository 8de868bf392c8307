import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import * as vscode from 'vscode';
import { clickRow, hasReviewFocus } from '../../support/reviewRows.ts';
import { clickHovered, onScreen } from '../../support/ui.ts';
import { asText, changed, original } from '../../support/threeChanges.ts';
import { until } from '../../support/until.ts';
import {
  connectClient,
  endReview,
  holdMoment,
  letMomentPass,
  skipOnFloor,
  tabs,
  useDesk,
} from '../bridge.ts';
import { changesRows, editAs } from './edits.ts';

describe('the diff of agent changes', () => {
  let nextPid = 3_950_000; // above what Linux gives out, so that no two tests share a session
  const desk = useDesk(() => nextPid++);
  const page = () => desk.ui.page;

  beforeEach(() => vscode.commands.executeCommand('ideBridge.review.focus'));
  afterEach(endReview);

  const text = asText(original);
  const edit = (path: string, content: string | undefined, by = desk.client) => editAs(by, path, content);

  const row = (words: string) => changesRows(desk.ui).filter({ hasText: words }).first();
  const undoItem = () => page().locator('[id$="ideBridge.undoKeep"]');
  const toast = (words: string) => page().locator('.notification-toast', { hasText: words });
  const lensRows = () => page().locator('.codelens-decoration:visible');
  const lens = (place: string, name: string) =>
    lensRows().filter({ hasText: place }).locator('a', { hasText: name }).first();
  /** On the screen: VS Code 1.96 keeps editors that it does not use far outside of it. */
  async function highest(elements: Locator): Promise<Locator | undefined> {
    const found: [y: number, element: Locator][] = [];
    for (const element of await elements.all()) {
      const box = await element.boundingBox({ timeout: 1_000 }).catch(() => null);
      if (!box) return undefined; // drawn anew just now: another one would be the highest
      found.push([box.y, element]);
    }
    return found.filter(([y]) => y >= 0).sort(([a], [b]) => a - b)[0]?.[1];
  }
  /** From top to bottom. */
  const shown = async () =>
    (await lensRows().allTextContents())
      .map((words) => words.replace(/[^\x21-\x7e]+/g, ' ').trim())
      .filter(Boolean);
  const diffs = () => tabs().filter(({ input }) => input instanceof vscode.TabInputTextDiff);

  const label = () => tabs().find(({ isActive }) => isActive)?.label;
  /** That many files are left in the review of all. */
  const counts = (words: string) =>
    until(words, () => label() === `Changes by Agents (${words})`, 10_000, label);

  /** VS Code 1.96 answers a click with an error while the row is drawn anew: then one clicks again. */
  async function openDiff(words: string): Promise<void> {
    const isThere = () => diffs().some(({ label, isActive }) => isActive && label.startsWith(words));
    const error = page().locator('.notification-toast', { hasText: 'Actual command not found' });
    await clickRow(row(words));
    await until('the diff in front', async () => {
      if (await error.isVisible()) {
        await vscode.commands.executeCommand('notifications.clearAll');
        await row(words).click();
      }
      return isThere();
    });
  }

  /** An edit of a file in three places, in its diff. */
  async function openThree(before = text, now = asText(changed)): Promise<string> {
    const file = desk.scratch.write('a.txt', before);
    await edit(file, now);
    await row('+2 −3').waitFor();
    await openDiff('a.txt');
    await lens('3/3', 'Keep').waitFor();
    return file;
  }

  const clickInto = (line: string) =>
    page()
      .locator('.editor.modified .view-line', { hasText: new RegExp(`^${line.replaceAll(' ', '.')}$`) })
      .first()
      .click();
  const status = () => page().locator('[id="status.editor.selection"]');
  const isAt = (line: number) =>
    until(`the cursor in line ${line}`, async () =>
      (await status().innerText()).includes(`Ln ${line + 1}, Col 1`),
    );

  it('has keep and revert at each change, and for the file at the first one', async () => {
    const file = await openThree();
    await desk.ui.screenshot('own-diff');
    assert.deepEqual(await shown(), [
      'Keep | Revert | Keep File | Revert File | Comment | 1/3',
      'Keep | Revert | Comment | 2/3',
      'Keep | Revert | Comment | 3/3',
    ]);
    await lensRows().locator('[title="Change 1 of 3"]').waitFor();
    await lens('2/3', 'Keep').click();
    await undoItem().getByText('Kept a change in a.txt').waitFor();
    assert.equal(await toast('Kept').count(), 0, 'no message for each');
    await row('+2 −1').waitFor();
    await lens('2/2', 'Revert').waitFor();
    assert.equal(readFileSync(file, 'utf8'), asText(changed));
    await desk.ui.screenshot('own-diff-kept');
    await lens('2/2', 'Revert').click();
    await until('the file without it', () => readFileSync(file, 'utf8').includes('line 20\nline 21\n'));
    await row('+1 −1').waitFor();
    await undoItem().getByText('Reverted a change in a.txt').click();
    await row('+2 −1').waitFor();
    assert.equal(readFileSync(file, 'utf8'), asText(changed));
    await undoItem().waitFor({ state: 'hidden' });
    await lens('2/2', 'Keep').click();
    await row('+1 −1').waitFor();
    await undoItem().getByText('Kept a change in a.txt').click();
    await row('+2 −1').waitFor();
    await lens('2/2', 'Keep').waitFor();
    await undoItem().waitFor({ state: 'hidden' });
    assert.equal(diffs().length, 1);
    await lens('1/2', 'Revert File').click();
    const kept = asText(original.toSpliced(10, 2));
    await until('the text from before, with what was kept', () => readFileSync(file, 'utf8') === kept);
    await until('the diff to close', () => diffs().length === 0);
  });

  it('has the keys of a proposal, and closes with the last change', async () => {
    const file = await openThree();
    const { keyboard } = page();
    await clickInto('line 0');
    await keyboard.press('Control+Home');
    await keyboard.press('Alt+F5');
    await isAt(2);
    await keyboard.press('Alt+F5');
    await isAt(10);
    await keyboard.press('Shift+Alt+F5');
    await isAt(2);
    letMomentPass();
    await keyboard.press('Alt+Y');
    await isAt(10);
    await keyboard.press('Alt+N');
    await until('the lines that were gone', () => readFileSync(file, 'utf8').includes('line 10\nline 11\n'));
    await isAt(21);
    await keyboard.press('Alt+Y');
    await until('the diff to close', () => diffs().length === 0);
    await until(
      'nothing listed',
      async () => (await row('a.txt').count()) === 0 || (await row('+').count()) === 0,
    );
    assert.equal(
      readFileSync(file, 'utf8'),
      asText([...original.with(2, 'LINE 2').slice(0, 21), 'more', ...original.slice(21)]),
    );
  });

  for (const [key, button, done] of [
    ['Control+Enter', 'Keep', 'Kept'],
    ['Control+Shift+Backspace', 'Revert', 'Reverted'],
  ] as const) {
    it(`has the key of a row: ${key} is for the whole file`, async () => {
      const file = await openThree();
      await clickInto('line 0');
      const now = readFileSync(file, 'utf8');
      const isKept = button === 'Keep';
      letMomentPass();
      await page().keyboard.press(key);
      await toast(`${done} `).first().waitFor();
      await until('the diff to close', () => diffs().length === 0);
      assert.equal(readFileSync(file, 'utf8'), isKept ? now : text);
      assert.ok(vscode.workspace.textDocuments.every(({ isDirty }) => !isDirty));
    });
  }

  it('takes no key that may be meant for what was in front before', async () => {
    const file = await openThree();
    await clickInto('LINE 2');
    await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    const goOn = holdMoment();
    await vscode.commands.executeCommand('workbench.action.openPreviousRecentlyUsedEditor');
    await clickInto('LINE 2');
    for (const key of ['Alt+N', 'Control+Shift+Backspace']) await page().keyboard.press(key);
    await page().getByText('Not reverted: the diff came to the front only just now').waitFor();
    goOn();
    letMomentPass();
    await page().keyboard.press('Alt+N');
    await until('the line from before', () => readFileSync(file, 'utf8').includes('line 2\n'));
  });

  it('leaves the lenses and keys of other files alone', async () => {
    const file = await openThree();
    const other = desk.scratch.write('other.txt', text);
    await vscode.window.showTextDocument(vscode.Uri.file(other), { preview: false });
    await until('no lens', async () => (await lensRows().count()) === 0);
    const before = readFileSync(file, 'utf8');
    for (const key of ['Alt+Y', 'Alt+N']) await page().keyboard.press(key);
    await page().keyboard.press('Control+End');
    await isAt(30);
    await row('+2 −3').waitFor();
    assert.deepEqual([readFileSync(file, 'utf8'), readFileSync(other, 'utf8')], [before, text]);
    assert.equal(await toast('Kept').count(), 0);
  });

  it('keeps bytes: line ends, byte order mark and encoding', async () => {
    const before = `\uFEFFé 1\r\ntwo\r\nthree\r\nfour\r\nfive`;
    const file = desk.scratch.write('b.txt', Buffer.from(before));
    await edit(file, `\uFEFFé 1\r\nTWO\r\nthree\r\nFOUR ü\r\nfive\r\nsix\n`);
    await row('b.txt').waitFor();
    await openDiff('b.txt');
    await lens('1/3', 'Keep').click();
    await lens('1/2', 'Revert File').click();
    const kept = before.replace('two', 'TWO');
    await until('all but what is kept', () => readFileSync(file).equals(Buffer.from(kept)));
  });

  it('keeps for the session that it is of; what another has changed elsewhere still waits', async () => {
    const file = desk.scratch.write('a.txt', text);
    await edit(file, asText(original.with(2, 'LINE 2')));
    const other = await connectClient(nextPid++);
    await edit(file, asText(original.with(2, 'LINE 2').with(20, 'LINE 20')), other);
    await row('+2 −2').waitFor();
    await page() // rows are in the page in any order
      .locator('.monaco-list-row', { hasText: 'a.txt' })
      .filter({ hasText: '+1 −1' })
      .click();
    await lens('Comment', 'Keep').click();
    await until('that of the other alone', async () => (await row('+2 −2').count()) === 0);
    await row('+1 −1').waitFor();
    await openDiff('a.txt');
    await lens('Comment', 'Revert').click();
    await until('its line', () => readFileSync(file, 'utf8') === asText(original.with(20, 'LINE 20')));
    await other.close();
  });

  it('asks to save before a part is kept', async () => {
    const file = await openThree();
    await clickInto('line 0');
    await page().keyboard.type('mine ');
    await lens('1/4', 'Keep').waitFor();
    await lens('2/4', 'Keep').click();
    await toast('a.txt has unsaved changes').getByRole('button', { name: 'Save' }).click();
    await until('the text', () => readFileSync(file, 'utf8').includes('mine '));
    await lens('1/3', 'Keep').click(); // what was saved is the user's
    await lens('1/2', 'Keep').waitFor();
  });

  it('has keep and revert for a new and for a deleted file as a whole', async () => {
    const deleted = desk.scratch.write('old.txt', 'gone\n');
    await edit(deleted, undefined);
    await edit(desk.scratch.path('new.txt'), 'new\n');
    const buttons = () =>
      page()
        .locator('.editor-actions .action-label:visible')
        .evaluateAll((all) => all.slice(0, 2).map((each) => each.getAttribute('aria-label') ?? ''));
    for (const [name, more] of [
      ['old.txt', ''],
      ['new.txt', ' | Comment'],
    ] as const) {
      await openDiff(name);
      await until(
        'the lenses',
        async () => (await shown()).join() === `Keep File | Revert File${more}`,
        10_000,
        shown,
      );
      await until(
        'the buttons',
        async () => /^Keep Agent Changes of This File.*,Revert File to/.test((await buttons()).join()),
        10_000,
        buttons,
      );
      await desk.ui.screenshot(`own-diff-${name}`);
    }
    await lens('Keep File', 'Revert File').click();
    await until('the diff to close', () => diffs().every(({ label }) => !label.startsWith('new')));
    await openDiff('old.txt');
    await lens('Keep File', 'Keep File').click();
    await until('the diff to close', () => diffs().length === 0);
  });

  it('has them in the review of all, too', async () => {
    const file = desk.scratch.write('a.txt', text);
    await edit(file, asText(changed));
    await edit(desk.scratch.path('new.txt'), 'new\n');
    await row('new.txt').waitFor();
    await vscode.commands.executeCommand('ideBridge.reviewChanges');
    await lens('1/3', 'Keep').waitFor();
    await desk.ui.screenshot('own-review-all');
    await lens('2/3', 'Keep').click();
    await row('+2 −1').waitFor();
    await (
      await until('the line', () =>
        onScreen(page().locator('.editor.modified .view-line', { hasText: /^LINE.2$/ })),
      )
    ).click();
    await until('the file', () => vscode.window.activeTextEditor?.document.uri.fsPath === file);
    letMomentPass();
    await page().keyboard.press('Alt+N');
    await until('the line from before', () => readFileSync(file, 'utf8').includes('line 2\n'));
    await row('+1').waitFor();
  });

  it('lets files leave the review of all one by one, wherever they are decided', async function () {
    skipOnFloor(this); // it gives no file the focus by itself
    this.timeout(60_000);
    const paths = ['a.txt', 'b.txt', 'c.txt'].map((name) => desk.scratch.write(name, text));
    for (const path of paths) {
      await edit(path, asText(original.with(2, 'LINE 2').with(20, 'LINE 20')));
    }
    const gone = desk.scratch.write('gone.txt', 'gone\n');
    await edit(gone, undefined);
    await row('gone.txt').waitFor();
    await vscode.commands.executeCommand('ideBridge.reviewChanges');
    const isIn = (path: string | undefined) =>
      until(
        'its first change',
        async () => {
          const { document, selection } = vscode.window.activeTextEditor ?? {};
          return document?.uri.fsPath === path && selection?.active.line === 2;
        },
        10_000,
        () => vscode.window.activeTextEditor?.document.uri.fsPath,
      );
    await counts('4 files');
    await isIn(paths[0]);
    const firsts = lensRows().filter({ hasText: '1/2' });
    // Those of the other files are lower, and may come first.
    const lensOfFirst = await until('the lens of the first file', async () => {
      const found = await highest(firsts.locator('a', { hasText: 'Keep File' }));
      return ((await found?.boundingBox())?.y ?? Infinity) < 300 && found;
    });
    await lensOfFirst.click();
    await counts('3 files');
    await isIn(paths[1]);
    await desk.ui.screenshot('own-review-one-left');
    letMomentPass();
    await page().keyboard.press('Alt+N');
    await until(
      'the line',
      () => readFileSync(paths[1] ?? '', 'utf8') === asText(original.with(20, 'LINE 20')),
    );
    await row('+1 −1').waitFor();
    await page().keyboard.press('Alt+N');
    await until('the text', () => readFileSync(paths[1] ?? '', 'utf8') === text);
    await counts('2 files');
    await row('b.txt').waitFor({ state: 'detached' });
    await clickHovered(row('c.txt'), 'Revert File', letMomentPass);
    await until('the text', () => readFileSync(paths[2] ?? '', 'utf8') === text);
    await counts('1 file');
    await until('the focus in the view', () => hasReviewFocus(page()));
    await page().locator('.editor-actions [aria-label^="Revert All Agent Changes"]').click();
    await until('the file', () => existsSync(gone));
    const labels = () => tabs().map((tab) => tab.label);
    // A file that is unsaved for long, as on a busy machine, gets a tab of its own from the editor.
    const isClosed = () => labels().every((each) => each === 'b.txt');
    await until('it to close', isClosed, 10_000, labels);
  });

  it('leaves the focus in the editor that comes to the front when it closes', async () => {
    const press = (title: string) => () => page().locator(`.editor-actions [aria-label^="${title}"]`).click();
    for (const [openIt, decide] of [
      [openDiff, press('Keep Agent Changes of This File')],
      [openDiff, () => page().keyboard.press('Control+Shift+Backspace')],
      [() => vscode.commands.executeCommand('ideBridge.reviewChanges'), press('Revert All Agent Changes')],
      [
        () => vscode.commands.executeCommand('ideBridge.reviewChanges'),
        () => vscode.commands.executeCommand('ideBridge.keepAllChanges'), // as the palette does
      ],
    ] as const) {
      const path = desk.scratch.write('a.txt', text);
      await edit(path, asText(changed));
      await row('a.txt').waitFor();
      const file = vscode.Uri.file(desk.scratch.write('mine.txt', ''));
      const mine = await vscode.window.showTextDocument(file, { preview: false });
      await openIt('a.txt');
      await page().locator('.editor.modified .view-line').first().click(); // lenses stand between the lines
      letMomentPass();
      await decide();
      await until('mine.txt in front', () => tabs().length === 1);
      await until('the focus', () =>
        page().evaluate<boolean>('document.activeElement.closest(".monaco-editor") !== null'),
      );
      await page().keyboard.type('typed');
      await until('what was typed', () => mine.document.getText() === 'typed');
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
  });

  it('takes a decision back by the key for undo, and nothing of the next file', async function () {
    skipOnFloor(this); // it gives no file of the review the focus by itself
    this.timeout(60_000);
    const now = asText(original.with(2, 'LINE 2').with(20, 'LINE 20'));
    const paths = ['a.txt', 'b.txt'].map((name) => desk.scratch.write(name, text));
    for (const path of paths) {
      await edit(path, now);
    }
    await row('b.txt').waitFor();
    await vscode.commands.executeCommand('ideBridge.reviewChanges');
    const isIn = async (path: string | undefined) => {
      await until('the next one', () => vscode.window.activeTextEditor?.document.uri.fsPath === path);
      await page().locator('.monaco-editor.focused').first().waitFor();
    };
    const isAsWritten = () =>
      paths.every((path) => readFileSync(path, 'utf8') === now) &&
      vscode.workspace.textDocuments.every(({ isDirty }) => !isDirty);
    await counts('2 files');
    await isIn(paths[0]);
    letMomentPass();
    await page().keyboard.press('Control+Enter');
    await counts('1 file');
    await isIn(paths[1]);
    await page().keyboard.press('Control+z');
    await counts('2 files');
    await page().getByText('Undone: Kept a.txt').waitFor();
    await row('a.txt').waitFor();
    assert.ok(isAsWritten());
    await desk.ui.screenshot('own-review-undone');
    await isIn(paths[0]);
    letMomentPass();
    await page().keyboard.press('Alt+Y');
    await row('+1 −1').waitFor();
    await page().keyboard.press('Alt+N');
    await until('the text', () => readFileSync(paths[0] ?? '', 'utf8') !== now);
    await counts('1 file');
    await page().keyboard.press('Control+z');
    await until('the text from before', isAsWritten);
    await counts('2 files');
    await isIn(paths[0]); // opened anew, with the focus after a moment
    await page().keyboard.press('Control+z');
    await until('both changes', async () => (await row('a.txt').innerText()).includes('+2'));
    assert.ok(isAsWritten());
    await isIn(paths[0]);
    await page().keyboard.type('mine');
    const { document } = vscode.window.activeTextEditor ?? {};
    await until('what was typed', () => document?.getText().includes('mine'));
    await page().keyboard.press('Control+z'); // the editor's own
    await until('it to be gone', () => document?.getText() === now);
    assert.equal(label(), 'Changes by Agents (2 files)');
  });
});
