import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { onDidSaveByHand } from '../../../src/proposals/handSaves.ts';
import { VirtualFiles } from '../../../src/editor/virtualFiles.ts';
import { until } from '../../support/until.ts';
import { connectClient, proposalTabs, skipOnFloor, tabs, untitledDocuments, useDesk } from '../bridge.ts';

describe('a proposal', () => {
  const desk = useDesk();
  let file: string;

  beforeEach(() => {
    file = desk.scratch.write('hello.txt', 'one\ntwo\nthree\n');
  });

  /** Proposes `text` for `path` and waits until its diff is open. */
  async function propose(path: string, text: string, { tabName = 'T1', by = desk.client } = {}) {
    const before = proposalTabs().length;
    const args = { old_file_path: path, new_file_path: path, new_file_contents: text, tab_name: tabName };
    const answer = by.callForTexts('openDiff', args);
    await until('the diff', () => proposalTabs().length > before);
    return answer;
  }

  /** The same, for tests that decide before they look at the answer. */
  function proposing(...parameters: Parameters<typeof propose>) {
    const answer = propose(...parameters);
    return { answer, shown: until('the diff in front', () => activeProposal()) };
  }

  function activeProposal(): vscode.Uri | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    return input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'ide-bridge-proposal'
      ? input.modified
      : undefined;
  }

  /** Types at the start of the proposed side, as a user would. */
  async function typeIntoProposedSide(text: string): Promise<void> {
    const uri = activeProposal()?.toString();
    await desk.ui.page.locator('.editor.modified .view-lines').first().click();
    await desk.ui.page.keyboard.press('Control+Home');
    await desk.ui.page.keyboard.type(text);
    // In this document: the editor keeps those of decided proposals for some minutes.
    await until('the text is typed', () =>
      vscode.workspace.textDocuments.some(
        (document) => document.uri.toString() === uri && document.getText().startsWith(text),
      ),
    );
  }

  const button = (name: string) => desk.ui.page.getByRole('button', { name }).first();

  describe('is shown', () => {
    it('in a pinned diff tab that names the file', async () => {
      void proposing(file, 'one\nTWO\nthree\n');
      const tab = await until('the tab', () =>
        tabs().find(({ input }) => input instanceof vscode.TabInputTextDiff),
      );
      assert.equal(tab.label, 'hello.txt (proposed edit)');
      assert.equal(tab.isPreview, false);
      await desk.ui.page.getByText('TWO').first().waitFor();
    });

    it('as text, whatever editor the user has chosen for such files', async () => {
      await desk.configure('workbench.editorAssociations', { '*.md': 'vscode.markdown.preview.editor' });
      const { answer, shown } = proposing(desk.scratch.write('read.md', '# one\n'), '# two\n');
      await shown;
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.deepEqual(await answer, ['FILE_SAVED', '# two\n']);
      await until('the diff to close', () => proposalTabs().length === 0);
    });

    it('without taking the focus', async () => {
      const document = await vscode.workspace.openTextDocument(desk.scratch.write('other.txt', ''));
      await vscode.window.showTextDocument(document, { preview: false });
      await desk.ui.page.locator('.editor-instance .view-lines').first().click();
      await desk.ui.page.keyboard.type('before ');
      const terminal = vscode.window.createTerminal('busy');
      terminal.show();
      await desk.ui.page
        .locator('.terminal-wrapper.active .xterm-helper-textarea')
        .waitFor({ state: 'attached' });
      await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      assert.ok(await desk.ui.hasTerminalFocus());
      terminal.dispose();
      await desk.client.callForTexts('closeAllDiffTabs');
      await answer;
    });

    it('beside a terminal in the editor area, not over it', async () => {
      const terminal = vscode.window.createTerminal({
        name: 'agent',
        location: vscode.TerminalLocation.Editor,
      });
      terminal.show();
      await until('the terminal tab', () =>
        tabs().some(({ input }) => input instanceof vscode.TabInputTerminal),
      );
      void propose(file, 'changed\n');
      await until('the diff', () => proposalTabs().length === 1);
      const active = vscode.window.tabGroups.all.map(({ activeTab }) => activeTab?.input?.constructor.name);
      assert.ok(
        vscode.window.tabGroups.all.some(
          ({ activeTab }) => activeTab?.input instanceof vscode.TabInputTerminal,
        ),
        String(active),
      );
      terminal.dispose();
    });

    it('for a new file in a folder that does not exist, without creating either', async () => {
      const path = desk.scratch.path('new/deep/file.ts');
      const { answer, shown } = proposing(path, 'export const a = 1;\n');
      await shown;
      assert.deepEqual(proposalTabs(), ['file.ts (proposed new file)']);
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.deepEqual(await answer, ['FILE_SAVED', 'export const a = 1;\n']);
      assert.equal(existsSync(desk.scratch.path('new')), false);
    });
  });

  describe('is accepted', () => {
    it('by the button in the title bar', async () => {
      const { answer, shown } = proposing(file, 'one\nTWO\nthree\n');
      await shown;
      await button('Accept Proposed Changes').click();
      assert.deepEqual(await answer, ['FILE_SAVED', 'one\nTWO\nthree\n']);
      await until('the tab to close', () => proposalTabs().length === 0);
      assert.equal(readFileSync(file, 'utf8'), 'one\ntwo\nthree\n', 'the CLI writes the file, not we');
    });

    it('with what the user has typed, saved or not', async () => {
      const { answer, shown } = proposing(file, 'one\nTWO\nthree\n');
      await shown;
      await typeIntoProposedSide('zero\n');
      await button('Accept Proposed Changes').click();
      assert.deepEqual(await answer, ['FILE_SAVED', 'zero\none\nTWO\nthree\n']);
      await until('the tab to close', () => proposalTabs().length === 0);
    });

    it('by Ctrl+Enter in the proposed side', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+Enter');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
    });

    it('by saving it, as it is', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+s');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
      await until('the tab to close', () => proposalTabs().length === 0);
    });

    it('by saving it, edited', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await typeIntoProposedSide('mine ');
      await desk.ui.page.keyboard.press('Control+s');
      assert.deepEqual(await answer, ['FILE_SAVED', 'mine changed\n']);
    });

    it('with LF line ends for a file that has CRLF', async () => {
      const path = desk.scratch.write('crlf.txt', 'one\r\ntwo\r\n');
      const { answer, shown } = proposing(path, 'one\nTWO\n');
      await shown;
      await typeIntoProposedSide('zero\n');
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.deepEqual(await answer, ['FILE_SAVED', 'zero\none\nTWO\n']);
    });

    it('with its byte order mark, and without a final newline, if it has it so', async () => {
      const path = desk.scratch.write('bom.txt', '\uFEFFone');
      const { answer, shown } = proposing(path, '\uFEFFTWO');
      await shown;
      await typeIntoProposedSide('x');
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.deepEqual(await answer, ['FILE_SAVED', '\uFEFFxTWO']);
    });

    it('with its characters unharmed where the editor reads files in another encoding', async () => {
      await desk.configure('files.encoding', 'windows1252');
      const { answer, shown } = proposing(file, 'größer 😀\n');
      await shown;
      await typeIntoProposedSide('é');
      await desk.ui.page.keyboard.press('Control+s');
      assert.deepEqual(await answer, ['FILE_SAVED', 'égrößer 😀\n']);
    });
  });

  describe('is rejected', () => {
    it('by the button in the title bar', async () => {
      const { answer, shown } = proposing(file, 'changed\n', {
        tabName: '✻ [Claude Code] hello.txt (3b56da) ⧉',
      });
      await shown;
      await button('Reject Proposed Changes').click();
      assert.deepEqual(await answer, ['DIFF_REJECTED', '✻ [Claude Code] hello.txt (3b56da) ⧉']);
      await until('the tab to close', () => proposalTabs().length === 0);
    });

    it('by its key', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await desk.ui.page.locator('.editor.modified .view-lines').first().click();
      await desk.ui.page.keyboard.press('Control+Shift+Backspace');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
    });

    it('by closing its tab', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await desk.ui.page.locator('.tab.active .tab-actions .action-label').first().click();
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
    });

    it('by a button although it was edited, and asks nothing', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await typeIntoProposedSide('mine ');
      await button('Reject Proposed Changes').click();
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      const told = desk.ui.page.locator('.notification-toast', { hasText: 'Rejected. Your version of' });
      await told.getByRole('button', { name: 'Open' }).click();
      const kept = await until('what was typed', () => {
        const document = vscode.window.activeTextEditor?.document;
        return document?.isUntitled && document;
      });
      assert.equal(kept.getText(), 'mine changed\n');
      assert.deepEqual(proposalTabs(), []);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });
  });

  describe('stays open', () => {
    it('through auto-save', async () => {
      await desk.configure('files.autoSave', 'onFocusChange');
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await typeIntoProposedSide('mine ');
      const typed = vscode.window.activeTextEditor?.document ?? assert.fail('no active editor');
      await until('unsaved text', () => typed.isDirty);
      const other = await vscode.workspace.openTextDocument(desk.scratch.write('other.txt', ''));
      await vscode.window.showTextDocument(other, { preview: false });
      await until('the auto-save', () => !typed.isDirty);
      assert.equal(proposalTabs().length, 1);
      await desk.client.callForTexts('close_tab', { tab_name: 'T1' });
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
    });

    it('through "save all" while another tab is in front', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await typeIntoProposedSide('mine ');
      const other = await vscode.workspace.openTextDocument(desk.scratch.write('other.txt', ''));
      await vscode.window.showTextDocument(other, { preview: false });
      await vscode.commands.executeCommand('workbench.action.files.saveAll');
      assert.equal(proposalTabs().length, 1);
      await desk.client.callForTexts('closeAllDiffTabs');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
    });

    it('when its tab moves to another group', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      const other = await vscode.workspace.openTextDocument(desk.scratch.write('other.txt', ''));
      await vscode.window.showTextDocument(other, { preview: false, preserveFocus: true });
      await desk.ui.page.locator('.tab', { hasText: 'proposed edit' }).click();
      await vscode.commands.executeCommand('workbench.action.moveEditorToNextGroup');
      await until('two groups', () => vscode.window.tabGroups.all.length === 2);
      await new Promise((resolve) => setTimeout(resolve, 300)); // longer than a closed tab takes to be a decision
      assert.equal(proposalTabs().length, 1);
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
    });

    it('when it is split, until the last copy is closed; a decision closes pinned ones too', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      await vscode.commands.executeCommand('workbench.action.splitEditor');
      await until('two copies', () => proposalTabs().length === 2);
      await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
      await until('one copy', () => proposalTabs().length === 1);
      await new Promise((resolve) => setTimeout(resolve, 300)); // longer than a closed tab takes to be a decision
      await vscode.commands.executeCommand('workbench.action.splitEditor');
      await until('two copies again', () => proposalTabs().length === 2);
      await vscode.commands.executeCommand('workbench.action.pinEditor');
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
      await until('all copies to close', () => proposalTabs().length === 0);
    });

    it('when it moves into a window of its own; closing that window rejects it', async function () {
      skipOnFloor(this);
      const context = desk.ui.page.context();
      for (const decide of ['accept', 'close'] as const) {
        const { answer, shown } = proposing(file, 'changed\n');
        await shown;
        const opened = context.waitForEvent('page');
        await vscode.commands.executeCommand('workbench.action.moveEditorToNewWindow');
        const page = await opened;
        const inWindow = page.getByRole('button', { name: 'Accept Proposed Changes' }).first();
        await inWindow.waitFor();
        await new Promise((resolve) => setTimeout(resolve, 300)); // longer than a closed tab takes to be a decision
        assert.equal(proposalTabs().length, 1);
        if (decide === 'accept') {
          await inWindow.click();
          assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
        } else {
          await page.close({ runBeforeUnload: true });
          assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
        }
        await until('the tab to close', () => proposalTabs().length === 0);
        await until('one window', () => context.pages().length === 1);
      }
    });

    it('beside another of the same client', async () => {
      const second = desk.scratch.write('second.txt', '');
      const answers = [propose(file, 'first\n', { tabName: 'A' })];
      await until('one diff', () => proposalTabs().length === 1);
      answers.push(propose(second, 'second\n', { tabName: 'B' }));
      await until('two diffs', () => proposalTabs().length === 2);
      await desk.client.callForTexts('close_tab', { tab_name: 'A' });
      assert.deepEqual(await answers[0], ['DIFF_REJECTED', 'A']);
      assert.deepEqual(proposalTabs(), ['second.txt (proposed edit)']);
      await desk.client.callForTexts('closeAllDiffTabs');
      assert.deepEqual(await answers[1], ['DIFF_REJECTED', 'B']);
    });
  });

  describe('is withdrawn', () => {
    it('by close_tab, which may come twice', async () => {
      const { answer, shown } = proposing(file, 'changed\n');
      await shown;
      assert.deepEqual(await desk.client.callForTexts('close_tab', { tab_name: 'T1' }), ['TAB_CLOSED']);
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
      assert.equal(proposalTabs().length, 0);
      assert.deepEqual(await desk.client.callForTexts('close_tab', { tab_name: 'T1' }), ['TAB_CLOSED']);
    });

    it('in the very moment in which it is proposed', async () => {
      for (const withdraw of [
        () => desk.client.callForTexts('close_tab', { tab_name: 'T1' }),
        () => desk.client.callForTexts('closeAllDiffTabs'),
      ]) {
        const args = { old_file_path: file, new_file_contents: 'changed\n', tab_name: 'T1' };
        const [answer] = await Promise.all([desk.client.callForTexts('openDiff', args), withdraw()]);
        assert.deepEqual(answer, ['DIFF_REJECTED', 'T1']);
        await until('the diff to go, if it was shown', () => proposalTabs().length === 0);
      }
    });

    it('by closeAllDiffTabs of its own client only, which leaves other diffs alone', async () => {
      const other = await connectClient();
      const theirs = propose(file, 'theirs\n', { by: other });
      await until('their diff', () => proposalTabs().length === 1);
      const ours = propose(file, 'ours\n');
      await until('our diff of the same file', () => proposalTabs().length === 2);
      const foreign = [desk.scratch.write('a.txt', 'a'), desk.scratch.write('b.txt', 'b')].map((path) =>
        vscode.Uri.file(path),
      );
      await vscode.commands.executeCommand('vscode.diff', ...foreign, 'a and b', { preview: false });

      assert.deepEqual(await desk.client.callForTexts('closeAllDiffTabs'), ['CLOSED_1_DIFF_TABS']);
      assert.deepEqual(await ours, ['DIFF_REJECTED', 'T1']);
      await until('our diff to close', () => proposalTabs().length === 1); // the answer waits only so long for that
      assert.ok(tabs().some(({ label }) => label === 'a and b'));
      assert.deepEqual(await desk.client.callForTexts('closeAllDiffTabs'), ['CLOSED_0_DIFF_TABS']);

      await other.close();
      await until('their diff to go with its client', () => proposalTabs().length === 0);
      await assert.rejects(theirs, /closed/);
    });

    it('when its client goes, and what the user has typed there is kept', async () => {
      const notes = desk.scratch.write('notes.md', 'one\n');
      const decided = proposing(notes, 'decided\n');
      await decided.shown;
      await typeIntoProposedSide('not this ');
      await desk.client.callForTexts('close_tab', { tab_name: 'T1' });
      await decided.answer;
      const other = await connectClient();
      const { answer, shown } = proposing(notes, 'changed\n', { by: other });
      await shown;
      await typeIntoProposedSide('mine ');
      await Promise.all([other.close(), assert.rejects(answer, /closed/)]);
      await desk.ui.page
        .getByText('No session waits for your version of notes.md any more')
        .first()
        .waitFor();
      await until('its tab', () => untitledDocuments().length > 0);
      assert.deepEqual(
        untitledDocuments().map((document) => [document.languageId, document.getText()]),
        [['markdown', 'mine changed\n']],
      );
      await until('its tab alone', () => tabs().length === 1 && proposalTabs().length === 0);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });

    it('when its client goes, and what the user types there until its tab closes is kept, too', async () => {
      const other = await connectClient();
      const { answer, shown } = proposing(file, 'changed\n', { by: other });
      const uri = await shown;
      await typeIntoProposedSide('mine ');
      const typing = vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document.uri.toString() === uri.toString()) {
          const edit = vscode.TextEdit.insert(new vscode.Position(0, 'mine '.length), 'in all ');
          event.waitUntil(Promise.resolve([edit])); // no key could come later
        }
      });
      await Promise.all([other.close(), assert.rejects(answer, /closed/)]);
      await until('the diff to go', () => proposalTabs().length === 0);
      typing.dispose();
      const untitled = await until('what was kept', () => {
        const found = untitledDocuments();
        return found.length > 0 && found;
      });
      assert.deepEqual(
        untitled.map((document) => document.getText()),
        ['mine in all changed\n'],
      );
      await until('its tab alone', () => tabs().length === 1);
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    });

    it('when the call is cancelled', async () => {
      const args = { old_file_path: file, new_file_path: file, new_file_contents: 'x\n', tab_name: 'T1' };
      const { id } = desk.client.start('tools/call', { name: 'openDiff', arguments: args });
      await until('the diff', () => proposalTabs().length === 1);
      desk.client.notify('notifications/cancelled', { requestId: id });
      await until('the diff to go', () => proposalTabs().length === 0);
    });

    it('when a newer one of the same client for the same file takes its place', async () => {
      const first = propose(file, 'first\n', { tabName: 'A' });
      const firstUri = await until('the first diff', () => activeProposal());
      const second = desk.client.callForTexts('openDiff', {
        old_file_path: file,
        new_file_path: file,
        new_file_contents: 'second\n',
        tab_name: 'B',
      });
      assert.deepEqual(await first, ['DIFF_REJECTED', 'A']);
      await until(
        'the second alone',
        () => proposalTabs().length === 1 && activeProposal()?.query !== firstUri.query,
      );
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      assert.deepEqual(await second, ['FILE_SAVED', 'second\n']);
    });
  });

  describe('with bad arguments is refused', () => {
    it('a relative path', async () => {
      const args = { old_file_path: 'a.txt', new_file_contents: '', tab_name: 'x' };
      await assert.rejects(desk.client.call('openDiff', args), /old_file_path[^]*|absolute path/);
    });

    it('no contents', async () => {
      await assert.rejects(
        desk.client.call('openDiff', { old_file_path: file, tab_name: 'x' }),
        /new_file_contents/,
      );
    });
  });

  it('the commands say so when there is none', async () => {
    await vscode.commands.executeCommand('ideBridge.acceptProposal');
    await desk.ui.page.getByText('No proposed change is open.').first().waitFor();
    await vscode.commands.executeCommand('notifications.clearAll');
  });
});

