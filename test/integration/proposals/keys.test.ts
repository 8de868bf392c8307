import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { hasReviewFocus, redrawTime, reviewPane } from '../../support/reviewRows.ts';
import { asText } from '../../support/threeChanges.ts';
import { until } from '../../support/until.ts';
import { useDialogs } from '../dialogs.ts';
import { repeatTime } from '../../../src/proposals/inFront.ts';
import {
  clickInto,
  connectClient,
  holdMoment,
  letMomentPass,
  prompt,
  propose,
  proposalTabs,
  skipOnFloor,
  useDesk,
} from '../bridge.ts';

describe('keys belong to what the user types in:', () => {
  const desk = useDesk();
  const nextDialog = useDialogs();
  const hundredKeys = 'abcdefghi '.repeat(10);
  let file: string;

  beforeEach(() => {
    file = desk.scratch.write('hello.txt', 'one\n');
  });
  afterEach(() => vscode.commands.executeCommand('workbench.action.files.revert'));
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closePanel');
    await vscode.commands.executeCommand('workbench.view.explorer');
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  });

  const keyboard = () => desk.ui.page.keyboard;
  /** As keyboards do: a flood of keys is no finger that rests on one. */
  const repeatAfter = 33;
  const repeat = async (key: string) => {
    await keyboard().down(key);
    await setTimeout(repeatAfter);
  };
  const set = (name: string, value: unknown) => desk.configure(`ideBridge.diff.${name}`, value);
  const proposedSide = () => desk.ui.page.locator('.editor.modified .view-lines').first();
  const activeUri = () => vscode.window.activeTextEditor?.document.uri.toString();
  const hasEditorFocus = () =>
    desk.ui.page.evaluate<boolean>('document.activeElement.closest(".monaco-editor") !== null');

  const openNotes = () => clickInto(desk.ui, desk.scratch.write('notes.txt', ''));

  /** Types a hundred keys, and does `meanwhile` in the midst of them. @returns what it gives */
  async function typing<T>(into: vscode.TextDocument, meanwhile: () => Promise<T>): Promise<T> {
    const typed = keyboard().type(hundredKeys, { delay: 15 });
    await until('some of the keys', () => into.getText().includes(hundredKeys.slice(0, 30)));
    const [result] = await Promise.all([meanwhile(), typed]);
    return result;
  }

  const has = (document: vscode.TextDocument) =>
    until(
      'all keys',
      () => document.getText().includes(hundredKeys),
      5_000,
      () => document.getText(),
    );

  /** Into the diff of the next proposal that waits, by its key. */
  async function goToProposal(uri: vscode.Uri): Promise<void> {
    await keyboard().press('Shift+Alt+K');
    await until('the diff in front', () => activeUri() === uri.toString());
    await until('the focus', hasEditorFocus);
  }

  const inFront = () => vscode.window.tabGroups.activeTabGroup.activeTab?.label ?? '';

  /** The first in *Review All*, which stays in front when a third proposal comes. */
  async function decideWhileOneMoreComes(answer: Promise<string[]>): Promise<void> {
    letMomentPass();
    await keyboard().press('Control+Enter');
    assert.deepEqual(await answer, ['FILE_SAVED', 'first\n']);
    await propose(desk.client, desk.scratch.path('c.txt'), 'third\n', 'C');
    await until('one more', () => proposalTabs().some((label) => label.startsWith('c.txt')));
    assert.match(inFront(), /^Proposals of/);
  }

  /** Opens a terminal and clicks into it. @returns the file that keeps what is typed there */
  async function openTerminal(): Promise<string> {
    const typed = desk.scratch.path('typed.txt');
    const shellArgs = ['-c', `stty raw -echo; exec cat > '${typed}'`];
    const terminal = vscode.window.createTerminal({ shellPath: '/bin/sh', shellArgs });
    terminal.show();
    await desk.ui.page.locator('.panel .xterm').click();
    await until('the terminal', () => desk.ui.hasTerminalFocus());
    await until('its program', () => existsSync(typed));
    return typed;
  }

  it('a proposal that comes while they type opens behind their file; one key goes there', async () => {
    const notes = await openNotes();
    const { answer, uri } = await typing(notes, () => propose(desk.client, file, 'changed\n'));
    await has(notes);
    assert.equal(activeUri(), notes.uri.toString());
    assert.ok(await hasEditorFocus());
    await desk.ui.page.locator('.statusbar-item', { hasText: '1 proposal' }).waitFor();
    await goToProposal(uri);
    letMomentPass();
    await keyboard().press('Control+Enter');
    assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
    await desk.ui.page.locator('.statusbar-item', { hasText: '1 proposal' }).waitFor({ state: 'detached' });
  });

  it('one key goes there from a terminal, too', async () => {
    const typed = await openTerminal();
    const { uri } = await propose(desk.client, file, 'changed\n');
    await keyboard().type('x');
    await until('the typing', () => readFileSync(typed, 'utf8') === 'x');
    await goToProposal(uri);
    await keyboard().type('y');
    const proposed = await vscode.workspace.openTextDocument(uri);
    await until('the key in the diff', () => proposed.getText().includes('y'));
    assert.equal(readFileSync(typed, 'utf8'), 'x');
  });

  it('one key goes from a terminal to the one in front, and on to the next', async () => {
    const first = await propose(desk.client, file, 'changed\n', 'A');
    const second = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
    await vscode.commands.executeCommand('ideBridge.openProposal', first.uri);
    await until('the first in front', () => activeUri() === first.uri.toString());
    await openTerminal();
    for (const { uri } of [first, second]) {
      await goToProposal(uri);
      await keyboard().type('y');
      const proposed = await vscode.workspace.openTextDocument(uri);
      await until('the key in that diff', () => proposed.getText().includes('y'));
    }
  });

  it('so does one that comes while they edit another, and is next when that is decided', async () => {
    const first = await propose(desk.client, file, 'first\n', 'A');
    await proposedSide().click();
    await keyboard().press('Control+Home');
    const document = await vscode.workspace.openTextDocument(first.uri);
    const second = await typing(document, () =>
      propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B'),
    );
    await has(document);
    await keyboard().press('Control+Enter');
    assert.deepEqual(await first.answer, ['FILE_SAVED', `${hundredKeys}first\n`]);
    await until('the second in front', () => activeUri() === second.uri.toString());
    await until('the focus', hasEditorFocus);
    letMomentPass();
    await keyboard().press('Control+Enter');
    assert.deepEqual(await second.answer, ['FILE_SAVED', 'second\n']);
  });

  it('so does one that comes when the prompt before was told of late, as they type again', async () => {
    const notes = await openNotes();
    await typing(notes, () => desk.client.callForTexts('closeAllDiffTabs'));
    await propose(desk.client, file, 'changed\n');
    assert.equal(activeUri(), notes.uri.toString());
    await keyboard().type('x');
    await until('the key', () => notes.getText().endsWith('x'));
  });

  it('so do several beside it', async function () {
    skipOnFloor(this);
    await set('location', 'beside');
    const notes = await openNotes();
    const first = await typing(notes, () => propose(desk.client, file, 'first\n', 'A'));
    await has(notes);
    await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
    assert.equal(activeUri(), notes.uri.toString());
    for (let press = 0; press < 3; press++) {
      await keyboard().type('x');
      await until('the key', () => notes.isDirty);
      await keyboard().press('Control+s');
      await until('the notes to be saved', () => !notes.isDirty);
    }
    assert.equal(proposalTabs().length, 2);
    await goToProposal(first.uri);
  });

  it('a save is of the file that they type in, and accepts nothing', async () => {
    const notes = await openNotes();
    await keyboard().type('mine');
    await until('the typing', () => notes.getText() === 'mine');
    await propose(desk.client, file, 'changed\n');
    await keyboard().press('Control+s');
    await until('the notes to be saved', () => readFileSync(notes.uri.fsPath, 'utf8') === 'mine');
    assert.equal(proposalTabs().length, 1);
  });

  for (const { key, decided, refusal } of [
    { key: 'Control+Enter', decided: ['FILE_SAVED', 'first\n'], refusal: 'Not accepted' },
    { key: 'Control+Shift+Backspace', decided: ['DIFF_REJECTED', 'A'], refusal: 'Not rejected' },
  ]) {
    it(`${key} decides one proposal, and leaves the next while it is held`, async () => {
      const second = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
      const first = await propose(desk.client, file, 'first\n', 'A');
      await proposedSide().click();
      const [last = '', ...modifiers] = key.split('+').reverse();
      for (const modifier of modifiers) await keyboard().down(modifier);
      // Where the machine stands still for as long as it is given, a key that is held would be another one.
      const goOn = holdMoment();
      await keyboard().down(last);
      assert.deepEqual(await first.answer, decided);
      await until('the next in front', () => activeUri() === second.uri.toString());
      await until('the focus', hasEditorFocus);
      const document = await vscode.workspace.openTextDocument(second.uri);
      for (let time = 0; time < 1_500; time += repeatAfter) {
        letMomentPass(repeatAfter);
        await repeat(last);
      }
      assert.deepEqual(proposalTabs(), ['b.txt (proposed new file)']);
      assert.equal(document.getText(), 'second\n');
      await desk.ui.page.getByText(`${refusal}: the proposal came to the front only just now`).waitFor();
      for (const down of [last, ...modifiers]) await keyboard().up(down);
      goOn();
      letMomentPass();
      await keyboard().press(key);
      assert.equal((await second.answer)[0], decided[0]);
    });
  }

  it('act in their order, however fast they come: what was dropped is not accepted', async () => {
    const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line}`);
    const file = desk.scratch.write('long.txt', `${lines.join('\n')}\n`);
    const changed = (...changes: number[]) => {
      const proposed = lines.map((text, line) => (changes.includes(line) ? text.toUpperCase() : text));
      return `${proposed.join('\n')}\n`;
    };
    const other = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
    const { answer, uri } = await propose(desk.client, file, changed(2, 10_000, 19_000));
    const caret = () =>
      vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString())
        ?.selection.active.line;
    // Where the editor puts it once it knows the changes, which takes long in so many lines.
    await until('the caret in the first change', () => caret() === 2, 30_000, caret);
    await proposedSide().click();
    await until('the diff in front', () => activeUri() === uri.toString());
    letMomentPass();
    await keyboard().press('Control+Home');
    // Else the window may tell of it after the keys that follow, on a busy machine.
    await until('the start', () => caret() === 0, 10_000, caret);
    for (const key of ['Alt+F5', 'Alt+Y', 'Alt+N', 'Alt+N', 'Control+Enter']) await keyboard().press(key);
    const [verdict, text = ''] = await answer;
    assert.equal(verdict, 'FILE_SAVED');
    assert.deepEqual(
      text.split('\n').filter((line) => line.startsWith('LINE')),
      ['LINE 2'],
    );
    assert.equal(text, changed(2));
    await until('the other in front', () => activeUri() === other.uri.toString());
    assert.deepEqual(proposalTabs(), ['b.txt (proposed new file)']);
  });

  it('Control+Enter accepts nothing when a change could not be dropped just before', async () => {
    const { answer, uri } = await propose(desk.client, desk.scratch.write('a.txt', 'a\nb\nc\n'), 'a\nb\nC\n');
    await proposedSide().click();
    await until('the diff in front', () => activeUri() === uri.toString());
    letMomentPass();
    await keyboard().press('Control+Home');
    for (const key of ['Alt+N', 'Control+Enter']) await keyboard().press(key);
    await desk.ui.page.getByText('There is no proposed change at the cursor').first().waitFor();
    await setTimeout(500); // in which it would be accepted
    assert.equal(proposalTabs().length, 1);
    letMomentPass(); // in which the user sees it
    await keyboard().press('Control+Enter');
    assert.equal((await answer)[0], 'FILE_SAVED');
  });

  it('Alt+N drops nothing of a proposal that has only just come to the front', async () => {
    const next = await propose(desk.client, desk.scratch.write('b.txt', 'b\n\n'), 'B\n\nC\n', 'B');
    const first = await propose(desk.client, file, 'first\n', 'A');
    await proposedSide().click();
    letMomentPass();
    const goOn = holdMoment(); // a busy machine may take longer to show the next
    await keyboard().press('Control+Enter');
    assert.deepEqual(await first.answer, ['FILE_SAVED', 'first\n']);
    await until('the next in front', () => activeUri() === next.uri.toString());
    await until('the focus', hasEditorFocus);
    await keyboard().press('Alt+N');
    await desk.ui.page.getByText('Not dropped: the proposal came to the front only just now').waitFor();
    goOn();
    letMomentPass();
    await keyboard().press('Alt+N');
    const document = await vscode.workspace.openTextDocument(next.uri);
    await until('the change to be gone', () => document.getText() === 'b\n\nC\n');
    await keyboard().press('Alt+Y');
    await desk.ui.page.getByText('Each change in b.txt is decided').waitFor();
  });

  it('after the last proposal of a session they are back where they were, though another session has some', async () => {
    const notes = await openNotes();
    await keyboard().type('mine');
    await until('the typing', () => notes.getText() === 'mine');
    const other = await connectClient();
    const second = await propose(other, desk.scratch.path('b.txt'), 'second\n', 'B');
    const first = await propose(desk.client, file, 'first\n', 'A');
    await goToProposal(second.uri);
    await goToProposal(first.uri);
    letMomentPass();
    await keyboard().press('Control+Enter');
    assert.deepEqual(await first.answer, ['FILE_SAVED', 'first\n']);
    await until('the notes in front', () => activeUri() === notes.uri.toString());
    await keyboard().type(' again');
    await until('the keys in the notes', () => notes.getText() === 'mine again');
    assert.equal(proposalTabs().length, 1);
  });

  describe('the next edit of one answer, proposed once the one before is decided,', () => {
    let notes: vscode.TextDocument;

    /** Decides a proposal in front, after which they are back in their notes. */
    async function decideFirst(): Promise<void> {
      notes = await openNotes();
      await keyboard().type('mine');
      await until('the typing', () => notes.getText() === 'mine');
      const first = await propose(desk.client, file, 'first\n', 'A');
      await goToProposal(first.uri);
      letMomentPass();
      await keyboard().press('Control+Enter');
      assert.deepEqual(await first.answer, ['FILE_SAVED', 'first\n']);
    }

    it('has the focus, too; after the last they are back where they were', async () => {
      await decideFirst();
      const second = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
      await until('the second in front', () => activeUri() === second.uri.toString());
      await until('the focus', hasEditorFocus);
      letMomentPass();
      await keyboard().press('Control+Enter');
      assert.deepEqual(await second.answer, ['FILE_SAVED', 'second\n']);
      await until('the notes in front', () => activeUri() === notes.uri.toString());
      await until('the focus', hasEditorFocus);
      await keyboard().type(' again');
      await until('the keys in the notes', () => notes.getText() === 'mine again');
    });

    it('comes behind what they have typed in since', async () => {
      await decideFirst();
      await until('the notes in front', () => activeUri() === notes.uri.toString());
      await until('the focus', hasEditorFocus);
      await keyboard().type(' again');
      await until('the keys in the notes', () => notes.getText() === 'mine again');
      await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
      assert.equal(activeUri(), notes.uri.toString());
    });

    it('comes behind Review All, where that one was decided', async () => {
      await openNotes();
      await keyboard().type('mine');
      const first = await propose(desk.client, file, 'first\n', 'A');
      await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
      await vscode.commands.executeCommand('ideBridge.reviewAllProposals');
      await until('Review All', () => inFront().includes('2 files'));
      await desk.ui.page.locator('.editor.modified .view-line', { hasText: 'first' }).last().click();
      await until('the first one', () => activeUri() === first.uri.toString());
      await decideWhileOneMoreComes(first.answer);
    });

    it('comes behind it when it is of another session, or late', async () => {
      await decideFirst();
      await until('the notes in front', () => activeUri() === notes.uri.toString());
      await propose(await connectClient(), desk.scratch.path('b.txt'), 'second\n', 'B');
      assert.equal(activeUri(), notes.uri.toString());
      letMomentPass(3_000);
      await propose(desk.client, desk.scratch.path('c.txt'), 'third\n', 'C');
      assert.equal(activeUri(), notes.uri.toString());
    });
  });

  it('who goes on in a file of theirs while a decided diff closes stays there', async () => {
    const notes = await openNotes();
    await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
    const first = await propose(desk.client, file, 'first\n', 'A');
    await vscode.commands.executeCommand('ideBridge.openProposal', first.uri);
    await proposedSide().click();
    await keyboard().type('my ');
    // An edited diff is saved before it closes, which may take its time.
    const slowly = vscode.workspace.onWillSaveTextDocument((event) => event.waitUntil(setTimeout(1_000)));
    await keyboard().press('Control+Enter');
    assert.equal((await first.answer)[0], 'FILE_SAVED');
    await vscode.window.showTextDocument(notes, { preview: false });
    await keyboard().type('mine');
    await until('the diff to be gone', () => proposalTabs().length === 1);
    slowly.dispose();
    await setTimeout(500); // in which the next one would come to the front
    assert.equal(activeUri(), notes.uri.toString());
    await keyboard().type(' again');
    await until('the keys in the notes', () => notes.getText() === 'mine again');
  });

  for (const { key, decided } of [
    { key: 'Control+Enter', decided: 'FILE_SAVED' },
    { key: 'Control+Shift+Backspace', decided: 'DIFF_REJECTED' },
  ]) {
    /** Decides with the key, and holds it long after the focus is where `isBack` says. */
    async function hold(answer: Promise<string[]>, isBack: () => Promise<boolean>): Promise<void> {
      const [last = '', ...modifiers] = key.split('+').reverse();
      for (const modifier of modifiers) await keyboard().down(modifier);
      await keyboard().down(last);
      const repeats: Promise<void>[] = [];
      // It comes again also while the window stands still.
      const repeating = setInterval(() => repeats.push(keyboard().down(last)), repeatAfter);
      assert.equal((await answer)[0], decided);
      await until('the focus', isBack);
      await setTimeout(1_500);
      clearInterval(repeating);
      await Promise.all(repeats);
      for (const down of [last, ...modifiers]) await keyboard().up(down);
    }

    it(`${key} that is held after the last proposal writes nothing into their file`, async () => {
      const notes = await openNotes();
      await keyboard().type('mine');
      await until('the typing', () => notes.getText() === 'mine');
      const { answer, uri } = await propose(desk.client, file, 'changed\n');
      await goToProposal(uri);
      letMomentPass();
      await hold(answer, () => Promise.resolve(activeUri() === notes.uri.toString()));
      assert.equal(notes.getText(), 'mine');
    });

    it(`${key} that is held after the last proposal presses nothing in their terminal`, async () => {
      const typed = await openTerminal();
      await keyboard().type('x');
      await until('the typing', () => readFileSync(typed, 'utf8') === 'x');
      const { answer, uri } = await propose(desk.client, file, 'changed\n');
      await vscode.commands.executeCommand('ideBridge.openProposal');
      await until('the diff in front', () => activeUri() === uri.toString());
      await until('the focus', hasEditorFocus);
      letMomentPass();
      await hold(answer, () => desk.ui.hasTerminalFocus());
      await keyboard().type('y');
      await until('the next key', () => readFileSync(typed, 'utf8').endsWith('y'));
      assert.equal(readFileSync(typed, 'utf8'), 'xy');
    });
  }

  for (const [place, command, has] of [
    ['the explorer', 'workbench.files.action.focusFilesExplorer', '.explorer-folders-view'],
    ['the search', 'workbench.view.search', '.search-view'],
    ['the debug console', 'workbench.panel.repl.view.focus', '.repl'],
  ] as const) {
    it(`decide nothing from ${place}, though a diff is in front`, async () => {
      const { answer, uri } = await propose(desk.client, file, 'changed\n');
      await proposedSide().click();
      await until('the diff in front', () => activeUri() === uri.toString());
      await vscode.commands.executeCommand(command);
      await until('the focus', () =>
        desk.ui.page.evaluate<boolean>(`document.activeElement.closest('${has}') !== null`),
      );
      for (const key of ['Control+Enter', 'Control+Shift+Backspace']) await keyboard().press(key);
      await desk.client.request('ping');
      assert.equal(proposalTabs().length, 1);
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      await answer;
    });
  }

  describe('on a row of the proposals', () => {
    const pane = () => reviewPane(desk.ui.page);
    const focusedRow = (name: string) => pane().locator('.monaco-list-row.focused', { hasText: name });
    const hasTreeFocus = () => hasReviewFocus(desk.ui.page);
    /** As a fast hand does: the window gets all of them before anything that they bring about. */
    const pressAtOnce = (...keys: { key: string; keyCode: number; ctrlKey?: boolean }[]) =>
      desk.ui.page.evaluate((all) => {
        for (const key of all) {
          const event = new KeyboardEvent('keydown', {
            ...key,
            code: key.key,
            bubbles: true,
            cancelable: true,
          });
          document.activeElement?.dispatchEvent(event);
        }
      }, keys);
    const down = { key: 'ArrowDown', keyCode: 40 };
    const accept = { key: 'Enter', keyCode: 13, ctrlKey: true };

    /** Goes to the row of the first file of the session, which is the only one. */
    async function goToFirst(name: string): Promise<void> {
      const files = pane().locator('.monaco-list-row', { hasText: '.txt' });
      // Those that are drawn anew, with their counts, have no focus for a moment, and the view none for a while.
      await until('the focus in the tree', async () => {
        await vscode.commands.executeCommand('ideBridge.review.focus');
        if ((await files.filter({ hasNotText: /\+\d/ }).count()) > 0 || !(await hasTreeFocus())) {
          return false;
        }
        for (const key of ['Home', 'ArrowDown', 'ArrowDown']) await keyboard().press(key);
        await setTimeout(redrawTime);
        return (await focusedRow(name).count()) > 0;
      });
      letMomentPass();
    }

    beforeEach(() => setTimeout(repeatTime + 100)); // the key of the test before may be held

    it('decide the one that has the focus when they are pressed', async () => {
      const first = await propose(desk.client, desk.scratch.path('a.txt'), 'first\n', 'A');
      const second = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
      await propose(desk.client, desk.scratch.path('c.txt'), 'third\n', 'C');
      await goToFirst('a.txt');
      await pressAtOnce(down, accept, down);
      assert.deepEqual(await second.answer, ['FILE_SAVED', 'second\n']);
      await until('the others', () => proposalTabs().length === 2);
      await setTimeout(repeatTime + 100); // as long as it may be held
      await goToFirst('a.txt');
      await pressAtOnce(accept, down);
      assert.deepEqual(await first.answer, ['FILE_SAVED', 'first\n']);
      await until('the last one', () => proposalTabs().join().startsWith('c.txt'));
    });

    it('decide nothing where that has gone just before, and then the one that is seen to have it', async () => {
      await propose(desk.client, desk.scratch.path('a.txt'), 'first\n', 'A');
      const second = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
      await goToFirst('a.txt');
      const goOn = holdMoment();
      await desk.client.callForTexts('close_tab', { tab_name: 'A' });
      await keyboard().press('Control+Enter');
      await setTimeout(500); // in which b.txt could be decided in its place
      goOn();
      assert.equal(proposalTabs().length, 1);
      await pane().locator('.monaco-list-row', { hasText: 'a.txt' }).waitFor({ state: 'detached' });
      await setTimeout(repeatTime + 100);
      letMomentPass();
      await goToFirst('b.txt');
      await keyboard().press('Control+Enter');
      assert.deepEqual(await second.answer, ['FILE_SAVED', 'second\n']);
    });

    it('leave the focus in the tree, also where the diff is in front', async () => {
      const proposals = [];
      for (const name of ['a.txt', 'b.txt', 'c.txt']) {
        proposals.push(await propose(desk.client, desk.scratch.path(name), `${name}\n`, name));
      }
      const [first, second] = proposals;
      assert.ok(first && second);
      await vscode.commands.executeCommand('ideBridge.openProposal', first.uri);
      await until('the first in front', () => activeUri() === first.uri.toString());
      await goToFirst('a.txt');
      await keyboard().press('Control+Enter');
      assert.deepEqual(await first.answer, ['FILE_SAVED', 'a.txt\n']);
      await until('its diff to be gone', () => proposalTabs().length === 2);
      await setTimeout(repeatTime + 100); // in which the next one would take the focus, too
      assert.ok(await hasTreeFocus());
      await goToFirst('b.txt');
      await keyboard().press('Control+Shift+Backspace');
      assert.equal((await second.answer)[0], 'DIFF_REJECTED');
      assert.ok(await hasTreeFocus());
    });

    it('leave it in the view after the last one', async () => {
      const { answer } = await propose(desk.client, file, 'changed\n');
      await goToFirst('hello.txt');
      await keyboard().press('Control+Enter');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
      await until('its diff to be gone', () => proposalTabs().length === 0);
      await pane().locator('.monaco-list-row').first().waitFor({ state: 'hidden' });
      await setTimeout(redrawTime);
      assert.ok(await hasTreeFocus());
    });
  });

  describe('Ctrl+S accepts a proposal', () => {
    /** By a way that does not go through the key of ours, and waits for it. */
    async function save(uri: vscode.Uri, how: () => PromiseLike<unknown>): Promise<void> {
      let isSaved = false;
      const subscription = vscode.workspace.onDidSaveTextDocument((document) => {
        isSaved ||= document.uri.toString() === uri.toString();
      });
      await how();
      await until('the save', () => isSaved);
      subscription.dispose();
      await desk.client.request('ping'); // the answer of a decision would be on its way by now
    }
    const byCommand = () => vscode.commands.executeCommand('workbench.action.files.save');
    const byKey = () => keyboard().press('Control+s');
    const isRefused = () =>
      desk.ui.page.getByText('Not accepted: the proposal came to the front only just now').waitFor();

    it('not while the focus is elsewhere, though its diff is in front', async () => {
      await vscode.commands.executeCommand('workbench.view.search');
      await until('the focus in the search', () =>
        desk.ui.page.evaluate<boolean>('document.activeElement.closest(".search-view") !== null'),
      );
      const { answer, uri } = await propose(desk.client, file, 'changed\n');
      await until('the diff in front', () => activeUri() === uri.toString());
      await save(uri, byKey);
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
    });

    it('not when its diff has only just taken the focus from a file that they type in', async () => {
      await set('takeFocus', true);
      await openNotes();
      await keyboard().type('mine');
      const { uri } = await propose(desk.client, file, 'changed\n');
      await until('the focus in the diff', () => activeUri() === uri.toString());
      holdMoment();
      await keyboard().type('x');
      await byKey();
      await isRefused();
      assert.equal(proposalTabs().length, 1);
    });

    it('not when it is the next one and the key was pressed once too often', async () => {
      const first = await propose(desk.client, file, 'first\n', 'A');
      const { answer } = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
      await proposedSide().click();
      await byKey();
      assert.deepEqual(await answer, ['FILE_SAVED', 'second\n']);
      await until('the other in front', () => activeUri() === first.uri.toString());
      holdMoment();
      await until('the focus', hasEditorFocus);
      await byKey();
      await isRefused();
      assert.deepEqual(proposalTabs(), ['hello.txt (proposed edit)']);
    });

    it('once its diff has had the focus for a moment, without a click', async () => {
      await openNotes();
      await keyboard().type('mine');
      const { answer, uri } = await propose(desk.client, file, 'changed\n');
      await goToProposal(uri);
      letMomentPass();
      await byKey();
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
    });

    it('after it has asked about what is unsaved in the file itself, which it does not save', async () => {
      const document = await vscode.workspace.openTextDocument(file);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), 'mine\n');
      await vscode.workspace.applyEdit(edit);
      const { answer, uri } = await propose(desk.client, file, 'changed\n');
      await goToProposal(uri);
      letMomentPass();
      await byKey();
      const dialog = await nextDialog();
      assert.match(dialog.text, /^hello\.txt has unsaved changes/);
      assert.equal(readFileSync(file, 'utf8'), 'one\n');
      dialog.press('Accept Anyway');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
      assert.equal(readFileSync(file, 'utf8'), 'one\n');
      assert.equal(document.getText(), 'mine\none\n');
      await vscode.window.showTextDocument(document); // for the hook that reverts it
    });

    it('by other ways to save, once they have clicked into it', async () => {
      const { answer, uri } = await propose(desk.client, file, 'changed\n');
      await until('the diff in front', () => activeUri() === uri.toString());
      await save(uri, byCommand);
      assert.equal(proposalTabs().length, 1);
      await proposedSide().click();
      await until('the click', () => activeUri() === uri.toString());
      await until('the acceptance', async () => {
        await byCommand();
        return proposalTabs().length === 0;
      });
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
    });

    it('not from the explorer, though they have clicked into its diff before', async () => {
      const { answer, uri } = await propose(desk.client, file, 'changed\n');
      await proposedSide().click();
      await until('the click', () => activeUri() === uri.toString());
      await vscode.commands.executeCommand('workbench.view.explorer');
      // A folder: a click on a file would open it.
      await desk.ui.page
        .locator('.explorer-folders-view .monaco-list-row[aria-expanded]')
        .filter({ hasText: 'scratch-' })
        .first()
        .click();
      assert.equal(activeUri(), uri.toString());
      await save(uri, byKey);
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      await desk.ui.page.getByText('Not accepted: the focus is not in the diff').waitFor();
    });

    it('not from the explorer, where it saves the file in front', async () => {
      const notes = await openNotes();
      await keyboard().type('mine');
      await until('the typing', () => notes.getText() === 'mine');
      await propose(desk.client, file, 'changed\n');
      await vscode.commands.executeCommand('workbench.files.action.focusFilesExplorer');
      await save(notes.uri, byKey);
      assert.equal(proposalTabs().length, 1);
    });

    for (const [place, go] of Object.entries({
      'the status bar': () => desk.ui.page.locator('.part.statusbar').click({ position: { x: 600, y: 10 } }),
      'a message': async () => {
        void vscode.window.showInformationMessage('Something else');
        await desk.ui.page.locator('.notification-toast', { hasText: 'Something else' }).waitFor();
        await vscode.commands.executeCommand('notifications.focusToasts');
      },
      'the tab': () => desk.ui.page.locator('.tab.active').focus(),
    })) {
      it(`not from ${place}, though they have clicked into its diff before`, async () => {
        const { answer, uri } = await propose(desk.client, file, 'changed\n');
        await proposedSide().click();
        await until('the click', () => activeUri() === uri.toString());
        await go();
        await until('the focus elsewhere', async () => !(await hasEditorFocus()));
        letMomentPass();
        await save(uri, byKey);
        assert.equal(proposalTabs().length, 1);
        await desk.ui.page.getByText('Not accepted: the focus is not in the diff').waitFor();
        await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
        assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      });
    }
  });

  for (const [place, command, input] of [
    ['the debug console', 'workbench.panel.repl.view.focus', '.repl-input-wrapper .monaco-editor'],
    ['the message of a commit', 'workbench.view.scm', '.scm-editor .monaco-editor'],
  ] as const) {
    it(`decide nothing from ${place}, though Review All is in front`, async () => {
      execFileSync('git', ['init', '--quiet'], { cwd: desk.scratch.folder });
      await vscode.commands.executeCommand('git.openRepository', desk.scratch.folder);
      const first = await propose(desk.client, file, 'first\n', 'A');
      const second = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
      const answers: unknown[] = [];
      [first, second].forEach(({ answer }) => void answer.then((each) => answers.push(each)));
      await vscode.commands.executeCommand('ideBridge.reviewAllProposals');
      await desk.ui.page.locator('.editor.modified .view-line', { hasText: 'first' }).last().click();
      await until('the first one', () => activeUri() === first.uri.toString());
      letMomentPass();
      await vscode.commands.executeCommand(command);
      await desk.ui.page.locator(input).first().click();
      await until('the focus', () =>
        desk.ui.page.evaluate<boolean>(`document.activeElement.closest('${input}') !== null`),
      );
      for (const key of ['Alt+N', 'Control+S', 'Control+Enter', 'Control+Shift+Backspace']) {
        await keyboard().press(key);
        await desk.client.request('ping');
      }
      await setTimeout(500);
      assert.deepEqual(answers, []);
      assert.equal((await vscode.workspace.openTextDocument(first.uri)).getText(), 'first\n');
      await vscode.commands.executeCommand('ideBridge.rejectProposal', first.uri);
      assert.deepEqual(await first.answer, ['DIFF_REJECTED', 'A']);
    });
  }

  it('one that comes while Review All is in front opens behind it, though they came there from a terminal', async function () {
    skipOnFloor(this); // there it has the focus in none of its files
    await openTerminal();
    const first = await propose(desk.client, file, 'first\n', 'A');
    await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
    await vscode.commands.executeCommand('ideBridge.reviewAllProposals');
    await until('Review All', () => inFront().includes('2 files') && activeUri() === first.uri.toString());
    await until('the focus', hasEditorFocus);
    await decideWhileOneMoreComes(first.answer);
    await until('the focus in the next one', hasEditorFocus);
  });

  for (const [by, go] of [
    [
      'its name',
      async () => {
        await keyboard().press('Control+P');
        await desk.ui.page.locator('.quick-input-widget input').fill('notes.txt');
        const picks = desk.ui.page.locator('.quick-input-widget .monaco-list-row');
        await picks.filter({ hasText: 'other.txt' }).waitFor({ state: 'hidden' });
        await picks.filter({ hasText: 'notes.txt' }).first().waitFor();
        await keyboard().press('Enter');
      },
    ],
    ['its tab', () => desk.ui.page.locator('.tab', { hasText: 'notes.txt' }).click()],
  ] as const) {
    it(`who has gone to a file by ${by} is in it before the first key: a proposal opens behind`, async () => {
      const notes = await openNotes();
      await clickInto(desk.ui, desk.scratch.write('other.txt', ''));
      await openTerminal();
      await prompt(desk.client);
      await propose(desk.client, file, 'first\n', 'A');
      await until('the first in front', () => inFront().startsWith('hello.txt'));
      await desk.client.callForTexts('close_tab', { tab_name: 'A' });
      await until('it to be gone', () => inFront() === 'other.txt');
      await setTimeout(300); // that this came to the front by itself tells nothing
      await propose(desk.client, file, 'second\n', 'B');
      await until('the second in front', () => inFront().startsWith('hello.txt'));
      await desk.client.callForTexts('close_tab', { tab_name: 'B' });
      await until('it to be gone', () => inFront() === 'other.txt');
      await go();
      await until('the file', () => activeUri() === notes.uri.toString());
      await until('the focus', hasEditorFocus);
      await setTimeout(300); // the first key comes later than that
      await propose(desk.client, file, 'third\n', 'C');
      await keyboard().type('typed');
      await until('what was typed', () => notes.getText() === 'typed');
      assert.equal(inFront(), 'notes.txt');
    });
  }

  describe('back in their terminal after a decision', () => {
    let typed: string;
    let first: Awaited<ReturnType<typeof propose>>;

    beforeEach(async () => {
      typed = await openTerminal();
      first = await propose(desk.client, file, 'first\n', 'A');
      await goToProposal(first.uri);
      letMomentPass();
      await keyboard().press('Control+Enter');
      assert.deepEqual(await first.answer, ['FILE_SAVED', 'first\n']);
      await until('the terminal', () => desk.ui.hasTerminalFocus());
    });

    const next = () => propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
    const keepsFocus = async () => {
      const { uri } = await next();
      await until('it in front', () => activeUri() === uri.toString());
      await keyboard().type('x');
      await until('the key in the terminal', () => readFileSync(typed, 'utf8') === 'x');
    };

    it('the next edit of that answer has the focus, and after it they are back', async () => {
      const { answer, uri } = await next();
      await until('the next in front', () => activeUri() === uri.toString());
      await until('the focus', hasEditorFocus);
      letMomentPass();
      await keyboard().press('Control+Enter');
      assert.deepEqual(await answer, ['FILE_SAVED', 'second\n']);
      await until('the terminal', () => desk.ui.hasTerminalFocus());
      await keyboard().type('x');
      await until('the key in the terminal', () => readFileSync(typed, 'utf8') === 'x');
    });

    it('a later one leaves them there', async () => {
      letMomentPass(1_500); // in which they may have begun to type
      await keepsFocus();
    });

    it('one that comes after a prompt leaves them there', async () => {
      await desk.client.callForTexts('closeAllDiffTabs');
      await keepsFocus();
    });

    it('one of a long text leaves them there, as it opens when they may be elsewhere', async () => {
      const text = asText(Array.from({ length: 40_000 }, (_, index) => `line ${index}`));
      await propose(desk.client, desk.scratch.path('long.txt'), text, 'B');
      await desk.ui.page.locator('.editor.modified .view-line', { hasText: 'line 0' }).waitFor();
      await keyboard().type('x');
      await until('the key in the terminal', () => readFileSync(typed, 'utf8') === 'x');
    });

    it('one of another session leaves them there', async () => {
      const other = await connectClient();
      const { uri } = await propose(other, desk.scratch.path('c.txt'), 'third\n', 'C');
      await until('it in front', () => activeUri() === uri.toString());
      await keyboard().type('x');
      await until('the key in the terminal', () => readFileSync(typed, 'utf8') === 'x');
      await other.close();
    });
  });

  it('the next edit takes none from who has typed in their terminal, and decided by the mouse', async () => {
    const typed = await openTerminal();
    await prompt(desk.client);
    const first = await propose(desk.client, file, 'first\n', 'A');
    await keyboard().type('x');
    await until('the key', () => readFileSync(typed, 'utf8') === 'x');
    await desk.ui.page.getByRole('button', { name: 'Accept Proposed Changes' }).first().click();
    assert.deepEqual(await first.answer, ['FILE_SAVED', 'first\n']);
    await until('the terminal', () => desk.ui.hasTerminalFocus());
    const { uri } = await propose(desk.client, desk.scratch.path('b.txt'), 'second\n', 'B');
    await until('it in front', () => activeUri() === uri.toString());
    await keyboard().type('y');
    await until('the key in the terminal', () => readFileSync(typed, 'utf8') === 'xy');
  });

  it('after a decision they are back in a diff that is not ours', async () => {
    const [before, now] = ['before.txt', 'now.txt'].map((name) =>
      vscode.Uri.file(desk.scratch.write(name, `${name}\n`)),
    );
    await vscode.commands.executeCommand('vscode.diff', before, now, 'theirs');
    await proposedSide().click();
    await keyboard().press('Control+Home');
    const { answer, uri } = await propose(desk.client, file, 'changed\n');
    await goToProposal(uri);
    letMomentPass();
    await keyboard().press('Control+Enter');
    assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
    await until('their diff', () => inFront() === 'theirs');
    await until('the focus', hasEditorFocus);
    await keyboard().type('mine ');
    await until(
      'the keys in it',
      () => vscode.window.activeTextEditor?.document.getText() === 'mine now.txt\n',
    );
  });
});
