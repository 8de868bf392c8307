import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { Launcher } from '../../../src/sessions/launcher.ts';
import { SessionTerminals } from '../../../src/sessions/sessionTerminals.ts';
import { UserPlace } from '../../../src/editor/userPlace.ts';
import { IdeClient } from '../../support/ideClient.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { configure } from '../fakeCli.ts';
import { connectUi, isWhole, type Ui } from '../../support/ui.ts';
import { trustedProcesses } from '../../support/trusted.ts';
import { until } from '../../support/until.ts';
import {
  clickInto,
  connectClient,
  currentLock,
  endReview,
  propose,
  proposalTabs,
  Scratch,
} from '../bridge.ts';

describe('in the window', () => {
  let ui: Ui;
  let scratch: Scratch;

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(() => {
    scratch = new Scratch();
  });
  afterEach(async () => {
    vscode.window.terminals.forEach((terminal) => terminal.dispose());
    await until('the terminals to go', () => vscode.window.terminals.length === 0);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  const statusBar = () => ui.page.locator('[id="ide-bridge.ide-bridge-for-claude-code.ideBridge.status"]');

  describe('the lock file', () => {
    it('names this folder and the extension host’s parent, and only the user can read it', async () => {
      const lock = await currentLock();
      assert.deepEqual(lock.workspaceFolders, [vscode.workspace.workspaceFolders?.[0]?.uri.fsPath]);
      assert.equal(lock.pid, process.ppid);
      assert.equal(lock.ideName, vscode.env.appName);
      assert.equal(statSync(lock.path).mode & 0o777, 0o600);
    });
  });

  describe('a terminal', () => {
    it('has the port, and no proxy for loopback', async () => {
      const { port } = await currentLock();
      const out = scratch.path('env.txt');
      const terminal = vscode.window.createTerminal({ name: 'env', env: { no_proxy: 'example.org' } });
      terminal.sendText(`env > "${out}.part" && mv "${out}.part" "${out}"`);
      await until('the environment', () => existsSync(out));
      const env = readFileSync(out, 'utf8');
      assert.match(env, new RegExp(`^CLAUDE_CODE_SSE_PORT=${port}$`, 'm'));
      assert.match(env, /^ENABLE_IDE_INTEGRATION=true$/m);
      assert.match(env, /^NO_PROXY=.*127\.0\.0\.1,localhost/m);
      assert.match(env, /^no_proxy=.*127\.0\.0\.1,localhost/m);
    });

    it('has the lock’s process among its ancestors, as older CLIs require', async () => {
      const { pid } = await currentLock();
      const terminal = vscode.window.createTerminal('ancestors');
      let ancestor = await terminal.processId;
      const seen: number[] = [];
      while (ancestor !== undefined && ancestor > 1) {
        seen.push(ancestor);
        ancestor = Number(/^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${ancestor}/status`, 'utf8'))?.[1]);
      }
      assert.ok(seen.includes(pid), `${pid} is not one of ${seen.join()}`);
    });
  });

  describe('Run Claude Code', () => {
    /** A stand-in for the CLI that says that it ran, and waits. */
    async function useCommand(body: string): Promise<string> {
      const log = scratch.path('ran.txt');
      const command = scratch.write(
        'fake-claude',
        `#!/bin/sh\necho "$CLAUDE_CODE_SSE_PORT" >> "${log}"\n${body}\n`,
      );
      chmodSync(command, 0o755);
      await vscode.workspace
        .getConfiguration('ideBridge')
        .update('command', command, vscode.ConfigurationTarget.Global);
      return log;
    }
    const runs = (log: string) => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0);

    afterEach(() =>
      vscode.workspace
        .getConfiguration('ideBridge')
        .update('command', undefined, vscode.ConfigurationTarget.Global),
    );

    it('opens a terminal beside the editor with the focus in it, and goes back to it the next time', async () => {
      const log = await useCommand('sleep 60');
      const document = await vscode.workspace.openTextDocument(scratch.write('a.txt', ''));
      await vscode.window.showTextDocument(document, { preview: false });
      await ui.page.keyboard.press('Control+Escape');
      await until('the CLI to run', () => runs(log) === 1);
      assert.equal(readFileSync(log, 'utf8').trim(), String((await currentLock()).port));
      assert.equal(vscode.window.tabGroups.all.length, 2);
      assert.equal(vscode.window.activeTerminal?.name, 'Claude Code');
      await until('the focus in the terminal', () => ui.hasTerminalFocus());

      await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
      await until('the focus in the editor', async () => !(await ui.hasTerminalFocus()));
      await vscode.commands.executeCommand('ideBridge.run');
      await until('the focus in the terminal again', () => ui.hasTerminalFocus());
      assert.equal(vscode.window.terminals.length, 1);
      assert.equal(runs(log), 1);
    });

    const ways = {
      'with its key': () => ui.page.keyboard.press('Control+Escape'),
      'from the command palette': async () => {
        await ui.page.keyboard.press('F1');
        await ui.page
          .locator('.quick-input-widget input.input:visible')
          .first()
          .fill('>IDE Bridge: Run Claude Code');
        await ui.page.locator('.monaco-list-row.focused', { hasText: 'Run Claude Code' }).waitFor();
        await ui.page.keyboard.press('Enter');
      },
      'from the status bar': async () => {
        await statusBar().click();
        await ui.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Run Claude Code' }).click();
      },
      'by a click in the title bar': () =>
        ui.page.locator('.editor-actions [aria-label^="Run Claude Code"]').first().click(),
    };
    it('has a button over a file, and none where the editor has many of its own: over diffs and terminals', async () => {
      const button = ui.page.locator('.editor-actions [aria-label^="Run Claude Code"]');
      const file = vscode.Uri.file(scratch.write('a.txt', 'one\n'));
      await vscode.window.showTextDocument(file);
      await button.waitFor();
      await vscode.commands.executeCommand('vscode.diff', file, file, 'a diff');
      await button.waitFor({ state: 'detached' });
      // Another one: of what a diff shows that is in front, VS Code opens no editor besides.
      await vscode.window.showTextDocument(vscode.Uri.file(scratch.write('b.txt', 'two\n')));
      await button.waitFor();
      vscode.window.createTerminal({ location: vscode.TerminalLocation.Editor }).show();
      await button.waitFor({ state: 'detached' });
    });

    for (const [way, run] of Object.entries(ways)) {
      it(`leaves no key to the file from which it was called ${way}`, async () => {
        const heard = scratch.path('heard.txt');
        const log = await useCommand(`cat > "${heard}"`);
        const document = await vscode.workspace.openTextDocument(scratch.write('a.txt', ''));
        await vscode.window.showTextDocument(document, { preview: false });
        await ui.page.locator('.editor-instance .view-lines').first().click();
        await run();
        await until('the CLI to run', () => runs(log) === 1 && existsSync(heard));
        await ui.screenshot(`run-beside ${way}`);
        await ui.page.keyboard.type('for the CLI\n');
        await until('the words', () => readFileSync(heard, 'utf8') === 'for the CLI\n' || document.isDirty);
        assert.equal(document.getText(), '');
      });
    }

    it('leaves the user where they go while the shell starts', async () => {
      const log = await useCommand('sleep 60');
      scratch.write('.bashrc', 'sleep 2\n');
      const settings = vscode.workspace.getConfiguration('ideBridge');
      await settings.update('environment', { HOME: scratch.folder }, vscode.ConfigurationTarget.Global);
      const document = await vscode.workspace.openTextDocument(scratch.write('a.txt', 'first\nsecond\n'));
      await vscode.window.showTextDocument(document, { preview: false });
      try {
        await vscode.commands.executeCommand('ideBridge.newSessionInPanel');
        await until('the focus in the terminal', () => ui.hasTerminalFocus());
        // Of a click where the cursor is already, VS Code tells nothing.
        await ui.page.locator('.editor-instance .view-line', { hasText: 'second' }).click();
        await ui.page.keyboard.type(' typed');
        await until('the CLI to run', () => runs(log) === 1);
        assert.ok(!(await ui.hasTerminalFocus()));
        await ui.page.keyboard.type(' on');
        await until('all keys', () => document.getText() === 'first\nsecond typed on\n');
      } finally {
        await settings.update('environment', undefined, vscode.ConfigurationTarget.Global);
        await document.save();
      }
    });

    /** Runs it until it has ended, which the shell tells. */
    async function untilEnded(log: string): Promise<vscode.Terminal> {
      let hasEnded = false;
      const subscription = vscode.window.onDidEndTerminalShellExecution(() => (hasEnded = true));
      await vscode.commands.executeCommand('ideBridge.run');
      await until('the first run', () => runs(log) === 1);
      await until('its end', () => hasEnded);
      subscription.dispose();
      const [terminal] = vscode.window.terminals;
      assert.ok(terminal);
      return terminal;
    }

    it('neither runs nor loses a line that stands half-typed where it has ended', async () => {
      const log = await useCommand('true');
      const first = await untilEnded(log);
      await until('the focus in the terminal', () => ui.hasTerminalFocus());
      const half = scratch.path('half typed');
      await ui.page.keyboard.type(`touch "${half}" `);
      await vscode.commands.executeCommand('ideBridge.run');
      await until('another run', () => runs(log) === 2);
      assert.equal(vscode.window.terminals.length, 2);
      assert.ok(!existsSync(half), 'not run');
      first.show();
      await until('the first one in front', () => vscode.window.activeTerminal === first);
      await until('the focus in it', () => ui.hasTerminalFocus());
      await ui.page.keyboard.press('Enter');
      await until('the line, which the user has run', () => existsSync(half));
      assert.deepEqual(readdirSync(scratch.folder).sort(), ['fake-claude', 'half typed', 'ran.txt']);
    });

    /** Runs the CLI while keys are on their way into its terminal. */
    async function runsNothingTypedAhead(): Promise<void> {
      const log = await useCommand('true');
      const typed = scratch.path('typed ahead');
      const user = vscode.window.onDidOpenTerminal((terminal) =>
        terminal.sendText(`touch "${typed}" `, false),
      );
      try {
        await vscode.commands.executeCommand('ideBridge.run');
        await until('the CLI to run', () => runs(log) === 1);
        assert.ok(!existsSync(typed));
      } finally {
        user.dispose();
      }
    }

    for (const integration of [true, false]) {
      it(`does not run what is typed while the shell starts, ${integration ? 'with' : 'without'} shell integration`, async () => {
        const settings = vscode.workspace.getConfiguration('terminal.integrated.shellIntegration');
        await settings.update('enabled', integration, vscode.ConfigurationTarget.Global);
        try {
          await runsNothingTypedAhead();
        } finally {
          await settings.update('enabled', undefined, vscode.ConfigurationTarget.Global);
        }
      });
    }

    it('does not run what is typed while a shell starts that takes its time', async () => {
      scratch.write('.bashrc', 'sleep 2\n');
      await configure('environment', { HOME: scratch.folder });
      try {
        await runsNothingTypedAhead();
      } finally {
        await configure('environment', undefined);
      }
    });

    it('types nothing into a new terminal in which the user has run something already', async () => {
      const log = await useCommand('true');
      const heard = scratch.path('heard.txt');
      const user = vscode.window.onDidOpenTerminal((terminal) => terminal.sendText(`cat > "${heard}"`));
      try {
        await vscode.commands.executeCommand('ideBridge.run');
        await ui.page.locator('.notification-toast', { hasText: 'was used before' }).waitFor();
        vscode.window.terminals[0]?.sendText('the end');
        await until('the end', () => readFileSync(heard, 'utf8').includes('the end'));
        assert.equal(readFileSync(heard, 'utf8'), 'the end\n');
        assert.equal(runs(log), 0);
      } finally {
        user.dispose();
        await vscode.commands.executeCommand('notifications.clearAll');
      }
    });

    it('types nothing into what else runs in its terminal', async () => {
      const log = await useCommand('true');
      const heard = scratch.path('heard.txt');
      const terminal = await untilEnded(log);
      terminal.shellIntegration?.executeCommand(`cat > "${heard}"`);
      await until('the other program', () => existsSync(heard));
      await vscode.commands.executeCommand('ideBridge.run');
      await until('another run', () => runs(log) === 2);
      terminal.sendText('the end');
      await until('the end', () => readFileSync(heard, 'utf8').includes('the end'));
      assert.equal(readFileSync(heard, 'utf8'), 'the end\n');
    });

    /** As the extension makes it when a window, whose terminals the editor has kept, is reloaded. */
    function launcherAfterReload(shell: number): vscode.Disposable & { run(): Promise<void> } {
      const stored = new Map<string, unknown>([['launchedShells', [shell]]]);
      const memento: vscode.Memento = {
        keys: () => [...stored.keys()],
        get: <T>(key: string, otherwise?: T) => (stored.get(key) ?? otherwise) as T,
        update: (key, value) => Promise.resolve(void stored.set(key, value)),
      };
      const none = () => new vscode.Disposable(() => {});
      const noSessions = {
        port: undefined,
        sessions: new Set<never>(),
        onDidIdentify: none,
        onDidTell: none,
      };
      const sessions = new SessionTerminals(noSessions, memento, trustedProcesses, new MemoryLog());
      const userPlace = new UserPlace(sessions, () => false);
      const { registerTerminalProfileProvider } = vscode.window;
      vscode.window.registerTerminalProfileProvider = none; // the extension has its own already
      const launcher = new Launcher(
        { port: undefined, start: () => Promise.resolve() },
        sessions,
        { absent: [] },
        userPlace,
        memento,
        { mcpConfig: () => Promise.resolve(undefined) },
      );
      vscode.window.registerTerminalProfileProvider = registerTerminalProfileProvider;
      return {
        run: () => launcher.run(),
        dispose: () => [launcher, userPlace, sessions].forEach((one) => one.dispose()),
      };
    }

    it('opens another terminal where no CLI comes back in the one from before a window reload', async () => {
      const log = await useCommand('sleep 60');
      const heard = scratch.path('heard.txt');
      // A program of which no shell tells anything.
      const terminal = vscode.window.createTerminal({
        name: 'restored',
        shellPath: '/bin/sh',
        shellArgs: ['-c', `exec cat > "${heard}"`],
      });
      await until('the program', () => existsSync(heard));
      const shell = await terminal.processId;
      assert.ok(shell);
      const launcher = launcherAfterReload(shell);
      const now = performance.now.bind(performance);
      const integration = vscode.workspace.getConfiguration('terminal.integrated.shellIntegration');
      // Nor does the shell of the new one.
      await integration.update('enabled', false, vscode.ConfigurationTarget.Global);
      try {
        await terminal.processId; // by then the launcher knows it again
        await launcher.run();
        await until('the terminal in front', () => vscode.window.activeTerminal === terminal);
        assert.equal(vscode.window.terminals.length, 1, 'its CLI may come back yet');
        performance.now = () => now() + 60_000;
        await launcher.run();
        await until('the CLI to run', () => runs(log) === 1);
        await launcher.run();
        assert.equal(vscode.window.terminals.length, 2, 'the next time it goes back to the new one');
        assert.equal(readFileSync(heard, 'utf8'), '');
      } finally {
        performance.now = now;
        launcher.dispose();
        await integration.update('enabled', undefined, vscode.ConfigurationTarget.Global);
      }
    });

    it('offers another one where the user has run something in the new terminal already', async () => {
      const log = await useCommand('true');
      const user = vscode.window.onDidOpenTerminal((terminal) => terminal.sendText('cat'));
      const toast = ui.page.locator('.notification-toast', { hasText: 'was used before' });
      try {
        await vscode.commands.executeCommand('ideBridge.run');
        await toast.waitFor();
      } finally {
        user.dispose();
      }
      await toast.getByRole('button', { name: 'Run in Another Terminal' }).click();
      await until('the run', () => runs(log) === 1);
      assert.equal(vscode.window.terminals.length, 2);
    });
  });

  describe('the status bar', () => {
    it('counts the sessions', async () => {
      await statusBar().waitFor();
      assert.match((await statusBar().textContent()) ?? '', /Claude/);
      const client = await connectClient();
      await until('one session', async () => /Claude: 1/.test((await statusBar().textContent()) ?? ''));
      await client.close();
      await until('none', async () => !/Claude: 1/.test((await statusBar().textContent()) ?? ''));
    });

    it('opens a menu', async () => {
      await statusBar().click();
      const menu = ui.page.locator('.quick-input-widget');
      await menu.getByText('Restart Bridge').waitFor();
      for (const entry of ['Run Claude Code', 'Show Log', 'Copy Connection Info']) {
        assert.ok(await menu.getByText(entry).isVisible(), entry);
      }
      const { port } = await currentLock();
      assert.equal(await menu.locator('input.input').getAttribute('placeholder'), `Port ${port}`);
      await ui.page.keyboard.press('Escape');
    });
  });

  it('a bridge that cannot start says why, once, with a button that starts it when it can', async () => {
    const { path } = await currentLock();
    const folder = dirname(path);
    const toast = ui.page.locator('.notification-toast', { hasText: 'Claude Code cannot connect' });
    renameSync(folder, `${folder}.away`);
    writeFileSync(folder, 'in the way');
    try {
      await vscode.commands.executeCommand('ideBridge.restart');
      await toast.getByText('could not be made').waitFor();
      assert.equal(await toast.count(), 1);
      await statusBar().click();
      const menu = ui.page.locator('.quick-input-widget:visible .monaco-list-row');
      await menu.first().filter({ hasText: 'Restart Bridge' }).waitFor();
      assert.equal(await menu.filter({ hasText: 'Restart Bridge' }).count(), 1);
      await ui.page.keyboard.press('Escape');
    } finally {
      rmSync(folder);
      renameSync(`${folder}.away`, folder);
    }
    await ui.page.mouse.move(700, 300); // the tooltip of the status bar lies over the button
    await toast.getByText('Restart Bridge').click();
    await toast.waitFor({ state: 'hidden' });
    await currentLock();
  });

  it('what needs a session says that there is none, with a button that runs one', async () => {
    await configure('command', 'sleep 1234');
    try {
      await vscode.commands.executeCommand('ideBridge.showSession');
      const toast = ui.page.locator('.notification-toast', {
        hasText: 'No Claude Code session is connected.',
      });
      await toast.getByRole('button', { name: 'Run Claude Code' }).click();
      await until('a terminal', () => vscode.window.terminals.length === 1);
    } finally {
      await configure('command', undefined);
    }
  });

  it('connection info has no token in it', async () => {
    const { port, authToken } = await currentLock();
    await vscode.commands.executeCommand('ideBridge.copyConnectionInfo');
    const copied = await vscode.env.clipboard.readText();
    assert.match(copied, new RegExp(`Port ${port}`));
    assert.ok(!copied.includes(authToken));
  });

  it('a restarted bridge keeps port and token, so that clients come back by themselves', async () => {
    const before = await currentLock();
    const client = await connectClient();
    await vscode.commands.executeCommand('ideBridge.restart');
    await client.closed;
    const after = await currentLock();
    assert.deepEqual([after.port, after.authToken], [before.port, before.authToken]);
    const again = await IdeClient.connect({ port: before.port, token: before.authToken });
    assert.deepEqual(await again.callForTexts('closeAllDiffTabs'), ['CLOSED_0_DIFF_TABS']);
    await again.close();
  });

  it('our items leave the branch its place in the status bar, in a narrow window, too', async () => {
    const branch = 'feature/status-bar';
    execFileSync('git', ['init', '--quiet', `--initial-branch=${branch}`], { cwd: scratch.folder });
    const items = ui.page.locator('.statusbar-item');
    const shown = async (text: string) => {
      const item = items.filter({ hasText: text });
      const isShown = async () => (await item.count()) === 1 && isWhole(item);
      await until(`${text}, whole`, isShown, 30_000, () => items.allInnerTexts());
    };
    // The editor does not look there by itself where an earlier repository of the workspace has gone.
    await vscode.commands.executeCommand('git.openRepository', scratch.folder);
    await endReview(); // of other tests, which has an item, too
    try {
      const client = await connectClient();
      for (const [width, first, second] of [
        [1400, 'a.txt', 'b.txt'],
        [900, 'c.txt', 'd.txt'],
      ] as const) {
        await ui.page.setViewportSize({ width, height: 900 });
        // Each time: that their tabs are closed counts as a prompt, with which the user has left the editor.
        await clickInto(ui, scratch.write(`notes-${width}.txt`, 'mine\n'));
        await shown('Claude: 1');
        await shown(branch);
        for (const name of [first, second]) {
          await propose(client, scratch.path(name), 'new\n', name); // behind what they are in
        }
        await shown('2 proposals');
        await shown('Claude: 1');
        await shown(branch);
        await ui.screenshot(`status-bar-${width}`);
        await client.callForTexts('closeAllDiffTabs');
        await until('their tabs to close', () => proposalTabs().length === 0);
      }
    } finally {
      await ui.page.setViewportSize({ width: 1400, height: 900 });
    }
  });
});
