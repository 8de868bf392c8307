import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { IdeClient } from '../../support/ideClient.ts';
import { redrawTime, reviewRows } from '../../support/reviewRows.ts';
import { clickHovered, connectUi, tooltip, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import {
  connectClient,
  currentLock,
  endReview,
  holdMoment,
  letMomentPass,
  propose,
  Scratch,
  tabs,
} from '../bridge.ts';
import { closeTerminals, configure, FakeCli } from '../fakeCli.ts';

describe('sessions', function () {
  this.timeout(60_000);
  let ui: Ui;
  let scratch: Scratch;
  let cli: FakeCli;
  let clients: IdeClient[];

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(async () => {
    clients = [];
    scratch = new Scratch();
    await currentLock();
    cli = await FakeCli.install(scratch);
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await configure('command', undefined);
    await closeTerminals(cli);
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  /** Starts a CLI in a terminal of its own and connects for it. */
  async function startSession(): Promise<IdeClient> {
    const count = cli.runs.length + 1;
    await vscode.commands.executeCommand('ideBridge.newSession');
    const client = await connectClient((await cli.run(count)).pid);
    clients.push(client);
    return client;
  }

  const view = () => ui.page.locator('.pane', { has: ui.page.getByText('Sessions', { exact: true }) });
  const rows = () => view().locator('.monaco-list-row');
  const row = (text: string) => rows().filter({ hasText: text }).first();
  const showView = () => vscode.commands.executeCommand('ideBridge.sessions.focus');

  async function rename(label: string, newLabel: string): Promise<void> {
    const input = ui.page.locator('.quick-input-widget input.input');
    // A click while the editor asks for the rows anew does nothing.
    await until('the box for its name', async () => {
      await clickHovered(row(label), 'Rename Claude Code Session', letMomentPass);
      return input.waitFor({ timeout: 2_000 }).then(
        () => true,
        () => false,
      );
    });
    await input.fill(newLabel);
    await input.press('Enter');
    await input.waitFor({ state: 'hidden' }); // it is checked first, and gives up when the focus goes elsewhere
  }

  describe('the view', () => {
    it('offers to run the CLI while none is connected', async () => {
      await showView();
      await view().getByText('Run Claude Code').waitFor();
      await ui.screenshot('sessions-none');
    });

    it('names sessions after their terminals, with numbers, and tells what differs', async () => {
      await showView();
      await startSession();
      await row('Claude Code').waitFor();
      await startSession();
      await row('Claude Code 2').waitFor();
      const { pid } = await cli.run(1);
      const [folder] = vscode.workspace.workspaceFolders ?? [];
      const words = await tooltip(ui, row('Claude Code'), `process ${pid}`);
      assert.ok(
        ['Connected', '2.1.330', folder?.name ?? '?'].every((part) => words.includes(part)),
        words,
      );
      // What is the same of all is not in the way of what differs.
      assert.equal(await row('Claude Code').locator('.label-description').textContent(), 'Connected');
      await ui.screenshot('sessions-two');
    });

    it('shows the terminal of the session that is clicked', async () => {
      await showView();
      await startSession();
      const first = vscode.window.activeTerminal;
      await startSession();
      // A row that is drawn anew loses its command while it is clicked.
      await row('Claude Code 2').filter({ hasText: 'Connected' }).waitFor();
      await rows().filter({ hasNotText: 'Claude Code 2' }).click(); // rows are in the page in any order
      await until('the first terminal', () => vscode.window.activeTerminal === first);
    });

    it('shows and renames by keys the session of the row that has the focus', async () => {
      await showView();
      await startSession();
      const [first] = vscode.window.terminals;
      await row('Claude Code').waitFor();
      await startSession();
      await row('Claude Code 2').filter({ hasText: 'Connected' }).waitFor();
      const goTo = async (text: string, ...keys: string[]) => {
        await showView();
        for (const key of ['Home', ...keys]) await ui.page.keyboard.press(key);
        await rows().filter({ hasText: text }).and(ui.page.locator('.focused')).waitFor();
      };
      const isOther = { hasNotText: 'Claude Code 2' };
      const other = (await rows().filter(isOther).getAttribute('data-index')) === '0' ? [] : ['ArrowDown'];
      await goTo('Claude Code 2', ...(other.length > 0 ? [] : ['ArrowDown']));
      await delay(redrawTime);
      letMomentPass();
      await ui.page.keyboard.press('F2');
      const input = ui.page.locator('.quick-input-widget input.input');
      await until('the name that it has', async () => (await input.inputValue()) === 'Claude Code 2');
      await input.fill('Docs');
      await input.press('Enter');
      await row('Docs').waitFor();
      await until('the name', () => vscode.window.activeTerminal?.name === 'Docs');
      await until('the focus in the view', () =>
        ui.page.evaluate<boolean>(
          'document.activeElement.closest(".pane")?.textContent.includes("Sessions") === true',
        ),
      );
      await goTo('Claude Code', ...other);
      await ui.page.keyboard.press('Enter');
      await until('its terminal', () => vscode.window.activeTerminal === first);
    });

    it('renames nothing by a click on a row that has just moved', async () => {
      await showView();
      const first = await startSession();
      await startSession();
      await row('Claude Code 2').waitFor();
      letMomentPass();
      const goOn = holdMoment();
      await first.close();
      await until('it to be where the other was', async () => (await rows().count()) === 1);
      await clickHovered(row('Claude Code 2'), 'Rename Claude Code Session');
      await ui.page.getByText('Nothing was done: the row has moved just now.').first().waitFor();
      goOn();
      assert.equal(await ui.page.locator('.quick-input-widget input:visible').count(), 0);
    });

    it('lists a CLI outside of this window, and says so when it is clicked', async () => {
      await showView();
      clients.push(await connectClient(process.ppid));
      await row('Connected').click();
      const words = 'runs outside of the terminals of this window';
      await ui.page.locator('.notification-toast', { hasText: words }).waitFor();
    });

    it('renames a session, also when it comes back after a broken connection', async () => {
      await showView();
      const client = await startSession();
      await rename('Claude Code', 'Docs');
      await row('Docs').waitFor();
      await client.close();
      await row('Docs').waitFor({ state: 'detached' });
      clients.push(await connectClient((await cli.run(1)).pid));
      await row('Docs').waitFor();
    });

    it('keeps the name of a CLI outside of this window’s terminals when it comes back', async () => {
      const labels = async () => (await rows().locator('.label-name').allInnerTexts()).sort().join();
      await showView();
      const client = await connectClient(process.ppid);
      await until('its name', labels);
      await delay(500); // until what it was called before is remembered
      const name = await labels();
      await client.close();
      await until('nobody', async () => (await labels()) === '');
      // The number of a connection is another each time, and after a reload that of somebody else.
      clients.push(await connectClient(process.ppid));
      await until('its name', async () => (await labels()) === name, 10_000, labels);
    });

    it('calls a session what its terminal is called, also after either was renamed', async () => {
      await showView();
      await startSession();
      await row('Claude Code').waitFor();
      await startSession();
      await row('Claude Code 2').waitFor();
      const names = () => vscode.window.terminals.map(({ name }) => name).join();
      assert.equal(names(), 'Claude Code,Claude Code 2');
      await rename('Claude Code 2', 'Docs');
      await until('the terminal', () => names() === 'Claude Code,Docs', 10_000, names);
      await startSession();
      await row('Claude Code 2').waitFor();
      await ui.screenshot('sessions-named');
      // By its terminal, which VS Code does not tell of: seen with the next thing that happens.
      await vscode.commands.executeCommand('workbench.action.terminal.renameWithArg', { name: 'Tests' });
      await until('its name', () => names() === 'Claude Code,Docs,Tests', 10_000, names);
      vscode.window.terminals[0]?.show();
      await row('Tests').waitFor();
      assert.equal(await row('Claude Code 2').count(), 0);
    });

    it('leaves the keys to the terminal in which the user is while another is renamed', async () => {
      await showView();
      await startSession();
      await row('Claude Code').waitFor();
      const [first] = vscode.window.terminals;
      await startSession();
      await row('Claude Code 2').waitFor();
      first?.show();
      await ui.page.locator('.terminal-wrapper.active :focus').waitFor({ state: 'attached' });
      await rename('Claude Code 2', 'Docs');
      await until('the name', () => vscode.window.terminals.some(({ name }) => name === 'Docs'));
      await ui.page.locator('.terminal-wrapper.active :focus').waitFor({ state: 'attached', timeout: 5_000 });
      assert.equal(vscode.window.activeTerminal, first);
    });

    it('gives nobody the name of a session that is still to come back', async () => {
      const labels = async () => (await rows().locator('.label-name').allInnerTexts()).sort().join();
      await showView();
      const client = await startSession();
      await until('its name', async () => (await labels()) === 'Claude Code', 10_000, labels);
      await client.close();
      await row('Claude Code').waitFor({ state: 'detached' });
      await startSession();
      await until('another name', async () => (await labels()) === 'Claude Code 2', 10_000, labels);
      clients.push(await connectClient((await cli.run(1)).pid));
      await until('both names', async () => (await labels()) === 'Claude Code,Claude Code 2');
    });

    it('says that a session proposes, and leaves the proposals to the review', async () => {
      await showView();
      const client = await startSession();
      const file = scratch.write('greeting.txt', 'hello\n');
      const answer = client.callForTexts('openDiff', {
        old_file_path: file,
        new_file_path: file,
        new_file_contents: 'HELLO\n',
        tab_name: 'T',
      });
      await row('Proposal open').waitFor();
      await reviewRows(ui.page).filter({ hasText: 'greeting.txt' }).waitFor();
      assert.equal(await rows().count(), 1, 'of the session alone');
      assert.equal(await row('Proposal open').getAttribute('aria-expanded'), null);
      await ui.screenshot('sessions-proposal');
      await client.callForTexts('closeAllDiffTabs');
      await answer;
      await row('Connected').waitFor();
    });

    it('leaves the marks of problems to the files themselves', async () => {
      await showView();
      const client = await startSession();
      const file = scratch.write('wrong.txt', 'hello\n');
      await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
      const problems = vscode.languages.createDiagnosticCollection('test');
      try {
        problems.set(vscode.Uri.file(file), [
          new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'a problem'),
        ]);
        const marked = '[class*="monaco-decoration-itemColor"]';
        await ui.page.locator(`.tab ${marked}, .tab${marked}`).filter({ hasText: 'wrong.txt' }).waitFor();
        await propose(client, file, 'HELLO\n');
        const proposed = reviewRows(ui.page).filter({ hasText: 'wrong.txt' });
        await proposed.waitFor();
        assert.equal(await proposed.locator(marked).count(), 0);
      } finally {
        problems.dispose();
      }
    });

    it('leaves out the sign that the CLI puts before its title', async () => {
      await showView();
      const terminal = vscode.window.createTerminal('✳ Docs');
      clients.push(await connectClient(await terminal.processId));
      await row('Docs').waitFor();
      assert.doesNotMatch((await row('Docs').textContent()) ?? '', /✳/);
    });

    it('counts the files that a session has changed, and the review calls it the same', async () => {
      await showView();
      const client = await startSession();
      const file = scratch.write('changed.txt', 'before\n');
      await client.callForTexts('getDiagnostics', { uri: `file://${file}` });
      scratch.write('changed.txt', 'after\n');
      await client.callForTexts('getDiagnostics');
      await row('1 changed').waitFor();
      await ui.screenshot('sessions-changed');
      await rename('Claude Code', 'Docs');
      await vscode.commands.executeCommand('ideBridge.review.focus');
      await reviewRows(ui.page)
        .filter({ hasText: /Docs.*1 file/ })
        .waitFor();
      await endReview();
      await row('1 changed').waitFor({ state: 'detached' });
    });
  });

  it('makes links of the places in files that a session prints', async () => {
    const client = await startSession();
    await client.call('getWorkspaceFolders');
    scratch.write('plain.txt', 'one\ntwo\nthree\n');
    scratch.write('a b.txt', 'one\ntwo\nthree\n');
    const folder = path.basename(scratch.folder);
    const { pid } = await cli.run(1);
    const places = [
      { words: 'plain.txt:2:3', name: 'plain.txt', selection: new vscode.Selection(1, 2, 1, 2) },
      { words: 'a b.txt#L2-3', name: 'a b.txt', selection: new vscode.Selection(1, 0, 3, 0) },
    ];
    for (const { words, name, selection } of places) {
      await cli.say(pid, `\nSee @"${folder}/${words}"\n`.replace(/@"(.*:.*)"/, '$1'));
      const line = ui.page.locator('.xterm-rows > div', { hasText: words }).last();
      // Right into the path, which begins after the fourth column.
      const box = await until(
        'the line',
        async () => (await line.locator('span').first().boundingBox()) ?? undefined,
      );
      const [x, y] = [box.x + 60, box.y + box.height / 2];
      await ui.page.mouse.move(x, y);
      await ui.page.getByText('Open in editor').waitFor();
      await ui.screenshot(`link-${name}`);
      await ui.page.keyboard.down('Control');
      await ui.page.mouse.click(x, y);
      await ui.page.keyboard.up('Control');
      const editor = await until('the file', () => {
        const active = vscode.window.activeTextEditor;
        return active?.document.fileName === scratch.path(name) ? active : undefined;
      });
      await until('the place', () => editor.selection.isEqual(selection));
    }
  });

  describe('starting one', () => {
    it('works from the title of the view and its menu', async () => {
      await showView();
      await clickHovered(view(), 'New Claude Code Session');
      await cli.run(1);
      await clickHovered(view(), 'Resume a Claude Code Conversation');
      assert.equal((await cli.run(2)).args, '--resume');
      await clickHovered(view(), 'More Actions');
      await ui.page.locator('.monaco-menu').getByText('in the Panel').waitFor();
      await ui.screenshot('sessions-menu');
      await ui.page.locator('.monaco-menu').getByText('Continue the Last').click();
      assert.equal((await cli.run(3)).args, '--continue');
    });

    it('passes the arguments, environment and permission mode of the settings', async () => {
      await configure('arguments', ['--model', 'the big one']);
      await configure('environment', { EXTRA: 'yes' });
      await configure('permissionMode', 'plan');
      try {
        await vscode.commands.executeCommand('ideBridge.continueSession');
        const { port, extra, args } = await cli.run(1);
        assert.equal(port, String((await currentLock()).port));
        assert.equal(extra, 'yes');
        assert.equal(args, '--model the big one --permission-mode plan --continue');
      } finally {
        await Promise.all(
          ['arguments', 'environment', 'permissionMode'].map((name) => configure(name, undefined)),
        );
      }
    });

    it('opens in the panel, in the editor area or beside, each in a terminal of its own', async () => {
      const document = await vscode.workspace.openTextDocument(scratch.write('a.txt', ''));
      await vscode.window.showTextDocument(document, { preview: false });
      const terminals = () => tabs().filter(({ input }) => input instanceof vscode.TabInputTerminal);
      await vscode.commands.executeCommand('ideBridge.newSessionInPanel');
      await cli.run(1);
      assert.equal(terminals().length, 0);
      await vscode.commands.executeCommand('ideBridge.newSessionBeside');
      await cli.run(2);
      const { viewColumn } = await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
      assert.equal(terminals().length, 1);
      await until('the focus in the file', async () => !(await ui.hasTerminalFocus()));
      assert.notEqual(terminals()[0]?.group.viewColumn, viewColumn);
      await vscode.commands.executeCommand('ideBridge.newSessionInEditor');
      await cli.run(3);
      await until('a terminal among the files', () =>
        terminals().some(({ group }) => group.viewColumn === viewColumn),
      );
      assert.equal(vscode.window.terminals.length, 3);
    });

    it('resumes a conversation', async () => {
      await vscode.commands.executeCommand('ideBridge.resumeSession');
      assert.equal((await cli.run(1)).args, '--resume');
    });

    it('is a terminal profile too', async () => {
      void vscode.commands.executeCommand('workbench.action.terminal.newWithProfile');
      const menu = ui.page.locator('.quick-input-widget');
      await menu.getByRole('option', { name: 'Claude Code' }).click();
      assert.equal((await cli.run(1)).port, String((await currentLock()).port));
      assert.equal(vscode.window.terminals.length, 1);
    });

    it('is in front, and has the focus, when its profile was chosen', async () => {
      const heard = scratch.path('heard.txt');
      const other = vscode.window.createTerminal('another conversation');
      other.show();
      other.sendText(`cat > "${heard}"`);
      await until('the other one', () => existsSync(heard), 20_000);
      void vscode.commands.executeCommand('workbench.action.terminal.newWithProfile');
      await ui.page.locator('.quick-input-widget').getByRole('option', { name: 'Claude Code' }).click();
      await cli.run(1);
      await ui.screenshot('profile-chosen');
      await ui.page.keyboard.type('for the new one\n');
      other.sendText('the end');
      await until('the end', () => readFileSync(heard, 'utf8').includes('the end'));
      assert.equal(readFileSync(heard, 'utf8'), 'the end\n');
      assert.notEqual(vscode.window.activeTerminal, other);
      assert.ok(await ui.hasTerminalFocus());
    });

    it('of a command that is not there says once how to install it', async () => {
      await configure('command', 'no-such-claude');
      await vscode.commands.executeCommand('ideBridge.newSession');
      const toast = ui.page.locator('.notification-toast', { hasText: 'was not found' });
      await toast.getByRole('button', { name: 'How to Install' }).waitFor();
      await ui.screenshot('command-not-found');
      assert.equal(await toast.count(), 1);
      await toast.getByRole('button', { name: 'Open Settings' }).click();
      await ui.page.locator('.settings-editor').getByText('The command of the Claude Code CLI').waitFor();
    });
  });

  it('outside of this window that has proposed something says where it runs, with a button that opens that', async () => {
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    const client = await connectClient(process.ppid);
    clients.push(client);
    const { uri } = await propose(client, scratch.path('new.txt'), 'new\n');
    await vscode.window.showTextDocument(vscode.Uri.file(scratch.write('mine.txt', '')), { preview: false });
    await row('Proposal open').click();
    const toast = ui.page.locator('.notification-toast', { hasText: 'runs outside of the terminals' });
    await toast.getByRole('button', { name: 'Open Proposal' }).click();
    await until('its diff', () => vscode.window.activeTextEditor?.document.uri.toString() === uri.toString());
  });
});
