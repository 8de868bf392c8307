import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import * as vscode from 'vscode';
import { redrawTime, reviewRows } from '../../support/reviewRows.ts';
import { clickHovered, onScreen } from '../../support/ui.ts';
import { asText, changed as proposed, original } from '../../support/threeChanges.ts';
import { until } from '../../support/until.ts';
import { repeatTime } from '../../../src/proposals/inFront.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';
import {
  clickInto,
  connectClient,
  holdMoment,
  letMomentPass,
  prompt,
  propose,
  proposalTabs,
  skipOnFloor,
  tabs,
  untitledDocuments,
  useDesk,
} from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';

describe('the review of proposals', () => {
  const desk = useDesk();
  let file: string;

  beforeEach(() => {
    file = desk.scratch.write('hello.txt', asText(original));
  });
  afterEach(() => vscode.commands.executeCommand('workbench.view.explorer'));

  const lensOf = (hunk: string, text: string) =>
    desk.ui.page.locator('.codelens-decoration:visible', { hasText: hunk }).locator('a', { hasText: text });
  const lens = (text: string) => desk.ui.page.locator('.codelens-decoration a:visible', { hasText: text });
  const textOf = async (uri: vscode.Uri) => (await vscode.workspace.openTextDocument(uri)).getText();
  const becomes = (uri: vscode.Uri, lines: string[]) =>
    until('the text', async () => (await textOf(uri)) === asText(lines));

  /** A lens that is drawn anew while it is clicked loses its command: then it is still there. */
  async function merge(): Promise<void> {
    await lens('Merge').first().waitFor(); // of two, while it is drawn anew
    await until('the merge', async () => {
      await lens('Merge')
        .click({ timeout: 3_000 })
        .catch(() => {});
      return lens('Merge')
        .waitFor({ state: 'detached', timeout: 3_000 })
        .then(
          () => true,
          () => false,
        );
    });
  }

  describe('hunk by hunk', () => {
    it('a click drops one, and undo brings it back', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      await desk.ui.page.getByText('3/3', { exact: true }).first().waitFor();
      await lensOf('1/3', 'Drop').click();
      const without = ['line 0', 'line 1', 'line 2', ...proposed.slice(3)];
      await becomes(uri, without);
      await desk.ui.page.getByText('2/2', { exact: true }).first().waitFor();
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+z');
      await becomes(uri, proposed);
      await desk.ui.page.getByText('3/3', { exact: true }).first().waitFor();
      await lensOf('1/3', 'Drop').click();
      await becomes(uri, without);
      await lens('Accept').click();
      assert.deepEqual(await answer, ['FILE_SAVED', asText(without)]);
    });

    it('has all decisions first, as a narrow diff cuts off what comes last', async () => {
      await propose(desk.client, file, asText(proposed));
      const row = desk.ui.page.locator('.codelens-decoration:visible', { hasText: '1/3' });
      await until('the order', async () =>
        /Keep.*Drop.*Accept File.*Reject File.*Comment.*1\/3/s.test(await row.innerText()),
      );
      await row.locator('[title="Change 1 of 3"]').waitFor();
    });

    it('a click keeps one, which is a mark and no edit', async () => {
      const { answer } = await propose(desk.client, file, asText(proposed));
      await lens('Keep').first().click();
      await desk.ui.page.getByText('Kept').first().waitFor();
      await lens('Accept').click();
      assert.deepEqual(await answer, ['FILE_SAVED', asText(proposed)]);
    });

    it('of an only one say nothing twice: those of the file decide it', async () => {
      const { answer } = await propose(desk.client, file, asText(original.with(2, 'LINE 2')));
      await lens('Accept').waitFor();
      const row = desk.ui.page.locator('.codelens-decoration:visible').first();
      const words = async () => (await row.innerText()).replace(/[^\x21-\x7e]+/g, ' ').trim();
      await until('the lenses', async () => (await words()) === 'Accept | Reject | Comment', 5_000, words);
      await lens('Accept').click();
      assert.deepEqual(await answer, ['FILE_SAVED', asText(original.with(2, 'LINE 2'))]);
    });

    it('one that is rejected after a drop leaves no document: nobody has written in it', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(proposed), 'A');
      await vscode.commands.executeCommand('ideBridge.dropHunk', uri, 2);
      await becomes(uri, ['line 0', 'line 1', 'line 2', ...proposed.slice(3)]);
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'A']);
      await until('its tab to close', () => proposalTabs().length === 0);
      await setTimeout(500); // time for a document, if there were one
      assert.deepEqual(untitledDocuments(), []);
    });

    it('keys go to the next and the previous one, keep and drop', async () => {
      const { uri } = await propose(desk.client, file, asText(proposed));
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      // As the window has it: what it reports of an earlier move may still be on its way to us.
      const status = desk.ui.page.locator('[id="status.editor.selection"]');
      const isAt = async (line: number) => (await status.innerText()).includes(`Ln ${line + 1}, Col 1`);
      await desk.ui.page.keyboard.press('Control+Home');
      for (const [key, line] of [
        ['Alt+F5', 2],
        ['Alt+F5', 10],
        ['Alt+F5', 19],
        ['Alt+F5', 2],
        ['Shift+Alt+F5', 19],
      ] as const) {
        await desk.ui.page.keyboard.press(key);
        await until(`${key} to line ${line}`, () => isAt(line));
      }
      await desk.ui.page.keyboard.press('Alt+n');
      await becomes(uri, [...proposed.slice(0, 19), ...proposed.slice(20)]);
      await until('the next undecided', () => isAt(2));
      await desk.ui.page.keyboard.press('Alt+y');
      await until('the next undecided', () => isAt(10));
      await desk.ui.page.getByText('Kept').first().waitFor();
    });

    const cases: [what: string, before: string, now: string, line: number][] = [
      ['at the start', 'a\nb\n', 'x\nb\n', 0],
      ['of lines that are gone from the end', 'a\nb\nc\n', 'a\n', 1],
      ['of lines added at the end', 'a\n', 'a\nb\nc\n', 1],
      ['of a final newline', 'a\nb', 'a\nb\n', 2],
      ['of a final newline that is gone', 'a\nb\n', 'a\nb', 1],
    ];
    for (const [what, before, now, line] of cases) {
      it(`dropping the change ${what} gives the original back`, async () => {
        // Each with another change, which is kept.
        const [head, tail] = what.endsWith('start') ? ['', 'x\ny\n'] : ['x\ny\n', ''];
        const [newHead, newTail] = [head.replace('x', 'X'), tail.replace('y', 'Y')];
        const path = desk.scratch.write('case.txt', head + before + tail);
        const { answer, uri } = await propose(desk.client, path, newHead + now + newTail);
        await vscode.commands.executeCommand('ideBridge.dropHunk', uri, head === '' ? line : line + 2);
        await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
        assert.deepEqual(await answer, ['FILE_SAVED', newHead + before + newTail]);
      });
    }

    it('whoever drops all of them has rejected the proposal', async () => {
      const { answer } = await propose(desk.client, file, asText(proposed), 'A');
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+Home');
      for (const key of ['Alt+F5', 'Alt+N', 'Alt+N', 'Alt+N']) await desk.ui.page.keyboard.press(key);
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'A']);
      await desk.ui.page.getByText('Rejected: every change in hello.txt is dropped').waitFor();
      await until('its tab to close', () => proposalTabs().length === 0);
    });

    it('what the user has written in the last one that they drop is kept', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(original.with(2, 'LINE 2')), 'A');
      const edit = new vscode.WorkspaceEdit();
      edit.insert(uri, new vscode.Position(2, 0), 'mine\n');
      await vscode.workspace.applyEdit(edit);
      await until('the text', async () => (await textOf(uri)).includes('mine\n'));
      await vscode.commands.executeCommand('ideBridge.dropHunk', uri, 2);
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'A']);
      await until('the document', () =>
        vscode.workspace.textDocuments.some(
          (document) => document.isUntitled && document.getText().includes('mine\nLINE 2\n'),
        ),
      );
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });

    it('in a file with CRLF, whose line ends are no change', async () => {
      const path = desk.scratch.write('crlf.txt', 'one\r\ntwo\r\nthree\r\n');
      const { answer, uri } = await propose(desk.client, path, 'one\nTWO\nthree\nfour\n');
      await desk.ui.page.getByText('2/2', { exact: true }).first().waitFor();
      await vscode.commands.executeCommand('ideBridge.dropHunk', uri, 1);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', 'one\ntwo\nthree\nfour\n']);
    });
  });

  describe('that change nothing to be seen', () => {
    const isWithoutDiff = () => tabs().length === 0;

    for (const [what, before, now] of [
      ['is the file', 'one\ntwo\n', 'one\ntwo\n'],
      ['is the file but for its line ends', 'one\r\ntwo\r\n', 'one\ntwo\n'],
    ] as const) {
      it(`one that ${what} is no question: it is so already`, async () => {
        const path = desk.scratch.write('same.txt', before);
        const args = {
          old_file_path: path,
          new_file_path: path,
          new_file_contents: now,
          tab_name: 'A',
        };
        assert.deepEqual(await desk.client.callForTexts('openDiff', args), ['FILE_SAVED', now]);
        await desk.ui.page.getByText('same.txt is already as it was proposed').waitFor();
        assert.ok(isWithoutDiff());
        assert.equal(readFileSync(path, 'utf8'), before);
      });
    }

    it('one that is the file, but not what the user has typed over it, is one', async () => {
      const document = await vscode.workspace.openTextDocument(file);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'mine\n'));
      await prompt(desk.client);
      const { answer } = await propose(desk.client, file, asText(original), 'A');
      await vscode.commands.executeCommand('ideBridge.rejectProposal');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'A']);
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    });

    it('where only whitespace differs that the editor hides, the diff says so', async () => {
      await desk.configure('diffEditor.ignoreTrimWhitespace', true);
      const indented = original.with(25, `    ${original[25]}  `);
      const { answer } = await propose(desk.client, file, asText(indented));
      await desk.ui.page.getByText('Only whitespace differs').waitFor();
      await vscode.commands.executeCommand('ideBridge.review.focus');
      await desk.ui.page.getByText('+1 −1, only whitespace').waitFor();
      await desk.ui.screenshot('only whitespace');
      const changed = desk.ui.page.locator('.editor.modified .line-insert').first();
      assert.equal(await changed.count(), 0);
      await desk.ui.page.getByText('Show Whitespace Differences').click();
      await changed.waitFor();
      await desk.ui.page.getByText('Only whitespace differs').waitFor({ state: 'hidden' });
      await desk.ui.screenshot('only whitespace shown');
      await lens('Accept').click();
      assert.deepEqual(await answer, ['FILE_SAVED', asText(indented)]);
    });

    it('where the user has typed it back to the file, the diff says so', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(original.with(2, 'LINE 2')));
      const edit = new vscode.WorkspaceEdit();
      edit.replace(uri, new vscode.Range(2, 0, 3, 0), 'line 2\n');
      await vscode.workspace.applyEdit(edit);
      await desk.ui.page.getByText('No line differs').waitFor();
      await lens('Accept').click();
      assert.deepEqual(await answer, ['FILE_SAVED', asText(original)]);
    });
  });

  describe('in the tree', () => {
    /** Not of sessions that have only a history. */
    const rows = (text: string) =>
      reviewRows(desk.ui.page).filter({ hasText: text }).filter({ hasNotText: 'all reviewed' });
    const openTree = () => vscode.commands.executeCommand('ideBridge.review.focus');

    it('they stand under their session, with counts and a mark for new files, and are counted', async () => {
      const other = await connectClient();
      await propose(desk.client, file, asText(proposed), 'A');
      await propose(other, desk.scratch.path('fresh.txt'), 'a\nb\n', 'B');
      await openTree();
      await rows('hello.txt').getByText('+2 −3').waitFor();
      await rows('fresh.txt').getByText('new · +2').waitFor();
      await desk.ui.page
        .getByText('2 proposed changes wait for you')
        .or(desk.ui.page.locator('[aria-label*="2 proposed changes wait for you"]'))
        .first()
        .waitFor({ state: 'attached' });
      assert.equal(await rows('Claude').count(), 2, 'two sessions');
      assert.match(
        proposalTabs().join(),
        /hello\.txt \(proposed edit, .+\),fresh\.txt \(proposed new file, .+\)/,
      );
      await other.close();
      await until('one session', async () => (await rows('Claude').count()) === 1);
    });

    it('a file that is new, or emptied, has only lines added, or removed, also without a final line end', async () => {
      const emptied = desk.scratch.write('emptied.txt', 'a\n\nb');
      await propose(desk.client, desk.scratch.path('fresh.txt'), 'a\n\nb', 'A');
      await propose(desk.client, emptied, '', 'B');
      await openTree();
      await rows('fresh.txt')
        .getByText(/^new · \+3 ·/)
        .waitFor();
      await rows('emptied.txt').getByText(/^−3 /).waitFor();
    });

    it('counts follow what is typed', async () => {
      const { uri } = await propose(desk.client, file, asText(proposed));
      await openTree();
      await rows('hello.txt').getByText('+2 −3').waitFor();
      await vscode.commands.executeCommand('ideBridge.dropHunk', uri, 2);
      await rows('hello.txt').getByText('+1 −2').waitFor();
    });

    it('a click opens, buttons accept and reject', async () => {
      const first = await propose(desk.client, file, asText(proposed), 'A');
      const second = await propose(desk.client, desk.scratch.path('second.txt'), 'x\n', 'B');
      await openTree();
      await rows('hello.txt').getByText('+2 −3').waitFor();
      await rows('second.txt').getByText('+1').waitFor();
      await rows('hello.txt').click();
      await until('its diff in front', () =>
        vscode.window.tabGroups.activeTabGroup.activeTab?.label.startsWith('hello.txt'),
      );
      letMomentPass();
      await rows('second.txt').hover();
      assert.deepEqual(await labels(rows('second.txt').locator('.action-label')), [
        'Accept Proposed Changes',
        'Reject Proposed Changes',
      ]);
      await rows('second.txt').getByRole('button', { name: 'Reject Proposed Changes' }).click();
      assert.deepEqual(await second.answer, ['DIFF_REJECTED', 'B']);
      await clickHovered(rows('hello.txt'), 'Accept Proposed Changes', letMomentPass);
      assert.deepEqual(await first.answer, ['FILE_SAVED', asText(proposed)]);
      const reviewed = reviewRows(desk.ui.page).filter({ hasText: 'all reviewed' });
      await desk.ui.page.getByText('Nothing to review.').or(reviewed).first().waitFor();
    });

    it('accept all and reject all of one ask nothing', async () => {
      const first = await propose(desk.client, file, 'x', 'A');
      await vscode.commands.executeCommand('ideBridge.acceptAllProposals');
      assert.deepEqual(await first.answer, ['FILE_SAVED', 'x']);
      const second = await propose(desk.client, file, 'x', 'B');
      await vscode.commands.executeCommand('ideBridge.rejectAllProposals');
      assert.deepEqual(await second.answer, ['DIFF_REJECTED', 'B']);
    });

    describe('all of several', () => {
      const nextDialog = useDialogs();

      for (const [verb, decided] of [
        ['Accept', 'FILE_SAVED'],
        ['Reject', 'DIFF_REJECTED'],
      ] as const) {
        it(`${verb.toLowerCase()}: it asks, and the first answer shows them`, async () => {
          const answers = [];
          for (const name of ['a.txt', 'b.txt']) {
            answers.push((await propose(desk.client, desk.scratch.path(name), name, name)).answer);
          }
          const decideAll = () =>
            void vscode.commands.executeCommand(`ideBridge.${verb.toLowerCase()}AllProposals`);
          decideAll();
          const asked = await nextDialog();
          assert.ok(asked.isModal);
          assert.deepEqual(asked.buttons, ['Review All', `${verb} 2 Proposals`]);
          asked.press('Review All');
          await until('the multi-diff', () => reviews().length === 1);
          assert.equal(proposalTabs().length, 2);
          decideAll();
          (await nextDialog()).press(`${verb} 2 Proposals`);
          assert.deepEqual(await Promise.all(answers), [
            [decided, 'a.txt'],
            [decided, 'b.txt'],
          ]);
          await until('the multi-diff to close', () => reviews().length === 0);
        });
      }
    });

    describe('by keys', () => {
      const nextDialog = useDialogs();
      const press = (key: string) => desk.ui.page.keyboard.press(key);
      const isFocused = async (text: string) =>
        (await rows(text).and(desk.ui.page.locator('.focused')).count()) > 0;
      /** A view that has only just been opened may not take the focus yet. */
      const goTo = (text: string, ...keys: string[]) =>
        until(`the focus on ${text}`, async () => {
          await openTree();
          for (const key of ['Home', 'ArrowDown', ...keys]) await press(key);
          await setTimeout(redrawTime);
          return isFocused(text);
        });
      const letKeyGo = () => setTimeout(repeatTime + 100);
      let proposed: { answer: Promise<string[]>; uri: vscode.Uri }[];

      beforeEach(async () => {
        await letKeyGo(); // of the test before
        proposed = [];
        for (const name of ['a.txt', 'b.txt', 'c.txt']) {
          proposed.push(await propose(desk.client, desk.scratch.path(name), name, name));
        }
        await openTree();
        for (const name of ['a.txt', 'b.txt', 'c.txt']) await rows(name).getByText('+1').waitFor();
        letMomentPass();
        await goTo('b.txt', 'ArrowDown', 'ArrowDown');
      });

      it('the row that has the focus is decided, whatever is selected or in front', async () => {
        const [first, second, third] = proposed;
        await press('Control+Enter');
        assert.deepEqual(await second?.answer, ['FILE_SAVED', 'b.txt']);
        await until('its tab to close', () => proposalTabs().length === 2);
        await letKeyGo();
        letMomentPass();
        await goTo('a.txt', 'ArrowDown');
        await press('Control+Shift+Backspace');
        assert.deepEqual(await first?.answer, ['DIFF_REJECTED', 'a.txt']);
        await letKeyGo();
        letMomentPass();
        await goTo('Claude');
        await press('Control+Enter');
        assert.deepEqual(await third?.answer, ['FILE_SAVED', 'c.txt']);
      });

      it('that of a session asks about all that it has', async () => {
        await goTo('Claude');
        await press('Control+Shift+Backspace');
        (await nextDialog()).press('Reject 3 Proposals');
        assert.deepEqual(
          (await Promise.all(proposed.map(({ answer }) => answer))).map(([verdict]) => verdict),
          ['DIFF_REJECTED', 'DIFF_REJECTED', 'DIFF_REJECTED'],
        );
      });

      it('in another view decide nothing of what is in front', async () => {
        await vscode.commands.executeCommand('ideBridge.sessions.focus');
        await press('Control+Enter');
        await press('Control+Shift+Backspace');
        await setTimeout(500); // time for a decision, if there were one
        assert.equal(proposalTabs().length, 3);
      });

      it('one that is held decides one row only', async () => {
        const { keyboard } = desk.ui.page;
        await keyboard.down('Control');
        for (const end = Date.now() + 2_000; Date.now() < end;) {
          await keyboard.down('Enter');
          await setTimeout(33);
          letMomentPass();
        }
        for (const key of ['Enter', 'Control']) await keyboard.up(key);
        assert.deepEqual(await proposed[1]?.answer, ['FILE_SAVED', 'b.txt']);
        assert.deepEqual(proposalTabs(), ['a.txt (proposed new file)', 'c.txt (proposed new file)']);
      });

      it('on a row that has just moved do nothing', async () => {
        const goOn = holdMoment();
        await desk.client.callForTexts('close_tab', { tab_name: 'a.txt' });
        await rows('a.txt').waitFor({ state: 'detached' });
        assert.ok(await isFocused('b.txt'));
        await press('Control+Enter');
        await desk.ui.page.getByText('Nothing was done: the row has moved just now.').first().waitFor();
        goOn();
        assert.equal(proposalTabs().length, 2);
      });
    });
  });

  const isActive = (uri: vscode.Uri) =>
    vscode.window.activeTextEditor?.document.uri.toString() === uri.toString();
  const isOneLeft = () =>
    /1 files?\)$/.test(
      reviews()
        .map(({ label }) => label)
        .join(),
    );
  /** What the buttons are called, from left to right, without their keys. */
  const labels = async (buttons: Locator) =>
    (await buttons.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''))).map(
      (label) => label.replace(/ \(.*/, ''),
    );
  const titleButtons = () => labels(desk.ui.page.locator('.editor-actions .action-label:visible'));
  const reviews = () => tabs().filter(({ label }) => label.startsWith('Proposals of '));

  /** Proposes an edit and a new file, and shows both in one editor. */
  async function reviewTwo() {
    const first = await propose(desk.client, file, asText(proposed), 'A');
    const second = await propose(desk.client, desk.scratch.path('second.txt'), 'x\n', 'B');
    await vscode.commands.executeCommand('ideBridge.reviewAllProposals');
    await until('the multi-diff', () => reviews().length === 1);
    await lens('Drop').first().waitFor();
    await lens('Accept').nth(1).waitFor(); // of the second
    return [first, second] as const;
  }

  it('all in one editor, decided one by one; it closes with the last', async () => {
    const [first, second] = await reviewTwo();
    const waiting = desk.ui.page.locator('.statusbar-item', { hasText: /\d proposal/ });
    await until('none behind it', async () => (await waiting.count()) === 0);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(second.uri, new vscode.Position(0, 0), 'mine\n');
    await vscode.workspace.applyEdit(edit);
    await vscode.commands.executeCommand('ideBridge.rejectProposal', first.uri);
    assert.deepEqual(await first.answer, ['DIFF_REJECTED', 'A']);
    await until('its own tab to close', () => proposalTabs().length === 1);
    await until('it to leave', isOneLeft);
    await (await until('the lens', () => onScreen(lens('Accept')))).click();
    assert.deepEqual(await second.answer, ['FILE_SAVED', 'mine\nx\n']);
    await until('the multi-diff to close', () => reviews().length === 0);
  });

  it('all in one editor, which begins in the first of them', async function () {
    skipOnFloor(this); // it gives no file the focus
    const first = await propose(desk.client, desk.scratch.path('first.txt'), 'x\n', 'A');
    await propose(desk.client, file, asText(proposed), 'B');
    await vscode.commands.executeCommand('ideBridge.reviewAllProposals');
    await until('the first', () => isActive(first.uri));
    await lens('Drop').first().waitFor();
    await setTimeout(500); // time to go on from there
    assert.ok(isActive(first.uri));
    assert.equal(vscode.window.activeTextEditor?.selection.active.line, 0);
  });

  it('all in one editor, with the keys of a diff of its own', async () => {
    const [first, second] = await reviewTwo();
    const { keyboard } = desk.ui.page;
    const side = (text: RegExp) =>
      onScreen(desk.ui.page.locator('.editor.modified .view-line', { hasText: text }));
    const clickOn = async (text: RegExp) => (await until(String(text), () => side(text))).click();
    await clickOn(/^LINE.2$/);
    await until('the key to be bound', () => isActive(first.uri));
    await keyboard.press('Alt+N');
    const without = ['line 0', 'line 1', 'line 2', ...proposed.slice(3)];
    await becomes(first.uri, without);
    await clickOn(/^line.1$/);
    await keyboard.press('Alt+F5');
    await keyboard.press('Alt+Y');
    await desk.ui.page.getByText('Kept').first().waitFor();
    await keyboard.press('Control+Enter');
    assert.deepEqual(await first.answer, ['FILE_SAVED', asText(without)]);
    await until('its own tab to close', () => proposalTabs().length === 1);
    await until('it to leave', isOneLeft);
    await until('the first to go', async () => !(await side(/^line.1$/)));
    if (process.env[testEnvironment.floor]) {
      await clickOn(/^x$/); // it has no command that goes into the first change
    }
    await until('the other', () => isActive(second.uri));
    letMomentPass();
    await keyboard.press('Control+Shift+Backspace');
    assert.deepEqual(await second.answer, ['DIFF_REJECTED', 'B']);
    await until('the multi-diff to close', () => reviews().length === 0);
  });

  describe('all in one editor,', () => {
    const nextDialog = useDialogs();

    it('whose title accepts or rejects those that it shows', async () => {
      const [first, second] = await reviewTwo();
      const later = await propose(desk.client, desk.scratch.path('later.txt'), 'later\n', 'C');
      await desk.ui.page.locator('.tab', { hasText: 'Proposals of ' }).click();
      await until('the review in front', () => reviews().some(({ isActive }) => isActive));
      await until('the buttons', async () => (await titleButtons()).includes('Accept All Proposals'));
      assert.deepEqual((await titleButtons()).slice(0, 2), ['Accept All Proposals', 'Reject All Proposals']);
      assert.ok(!(await titleButtons()).includes('Run Claude Code'));
      await desk.ui.page.locator('.editor-actions [aria-label^="Accept All Proposals"]').click();
      (await nextDialog()).press('Accept 2 Proposals');
      const answers = await Promise.all([first, second].map(({ answer }) => answer));
      assert.deepEqual(
        answers.map(([outcome]) => outcome),
        ['FILE_SAVED', 'FILE_SAVED'],
      );
      await until('it to close', () => reviews().length === 0);
      await vscode.commands.executeCommand('ideBridge.rejectProposal', later.uri);
      assert.deepEqual(await later.answer, ['DIFF_REJECTED', 'C']);
    });
  });

  for (const name of ['a.txt', 'a.md', 'a.ipynb', 'a.png']) {
    it(`the title of a proposal for ${name} begins with yes, then no`, async function () {
      if (name.endsWith('.png')) skipOnFloor(this);
      const json = (source: string) =>
        `{"cells":[{"cell_type":"code","metadata":{},"outputs":[],"source":["${source}"]}],"metadata":{},"nbformat":4,"nbformat_minor":5}`;
      const path = desk.scratch.write(
        name,
        name.endsWith('.png') ? Buffer.from([0x89, 0x50, 0, 1]) : json('1'),
      );
      void propose(desk.client, path, json('2')).catch(() => {});
      const expected = ['Accept Proposed Changes', 'Reject Proposed Changes'];
      const isFirst = async () => expected.join() === (await titleButtons()).slice(0, 2).join();
      await until('the buttons, first of all', isFirst, 10_000, async () => (await titleButtons()).join());
    });
  }

  it('all in one editor, which closes with the last though a file in it has unsaved changes', async () => {
    const document = await vscode.workspace.openTextDocument(file);
    const [first, second] = await reviewTwo();
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'mine\n');
    await vscode.workspace.applyEdit(edit);
    await until('it to be dirty', () => reviews()[0]?.isDirty);
    for (const { uri, answer } of [first, second]) {
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      await answer;
    }
    await until('the multi-diff to close', () => reviews().length === 0);
    assert.ok(document.isDirty && document.getText().startsWith('mine\n'));
    await vscode.window.showTextDocument(document);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  for (const end of ['the last is decided', 'the user closes it']) {
    it(`what is typed in it into one that was decided behind their back is kept when ${end}`, async () => {
      const [first, second] = await reviewTwo();
      await desk.ui.page.locator('.tab', { hasText: 'second.txt' }).click(); // else it would leave
      await vscode.commands.executeCommand('ideBridge.rejectProposal', first.uri);
      await first.answer;
      await until('its own tab to close', () => proposalTabs().length === 1);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(first.uri, new vscode.Position(0, 0), 'mine\n');
      assert.ok(await vscode.workspace.applyEdit(edit));
      if (end === 'the user closes it') {
        await vscode.window.tabGroups.close(reviews());
      }
      await vscode.commands.executeCommand('ideBridge.rejectProposal', second.uri);
      await second.answer;
      await until('the multi-diff to close', () => reviews().length === 0);
      const text = `mine\n${asText(proposed)}`;
      await until('what was typed in a document of its own', () =>
        vscode.workspace.textDocuments.some((document) => document.isUntitled && document.getText() === text),
      );
      await until('its tab', () => tabs().length === 1);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });
  }

  describe('over unsaved changes', () => {
    async function makeDirty(): Promise<vscode.TextDocument> {
      const document = await vscode.workspace.openTextDocument(file);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'mine\n'));
      await prompt(desk.client);
      return document;
    }
    const nextDialog = useDialogs();

    afterEach(async () => {
      const document = await vscode.workspace.openTextDocument(file);
      if (document.isDirty) {
        await vscode.window.showTextDocument(document);
        await vscode.commands.executeCommand('workbench.action.files.revert');
      }
    });

    it('the diff says so and compares with them; once they are saved from there, it can be merged with them', async () => {
      const document = await makeDirty();
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      await desk.ui.page.getByText('Unsaved', { exact: true }).first().waitFor();
      await desk.ui.page.getByText('4/4', { exact: true }).first().waitFor();
      await lens('Save').click();
      await until('the file to be saved', () => !document.isDirty);
      await until('no warning', async () => (await lens('Save').count()) === 0);
      await merge();
      await becomes(uri, ['mine', ...proposed]);
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.deepEqual(await answer, ['FILE_SAVED', asText(proposed)]);
    });

    it('accepting asks first, and saving leaves it under review', async () => {
      const document = await makeDirty();
      const { answer } = await propose(desk.client, file, asText(proposed));
      void vscode.commands.executeCommand('ideBridge.acceptProposal');
      const dialog = await nextDialog();
      assert.ok(dialog.isModal, 'a toast hides itself, and no accepting asks again meanwhile');
      assert.match(dialog.text, /^hello\.txt has unsaved changes that Claude Code has not seen/);
      dialog.press('Save First');
      await until('the file to be saved', () => !document.isDirty);
      assert.equal(proposalTabs().length, 1);
      await vscode.commands.executeCommand('ideBridge.rejectProposal');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
    });

    it('accepting anyway leaves them unsaved in the editor', async () => {
      const document = await makeDirty();
      const { answer } = await propose(desk.client, file, asText(proposed));
      void vscode.commands.executeCommand('ideBridge.acceptProposal');
      (await nextDialog()).press('Accept Anyway');
      assert.deepEqual(await answer, ['FILE_SAVED', asText(proposed)]);
      assert.ok(document.isDirty);
      assert.equal(document.lineAt(0).text, 'mine');
    });

    it('an answer after it was decided elsewhere does nothing', async () => {
      await makeDirty();
      const { answer } = await propose(desk.client, file, asText(proposed));
      const accepted = vscode.commands.executeCommand('ideBridge.acceptProposal');
      const dialog = await nextDialog();
      await vscode.commands.executeCommand('ideBridge.rejectProposal');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      dialog.press('Save First');
      await accepted;
      assert.equal(readFileSync(file, 'utf8'), asText(original));
    });
  });

  it('what was typed into a merged one and is not written becomes an unsaved document', async () => {
    const written = desk.scratch.write('written.txt', asText(original));
    const newer = ['newer', ...original.slice(0, 15), 'newer too', ...original.slice(15)];
    const shown = ['newer', ...proposed.slice(0, 13), 'newer too', ...proposed.slice(13)];
    const typed = [...shown, 'typed'];
    for (const path of [written, file]) {
      const { answer, uri } = await propose(desk.client, path, asText(proposed));
      writeFileSync(path, asText(newer));
      await merge();
      await becomes(uri, shown);
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+End');
      await desk.ui.page.keyboard.type('typed\n');
      await becomes(uri, typed);
      letMomentPass();
      await desk.ui.page.keyboard.press('Control+Enter');
      assert.equal((await answer)[0], 'FILE_SAVED');
      if (path === written) writeFileSync(path, asText(typed));
    }
    const toast = desk.ui.page.locator('.notification-toast', { hasText: 'was not written' });
    await toast.getByText('Your version of hello.txt was not written').waitFor({ timeout: 20_000 });
    assert.equal(await toast.count(), 1);
    await desk.ui.screenshot('typed-and-not-written');
    await toast.getByText('Open', { exact: true }).click();
    await until('the document', () => vscode.window.activeTextEditor?.document.isUntitled);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), asText(typed));
    assert.equal(untitledDocuments().length, 1);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('a merged one that is accepted and is not written is told to the user', async () => {
    const written = desk.scratch.write('written.txt', asText(original));
    for (const path of [written, file]) {
      const { answer, uri } = await propose(desk.client, path, asText(proposed));
      writeFileSync(path, asText([...original, 'newer']));
      await merge();
      await becomes(uri, [...proposed, 'newer']);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.equal((await answer)[0], 'FILE_SAVED');
      if (path === written) writeFileSync(path, asText([...proposed, 'newer']));
    }
    const toast = desk.ui.page.locator('.notification-toast', { hasText: 'was not written' });
    await toast.getByText('hello.txt was not written').waitFor({ timeout: 20_000 });
    assert.equal(await toast.count(), 1);
    assert.equal(untitledDocuments().length, 0);
  });

  describe('for an older text of the file', () => {
    const nextDialog = useDialogs();
    const changed = [...proposed.slice(0, 2), 'line 2', ...proposed.slice(3)];

    /** Somebody else changes the file while the proposal is under review. */
    const write = (lines: string[]) => writeFileSync(file, asText(lines));

    it('the diff and the row say so, and merging shows its changes in the file as it is now', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      await desk.ui.page.getByText('3/3', { exact: true }).first().waitFor();
      assert.equal(await lens('Merge').count(), 0);
      write([...original, 'newer']);
      await desk.ui.page.getByText('Older text', { exact: true }).first().waitFor();
      await desk.ui.page.getByText('4/4', { exact: true }).first().waitFor();
      await vscode.commands.executeCommand('ideBridge.review.focus');
      await desk.ui.page.locator('.monaco-list-row', { hasText: 'older text' }).waitFor();
      await desk.ui.screenshot('made-for-an-older-text');
      await merge();
      await becomes(uri, [...proposed, 'newer']);
      await desk.ui.page.getByText('3/3', { exact: true }).first().waitFor();
      await until('no warning', async () => (await lens('Merge').count()) === 0);
      await desk.ui.screenshot('merged-with-newer-text');
      await lens('Accept').click();
      // Without what is newer: the CLI makes its changes in the file as it is now.
      assert.deepEqual(await answer, ['FILE_SAVED', asText(proposed)]);
    });

    it('undo takes the merge back, with the words', async () => {
      const { uri } = await propose(desk.client, file, asText(proposed));
      write(['newer', ...original]);
      await merge();
      await becomes(uri, ['newer', ...proposed]);
      await until('no warning', async () => (await lens('Merge').count()) === 0);
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+z');
      await becomes(uri, proposed);
      await lens('Merge').first().waitFor();
      await desk.ui.page.keyboard.press('Control+Shift+z');
      await becomes(uri, ['newer', ...proposed]);
      await until('no warning', async () => (await lens('Merge').count()) === 0);
    });

    it('its change of a line that is newer is left out, and that is said', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      write([...original.slice(0, 2), 'newer 2', ...original.slice(3)]);
      await merge();
      await becomes(uri, [...proposed.slice(0, 2), 'newer 2', ...proposed.slice(3)]);
      const toast = desk.ui.page.locator('.notification-toast', {
        hasText: '1 proposed change was left out',
      });
      await toast.getByText('Undo').click();
      await becomes(uri, proposed);
      await merge();
      await toast.waitFor();
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', asText(changed)]);
    });

    it('what is in the file already needs no edit: merging takes the words away', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      write(proposed);
      await merge();
      await until('no warning', async () => (await lens('Merge').count()) === 0);
      assert.equal(await desk.ui.page.locator('.notification-toast').count(), 0);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', asText(proposed)]);
    });

    it('Undo of what was left out says so where the proposal was edited since', async () => {
      const { uri } = await propose(desk.client, file, asText(proposed));
      write([...original.slice(0, 2), 'newer 2', ...original.slice(3)]);
      await merge();
      const toast = (text: string) => desk.ui.page.locator('.notification-toast', { hasText: text });
      await toast('1 proposed change was left out').waitFor();
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+Home');
      await desk.ui.page.keyboard.type('typed\n');
      const typed = ['typed', ...proposed.slice(0, 2), 'newer 2', ...proposed.slice(3)];
      await becomes(uri, typed);
      await toast('1 proposed change was left out').getByText('Undo').click();
      await toast('The proposal for hello.txt was edited or decided since').waitFor();
      await becomes(uri, typed);
    });

    it('accepting asks first, and merging leaves it under review', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      await desk.ui.page.getByText('3/3', { exact: true }).first().waitFor();
      write([...original, 'newer']);
      void vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      const dialog = await nextDialog();
      assert.ok(dialog.isModal);
      assert.match(dialog.text, /^hello\.txt has changed since this was proposed/);
      assert.deepEqual(dialog.buttons, ['Merge', 'Accept Anyway', 'Reject']);
      dialog.press('Merge');
      await becomes(uri, [...proposed, 'newer']);
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+Home');
      await desk.ui.page.keyboard.type('typed\n');
      await becomes(uri, ['typed', ...proposed, 'newer']);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', asText(['typed', ...proposed])]);
      write(['typed', ...proposed, 'newer']);
    });

    it('accepting after a merge offers none, where what was typed cannot be told apart from what is newer', async () => {
      const { uri } = await propose(desk.client, file, asText(proposed));
      write(['newer', ...original]);
      await merge();
      await becomes(uri, ['newer', ...proposed]);
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+Home');
      await desk.ui.page.keyboard.type('typed\n');
      await becomes(uri, ['typed', 'newer', ...proposed]);
      void vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      const dialog = await nextDialog();
      assert.deepEqual(dialog.buttons, ['Show Diff', 'Accept Anyway', 'Reject']);
      dialog.press('Show Diff');
      await becomes(uri, ['typed', 'newer', ...proposed]);
    });

    it('merging by the question stays in the review of all', async () => {
      const { uri } = await propose(desk.client, file, asText(proposed));
      await propose(desk.client, desk.scratch.path('b.txt'), 'x\n', 'B');
      await vscode.commands.executeCommand('ideBridge.reviewAllProposals');
      await until('the review', () => reviews().some(({ isActive }) => isActive));
      write([...original, 'newer']);
      void vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      (await nextDialog()).press('Merge');
      await becomes(uri, [...proposed, 'newer']);
      await setTimeout(500); // time to leave it
      assert.ok(reviews().some(({ isActive }) => isActive));
    });

    it('of two for one file, accepted together, only the first is: the other stays open', async () => {
      const first = await propose(desk.client, file, asText(proposed));
      await propose(await connectClient(), file, asText([...original, 'second']), 'B');
      await vscode.commands.executeCommand('ideBridge.acceptAllProposals');
      assert.deepEqual(await first.answer, ['FILE_SAVED', asText(proposed)]);
      write(proposed);
      await vscode.commands.executeCommand('ideBridge.review.focus');
      await desk.ui.page.locator('.monaco-list-row', { hasText: 'older text' }).waitFor();
      assert.equal(proposalTabs().length, 1);
    });

    it('accepting anyway tells what was proposed', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      write([...original, 'newer']);
      void vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      (await nextDialog()).press('Accept Anyway');
      assert.deepEqual(await answer, ['FILE_SAVED', asText(proposed)]);
    });

    it('what came into a place where there was no file cannot be merged', async () => {
      const fresh = desk.scratch.path('fresh.txt');
      const { answer, uri } = await propose(desk.client, fresh, 'a\n');
      desk.scratch.write('fresh.txt', 'b\n');
      await desk.ui.page.getByText('Older text', { exact: true }).first().waitFor();
      void vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      const dialog = await nextDialog();
      assert.deepEqual(dialog.buttons, ['Show Diff', 'Accept Anyway', 'Reject']);
      await vscode.commands.executeCommand('workbench.action.files.newUntitledFile');
      dialog.press('Show Diff');
      await until('the diff', () => isActive(uri));
      void vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      (await nextDialog()).press('Reject');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
    });

    it('is not said of a file that the editor reads in another encoding', async () => {
      await desk.configure('files.encoding', 'windows1252');
      const path = desk.scratch.write('ä.txt', 'ä\nb\nc\n');
      const { answer, uri } = await propose(desk.client, path, 'ä\nB\nc\n');
      await lens('Accept').waitFor();
      assert.equal(await lens('Merge').count(), 0);
      desk.scratch.write('ä.txt', 'ä\nb\nc\nö\n');
      await merge();
      await until('the text', async () => (await textOf(uri)) === 'ä\nB\nc\nö\n');
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', 'ä\nB\nc\n']);
    });

    it('undo takes the merge back also in a text with CRLF line ends and a byte order mark', async () => {
      const asCrlf = (lines: string[]) => `\uFEFF${asText(lines).replaceAll('\n', '\r\n')}`;
      desk.scratch.write('hello.txt', asCrlf(original));
      const { answer, uri } = await propose(desk.client, file, asCrlf(proposed));
      const holds = (lines: string[]) =>
        until('the text', async () => `\uFEFF${await textOf(uri)}` === asCrlf(lines));
      desk.scratch.write('hello.txt', asCrlf(['newer', ...original]));
      await merge();
      await holds(['newer', ...proposed]);
      await until('no warning', async () => (await lens('Merge').count()) === 0);
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+z');
      await holds(proposed);
      await merge();
      await holds(['newer', ...proposed]);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', asCrlf(proposed)]);
    });

    it('what auto-save has put on disk is merged, and stays', async () => {
      await desk.configure('files.autoSave', 'afterDelay');
      await desk.configure('files.autoSaveDelay', 100);
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      await lens('Accept').waitFor();
      const edit = new vscode.WorkspaceEdit();
      edit.insert(vscode.Uri.file(file), new vscode.Position(0, 0), 'mine\n');
      assert.ok(await vscode.workspace.applyEdit(edit));
      await merge();
      await becomes(uri, ['mine', ...proposed]);
      await until('no warning', async () => (await lens('Merge').count()) === 0);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', asText(proposed)]);
      assert.equal(readFileSync(file, 'utf8'), asText(['mine', ...original]));
    });

    it('under unsaved text it is the disk that is merged with, once that text is saved or gone', async () => {
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      await lens('Accept').waitFor();
      const document = await vscode.workspace.openTextDocument(file);
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), 'mine\n');
      assert.ok(await vscode.workspace.applyEdit(edit));
      write([...original, 'newer']);
      await desk.ui.page.getByText('Unsaved', { exact: true }).first().waitFor();
      void vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      const dialog = await nextDialog();
      assert.deepEqual(dialog.buttons, ['Save First', 'Accept Anyway', 'Reject']);
      dialog.press('Save First'); // which the editor refuses: it is newer on disk
      const refused = desk.ui.page.locator('.notification-toast', { hasText: "Failed to save 'hello.txt'" });
      await refused.waitFor();
      assert.ok(document.isDirty);
      assert.equal(readFileSync(file, 'utf8'), asText([...original, 'newer']));
      await vscode.commands.executeCommand('notifications.clearAll');
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('workbench.action.files.revert');
      await vscode.commands.executeCommand('ideBridge.openProposal', uri);
      await merge();
      await becomes(uri, [...proposed, 'newer']);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', asText(proposed)]);
    });

    it('also when another session has been accepted for the file meanwhile', async () => {
      const other = await connectClient();
      const first = await propose(other, file, asText(changed), 'A');
      const { answer, uri } = await propose(desk.client, file, asText([...original, 'more']), 'B');
      await vscode.commands.executeCommand('ideBridge.acceptProposal', first.uri);
      assert.deepEqual(await first.answer, ['FILE_SAVED', asText(changed)]);
      write(changed); // as its CLI does
      await vscode.commands.executeCommand('ideBridge.review.focus');
      await desk.ui.page.locator('.monaco-list-row', { hasText: 'older text' }).waitFor();
      await vscode.commands.executeCommand('ideBridge.mergeProposal', uri);
      await becomes(uri, [...changed, 'more']);
      await vscode.commands.executeCommand('ideBridge.acceptProposal', uri);
      assert.deepEqual(await answer, ['FILE_SAVED', asText([...original, 'more'])]);
    });
  });

  describe('in a window of 900 pixels', () => {
    afterEach(() => desk.ui.page.setViewportSize({ width: 1400, height: 900 }));

    it('every decision has its place beside what is said of the file', async () => {
      await desk.ui.page.setViewportSize({ width: 900, height: 900 });
      const warned = async (words: string, action: string) => {
        const row = desk.ui.page.locator('.codelens-decoration:visible', { hasText: words });
        for (const label of [action, 'Keep', 'Drop', 'Accept', 'Reject']) {
          const button = row.locator('a', { hasText: label }).first();
          await button.waitFor();
          await until(`${label} on top to its end`, async () => {
            const box = await button.boundingBox();
            if (!box) {
              return false; // it is being drawn anew
            }
            const { x, y, width, height } = box;
            const on = `document.elementFromPoint(${x + width - 1}, ${y + height / 2}).textContent`;
            return (await desk.ui.page.evaluate<string>(on)).trim().startsWith(label);
          });
        }
        await desk.ui.screenshot(`at-900-${words}`);
      };
      const document = await vscode.workspace.openTextDocument(file);
      const { answer, uri } = await propose(desk.client, file, asText(proposed));
      await desk.ui.page.getByText('3/3', { exact: true }).first().waitFor();
      const edit = new vscode.WorkspaceEdit();
      edit.insert(document.uri, new vscode.Position(0, 0), 'mine\n');
      assert.ok(await vscode.workspace.applyEdit(edit));
      await warned('nsaved', 'Save');
      assert.ok(await document.save());
      await warned('lder text', 'Merge');
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
    });
  });

  describe('one that is rejected', () => {
    const before = ['one', 'two', 'three', 'four', 'five'];
    const proposed = ['ONE', 'two', 'three', 'four', 'FIVE'];

    async function rejectAfter(act: (uri: vscode.Uri) => Promise<unknown>): Promise<void> {
      const path = desk.scratch.write('lines.txt', asText(before));
      const { answer, uri } = await propose(desk.client, path, asText(proposed), 'A');
      await desk.ui.page.locator('.editor.modified .view-lines').first().waitFor();
      await act(uri);
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'A']);
      await until('its tab to close', () => proposalTabs().length === 0);
    }

    async function write(uri: vscode.Uri, lines: string[]): Promise<void> {
      const edit = new vscode.WorkspaceEdit();
      edit.replace(uri, new vscode.Range(0, 0, 99, 0), asText(lines));
      assert.ok(await vscode.workspace.applyEdit(edit));
      await becomes(uri, lines);
    }

    const isGiven = (lines: readonly string[]) =>
      until('the document', () =>
        untitledDocuments().some((document) => document.getText() === asText([...lines])),
      );

    async function undo(uri: vscode.Uri): Promise<void> {
      await vscode.window.showTextDocument(uri);
      await vscode.commands.executeCommand('undo');
    }

    for (const [what, lines] of [
      ['taken out', ['ONE', 'two', 'four', 'FIVE']],
      ['moved', ['two', 'ONE', 'three', 'four', 'FIVE']],
      ['written as another one is', [...proposed, 'two']],
    ] as const) {
      it(`is kept where the user has a line ${what}`, async () => {
        await rejectAfter((uri) => write(uri, [...lines]));
        await isGiven(lines);
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      });
    }

    for (const [what, act] of [
      ['has undone what they wrote', async (uri: vscode.Uri) => write(uri, ['x']).then(() => undo(uri))],
      ['has written the file', (uri: vscode.Uri) => write(uri, before)],
    ] as const) {
      it(`leaves no document where the user ${what}`, async () => {
        await rejectAfter(act);
        await setTimeout(500); // time for a document, if there were one
        assert.deepEqual(untitledDocuments(), []);
      });
    }

    it('leaves no document where the user has dropped a change, and another, and undone that', async () => {
      await rejectAfter(async (uri) => {
        await vscode.commands.executeCommand('ideBridge.dropHunk', uri, 0);
        await becomes(uri, ['one', ...proposed.slice(1)]);
        await undo(uri);
        await becomes(uri, proposed);
        await vscode.commands.executeCommand('ideBridge.dropHunk', uri, 4);
        await becomes(uri, [...proposed.slice(0, 4), 'five']);
      });
      await setTimeout(500); // time for a document, if there were one
      assert.deepEqual(untitledDocuments(), []);
    });

    it('is kept where the user has written beside a change that they dropped', async () => {
      await rejectAfter(async (uri) => {
        await write(uri, ['ONE', 'two', 'four', 'FIVE']);
        await vscode.commands.executeCommand('ideBridge.dropHunk', uri, 0);
        await becomes(uri, ['one', 'two', 'four', 'FIVE']);
      });
      await isGiven(['one', 'two', 'four', 'FIVE']);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    });
  });

  it('what was proposed and rejected opens again; of several, the one that the user picks', async () => {
    const texts = ['first\n', 'second\n'];
    for (const [index, text] of texts.entries()) {
      const name = `rejected-${index}.txt`;
      const { answer, uri } = await propose(desk.client, desk.scratch.write(name, 'one\n'), text, name);
      await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
      assert.deepEqual(await answer, ['DIFF_REJECTED', name]);
      await until('its tab to close', () => proposalTabs().length === 0);
    }
    const inFront = () => vscode.window.activeTextEditor?.document;
    const rows = desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row');
    for (const [index, text] of [...texts.entries()].reverse()) {
      void vscode.commands.executeCommand('ideBridge.openRejected');
      await rows.first().waitFor();
      assert.match(await rows.first().innerText(), /rejected-1\.txt/);
      await rows.filter({ hasText: `rejected-${index}.txt` }).click();
      await until('the text', () => inFront()?.isUntitled && inFront()?.getText() === text);
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('of 40,000 lines is in the tree with its counts before its diff was shown, which has lenses at its changes alone', async () => {
    const before = Array.from({ length: 40_000 }, (_, index) => `line ${index}`);
    const now = before.with(1, 'LINE 1').with(20_000, 'LINE 20000').with(39_998, 'LINE 39998');
    const path = desk.scratch.write('long.txt', asText(before));
    await vscode.commands.executeCommand('ideBridge.review.focus');
    const notes = await clickInto(desk.ui, desk.scratch.write('notes.txt', 'mine\n'));
    const { uri } = await propose(desk.client, path, asText(now)); // behind what they are in
    await reviewRows(desk.ui.page).filter({ hasText: 'long.txt+3 −3' }).waitFor();
    assert.equal(vscode.window.activeTextEditor?.document, notes);
    assert.equal(await desk.ui.page.locator('.monaco-diff-editor').count(), 0);
    await vscode.commands.executeCommand('ideBridge.openProposal', uri);
    await lensOf('1/3', 'Keep').waitFor();
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      'vscode.executeCodeLensProvider',
      uri,
    );
    assert.deepEqual([...new Set(lenses.map(({ range }) => range.start.line))], [1, 20_000, 39_998]);
  });

  for (const [length, line] of [
    ['short', 'line'],
    ['long', 'a line of some fifty characters, its number:'],
  ] as const) {
    it(`of 40,000 ${length} lines has its row drawn before its diff`, async () => {
      const before = Array.from({ length: 40_000 }, (_, index) => `${line} ${index}`);
      const { page } = desk.ui;
      await vscode.commands.executeCommand('ideBridge.review.focus');
      // Looks at each frame: ms of the page's clock when each was first there.
      const seen = page.evaluate(
        (selectors) =>
          new Promise<number[]>((done) => {
            const times: number[] = [];
            const look = () => {
              selectors.forEach(([selector, words], index) => {
                const all = [...document.querySelectorAll(selector)];
                if (all.some(({ textContent }) => textContent.includes(words)))
                  times[index] ??= performance.now();
              });
              if (Object.keys(times).length < selectors.length) requestAnimationFrame(look);
              else done(times);
            };
            look();
          }),
        [
          ['.pane-body .monaco-list-row', 'drawn.txt'],
          ['.editor.modified .view-line', 'CHANGED'],
        ] as const,
      );
      const asked = propose(
        desk.client,
        desk.scratch.write('drawn.txt', asText(before)),
        asText(before.with(0, 'CHANGED')),
      );
      const [row = 0, text = 0] = await seen;
      await asked;
      assert.ok(row < text, `row at ${row}, diff at ${text}`);
    });
  }

  it('of 40,000 lines that is withdrawn before its row has come leaves no diff, and no row', async () => {
    const before = Array.from({ length: 40_000 }, (_, index) => `a line of some fifty characters: ${index}`);
    await vscode.commands.executeCommand('ideBridge.review.focus');
    const path = desk.scratch.write('gone.txt', asText(before));
    const answer = desk.client.callForTexts('openDiff', {
      old_file_path: path,
      new_file_path: path,
      new_file_contents: asText(before.with(0, 'CHANGED')),
      tab_name: 'gone.txt',
    });
    await until('it to wait', () => desk.ui.page.getByText('1 proposal').first().isVisible());
    await desk.client.callForTexts('closeAllDiffTabs');
    await answer.catch(() => {});
    await reviewRows(desk.ui.page).filter({ hasText: 'gone.txt' }).waitFor({ state: 'detached' });
    await propose(desk.client, file, asText(proposed)); // by then it would have opened
    assert.equal(proposalTabs().length, 1);
  });
});
