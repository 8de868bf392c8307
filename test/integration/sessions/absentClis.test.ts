import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Examination, type Examined } from '../../../src/doctor/doctor.ts';
import type { Session } from '../../../src/server/session.ts';
import { followAbsent } from '../../../src/sessions/absentClis.ts';
import type { AbsentCli, SessionStates } from '../../../src/sessions/sessionStates.ts';
import { SessionTerminals } from '../../../src/sessions/sessionTerminals.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { TestBridges } from '../../support/testBridges.ts';
import { trustedProcesses } from '../../support/trusted.ts';
import { connectUi, inWebview, tooltip, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, currentLock, letMomentPass, propose, Scratch } from '../bridge.ts';
import { closeTerminals, FakeCli, configure } from '../fakeCli.ts';

describe('CLIs that have lost the bridge', function () {
  this.timeout(90_000);
  let ui: Ui;
  let scratch: Scratch;
  let cli: FakeCli;
  let squatter: Server | undefined;

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(async () => {
    scratch = new Scratch();
    cli = await FakeCli.install(scratch);
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
  });
  afterEach(async () => {
    squatter?.close();
    await configure('command', undefined);
    await configure('location', undefined);
    await closeTerminals(cli);
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  const row = (...words: string[]) =>
    words.reduce((rows, hasText) => rows.filter({ hasText }), ui.page.locator('.pane .monaco-list-row'));
  const status = () => ui.page.locator('[id$="ideBridge.status"]');
  const statusText = async () => ((await status().textContent()) ?? '').trim();
  const statusIs = (text: string) =>
    until(`the status "${text}"`, async () => (await statusText()) === text, 20_000, statusText);
  const menuRow = (hasText: string) => ui.page.locator('.quick-input-widget .monaco-list-row', { hasText });
  const toast = (hasText: string) => ui.page.locator('.notification-toast', { hasText });

  async function tells(first: string, ...others: string[]): Promise<void> {
    const words = await tooltip(ui, status(), first);
    for (const line of others) assert.ok(words.includes(line), words);
    await ui.screenshot(`absent ${[first, ...others].join(' ')}`);
    await ui.page.mouse.move(700, 500);
    await ui.page.locator('.monaco-hover', { hasText: first }).waitFor({ state: 'hidden' });
  }

  async function startSession(): Promise<{ client: IdeClient; pid: number }> {
    const count = cli.runs.length + 1;
    await vscode.commands.executeCommand('ideBridge.newSession');
    const { pid } = await cli.run(count);
    return { client: await connectClient(pid), pid };
  }

  /** As for those who have looked for it long enough: it has another port and token. */
  async function moveBridge(): Promise<void> {
    const { port } = await currentLock();
    squatter = createServer();
    squatter.on('error', () => setImmediate(() => squatter?.listen(port, '127.0.0.1')));
    squatter.listen(port, '127.0.0.1');
    await vscode.commands.executeCommand('ideBridge.restart');
  }

  it('are shown as coming back as long as they look for it, also where mentions wait', async () => {
    const { client, pid } = await startSession();
    await row('Claude Code', 'Connected').waitFor();
    await vscode.commands.executeCommand('ideBridge.restart');
    await client.closed;
    await row('Claude Code', 'Coming back…').locator('.codicon-loading').waitFor();
    await tells('Claude Code: Coming back…');
    const document = await vscode.workspace.openTextDocument(scratch.write('a.txt', 'one\n'));
    await vscode.window.showTextDocument(document, { preview: false });
    void vscode.commands.executeCommand('ideBridge.mentionFiles', document.uri);
    await statusIs('Claude: 1 waiting');
    await tells('1 mention waits', 'Claude Code: Coming back…');
    await connectClient(pid);
    await row('Claude Code', 'Connected').waitFor();
    await row('Coming back…').waitFor({ state: 'detached' });
    await status().click();
    await menuRow('Discard 1 Waiting Mention').click();
    await statusIs('Claude: 1');
  });

  it('are to be reconnected once they have given up: row, status bar and menu lead to the terminal', async () => {
    const [first, second] = [await startSession(), await startSession()];
    await row('Claude Code 2').waitFor();
    const [terminal, other] = vscode.window.terminals;
    await moveBridge();
    await row('Claude Code 2', 'Not connected, type /ide').waitFor();
    await statusIs('Claude: 2 not connected');
    await connectClient(second.pid);
    await statusIs('Claude: 1, 1 not connected');
    await tells('1 Claude Code session connected.', 'Claude Code: Not connected, type /ide');

    other?.show();
    await until('the other terminal', () => vscode.window.activeTerminal === other);
    await row('Not connected').click();
    await until('its terminal', () => vscode.window.activeTerminal === terminal);
    await until('the focus in it', () => ui.hasTerminalFocus());
    await toast('Type /ide to the Claude Code CLI in the terminal "Claude Code"').waitFor();
    await ui.screenshot('absent lost');
    await vscode.commands.executeCommand('notifications.clearAll');

    other?.show();
    await status().click();
    await ui.page
      .locator('.quick-input-widget .monaco-list-row.focused', { hasText: 'Reconnect Claude Code' })
      .waitFor();
    await ui.screenshot('absent menu');
    await ui.page.keyboard.press('Enter');
    await until('its terminal again', () => vscode.window.activeTerminal === terminal);
    await until('the focus in it again', () => ui.hasTerminalFocus());

    await vscode.commands.executeCommand('ideBridge.restart');
    await row('Claude Code 2', 'Coming back…').waitFor();
    await row('Not connected').waitFor(); // it has not begun to look for it again
    await statusIs('Claude: 1 not connected');
    await connectClient(second.pid);

    await connectClient(first.pid);
    await row('Not connected').waitFor({ state: 'detached' });
    await statusIs('Claude: 2');
  });

  /** Types a word into a new file. */
  async function typeInFile(): Promise<vscode.TextDocument> {
    const document = await vscode.workspace.openTextDocument(scratch.write('notes.txt', ''));
    await vscode.window.showTextDocument(document, { preview: false });
    await ui.page.locator('.editor-instance .view-lines').first().click();
    await ui.page.keyboard.type('word');
    await until('the word', () => document.getText() === 'word');
    await document.save();
    return document;
  }

  it('lead to a terminal that counts as the place where the user is', async () => {
    await configure('location', 'panel');
    const { pid } = await startSession();
    await row('Claude Code', 'Connected').waitFor();
    await moveBridge();
    await row('Not connected').waitFor();
    const notes = await typeInFile();
    await row('Not connected').click();
    await until('the focus in the terminal', () => ui.hasTerminalFocus());
    const { uri } = await propose(await connectClient(pid), notes.uri.fsPath, 'changed\n');
    // Over what a user types in, it would open behind that.
    const inFront = () => vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    await until('the diff in front', () => {
      const input = inFront();
      return input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString();
    });
    assert.ok(await ui.hasTerminalFocus());
  });

  it('are where Run Claude Code leads, also those that the user has started', async () => {
    const command = vscode.workspace.getConfiguration('ideBridge').get<string>('command');
    const terminal = vscode.window.createTerminal({
      name: 'By hand',
      shellPath: '/bin/sh',
      shellArgs: ['-c', `"${command}"; :`],
    });
    const { pid } = await cli.run(1);
    await connectClient(pid);
    await row('By hand', 'Connected').waitFor();
    await vscode.commands.executeCommand('ideBridge.restart');
    await row('By hand', 'Coming back…').waitFor();
    const run = async () => {
      letMomentPass();
      await ui.page.keyboard.press('Control+Escape');
      await until('the focus in the terminal', () => ui.hasTerminalFocus());
    };
    const leave = async () => {
      letMomentPass();
      await ui.page.keyboard.press('Control+Escape');
      await until('the focus in the file', async () => !(await ui.hasTerminalFocus()));
    };
    await typeInFile();
    await run();
    assert.equal(await toast('Type /ide').count(), 0);
    await leave();
    await connectClient(pid);
    await row('By hand', 'Connected').waitFor();

    await moveBridge();
    await row('By hand', 'Not connected').waitFor();
    await run();
    await toast('Type /ide to the Claude Code CLI').waitFor();
    await ui.screenshot('absent run');
    await leave();
    assert.deepEqual(vscode.window.terminals, [terminal]);
    assert.equal(cli.runs.length, 1);
  });

  it('are named by the doctor, whose button leads to the terminal', async () => {
    await configure('location', 'panel');
    const { pid } = await startSession();
    await row('Claude Code', 'Connected').waitFor();
    await configure('command', 'true'); // the doctor asks for its version
    const elsewhere = spawn('sleep', ['60']);
    await connectClient(elsewhere.pid);
    const finding = () => inWebview(ui, 'li', '“Claude Code” (process');
    await vscode.commands.executeCommand('ideBridge.doctor');
    assert.equal(await finding(), undefined);
    await vscode.commands.executeCommand('ideBridge.restart');
    await until('that it looks for the bridge', () => inWebview(ui, 'li', 'It comes back by itself.'));
    await connectClient(pid);
    await row('Claude Code', 'Connected').waitFor();
    await until('that it is back', async () => !(await finding()));
    await moveBridge();
    await until('that it is lost', () =>
      inWebview(ui, 'li', `“Claude Code” (process ${pid}) is not connected`),
    );
    await until('1 thing', () => inWebview(ui, 'h1', '1 thing keeps a CLI from connecting'));
    await until('the other one', () =>
      inWebview(ui, 'li', `(process ${elsewhere.pid}), which runs outside of the terminals of this window`),
    );
    await ui.screenshot('absent doctor');
    elsewhere.kill();
    const told = toast('Type /ide to the Claude Code CLI in the terminal "Claude Code"').first();
    await until('the message', async () => {
      const link = (await finding())?.locator('li', { hasText: '(process' }).locator('a').first();
      await link?.click().catch(() => {}); // it is written anew
      return told.isVisible();
    });
    await until('the focus in the terminal', () => ui.hasTerminalFocus());
    await connectClient(pid);
    await until('that it is back', async () => !(await finding()));
  });

  it('are not told of after a reload where they have left by themselves, but keep their names', async () => {
    const bridges = new TestBridges();
    const stored = new Map<string, unknown>();
    const memento: vscode.Memento = {
      keys: () => [...stored.keys()],
      get: <T>(key: string, otherwise?: T) => (stored.get(key) ?? otherwise) as T,
      update: (key, value) => Promise.resolve(void stored.set(key, value)),
    };
    const { bridge, lock } = await bridges.start();
    const load = () => new SessionTerminals(bridge, memento, trustedProcesses, bridges.log);
    const before = load();
    const pids = () => before.absent.map(({ pid }) => pid);
    const client = await bridges.connect(lock);
    const [session] = await until('the session', () => before.sessions.length === 1 && before.sessions);
    await until('its name', () => session?.label.startsWith('Claude '));
    if (session) before.rename(session, 'the name');
    await client.close();
    await until('its end', () => before.sessions.length === 0);
    assert.deepEqual(pids(), []);
    before.dispose();

    const after = load();
    assert.deepEqual(after.absent, []);
    await bridges.connect(lock);
    await until('its name again', () => after.sessions[0]?.label === 'the name');
    await bridge.stop();
    assert.deepEqual(after.absent, [{ pid: process.pid, label: 'the name' }]);
    after.dispose();
    await bridges.cleanUp();
  });

  it('are forgotten when they end', async () => {
    await startSession();
    await row('Claude Code', 'Connected').waitFor();
    await moveBridge();
    await row('Not connected').waitFor();
    await closeTerminals(cli);
    await row('Not connected').waitFor({ state: 'detached' });
    await statusIs('Claude');
  });

  describe('long after the bridge is back', () => {
    let bridges: TestBridges;
    /** What the system tells of the CLI's parents by now. */
    let parents: () => Promise<number[]>;
    let states: Pick<SessionStates, 'absent' | 'lookForAbsent' | 'tellAbsent'>;
    let told: readonly AbsentCli[];
    let absent: { pid: number; label: string }[];
    let examination: Examination;

    beforeEach(async () => {
      bridges = new TestBridges();
      const { bridge } = await bridges.start();
      [told, absent, parents] = [[], [{ pid: process.pid, label: 'the name' }], () => Promise.resolve([])];
      states = {
        get absent() {
          return told;
        },
        lookForAbsent: () => undefined,
        tellAbsent: (clis) => (told = clis),
      };
      const sessionTerminals = {
        get absent() {
          return absent;
        },
        lineageOf: () => parents(),
        onDidChange: new vscode.EventEmitter<Session>().event,
      };
      void followAbsent(bridge, sessionTerminals, states);
      const around = {
        bridge,
        states,
        sessionTerminals,
        processes: trustedProcesses,
        records: { configDir: '' },
      };
      examination = new Examination({ ...around, version: '' } as unknown as Examined);
      await sleep(12_000); // until then it looks each second
      assert.deepEqual(told, []);
    });
    afterEach(async () => {
      absent = [];
      await states.lookForAbsent();
      await bridges.cleanUp();
    });

    const late = () =>
      vscode.window.createTerminal({ name: 'late', shellPath: '/bin/sh', shellArgs: ['-c', 'sleep 60'] });
    const found = () => told.map(({ pid, isLost, terminal }) => [pid, isLost, terminal?.name]);

    it('are found in a terminal that the editor brings back only then', async () => {
      parents = async () => {
        const shells = vscode.window.terminals.map(({ processId }) => processId);
        return (await Promise.all(shells)).flatMap((shell) => shell ?? []);
      };
      assert.deepEqual(told, []);
      late();
      await until('the terminal', () => found().length > 0);
      assert.deepEqual(found(), [[process.pid, true, 'late']]);
      absent = [];
      await until('its end', () => told.length === 0);
    });

    it('are looked for by the doctor, when it is opened', async () => {
      await configure('command', 'true'); // the doctor asks for its version
      const shell = await late().processId;
      await sleep(3_000); // until the look that tells of a new terminal is over
      assert.deepEqual(told, []);
      parents = () => Promise.resolve(shell === undefined ? [] : [shell]);
      await examination.look();
      const said = examination.checkup.sections.flatMap(({ entries }) => entries.map(({ what }) => what));
      assert.ok(
        said.includes(`“the name” (process ${process.pid}) is not connected any more.`),
        said.join('\n'),
      );
      assert.deepEqual(found(), [[process.pid, true, 'late']]);
    });
  });

  it('have their names again before it is known where they run', async () => {
    const bridges = new TestBridges();
    const { bridge, lock } = await bridges.start();
    const remembered = [[process.pid, 'the name']];
    const memento: vscode.Memento = {
      keys: () => [],
      get: <T>(key: string, otherwise?: T) => (key === 'sessionLabels' ? remembered : otherwise) as T,
      update: () => Promise.resolve(),
    };
    const sessionTerminals = new SessionTerminals(bridge, memento, trustedProcesses, bridges.log);
    sessionTerminals.lineageOf = () => new Promise(() => {}); // a busy machine
    await bridges.connect(lock);
    const [session] = await until(
      'the session',
      () => sessionTerminals.sessions.length === 1 && sessionTerminals.sessions,
    );
    assert.equal(session?.label, 'the name');
    sessionTerminals.dispose();
    await bridges.cleanUp();
  });

  it('nor is one called as another whose changes still wait', async () => {
    const bridges = new TestBridges();
    const { bridge } = await bridges.start();
    const memento: vscode.Memento = {
      keys: () => [],
      get: <T>(_key: string, otherwise?: T) => otherwise as T,
      update: () => Promise.resolve(),
    };
    const sessionTerminals = new SessionTerminals(bridge, memento, trustedProcesses, bridges.log);
    sessionTerminals.otherNames = () => ['Claude Code', 'Claude Code 3'];
    assert.equal(sessionTerminals.newTerminalName('Claude Code'), 'Claude Code 2');
    sessionTerminals.dispose();
    await bridges.cleanUp();
  });
});
