import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { IdeClient } from '../../support/ideClient.ts';
import { RecordedCli } from '../../support/recordedCli.ts';
import { clickHovered } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, endReview, letMomentPass, propose, useDesk } from '../bridge.ts';
import { changesRows, editAs } from '../changes/edits.ts';

describe('comments on lines', function () {
  this.timeout(60_000);
  let nextPid = 3_970_000; // above what Linux gives out
  const desk = useDesk(() => nextPid++);
  let recorded: RecordedCli | undefined;
  /** Of a session in a terminal. */
  let cliClient: IdeClient | undefined;

  afterEach(async () => {
    recorded?.removeSessionFile();
    recorded = undefined;
    await removeAll();
    await endReview();
  });

  const page = () => desk.ui.page;
  const widget = () => page().locator('.review-widget');
  const thread = (text: string) => widget().filter({ hasText: text });
  const comment = (text: string) => page().locator('.review-comment', { hasText: text });
  const row = (text: string) => changesRows(desk.ui).filter({ hasText: text }).first();
  const toast = (words: string) => page().locator('.notification-toast', { hasText: words }).first();

  /** Copies what is left, as then it counts as sent. */
  async function removeAll(): Promise<void> {
    await Promise.all([desk.client.close(), cliClient?.close()]);
    await vscode.commands.executeCommand('notifications.clearAll');
    const copy = page().locator('.quick-input-widget .monaco-list-row:visible', {
      hasText: 'Copy the Review',
    });
    const sending = vscode.commands.executeCommand('ideBridge.sendReview');
    await copy.or(toast('There is no comment to send')).waitFor();
    if (await copy.isVisible()) {
      await copy.click();
    }
    await sending;
    await vscode.commands.executeCommand('ideBridge.removeSentComments');
  }

  /** A session whose terminal this is, idle at its prompt. @returns where what is typed there is kept, too */
  async function connectFrom(
    terminal: vscode.Terminal,
  ): Promise<{ cli: RecordedCli; client: IdeClient; output: string }> {
    const output = desk.scratch.path('typed.txt');
    terminal.show();
    const pid = await terminal.processId;
    assert.ok(pid);
    terminal.sendText(`exec cat > "${output}"`);
    await until('the program', () => existsSync(output), 20_000);
    const { CLAUDE_CONFIG_DIR = '' } = process.env;
    const cli = (recorded = new RecordedCli(CLAUDE_CONFIG_DIR, desk.scratch.folder, pid));
    cli.is('idle');
    const client = (cliClient = await connectClient(pid));
    return { cli, client, output };
  }

  /** What an agent has made of a file of five lines. */
  const edited = 'one\nTWO\nthree\nfour\nFIVE\n';

  async function openEdited(by: IdeClient = desk.client, name = 'a.txt'): Promise<vscode.TextEditor> {
    const file = desk.scratch.write(name, 'one\ntwo\nthree\nfour\nfive\n');
    await vscode.commands.executeCommand('ideBridge.review.focus');
    await editAs(by, file, edited);
    await row(name).waitFor();
    return vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
  }

  /** Writes into the input that is open. */
  async function write(text: string): Promise<void> {
    const input = widget()
      .locator('.monaco-editor textarea:visible, .monaco-editor .native-edit-context:visible')
      .first();
    await input.waitFor();
    await until('the focus in the input', () =>
      page().evaluate<boolean>('document.activeElement?.closest(".review-widget") !== null'),
    );
    await page().keyboard.insertText(text);
    await page().getByRole('button', { name: 'Add Comment' }).click();
    await comment(text.split('\n')[0] ?? '').waitFor();
  }

  async function editComment(text: string, to: string): Promise<void> {
    await clickHovered(comment(text), 'Edit Comment', undefined, () => openThread(text));
    await until('the focus in the comment', () =>
      page().evaluate<boolean>('document.activeElement?.closest(".review-comment") !== null'),
    );
    await page().keyboard.press('ControlOrMeta+a');
    await page().keyboard.insertText(to);
    await page().getByRole('button', { name: 'Save Comment' }).click();
    await comment(to).waitFor();
  }

  async function commentOn(lines: [number, number], text: string): Promise<void> {
    const file = vscode.Uri.file(desk.scratch.path('a.txt')); // not the input of the comment before
    await vscode.commands.executeCommand('ideBridge.commentOnLines', file, ...lines);
    await write(text);
  }

  it('are made by the lens of a change, and stand in the editor and in the Comments view', async () => {
    await openEdited();
    await page().locator('.codelens-decoration a', { hasText: 'Comment' }).first().click();
    await write('Keep it small.');
    await comment('Keep it small.').getByText('Not sent').waitFor();
    await desk.ui.screenshot('comment-written');
    await vscode.commands.executeCommand('workbench.action.focusCommentsPanel');
    await page().locator('.comments-panel', { hasText: 'Keep it small.' }).waitFor();
    await desk.ui.screenshot('comments-view');
  });

  it('are edited, resolved, reopened and deleted', async () => {
    await openEdited();
    await commentOn([1, 1], 'Too loud.');
    await editComment('Too loud.', 'Not so loud.');
    assert.equal(await comment('Too loud.').count(), 0);
    await thread('Not so loud.').getByRole('button', { name: 'Resolve Comments' }).click();
    await comment('Not so loud.').waitFor({ state: 'hidden' });
    await vscode.commands.executeCommand('ideBridge.sendReview');
    await toast('There is no comment to send').waitFor();
    await vscode.commands.executeCommand('notifications.clearAll');
    await openThread('Not so loud.');
    await thread('Not so loud.').getByRole('button', { name: 'Reopen Comments' }).click();
    await thread('Not so loud.').getByRole('button', { name: 'Resolve Comments' }).waitFor();
    await clickHovered(comment('Not so loud.'), 'Delete Comment');
    await widget().waitFor({ state: 'detached' });
  });

  it('follow their lines, and say when those have changed', async () => {
    const editor = await openEdited();
    await commentOn([3, 3], 'Why four?');
    const { document } = editor;
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'zero\n'));
    await document.save();
    writeFileSync(document.uri.fsPath, `zero\n${edited.replace('four', '4')}`);
    await until('the other text', () => document.getText().includes('4'));
    await thread('Why four?').getByText('These lines have changed since, or are gone').waitFor();
    assert.match(
      await review(),
      /line 5 \(which have changed since, or are gone\):\n```txt\nfour\n```\nWhy four\?/,
    );
  });

  it('stay where their lines are gone, and say so: with all below them, with the file, and until they are back', async () => {
    const { document } = await openEdited();
    const file = document.uri.fsPath;
    await commentOn([4, 4], 'Why five?');
    const label = (words: string) => thread('Why five?').getByText(words);
    await label('For the next review').waitFor();
    writeFileSync(file, 'one\n');
    await label('These lines have changed since, or are gone').waitFor();
    await desk.ui.screenshot('comment-lines-gone');
    writeFileSync(file, edited);
    await label('For the next review').waitFor();
    rmSync(file);
    await label('The file is gone').waitFor();
    await desk.ui.screenshot('comment-file-gone');
    writeFileSync(file, edited);
    await label('For the next review').waitFor();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(file);
    await vscode.commands.executeCommand('workbench.action.focusCommentsPanel');
    await page().locator('.comments-panel', { hasText: 'Why five?' }).waitFor();
    assert.match(await review(), /line 5 \(the file is gone\):\n```txt\nFIVE\n```\nWhy five\?/);
  });

  it('suggest other lines, which can be applied and undone', async () => {
    const editor = await openEdited();
    await commentOn([1, 1], 'Like this:\n```suggestion\n2\n```');
    await clickHovered(comment('Like this:'), 'Apply Suggestion');
    await until('the suggestion', () => editor.document.getText() === edited.replace('TWO', '2'));
    assert.ok(editor.document.isDirty);
    await clickHovered(comment('Like this:'), 'Apply Suggestion');
    await toast('Nothing was applied').waitFor();
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    await vscode.commands.executeCommand('undo');
    await until('what was there', () => editor.document.getText() === edited);
  });

  it('can be made in any file, once that is asked for', async () => {
    const file = desk.scratch.write('plain.txt', 'a\nb\n');
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(file));
    editor.selection = new vscode.Selection(1, 0, 1, 1);
    await vscode.commands.executeCommand('ideBridge.commentOnLines');
    await write('Who reads this?');
    void vscode.commands.executeCommand('ideBridge.sendReview');
    const quickPick = page().locator('.quick-input-widget');
    await quickPick.getByPlaceholder('Who is to have the comments on plain.txt?').waitFor();
    await desk.ui.screenshot('comment-choose');
    await quickPick.locator('.monaco-list-row', { hasText: 'Copy the Review' }).click();
    await comment('Who reads this?').getByText('Sent to the clipboard').waitFor();
    assert.match(
      await vscode.env.clipboard.readText(),
      /plain\.txt, line 2:\n```txt\nb\n```\nWho reads this\?$/,
    );
  });

  describe('of a session in a terminal', () => {
    let client: IdeClient;
    let output: string;
    let terminal: vscode.Terminal;
    let cli: RecordedCli;

    beforeEach(async () => {
      terminal = vscode.window.createTerminal('agent');
      ({ cli, client, output } = await connectFrom(terminal));
    });

    /** The lines that the program has: here each of a paste, as it reads no keys. */
    const typed = () => readFileSync(output, 'utf8');

    /** The user sends what stands in the prompt. */
    async function enter(): Promise<void> {
      await vscode.commands.executeCommand('workbench.action.terminal.focus');
      await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
      await page().keyboard.press('Enter');
    }

    it('are pasted into its prompt as one text, which the user sends', async () => {
      await openEdited(client);
      await commentOn([1, 1], 'Not so loud.');
      await commentOn([4, 4], 'Nor here,\nplease.');
      await vscode.commands.executeCommand('ideBridge.sendReview');
      await page().getByText('Review pasted').first().waitFor();
      await desk.ui.screenshot('comments-sent');
      const lines = [
        'Review of your changes, with 2 comments:',
        '',
        `1. ${vscode.workspace.asRelativePath(desk.scratch.path('a.txt'))}, line 2:`,
        '```txt',
        'TWO',
        '```',
        'Not so loud.',
        '',
        `2. ${vscode.workspace.asRelativePath(desk.scratch.path('a.txt'))}, line 5:`,
        '```txt',
        'FIVE',
        '```',
        'Nor here,',
        'please.',
      ];
      const expected = `\x1b[200~${lines.join('\n')}\x1b[201~\n`;
      const withoutLast = expected.split('\n').slice(0, -2).join('\n');
      await until('the paste', () => typed() === `${withoutLast}\n`, 5_000, typed);
      await enter(); // is the user's
      await until('the review', () => typed() === expected, 5_000, typed);
      await openFile('a.txt', 'Not so loud.', 'Sent to agent');
      await vscode.commands.executeCommand('ideBridge.sendReview');
      await toast('There is no comment to send').waitFor();
    });

    it('are sent at once, where the user wants that', async () => {
      await desk.configure('ideBridge.comments.submit', true);
      await openEdited(client);
      await commentOn([1, 1], 'Not so loud.');
      await vscode.commands.executeCommand('ideBridge.sendReview');
      await until(
        'the end of the paste, and Enter',
        () => typed().endsWith('Not so loud.\x1b[201~\n'),
        10_000,
        typed,
      );
    });

    it('are to be sent again where one of them is edited while they wait', async () => {
      await openEdited(client);
      await commentOn([1, 1], 'Not so loud.');
      cli.is('busy');
      await vscode.commands.executeCommand('ideBridge.sendReview');
      await openFile('a.txt', 'Not so loud.', 'Waits for the prompt');
      await editComment('Not so loud.', 'Hush.');
      await comment('Hush.').getByText('Not sent').waitFor();
      cli.is('idle');
      await delay(3_000);
      assert.equal(typed(), '');
    });

    it('go to the session that has made the change, also once that is kept; of two in one file the user says which', async () => {
      await openEdited(client);
      await commentOn([1, 1], 'Not so loud.');
      await vscode.commands.executeCommand('ideBridge.keepAllChanges');
      await vscode.commands.executeCommand('ideBridge.sendReview');
      await until('the review', () => typed().includes('\nTWO\n'), 10_000, typed); // all but its last line
      const both = await openEdited(desk.client, 'both.txt');
      await editAs(client, both.document.uri.fsPath, 'ONE\n');
      await until('the text of the second', () => both.document.getText() === 'ONE\n');
      await until(
        'the rows of both',
        async () => (await changesRows(desk.ui).filter({ hasText: 'both.txt' }).count()) === 2,
      );
      await vscode.commands.executeCommand('ideBridge.commentOnLines', both.document.uri, 0, 0);
      await write('Whose?');
      void vscode.commands.executeCommand('ideBridge.sendReview');
      const quickPick = page().locator('.quick-input-widget');
      await quickPick.getByPlaceholder('Who is to have the comments on both.txt?').waitFor();
      await page().keyboard.press('Escape');
      await comment('Whose?').getByText('Not sent').waitFor();
    });

    it('wait for its prompt, and are to be sent again where they are discarded', async () => {
      await openEdited(client);
      await commentOn([1, 1], 'Not so loud.');
      cli.is('busy');
      await vscode.commands.executeCommand('ideBridge.sendReview');
      await page().getByText('Your review with 1 comment waits: ').first().waitFor();
      await openFile('a.txt', 'Not so loud.', 'Waits for the prompt');
      await page().locator('.pane .monaco-list-row', { hasText: '1 review waits' }).waitFor();
      await desk.ui.screenshot('comments-wait');
      void vscode.commands.executeCommand('ideBridge.showMenu');
      await page()
        .locator('.quick-input-widget .monaco-list-row', { hasText: 'Discard 1 Waiting Review' })
        .click();
      await comment('Not so loud.').getByText('Not sent').waitFor();
      cli.is('idle');
    });

    it('do not go to another session that has the process id of theirs', async () => {
      await openEdited(client);
      await commentOn([1, 1], 'Not so loud.');
      await vscode.commands.executeCommand('ideBridge.keepAllChanges');
      await client.close();
      const { CLAUDE_CONFIG_DIR = '' } = process.env;
      const pid = (await terminal.processId) ?? assert.fail();
      const began = Date.now() + 1;
      new RecordedCli(CLAUDE_CONFIG_DIR, desk.scratch.folder, pid, '2.1.330', began).is('idle');
      client = cliClient = await connectClient(pid);
      await page().locator('.pane .monaco-list-row', { hasText: 'agent' }).first().waitFor();
      const sending = vscode.commands.executeCommand('ideBridge.sendReview');
      await choice('Copy the Review').click();
      await sending;
      await comment('Not so loud.').getByText('Sent to the clipboard').waitFor();
      assert.equal(typed(), '');
    });

    it('are pasted however long they are', async () => {
      await openEdited(client);
      const long = Array.from({ length: 30 }, (_, i) => `comment ${i}: ${'word '.repeat(40)}end`);
      await commentOn([1, 1], long.join('\n'));
      await vscode.commands.executeCommand('ideBridge.sendReview');
      const all = long.slice(0, -1).join('\n'); // its last line is not typed before Enter
      await until(
        'all of it',
        () => typed().includes(all),
        20_000,
        () => String(typed().length),
      );
      await openFile('a.txt', 'comment 0:');
      await comment('comment 0:').getByText('Sent to agent').waitFor();
    });

    it('on a proposal reject it, and are its reason', async () => {
      const file = desk.scratch.write('p.txt', 'one\ntwo\n');
      cli.call('Edit', { file_path: file });
      cli.is('waiting', 'permission prompt');
      const { answer } = await propose(client, file, 'one\nTWO\n', 'p.txt');
      await page().locator('.codelens-decoration a', { hasText: 'Comment' }).first().click();
      await write('Not so loud.');
      await desk.ui.screenshot('comment-on-proposal');
      void vscode.commands.executeCommand('ideBridge.sendReview');
      assert.deepEqual(await answer, ['DIFF_REJECTED', 'p.txt']);
      cli.result('rejected');
      cli.is('idle');
      await page().getByText('Review pasted').first().waitFor(); // which may be of another test
      await until('the paste, but for its last line', () => typed().endsWith('TWO\n```\n'), 5_000, typed);
      await enter();
      const words =
        /Review of your changes, with 1 comment:\n\n1\. .*p\.txt, line 2:\n```txt\nTWO\n```\nNot so loud\./;
      await until('the review', () => words.test(typed()), 5_000, typed);
      // What it was about is gone; the comment stays with the file.
      await openFile('p.txt', 'Not so loud.', 'These lines have changed since');
    });

    it('count as sent only where they are in what is sent: not one that waits already for another', async () => {
      const { document } = await openEdited(desk.client);
      await editAs(client, document.uri.fsPath, edited.replace('FIVE', '5'));
      await until('the text of the second', () => document.getText().includes('5'));
      await until(
        'the rows of both',
        async () => (await changesRows(desk.ui).filter({ hasText: 'a.txt' }).count()) === 2,
      );
      await commentOn([1, 1], 'Not so loud.');
      cli.is('busy');
      void vscode.commands.executeCommand('ideBridge.sendReview');
      await choice('agent').click();
      await page().getByText('Your review with 1 comment waits: ').first().waitFor();
      await openFile('a.txt', 'Not so loud.', 'Waits for the prompt');
      await replyTo('Not so loud.', 'Nor so long.');
      const sending = vscode.commands.executeCommand('ideBridge.sendReview');
      await choice('Copy the Review').click();
      await sending;
      assert.doesNotMatch(await vscode.env.clipboard.readText(), /Not so loud/);
      await comment('Nor so long.').getByText('Sent to the clipboard').waitFor();
      await comment('Not so loud.').getByText('Waits for the prompt').waitFor({ timeout: 5_000 });
      cli.is('idle');
      await comment('Not so loud.').getByText('Sent to agent').waitFor();
    });
  });

  it('count as sent only where they are in what is sent: not one that is made while the user is asked about others', async () => {
    await desk.configure('workbench.quickOpen.closeOnFocusLost', false);
    const other = desk.scratch.write('b.txt', 'one\n');
    await openEdited();
    await commentOn([4, 4], 'Why five?');
    await vscode.window.showTextDocument(vscode.Uri.file(other), { preview: false });
    await vscode.commands.executeCommand('ideBridge.commentOnLines', vscode.Uri.file(other), 0, 0);
    await write('Whose?');
    await openFile('a.txt', 'Why five?');
    const sending = vscode.commands.executeCommand('ideBridge.sendReview');
    await choice('Copy the Review').waitFor();
    await replyTo('Why five?', 'And why loud?');
    await choice('Copy the Review').click();
    await sending;
    assert.doesNotMatch(await vscode.env.clipboard.readText(), /And why loud/);
    await comment('Why five?').getByText('Sent to the clipboard').waitFor();
    await comment('And why loud?').getByText('Not sent').waitFor({ timeout: 5_000 });
  });

  it('suggest other lines for many, which stand there to the last one', async () => {
    const long = Array.from({ length: 150 }, (_, i) => `line ${i}`);
    const file = desk.scratch.write('a.txt', 'before\n');
    await vscode.commands.executeCommand('ideBridge.review.focus');
    await editAs(desk.client, file, `${long.join('\n')}\nlast\n`);
    await row('a.txt').waitFor();
    const { document } = await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    await commentOn([0, 149], 'Shorter:\n```suggestion\nline\n```');
    const other = `${long.with(120, 'of the agent, later').join('\n')}\nlast\n`;
    writeFileSync(file, other);
    await until('the other text', () => document.getText() === other);
    await clickHovered(comment('Shorter:'), 'Apply Suggestion');
    await toast('Nothing was applied').waitFor();
    assert.equal(document.getText(), other);
    writeFileSync(file, `${long.join('\n')}\nlast\n`);
    await until('the text again', () => document.getText() !== other);
    await clickHovered(comment('Shorter:'), 'Apply Suggestion');
    await until('the suggestion', () => document.getText() === 'line\nlast\n');
  });

  it('go with their file, and the folder that it is in, where the editor renames them', async () => {
    await openEdited();
    await commentOn([4, 4], 'Why five?');
    const rename = async (from: string, to: string) => {
      const edit = new vscode.WorkspaceEdit();
      edit.renameFile(vscode.Uri.file(from), vscode.Uri.file(to));
      assert.ok(await vscode.workspace.applyEdit(edit));
    };
    const path = (name: string) => desk.scratch.path(name);
    mkdirSync(path('in'));
    await rename(path('a.txt'), path('in/b.txt'));
    await rename(path('in'), path('inside'));
    await openFile('inside/b.txt', 'Why five?');
    await thread('Why five?').getByText('For the next review').waitFor();
    const place = `${path('inside/b.txt')}, line 5:`;
    assert.ok((await review()).includes(`1. ${place}\n\`\`\`txt\nFIVE\n\`\`\`\nWhy five?`));
  });

  it('stand where they were after what they suggest is applied and undone, and can be applied again', async () => {
    const { document } = await openEdited();
    const label = (text: string, words: string) => thread(text).getByText(words).waitFor();
    const applied = edited.replace('TWO', '2\n2.5\n2.75');
    await commentOn([4, 4], 'None:\n```suggestion\n```');
    await commentOn([1, 1], 'Like this:\n```suggestion\n2\n2.5\n2.75\n```');
    for (let round = 0; round < 2; round++) {
      await clickHovered(comment('Like this:'), 'Apply Suggestion');
      await until('the suggestion', () => document.getText() === applied);
      await label('Like this:', 'These lines have changed since, or are gone');
      await label('None:', 'For the next review');
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      await vscode.commands.executeCommand('undo');
      await until('what was there', () => document.getText() === edited);
      await label('Like this:', 'For the next review');
    }
    await clickHovered(comment('None:'), 'Apply Suggestion');
    await until('the suggestion', () => document.getText() === edited.replace('FIVE\n', ''));
    await label('None:', 'These lines have changed since, or are gone');
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
    await vscode.commands.executeCommand('undo');
    await until('what was there', () => document.getText() === edited);
    await label('None:', 'For the next review');
    const text = await review();
    assert.ok(text.includes('line 2:\n```txt\nTWO\n'), text);
    assert.ok(text.includes('line 5:\n```txt\nFIVE\n'), text);
  });

  it('are sent where they are edited, also in a thread that was resolved', async () => {
    await openEdited();
    await commentOn([1, 1], 'Too loud.');
    await thread('Too loud.').getByRole('button', { name: 'Resolve Comments' }).click();
    await comment('Too loud.').waitFor({ state: 'hidden' });
    await openThread('Too loud.');
    await editComment('Too loud.', 'Not so loud.');
    assert.match(await review(), /Not so loud\./);
  });

  /** Whom the user may send a review to. */
  function choice(name: string) {
    return page().locator('.quick-input-widget .monaco-list-row:visible', { hasText: name });
  }

  async function replyTo(text: string, reply: string): Promise<void> {
    // The editor may fold a thread of a file that has just come to the front.
    await until('the input', async () => {
      await openThread(text);
      const button = thread(text).locator('.review-thread-reply-button');
      return button.click({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    });
    await write(reply);
  }

  /** Of the file in front: when that has just come there, the editor may fold its thread again. @param shows what is then to be seen in it */
  async function openThread(text: string, shows?: string): Promise<void> {
    const sought = shows === undefined ? comment(text) : thread(text).getByText(shows);
    await until(`the thread with "${shows ?? text}"`, async () => {
      if (!(await comment(text).isVisible())) {
        const glyph = page().locator('.comment-range-glyph[class*="comment-thread"]').first();
        await glyph.click({ timeout: 2_000 }).catch(() => {});
      }
      return sought.isVisible();
    });
  }

  async function openFile(name: string, text: string, shows?: string): Promise<void> {
    await vscode.window.showTextDocument(vscode.Uri.file(desk.scratch.path(name)), { preview: false });
    await openThread(text, shows);
  }

  /** The text of the review: that of a session without a terminal is on the clipboard then. */
  async function review(): Promise<string> {
    await vscode.env.clipboard.writeText('');
    await vscode.commands.executeCommand('ideBridge.sendReview');
    return until(
      'the review on the clipboard',
      async () => (await vscode.env.clipboard.readText()) || undefined,
    );
  }

  it('are made by the lens of a new file about all of it, which the session is told', async () => {
    const file = desk.scratch.path('a.txt');
    await vscode.commands.executeCommand('ideBridge.review.focus');
    await editAs(desk.client, file, 'one\ntwo\nthree');
    await row('a.txt').waitFor();
    await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
    await page().locator('.codelens-decoration a', { hasText: 'Comment' }).first().click();
    await write('Is it needed?');
    assert.match(await review(), /a\.txt, lines 1 to 3:\n```txt\none\ntwo\nthree\n```\nIs it needed\?/);
  });

  it('go with their file, and the folder that it is in, where they are moved outside of the editor', async () => {
    await openEdited();
    await commentOn([4, 4], 'Why five?');
    const path = (name: string) => desk.scratch.path(name);
    renameSync(path('a.txt'), path('b.txt'));
    await openFile('b.txt', 'Why five?', 'For the next review');
    mkdirSync(path('in'));
    renameSync(path('b.txt'), path('in/b.txt'));
    await openFile('in/b.txt', 'Why five?', 'For the next review');
    renameSync(path('in'), path('inside'));
    await openFile('inside/b.txt', 'Why five?', 'For the next review');
    const place = path('inside/b.txt');
    assert.ok((await review()).includes(`1. ${place}, line 5:\n\`\`\`txt\nFIVE\n\`\`\`\nWhy five?`));
  });

  it('are pasted into their input and sent, of 130 kB, too', async () => {
    await openEdited();
    const file = vscode.Uri.file(desk.scratch.path('a.txt'));
    await vscode.commands.executeCommand('ideBridge.commentOnLines', file, 1, 1);
    await until('the focus in the input', () =>
      page().evaluate<boolean>('document.activeElement?.closest(".review-widget") !== null'),
    );
    const text = Array.from({ length: 2_000 }, (_, i) => `comment ${i}: ${'word '.repeat(11)}end`).join('\n');
    await vscode.env.clipboard.writeText(text);
    // As by its key. Text that the page itself puts in is typed letter by letter, which takes minutes in any editor.
    await vscode.commands.executeCommand('editor.action.clipboardPasteAction');
    await page().getByRole('button', { name: 'Add Comment' }).click();
    await comment('comment 0: word').waitFor(); // of which the editor shows the first 100,000 characters
    assert.ok((await review()).endsWith(`TWO\n\`\`\`\n${text}`));
  });

  /** Those that decide on what it is about, where that has the focus. */
  const deciding = ['Control+s', 'Alt+y', 'Alt+n', 'Control+Shift+Backspace'];

  async function type(words: string): Promise<void> {
    await page().locator('.codelens-decoration a', { hasText: 'Comment' }).first().click();
    await until('the focus in the input', () =>
      page().evaluate<boolean>('document.activeElement?.closest(".review-widget") !== null'),
    );
    for (const key of deciding) {
      letMomentPass();
      await page().keyboard.press(key);
    }
    await page().keyboard.type(words);
    letMomentPass();
    await page().keyboard.press('Control+Enter');
    await comment(words).waitFor();
  }

  it('take the keys of who writes one: none of them decides on the proposal below, and Ctrl+Enter adds the comment', async () => {
    const file = desk.scratch.write('p.txt', 'one\ntwo\nthree\nfour\nfive\n');
    const { answer, uri } = await propose(desk.client, file, edited, 'P');
    // Else they move the lines under the click, for which Playwright scrolls them out of sight, and tries again.
    await page().locator('.codelens-decoration a', { hasText: 'Comment' }).first().waitFor();
    await page().locator('.editor.modified .view-lines').first().click();
    await type('Not so loud.');
    assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), edited);
    assert.equal(await page().locator('.codelens-decoration a', { hasText: 'Kept' }).count(), 0);
    await vscode.commands.executeCommand('ideBridge.rejectProposal', uri);
    assert.deepEqual(await answer, ['DIFF_REJECTED', 'P']);
  });

  it('take the keys of who writes one on a change, too', async () => {
    const editor = await openEdited();
    await type('Not so loud.');
    assert.equal(editor.document.getText(), edited);
    await row('a.txt').filter({ hasText: '+2 −2' }).waitFor();
    // The next key is for the editor again.
    await page().keyboard.press('Alt+F5');
    const line = () => editor.selection.active.line;
    await until('the next change', () => line() === 4, 10_000, line);
  });

  it('come back with their file after a branch that has none', async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args], {
        cwd: desk.scratch.folder,
      });
    desk.scratch.write('other.txt', 'of both\n');
    git('init', '--quiet', '--initial-branch=without');
    git('add', '--all');
    git('commit', '--quiet', '--message=without');
    git('checkout', '--quiet', '-b', 'work');
    await openEdited();
    await commentOn([4, 4], 'Why five?');
    git('add', '--all');
    git('commit', '--quiet', '--message=with');
    await vscode.commands.executeCommand('workbench.action.focusCommentsPanel');
    const panel = page().locator('.comments-panel', { hasText: 'Why five?' });
    const label = (words: string) => thread('Why five?').getByText(words);
    git('checkout', '--quiet', 'without');
    await until('the file to go', () => !existsSync(desk.scratch.path('a.txt')));
    await label('The file is gone').waitFor();
    await panel.waitFor();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    git('checkout', '--quiet', 'work');
    await vscode.commands.executeCommand('workbench.action.focusCommentsPanel');
    await panel.waitFor();
    await openFile('a.txt', 'Why five?', 'For the next review');
    const place = desk.scratch.path('a.txt');
    assert.ok((await review()).includes(`1. ${place}, line 5:\n\`\`\`txt\nFIVE\n\`\`\`\nWhy five?`));
  });

  it('name their files as a whole to a session that runs in another folder', async () => {
    const terminal = vscode.window.createTerminal({ name: 'agent', cwd: desk.scratch.folder });
    const { client, output } = await connectFrom(terminal);
    await openEdited(client);
    await commentOn([4, 4], 'Why five?');
    await vscode.commands.executeCommand('ideBridge.sendReview');
    await page().getByText('Review pasted').first().waitFor();
    const typed = () => readFileSync(output, 'utf8');
    await until('the paste', () => typed().endsWith('FIVE\n```\n'), 5_000, typed); // all but its last line
    assert.ok(typed().includes(`\n1. ${desk.scratch.path('a.txt')}, line 5:\n`), typed());
  });
});
