import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { AtMentioned } from '../../../src/protocol/ide.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { connectUi, tooltip, type Ui } from '../../support/ui.ts';
import { RecordedCli } from '../../support/recordedCli.ts';
import { until } from '../../support/until.ts';
import { connectClient, currentLock, Scratch } from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';
import { configure } from '../fakeCli.ts';

describe('mentions', function () {
  this.timeout(60_000);
  let ui: Ui;
  let scratch: Scratch;
  let clients: IdeClient[];
  const nextDialog = useDialogs();

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(async () => {
    clients = [];
    scratch = new Scratch();
    await currentLock();
  });
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()));
    // What a test that has failed leaves waiting would go to the next.
    const waiting = Number(/(\d+) waiting/.exec((await status().textContent()) ?? '')?.[1] ?? 0);
    if (waiting > 0) {
      const client = await connectClient();
      await client.callForTexts('closeAllDiffTabs'); // its first prompt
      await until('none to wait', () => mentionsOf(client).length >= waiting, 20_000);
      await client.close();
    }
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  async function connect(pid?: number): Promise<IdeClient> {
    const client = await connectClient(pid);
    clients.push(client);
    await client.callForTexts('getWorkspaceFolders'); // it is known by then
    return client;
  }
  const status = () => ui.page.locator('[id$="ideBridge.status"]');
  const mentionsOf = (client: IdeClient) => client.notifications<AtMentioned>('at_mentioned');
  const mention = (...args: unknown[]) => vscode.commands.executeCommand('ideBridge.mentionFiles', ...args);
  /** Of a client without records nobody but the user knows whether its prompt is there. */
  const sendNow = () =>
    ui.page
      .locator('.notification-toast', { hasText: 'waits for the prompt of' })
      .getByRole('button', { name: 'Send Now' })
      .click();
  const uri = (name: string) => vscode.Uri.file(scratch.write(name, 'text\n'));

  it('of several files and folders come one after the other, each once', async () => {
    const client = await connect();
    const folder = scratch.path('folder');
    mkdirSync(folder);
    const [a, b] = [uri('a.txt'), uri('b.txt')];
    const arrivals: number[] = [];
    client.socket.on('message', (data: Buffer) => {
      if (data.includes('at_mentioned')) {
        arrivals.push(Date.now());
      }
    });
    await mention(a, [a, b, vscode.Uri.file(folder)]);
    assert.deepEqual(
      mentionsOf(client).map(({ filePath }) => filePath),
      [a.fsPath, b.fsPath, folder],
    );
    const gaps = arrivals.slice(1).map((time, index) => time - (arrivals[index] ?? 0));
    assert.ok(
      gaps.every((gap) => gap >= 150),
      `${gaps.join()} ms apart`,
    );
  });

  it('bring quotes for a path with a space, with the lines inside', async () => {
    const client = await connect();
    const file = uri('a b.txt');
    await mention(file);
    await mention(new vscode.Location(file, new vscode.Range(1, 0, 1, 5)));
    assert.deepEqual(mentionsOf(client), [
      { filePath: `"${file.fsPath}"` },
      { filePath: `"${file.fsPath}#L2"` },
    ]);
  });

  it('take changed files of source control, alone and in groups', async () => {
    const client = await connect();
    const [a, b] = [uri('a.txt'), uri('b.txt')];
    await mention({ resourceUri: a }, { resourceStates: [{ resourceUri: a }, { resourceUri: b }] });
    assert.deepEqual(
      mentionsOf(client).map(({ filePath }) => filePath),
      [a.fsPath, b.fsPath],
    );
  });

  it('come from the explorer, for all files that are selected there', async () => {
    const client = await connect();
    uri('one.txt');
    uri('two.txt');
    await vscode.commands.executeCommand('workbench.view.explorer');
    await vscode.commands.executeCommand('revealInExplorer', vscode.Uri.file(scratch.path('one.txt')));
    const entry = (name: string) =>
      ui.page.locator('.explorer-folders-view .monaco-list-row', { hasText: name });
    await entry('one.txt').click();
    await entry('two.txt').click({ modifiers: ['Control'] });
    await entry('two.txt').click({ button: 'right' });
    await ui.page.locator('.monaco-menu').getByText('Mention in Claude Code').waitFor();
    await ui.screenshot('mention-explorer');
    await ui.page.locator('.monaco-menu').getByText('Mention in Claude Code').click();
    await until('both', () => mentionsOf(client).length === 2);
    assert.deepEqual(
      mentionsOf(client)
        .map(({ filePath }) => filePath)
        .sort(),
      [scratch.path('one.txt'), scratch.path('two.txt')],
    );
  });

  it('of a problem name its lines', async () => {
    const client = await connect();
    const file = uri('problem.txt');
    const collection = vscode.languages.createDiagnosticCollection('test');
    const range = new vscode.Range(0, 0, 0, 4);
    collection.set(file, [new vscode.Diagnostic(range, 'not good')]);
    try {
      await vscode.workspace.openTextDocument(file);
      const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        file,
        range,
      );
      const command = actions.find(({ title }) => title === 'Mention in Claude Code')?.command;
      assert.ok(command);
      const args: unknown[] = command.arguments ?? [];
      await vscode.commands.executeCommand(command.command, ...args);
      assert.deepEqual(mentionsOf(client), [{ filePath: file.fsPath, lineStart: 0, lineEnd: 0 }]);
    } finally {
      collection.dispose();
    }
  });

  it('of a problem that ends where a line starts leave that line out', async () => {
    const client = await connect();
    const file = uri('a.txt');
    await mention(new vscode.Location(file, new vscode.Range(0, 2, 2, 0)));
    assert.deepEqual(mentionsOf(client), [{ filePath: file.fsPath, lineStart: 0, lineEnd: 1 }]);
  });

  it('of what is no file say so, and mention no other file instead', async () => {
    const client = await connect();
    await vscode.window.showTextDocument(uri('other.txt'));
    await mention(vscode.Uri.parse('untitled:nowhere'));
    await ui.page.locator('.notification-toast', { hasText: 'saved files and folders only' }).waitFor();
    assert.equal(mentionsOf(client).length, 0);
    await mention();
    assert.deepEqual(mentionsOf(client), [{ filePath: scratch.path('other.txt') }]);
  });

  it('of files that Git does not ignore are sent unasked, though nobody has opened them', async () => {
    const client = await connect();
    scratch.write('.gitignore', 'made.txt\n');
    execFileSync('git', ['init', '-q'], { cwd: scratch.folder });
    await configure('share.excludeGitIgnored', true);
    try {
      void mention(uri('a.txt'), [uri('a.txt'), uri('b/b.txt')]);
      await until('both', () => mentionsOf(client).length === 2);
      void mention(uri('made.txt'));
      const dialog = await nextDialog();
      assert.match(dialog.text, /made\.txt is ignored by Git/);
      dialog.press('Leave It Out');
      assert.equal(mentionsOf(client).length, 2);
    } finally {
      await configure('share.excludeGitIgnored', undefined);
    }
  });

  it('wait, and say so, until a client connects', async () => {
    const [a, b] = [uri('a.txt'), uri('b.txt')];
    void mention(a, [a, b]);
    const toast = ui.page.locator('.notification-toast', { hasText: '2 mentions wait' });
    await toast.first().waitFor();
    assert.match((await status().textContent()) ?? '', /2 waiting/);
    await ui.screenshot('mentions-waiting');
    const client = await connect();
    await sendNow();
    await until('both', () => mentionsOf(client).length === 2);
    await until('the note to go', async () => !/waiting/.test((await status().textContent()) ?? ''));
  });

  it('wait if their session goes before all are sent, until they are discarded in the menu', async () => {
    const [first, second] = [await connect(), await connect(process.ppid)];
    await first.callForTexts('closeAllDiffTabs');
    void mention(...['a', 'b', 'c', 'd', 'e'].map(uri));
    await until('the first', () => mentionsOf(first).length > 0);
    await first.close();
    await ui.page.locator('.notification-toast', { hasText: /is gone\..* waits? for the next/ }).waitFor();
    await vscode.commands.executeCommand('notifications.clearAll');
    await status().filter({ hasText: 'waiting' }).waitFor();
    await status().click();
    const menu = ui.page.locator('.quick-input-widget .monaco-list-row');
    await menu.filter({ hasText: /Discard \d+ Waiting Mentions?/ }).click();
    await status()
      .filter({ hasText: /Claude: 1(?!,)/ })
      .waitFor();
    assert.equal(mentionsOf(second).length, 0);
  });

  it('wait, and say so, until what their session asks is answered', async () => {
    const { CLAUDE_CONFIG_DIR } = process.env;
    assert.ok(CLAUDE_CONFIG_DIR, 'the runner sets CLAUDE_CONFIG_DIR');
    const cli = new RecordedCli(CLAUDE_CONFIG_DIR, scratch.folder, process.pid);
    try {
      cli.is('waiting', 'input needed');
      const client = await connect();
      await vscode.commands.executeCommand('ideBridge.sessions.focus');
      await ui.page.locator('.pane .monaco-list-row', { hasText: 'Asks' }).waitFor();
      const [a, b] = [uri('a.txt'), uri('b.txt')];
      const sent = mention(a, [a, b]);
      await ui.page.getByText('Mentions a.txt and 1 more once').first().waitFor();
      await status().filter({ hasText: '2 waiting' }).waitFor();
      await ui.screenshot('mentions-wait-for-answer');
      assert.equal(mentionsOf(client).length, 0);
      cli.is('busy');
      await sent;
      assert.deepEqual(
        mentionsOf(client).map(({ filePath }) => filePath),
        [a.fsPath, b.fsPath],
      );
      await status().filter({ hasNotText: 'waiting' }).waitFor();
    } finally {
      cli.removeSessionFile();
    }
  });

  it('go to the session that was used last', async () => {
    const [first, second] = [await connect(), await connect(process.ppid)];
    await first.callForTexts('closeAllDiffTabs');
    await mention(uri('a.txt'));
    assert.equal(mentionsOf(first).length, 1);
    await second.callForTexts('closeAllDiffTabs');
    await mention(uri('b.txt'));
    assert.equal(mentionsOf(first).length, 1);
    assert.equal(mentionsOf(second).length, 1);
  });

  it('go to it also when all have come back, in whatever order', async () => {
    const pids = [process.pid, process.ppid];
    for (const last of pids) {
      const before = await Promise.all(pids.map(connect));
      await before[pids.indexOf(last)]?.callForTexts('closeAllDiffTabs');
      await vscode.commands.executeCommand('ideBridge.restart');
      const [first, second] = [await connect(process.pid), await connect(process.ppid)];
      await mention(uri('a.txt'));
      const [used, other] = last === process.pid ? [first, second] : [second, first];
      assert.equal(mentionsOf(used).length, 1);
      assert.equal(mentionsOf(other).length, 0);
      await Promise.all([first.close(), second.close()]);
    }
  });

  it('ask which session is meant, if the user wants to be asked', async () => {
    await configure('mention.target', 'ask');
    try {
      const [first, second] = [await connect(), await connect(process.ppid)];
      await second.callForTexts('closeAllDiffTabs');
      const sent = mention(uri('a.txt'));
      const menu = ui.page.locator('.quick-input-widget');
      // The one that was used last comes first.
      await menu.locator('.monaco-list-row').nth(1).click();
      await sent;
      assert.equal(mentionsOf(first).length, 1);
    } finally {
      await configure('mention.target', undefined);
    }
  });

  it('of an excluded file are sent only if the user says so; those of others do not wait for that', async () => {
    const client = await connect();
    const secret = uri('.env.local');
    const names = () => mentionsOf(client).map(({ filePath }) => basename(filePath));
    for (const answer of ['Leave It Out', 'Mention Anyway']) {
      const sent = mention(secret, [secret, uri('plain.txt')]);
      const dialog = await nextDialog();
      await until('the other', () => names().at(-1) === 'plain.txt');
      await ui.screenshot('mention-excluded');
      assert.match(
        dialog.text,
        /\.env\.local is excluded by "\*\*\/\.env\*" in ideBridge\.share\.exclude\.$/,
      );
      assert.deepEqual(dialog.buttons, ['Leave It Out', 'Mention Anyway']);
      dialog.press(answer);
      await sent;
    }
    assert.deepEqual(names(), ['plain.txt', 'plain.txt', '.env.local']);
  });

  it('wait while their CLI starts on a dialog of its own, arrive at its prompt, and can be sent again', async () => {
    const { CLAUDE_CONFIG_DIR } = process.env;
    assert.ok(CLAUDE_CONFIG_DIR, 'the runner sets CLAUDE_CONFIG_DIR');
    const cli = new RecordedCli(CLAUDE_CONFIG_DIR, scratch.folder, process.pid);
    try {
      void mention(uri('early.txt'));
      await status().filter({ hasText: '1 waiting' }).waitFor();
      cli.is();
      const client = await connect();
      await setTimeout(2_500); // more than it takes to warm up
      assert.equal(mentionsOf(client).length, 0);
      cli.is('waiting', 'dialog open');
      await setTimeout(500);
      assert.equal(mentionsOf(client).length, 0);
      await tooltip(ui, status(), '1 mention waits for the prompt of its session.');
      cli.is('idle');
      await until('it', () => mentionsOf(client).length === 1);
      await ui.page
        .getByText(/Mentioned\. Not there\? Click Claude here\. \(early\.txt\)/)
        .first()
        .waitFor();
      await status().click();
      await ui.page
        .locator('.quick-input-widget .monaco-list-row', { hasText: 'Send early.txt Again' })
        .click();
      await until('it again', () => mentionsOf(client).length === 2);
    } finally {
      cli.removeSessionFile();
    }
  });
});
