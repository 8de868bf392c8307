import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { asText, changed, original } from '../../support/threeChanges.ts';
import { until } from '../../support/until.ts';
import { connectClient, endReview, holdMoment, letMomentPass, tabs, useDesk } from '../bridge.ts';
import { changesRows, editAs } from './edits.ts';

describe('changes of agents in the editor of a file', () => {
  let nextPid = 3_970_000; // above what Linux gives out, so that no two tests share a session
  const desk = useDesk(() => nextPid++);
  const page = () => desk.ui.page;

  beforeEach(() => vscode.commands.executeCommand('ideBridge.review.focus'));
  afterEach(endReview);

  const edit = (path: string, content: string, by = desk.client) => editAs(by, path, content);

  const row = (words: string) => changesRows(desk.ui).filter({ hasText: words }).first();
  const noRow = (words: string) => until('nothing listed', async () => (await row(words).count()) === 0);
  const lensRows = () => page().locator('.codelens-decoration:visible');
  const lens = (place: string, name: string) =>
    lensRows().filter({ hasText: place }).locator('a', { hasText: name }).first();
  const shown = async () =>
    (await lensRows().allTextContents())
      .map((words) => words.replace(/[^\x21-\x7e]+/g, ' ').trim())
      .filter(Boolean)
      .sort();
  const shows = (...words: string[]) =>
    until('the lenses', async () => (await shown()).join('\n') === words.sort().join('\n'), 10_000, shown);
  /** Of whole lines, by what they look like. */
  const colored = () =>
    page().evaluate<{ added: number; removed: number }>(`(() => {
      const all = [...document.querySelectorAll('.view-overlays .cdr[class*="TextEditorDecorationType"]')];
      const styles = all.map((each) => getComputedStyle(each));
      return {
        added: styles.filter(({ backgroundColor }) => backgroundColor !== 'rgba(0, 0, 0, 0)').length,
        removed: styles.filter(({ borderTopWidth }) => borderTopWidth === '1px').length,
      };
    })()`);
  const colors = (added: number, removed: number) =>
    until(
      `${added} added and ${removed} removed`,
      async () => {
        const found = await colored();
        return found.added === added && found.removed === removed;
      },
      10_000,
      colored,
    );
  const isAt = (name: string, line: number) =>
    until(
      `the cursor in ${name}, line ${line}`,
      () => {
        const { document, selection } = vscode.window.activeTextEditor ?? {};
        return document?.fileName.endsWith(name) && selection?.active.line === line;
      },
      10_000,
      () => vscode.window.activeTextEditor?.selection.active.line,
    );
  const open = async (path: string) => {
    await vscode.window.showTextDocument(vscode.Uri.file(path), { preview: false });
    await page().locator('.monaco-editor.focused .view-line').first().waitFor();
  };
  /** Until the watcher has told of what was saved. */
  const letListSettle = () => new Promise((resolve) => setTimeout(resolve, 1_500));
  const ofFile = 'Keep File | Revert File';
  const places = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      ['Keep | Revert | Comment', ...(count > 1 ? [`${i + 1}/${count}`] : [])].join(' | '),
    );

  it('are coloured, and decided one by one with the keys of a proposal, on into the next file', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    await open(file);
    await edit(file, asText(changed));
    const other = desk.scratch.write('b.txt', asText(original));
    await edit(other, asText(original.with(7, 'LINE 7')));
    await row('b.txt').waitFor();
    await shows(`${ofFile} | Next File`, ...places(3));
    await colors(2, 2);
    await desk.ui.screenshot('in-file');
    const { keyboard } = page();
    await keyboard.press('Control+Home');
    await keyboard.press('Alt+F5');
    await isAt('a.txt', 2);
    letMomentPass();
    await keyboard.press('Alt+Y');
    await isAt('a.txt', 10);
    await shows(`${ofFile} | Next File`, ...places(2));
    await colors(1, 1);
    await keyboard.press('Alt+N');
    await until('the lines that were gone', () => readFileSync(file, 'utf8').includes('line 10\nline 11\n'));
    await isAt('a.txt', 21);
    await keyboard.press('Alt+Y');
    await isAt('b.txt', 7);
    await shows(ofFile, ...places(1));
    await colors(1, 1);
    await noRow('a.txt');
    letMomentPass();
    await keyboard.press('Alt+N');
    await page().getByText('All changes by agents are reviewed.').waitFor();
    await until('the line from before', () => readFileSync(other, 'utf8') === asText(original));
    await colors(0, 0);
    assert.equal(tabs().filter(({ input }) => input instanceof vscode.TabInputTextDiff).length, 0);
  });

  it('are decided by their lenses, which lead to the next file, also that of a file as a whole', async () => {
    const [first = '', second = ''] = ['a.txt', 'b.txt'].map((name) =>
      desk.scratch.write(name, asText(original)),
    );
    await edit(first, asText(original.with(2, 'LINE 2').with(20, 'LINE 20')));
    await edit(second, asText(original.with(7, 'LINE 7')));
    await edit(desk.scratch.path('new.txt'), 'new\nlines');
    await row('new.txt').waitFor();
    await open(first);
    await lens('2/2', 'Revert').click();
    await until('the line from before', () => readFileSync(first, 'utf8').includes('\nline 20\n'));
    await isAt('a.txt', 2);
    await lens('Comment', 'Keep').click();
    await isAt('b.txt', 7);
    await lens('Keep File', 'Next File').click();
    await isAt('new.txt', 0);
    await shows(`${ofFile} | Comment | Next File`);
    await colors(2, 0);
    await desk.ui.screenshot('in-new-file');
    await lens('Keep File', 'Keep File').click();
    await isAt('b.txt', 7);
    await lens('Keep File', 'Revert File').click();
    await page().getByText('All changes by agents are reviewed.').waitFor();
    await shows();
  });

  it('are not what the user types there, which stays when the rest is decided', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    await open(file);
    await edit(file, asText(changed));
    await shows(ofFile, ...places(3));
    const { keyboard } = page();
    await keyboard.press('Control+End');
    await keyboard.type('mine');
    await keyboard.press('Control+Home');
    await keyboard.type('mine too');
    await keyboard.press('Enter');
    await shows(ofFile, ...places(3));
    await colors(2, 2);
    await keyboard.press('Control+Home');
    letMomentPass();
    await keyboard.press('Alt+N');
    await page()
      .locator('.notification-toast', { hasText: 'Put the cursor into a changed line first.' })
      .waitFor();
    await vscode.window.activeTextEditor?.document.save();
    await row('+2 −3').waitFor();
    for (const left of [3, 2, 1]) {
      await shows(ofFile, ...places(left));
      await lens(left > 1 ? `1/${left}` : 'Comment', left === 2 ? 'Revert' : 'Keep').click();
    }
    await noRow('a.txt');
    const now = ['mine too', ...original.with(2, 'LINE 2').slice(0, 21), 'more', ...original.slice(21)];
    assert.equal(readFileSync(file, 'utf8'), `${asText(now)}mine`);
    // What the agent writes over it is to be reviewed anew.
    await edit(file, `${asText(now.with(5, 'AGAIN'))}mine`);
    await shows(ofFile, ...places(1));
    await colors(1, 1);
  });

  it('are not what the user saves elsewhere in it, which stays when the file is reverted', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    await open(file);
    await edit(file, asText(original.with(2, 'LINE 2')));
    await shows(ofFile, ...places(1));
    const { keyboard } = page();
    const document = vscode.window.activeTextEditor?.document;
    await keyboard.press('Control+End');
    await keyboard.type('mine');
    await keyboard.press('Enter');
    const saving = document?.save();
    await keyboard.press('Control+Home');
    await keyboard.type('mine too'); // while it is written
    await keyboard.press('Enter');
    await saving;
    await document?.save();
    const now = (line: string) => ['mine too', ...original.with(2, line), 'mine'];
    assert.equal(readFileSync(file, 'utf8'), asText(now('LINE 2')));
    await letListSettle();
    await row('+1 −1').waitFor();
    await page()
      .locator('.statusbar-item[id$="ideBridge.changes"]', { hasText: /1 file, 1 change\b/ })
      .waitFor();
    await shows(ofFile, ...places(1));
    await colors(1, 1);
    await desk.ui.screenshot('in-file-saved');
    await lens('Keep File', 'Revert File').click();
    await noRow('a.txt');
    await until('the lines of the user alone', () => readFileSync(file, 'utf8') === asText(now('line 2')));
    assert.equal(await page().getByText('with what you saved there since').count(), 0);
  });

  it('are what the user saves beside them, too, which a revert of the file says', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    await open(file);
    await edit(file, asText(original.with(2, 'LINE 2')));
    await shows(ofFile, ...places(1));
    const { keyboard } = page();
    await keyboard.press('Control+Home');
    for (let line = 0; line < 2; line++) await keyboard.press('ArrowDown');
    await keyboard.press('End');
    await keyboard.type(' and mine');
    await vscode.window.activeTextEditor?.document.save();
    await letListSettle();
    await row('+1 −1').waitFor();
    await lens('Keep File', 'Revert File').click();
    await until('the text from before', () => readFileSync(file, 'utf8') === asText(original));
    await page().locator('.notification-toast', { hasText: 'with what you saved there since' }).waitFor();
  });

  it('of two sessions are decided without asking whose: both are compared with what was there first', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    await edit(file, asText(original.with(2, 'LINE 2')));
    const other = await connectClient(nextPid++);
    await edit(file, asText(original.with(2, 'LINE 2').with(20, 'LINE 20')), other);
    await row('+2 −2').waitFor();
    await open(file);
    await shows(ofFile, ...places(2));
    const { keyboard } = page();
    await keyboard.press('Alt+F5');
    await isAt('a.txt', 2);
    letMomentPass();
    await keyboard.press('Alt+N');
    await isAt('a.txt', 20);
    await keyboard.press('Alt+Y');
    await noRow('a.txt');
    assert.equal(readFileSync(file, 'utf8'), asText(original.with(20, 'LINE 20')));
  });

  it('tell on a hover what stood there, as text, whatever stands in it', async () => {
    const hostile = ['````', '[a](command:workbench.action.quit)', '<b>bold</b>', '```js'];
    const file = desk.scratch.write('a.md', asText(original.toSpliced(3, 0, ...hostile)));
    await open(file);
    await edit(file, asText(original));
    await colors(0, 1);
    const hover = page().locator('.monaco-hover', { hasText: 'Before the agent' });
    await until('the hover', async () => {
      await page().mouse.move(700, 600);
      await page()
        .locator('.view-line', { hasText: /^line.3$/ })
        .hover({ position: { x: 20, y: 8 } });
      return hover.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    });
    await desk.ui.screenshot('in-file-hover');
    for (const line of hostile) {
      assert.ok((await hover.innerText()).replaceAll('\u00a0', ' ').includes(line), line);
    }
    assert.equal(await hover.locator('a[data-href], b').count(), 0);
  });

  it('come and go with their settings', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    await edit(file, asText(changed));
    await open(file);
    await shows(ofFile, ...places(3));
    await desk.configure('ideBridge.changes.lenses', false);
    await shows();
    await colors(2, 2);
    await desk.configure('ideBridge.changes.colors', false);
    await colors(0, 0);
    await desk.configure('ideBridge.changes.lenses', true);
    await shows(ofFile, ...places(3));
  });

  it('are not what the user types after a save, before anything has looked at it again', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    await open(file);
    await edit(file, asText(original.with(20, 'LINE 20')));
    await shows(ofFile, ...places(1));
    const editor = vscode.window.activeTextEditor ?? assert.fail();
    const typesFirst = (line: string) =>
      editor.edit((builder) => builder.insert(new vscode.Position(0, 0), `${line}\n`));
    await typesFirst('saved');
    await letListSettle(); // it is looked at
    // Within the 50 ms after which the colours are looked at.
    const typed = new Promise((resolve) => {
      const subscription = vscode.workspace.onDidSaveTextDocument(() => {
        subscription.dispose();
        resolve(typesFirst('not saved'));
      });
    });
    await editor.document.save();
    await typed;
    assert.ok(editor.document.isDirty);
    await letListSettle();
    await row('+1 −1').waitFor();
    await shows(ofFile, ...places(1));
    await colors(1, 1);
  });

  it('stay in place, frame by frame, while the agent writes elsewhere in the file', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `line ${i}`);
    const file = desk.scratch.write('a.txt', asText(lines));
    await open(file);
    let text = lines.with(60, 'LINE 60');
    await edit(file, asText(text));
    const at = new vscode.Range(60, 0, 60, 0);
    vscode.window.activeTextEditor?.revealRange(at, vscode.TextEditorRevealType.InCenter);
    await shows(...places(1));
    await colors(1, 1);
    /** What each frame has shown of it, in px from the top of the window; once for each that differs from the one before. */
    await page().evaluate(`(() => {
      const frames = (window.changeFrames = []);
      const topOf = (selector, words) => {
        const found = [...document.querySelectorAll(selector)].find((each) =>
          words.test(each.textContent.replaceAll('\\u00a0', ' ')));
        return found && Math.round(found.getBoundingClientRect().top);
      };
      const look = () => {
        const colors = [...document.querySelectorAll('.view-overlays .cdr[class*="TextEditorDecorationType"]')]
          .filter((each) => getComputedStyle(each).backgroundColor !== 'rgba(0, 0, 0, 0)');
        const seen = [
          topOf('.view-line', /^LINE 60$/),
          topOf('.codelens-decoration', /Keep.*Revert.*Comment/),
          colors.map((each) => Math.round(each.getBoundingClientRect().top)).join(' '),
        ].join();
        if (frames.at(-1)?.seen !== seen) {
          frames.push({ seen, count: 0 });
        }
        frames.at(-1).count++;
        if (window.changeFrames) requestAnimationFrame(look);
      };
      look();
    })()`);
    for (let i = 0; i < 10; i++) {
      text = i % 2 === 0 ? [...text, `new ${i}`] : text.with(150, `LINE 150, ${i}`);
      await edit(file, asText(text));
    }
    await until('the last text', () => vscode.window.activeTextEditor?.document.getText() === asText(text));
    await lensRows().filter({ hasText: '1/3' }).first().waitFor();
    await letListSettle();
    const frames = await page().evaluate<{ seen: string; count: number }[]>(`(() => {
      const frames = window.changeFrames;
      delete window.changeFrames;
      return frames;
    })()`);
    assert.equal(frames.length, 1, JSON.stringify(frames));
    assert.match(frames[0]?.seen ?? '', /^\d+,\d+,\d+$/);
    assert.ok((frames[0]?.count ?? 0) > 20);
  });

  it('say what was reverted once the next file is in front, and go back there to undo it', async () => {
    const [first = '', second = ''] = ['a.txt', 'b.txt'].map((name) =>
      desk.scratch.write(name, asText(original)),
    );
    const agents = asText(original.with(2, 'LINE 2'));
    await edit(first, agents);
    await edit(second, asText(original.with(7, 'LINE 7')));
    await row('b.txt').waitFor();
    await open(first);
    await shows(`${ofFile} | Next File`, ...places(1));
    const { keyboard } = page();
    await keyboard.press('Alt+F5');
    await isAt('a.txt', 2);
    letMomentPass();
    await keyboard.press('Alt+N');
    await isAt('b.txt', 7);
    assert.equal(readFileSync(first, 'utf8'), asText(original));
    await noRow('a.txt');
    const item = page().locator('[id$="ideBridge.undoKeep"]', { hasText: 'Reverted a change in a.txt' });
    await item.waitFor();
    await desk.ui.screenshot('in-file-reverted');
    await item.click();
    await until('the line of the agent', () => readFileSync(first, 'utf8') === agents);
    await row('a.txt').waitFor();
    await until('the file', () => vscode.window.activeTextEditor?.document.uri.fsPath === first);
    await shows(`${ofFile} | Next File`, ...places(1));
    await item.waitFor({ state: 'hidden' });
    assert.equal(readFileSync(second, 'utf8'), asText(original.with(7, 'LINE 7')));
  });

  it('take no key that came just as the file did', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    const agents = asText(original.with(2, 'LINE 2'));
    await edit(file, agents);
    await open(file);
    await shows(ofFile, ...places(1));
    await open(desk.scratch.write('mine.txt', 'mine\n'));
    const goOn = holdMoment();
    await open(file);
    await page().keyboard.press('Alt+F5');
    await isAt('a.txt', 2);
    await page().keyboard.press('Alt+N');
    await page().getByText('Not reverted: the file came to the front only just now').waitFor();
    goOn();
    assert.equal(readFileSync(file, 'utf8'), agents);
  });

  it('have what is decided about one in the first line before what is about the file', async () => {
    const file = desk.scratch.write('a.txt', asText(original));
    await edit(file, asText(original.with(0, 'LINE 0').with(20, 'LINE 20')));
    await edit(desk.scratch.path('new.txt'), 'new\n');
    await row('new.txt').waitFor();
    await open(file);
    await shows(`Keep | Revert | ${ofFile} | Comment | 1/2 | Next File`, places(2)[1] ?? '');
    await desk.ui.screenshot('in-file-first-line');
  });
});