describe('a save by hand that fails', () => {
  /** One file, to which nothing can be written at first. */
  class RefusingFiles extends VirtualFiles {
    readonly onDidChangeFile = new vscode.EventEmitter<vscode.FileChangeEvent[]>().event;
    refuses = true;
    private content: Uint8Array = new Uint8Array();

    stat(): vscode.FileStat {
      return { type: vscode.FileType.File, ctime: 0, mtime: 0, size: this.content.length };
    }

    readFile(): Uint8Array {
      return this.content;
    }

    writeFile(_uri: vscode.Uri, content: Uint8Array): void {
      if (this.refuses) {
        throw vscode.FileSystemError.Unavailable('not now');
      }
      this.content = content;
    }
  }

  it('makes no decision of the next save, which is none', async () => {
    const files = new RefusingFiles();
    let isLookedAt = true;
    const saved: boolean[] = [];
    const subscriptions = vscode.Disposable.from(
      vscode.workspace.registerFileSystemProvider('refusing', files),
      onDidSaveByHand(
        () => isLookedAt,
        () => saved.push(isLookedAt),
      ),
    );
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse('refusing:/a.txt'));
    const editor = await vscode.window.showTextDocument(document);
    const save = async () => {
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'x'));
      return document.save().then(undefined, () => false);
    };
    assert.equal(await save(), false);
    files.refuses = false;
    isLookedAt = false;
    assert.equal(await save(), true);
    isLookedAt = true;
    assert.equal(await save(), true);
    await until('the last save', () => saved.at(-1));
    assert.deepEqual(saved, [true]);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.commands.executeCommand('notifications.clearAll');
    subscriptions.dispose();
  });
});

describe('close_tab', () => {
  const desk = useDesk();

  it('closes a plain tab of that name, and keeps one with unsaved changes', async () => {
    for (const name of ['clean.txt', 'dirty.txt']) {
      const document = await vscode.workspace.openTextDocument(desk.scratch.write(name, ''));
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      if (name === 'dirty.txt') {
        await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'unsaved'));
      }
      await desk.client.callForTexts('close_tab', { tab_name: name });
    }
    assert.deepEqual(
      tabs().map(({ label }) => label),
      ['dirty.txt'],
    );
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('answers TAB_CLOSED for a name that nobody has', async () => {
    assert.deepEqual(await desk.client.callForTexts('close_tab', { tab_name: 'nobody' }), ['TAB_CLOSED']);
  });
});
