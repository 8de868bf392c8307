import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { AtMentioned, SelectionChanged } from '../../../src/protocol/ide.ts';
import type { FileDiagnostics } from '../../../src/protocol/ide.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { connectUi, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, letMomentPass, prompt, Scratch, skipOnFloor } from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';
import { ipynb } from './ipynb.ts';

describe('cells of a notebook', () => {
  let ui: Ui;
  let client: IdeClient;
  let scratch: Scratch;
  let path: string;

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(async () => {
    scratch = new Scratch();
    path = scratch.write(
      'möre#1.ipynb',
      ipynb(['import math', 'def area(r):\n    return math.pi * r', 'area(2)']),
    );
    client = await connectClient();
  });
  afterEach(async () => {
    await client.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  async function openNotebook(): Promise<vscode.NotebookEditor> {
    const notebook = await vscode.workspace.openNotebookDocument(vscode.Uri.file(path));
    return vscode.window.showNotebookDocument(notebook, { preview: false });
  }

  /** Selects in a cell, by the tool that does it for clients. */
  async function selectInCell(): Promise<SelectionChanged> {
    const args = { filePath: path, startText: 'return', endText: 'pi', makeFrontmost: true };
    assert.deepEqual(await client.callForTexts('openFile', args), [
      'Opened file and selected text from "return" to "pi"',
    ]);
    return until('the selection', () =>
      client
        .notifications<SelectionChanged>('selection_changed')
        .find(({ text }) => text === 'return math.pi'),
    );
  }

  const expected = () => ({
    text: 'return math.pi',
    filePath: path,
    fileUrl: `file://${path}`,
    cellIndex: 1,
    selection: { start: { line: 1, character: 4 }, end: { line: 1, character: 18 }, isEmpty: false },
  });

  it('are found by openFile, and told as the selection of the notebook', async () => {
    assert.deepEqual(await selectInCell(), expected());
    const current = await client.callForJson<object>('getCurrentSelection');
    assert.deepEqual(current, { success: true, ...expected() });
  });

  it('are forgotten as a selection when the notebook is closed', async () => {
    await selectInCell();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await until(
      'nothing',
      () => client.notifications<SelectionChanged>('selection_changed').at(-1)?.filePath === '',
    );
  });

  it('are not opened by openFile when none has the text', async () => {
    const args = { filePath: path, startText: 'nowhere' };
    assert.deepEqual(await client.callForTexts('openFile', args), [
      'Opened file, but text "nowhere" not found',
    ]);
    await until('the notebook', () => vscode.window.activeNotebookEditor);
  });

  it('are mentioned by their ids: their lines are not those of the file', async () => {
    await selectInCell();
    await vscode.commands.executeCommand('ideBridge.mention');
    const mention = await until('the mention', () => client.notifications<AtMentioned>('at_mentioned')[0]);
    assert.deepEqual(mention, { filePath: `${path}#cell-1` });
  });

  it('are mentioned by the key when they are selected as a whole', async () => {
    await openNotebook();
    await ui.page.locator('.notebookOverlay .cell-focus-indicator-left').nth(2).click();
    await ui.page.keyboard.press('Alt+k');
    const mention = await until('the mention', () => client.notifications<AtMentioned>('at_mentioned')[0]);
    assert.deepEqual(mention, { filePath: `${path}#cell-2` });
  });

  it('are mentioned where no text has the cursor, as on rendered Markdown', async () => {
    const cell = { cell_type: 'markdown', metadata: {}, source: ['# a'] };
    path = scratch.write(
      'notes.ipynb',
      JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 }),
    );
    await openNotebook();
    await until(
      'the notebook to be told',
      () => client.notifications<SelectionChanged>('selection_changed').at(-1)?.filePath === path,
    );
    await vscode.commands.executeCommand('ideBridge.mention');
    const mention = await until('the mention', () => client.notifications<AtMentioned>('at_mentioned')[0]);
    assert.deepEqual(mention, { filePath: `${path}#cell-0` });
  });

  it('have their problems told under the notebook, with the number of the cell', async () => {
    const { notebook } = await openNotebook();
    const collection = vscode.languages.createDiagnosticCollection('test');
    const range = new vscode.Range(0, 0, 0, 4);
    collection.set(notebook.cellAt(2).document.uri, [new vscode.Diagnostic(range, 'too small')]);
    const told = {
      uri: `file://${path}`,
      diagnostics: [
        {
          message: 'Cell 3: too small',
          severity: 'Error',
          range: { start: { line: 0, character: 0 }, end: { line: 0, character: 4 } },
          cellIndex: 2,
        },
      ],
    };
    const all = await client.callForJson<FileDiagnostics[]>('getDiagnostics');
    assert.deepEqual(
      all.find(({ uri }) => uri === told.uri),
      told,
    );
    assert.deepEqual(await client.callForJson('getDiagnostics', { uri: told.uri }), [told]);
    await until('the notification', () =>
      client
        .notifications<{ uris: string[] }>('diagnostics_changed')
        .some(({ uris }) => uris.includes(told.uri)),
    );
    collection.dispose();
  });

  it('are counted by getOpenEditors', async () => {
    const editor = await openNotebook();
    editor.selection = new vscode.NotebookRange(2, 3);
    await until('the cell', async () => {
      const { tabs } = await client.callForJson<{ tabs: { kind: string; cellIndex?: number }[] }>(
        'getOpenEditors',
      );
      return tabs[0]?.kind === 'notebook' && tabs[0].cellIndex === 2;
    });
  });

  describe('in a proposal', () => {
    const proposed = ipynb(['import math', 'def area(r):\n    return math.tau * r / 2', 'area(3)']);
    const propose = (text = proposed) =>
      client.callForTexts('openDiff', {
        old_file_path: path,
        new_file_path: path,
        new_file_contents: text,
        tab_name: 'notebook',
      });
    const diff = () =>
      until('the diff', () =>
        vscode.window.tabGroups.all
          .flatMap(({ tabs }) => tabs)
          .find(({ input }) => input instanceof vscode.TabInputNotebookDiff),
      );
    /** A notebook writes the text of a cell as one string or as its lines. */
    const sources = (text: string) =>
      (JSON.parse(text) as { cells: { source: string | string[] }[] }).cells.map(({ source }) =>
        [source].flat().join(''),
      );
    const nextDialog = useDialogs();
    const isGone = () => vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 0);

    /** Puts the cursor at the end of the first changed cell, on the side of that class. */
    const clickInto = async (side: 'original' | 'modified') => {
      const text = ui.page.locator(`.notebook-text-diff-editor .editor.${side} .view-lines`).first();
      await text.click();
      await until('the cursor', () => vscode.window.activeTextEditor);
      await ui.page.keyboard.press('Control+End');
    };
    const clickOn = (label: string) =>
      ui.page.locator('.notebook-text-diff-editor').getByText(label, { exact: true }).first().click();
    /** Of a click that selects a cell nothing is heard: the diff must have been in front for a moment. */
    const clickOnCell = async () => {
      await clickOn('Input changed');
      letMomentPass();
    };
    /** A busy window takes a key for what had the focus before the click. */
    const decideByKey = async (click: () => Promise<unknown>, key: string, answer: Promise<string[]>) => {
      const isDecided = () => Promise.race([answer.then(() => true), sleep(2_000, false)]);
      for (let tries = 0; tries < 8; tries++) {
        await click();
        await ui.page.keyboard.press(key);
        if (await isDecided()) return answer;
      }
      const said = await ui.page.evaluate<string>(
        '[document.activeElement.closest(".part")?.id, document.activeElement.className, ' +
          '...[...document.querySelectorAll(".statusbar-item.left, .notification-list-item")].map((e) => e.innerText)].join(" | ")',
      );
      throw new Error(`${key} has decided nothing. The focus, and what the window says: ${said}`);
    };
    const edited = proposed.replace('/ 2', '/ 2 # twice');

    it('are compared as cells, and decided by the buttons above', async () => {
      for (const [button, outcome] of [
        ['Accept', 'FILE_SAVED'],
        ['Reject', 'DIFF_REJECTED'],
      ] as const) {
        const answer = propose();
        await ui.page.locator('.notebook-text-diff-editor').getByText('Input changed').first().waitFor();
        await ui.screenshot(`openDiff-notebook-${button}`);
        await ui.page.getByRole('button', { name: `${button} Proposed Changes` }).click();
        assert.deepEqual(await answer, [outcome, button === 'Accept' ? proposed : 'notebook']);
        await until('the tab to close', isGone);
      }
    });

    for (const [place, click] of [
      ['in a cell', () => clickInto('modified')],
      ['in a cell as it was', () => clickInto('original')],
      ['on a cell', clickOnCell],
    ] as const) {
      it(`are decided by the keys, with the focus ${place}`, async () => {
        const accepted = await decideByKey(click, 'Control+Enter', propose());
        assert.deepEqual(accepted, ['FILE_SAVED', proposed]);
        await until('the tab to close', isGone);
        const [rejected] = await decideByKey(click, 'Control+Shift+Backspace', propose());
        assert.equal(rejected, 'DIFF_REJECTED');
      });
    }

    it('are not decided by keys that go elsewhere', async () => {
      const answer = propose();
      await clickOnCell();
      await vscode.commands.executeCommand('workbench.files.action.focusFilesExplorer');
      await until('the focus', () =>
        ui.page.evaluate<boolean>('!!document.activeElement.closest(".explorer-folders-view")'),
      );
      await ui.page.keyboard.press('Control+Shift+Backspace');
      assert.equal((await decideByKey(clickOnCell, 'Control+Enter', answer))[0], 'FILE_SAVED');
    });

    for (const key of ['Control+s', 'Control+Enter']) {
      it(`are accepted as they were edited, by ${key}`, async () => {
        const answer = propose();
        await clickInto('modified');
        await ui.page.keyboard.type(' # twice');
        await until('the edit', () => vscode.window.activeTextEditor?.document.getText().endsWith('# twice'));
        await ui.page.keyboard.press(key);
        const [outcome, text = ''] = await answer;
        assert.equal(outcome, 'FILE_SAVED');
        assert.deepEqual(sources(text), sources(edited));
        await until('the tab to close', isGone);
      });
    }

    it('are accepted by a save without an edit as the text that was proposed', async () => {
      const answer = propose();
      await clickOnCell();
      await ui.page.keyboard.press('Control+s');
      await until('the tab to close', isGone);
      assert.deepEqual(await answer, ['FILE_SAVED', proposed]);
    });

    it('are accepted over unsaved cells only if the user says so', async () => {
      const { notebook } = await openNotebook();
      const edit = new vscode.WorkspaceEdit();
      edit.insert(notebook.cellAt(0).document.uri, new vscode.Position(0, 0), '# mine\n');
      await vscode.workspace.applyEdit(edit);
      await prompt(client);
      const answer = propose();
      await clickOnCell();
      await ui.page.keyboard.press('Control+Enter');
      (await nextDialog()).press('Save First');
      await until('the notebook to be saved', () => !notebook.isDirty);
      await clickOnCell();
      await ui.page.keyboard.press('Control+Enter');
      const dialog = await nextDialog(); // of what is in the file since, and cannot be merged
      assert.deepEqual(dialog.buttons, ['Show Diff', 'Accept Anyway', 'Reject']);
      dialog.press('Accept Anyway');
      assert.equal((await answer)[0], 'FILE_SAVED');
    });

    it('are compared with nothing when the notebook is new', async () => {
      path = scratch.path('new.ipynb');
      const answer = propose();
      await clickOn('Input');
      await ui.screenshot('openDiff-notebook-new');
      letMomentPass();
      await ui.page.keyboard.press('Control+Enter');
      assert.deepEqual(await answer, ['FILE_SAVED', proposed]);
    });

    it('are compared as text when one side is no notebook', async () => {
      for (const [name, before, after] of [
        ['proposed.ipynb', ipynb(['1']), '{"cells": ['],
        ['original.ipynb', '<<<<<<< HEAD\n', ipynb(['1'])],
      ] as const) {
        path = scratch.write(name, before);
        const answer = propose(after);
        await ui.page
          .locator('.editor-group-container.active .monaco-diff-editor .view-line')
          .first()
          .waitFor();
        await ui.screenshot('openDiff-notebook-broken');
        await vscode.commands.executeCommand('ideBridge.acceptProposal');
        assert.deepEqual(await answer, ['FILE_SAVED', after]);
        await until('the tab to close', isGone);
      }
    });

    it('are rejected when the diff is closed', async () => {
      const answer = propose();
      await vscode.window.tabGroups.close(await diff());
      assert.equal((await answer)[0], 'DIFF_REJECTED');
    });

    it('are withdrawn by the client', async () => {
      const answer = propose();
      await diff();
      await client.callForTexts('closeAllDiffTabs');
      assert.equal((await answer)[0], 'DIFF_REJECTED');
      await until('the tab to close', isGone);
    });

    it('are decided by the keys also after a view has gone that had the focus', async function () {
      skipOnFloor(this); // its chat is there with another extension alone
      const chat = vscode.workspace.getConfiguration('chat');
      const { Global } = vscode.ConfigurationTarget;
      try {
        await chat.update('disableAIFeatures', false, Global);
        await vscode.commands.executeCommand('workbench.action.chat.open');
        await until('the focus', () =>
          ui.page.evaluate<boolean>('!!document.activeElement.closest(".part.auxiliarybar")'),
        );
      } finally {
        await chat.update('disableAIFeatures', undefined, Global);
      }
      assert.deepEqual(await decideByKey(clickOnCell, 'Control+Enter', propose()), ['FILE_SAVED', proposed]);
    }).timeout(90_000);
  });
});
