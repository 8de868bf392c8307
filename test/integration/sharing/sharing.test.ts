import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { ActiveEditorChanged, SelectionChanged } from '../../../src/protocol/ide.ts';
import type { IdeClient } from '../../support/ideClient.ts';
import { connectUi, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, Scratch } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { GitSpy } from '../gitSpy.ts';

describe('sharing', function () {
  this.timeout(60_000);
  let ui: Ui;
  let scratch: Scratch;
  let client: IdeClient;
  let diagnostics: vscode.DiagnosticCollection;

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  beforeEach(async () => {
    scratch = new Scratch();
    client = await connectClient();
    diagnostics = vscode.languages.createDiagnosticCollection('test');
  });
  afterEach(async () => {
    diagnostics.dispose();
    await client.close();
    for (const name of [
      'share.enabled',
      'share.exclude',
      'share.excludeGitIgnored',
      'share.selectionWithEachPrompt',
    ]) {
      await configure(name, undefined);
    }
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    scratch.remove();
  });

  /** Opens it, selects all of it, and gives it a problem. */
  async function use(path: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(path);
    await vscode.window.showTextDocument(document, { preview: false });
    await vscode.commands.executeCommand('editor.action.selectAll');
    diagnostics.set(document.uri, [new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'a problem')]);
  }

  /**
   * Makes a folder, and waits until the editor watches it: where folders are made within each other at once, its watcher
   * may never see what happens in the inner ones.
   */
  async function watched(folder: string): Promise<void> {
    let isSeen = false;
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.probe');
    const look = ({ fsPath }: vscode.Uri) => (isSeen ||= fsPath === scratch.path(join(folder, 'a.probe')));
    const subscriptions = [watcher, watcher.onDidCreate(look), watcher.onDidChange(look)];
    await until(`${folder} to be watched`, () => {
      scratch.write(join(folder, 'a.probe'), '');
      return isSeen;
    });
    vscode.Disposable.from(...subscriptions).dispose();
  }
  const eye = () => ui.page.locator('[id$="ideBridge.sharing"]');
  const selections = () => client.notifications<SelectionChanged>('selection_changed');
  const lastPath = () => selections().at(-1)?.filePath;
  const lastActive = () =>
    client.notifications<ActiveEditorChanged>('workspace/didChangeActiveEditor').at(-1)?.filePath;

  /** Nothing that a client can ask for or is told of has these words; but what lists files has the other one. */
  async function assertSecret(path: string, words: RegExp, other: string): Promise<void> {
    const lists = ['getOpenEditors', 'getDiagnostics', 'get_all_opened_file_paths'];
    for (const tool of [...lists, 'getCurrentSelection', 'getLatestSelection']) {
      const answer = (await client.callForTexts(tool)).join();
      assert.doesNotMatch(answer, words, tool);
      assert.equal(answer.includes(other), lists.includes(tool), `${tool}: ${answer}`);
    }
    // The client names the file itself here: what matters is that there is nothing to tell.
    const [problems] = await client.callForTexts('getDiagnostics', { uri: path });
    assert.doesNotMatch(problems ?? '', /a problem/);
    for (const message of client.received.filter(({ method }) => method !== undefined)) {
      assert.doesNotMatch(JSON.stringify(message), words);
    }
  }

  it('leaves excluded files out of everything', async () => {
    const plain = scratch.write('plain.txt', 'nothing special');
    const secret = scratch.write('.env.local', 'KEY=secret');
    await use(plain);
    await until('the plain file', () => lastPath() === plain);
    await use(secret);
    await until('the selection to be cleared', () => lastPath() === '');
    await until('no active editor', () => lastActive() === '');
    await assertSecret(secret, /\.env\.local|KEY=secret/, 'plain.txt');
    await until('the eye to close', async () =>
      /\.env\.local is not shared/.test((await eye().locator('a').getAttribute('aria-label')) ?? ''),
    );
    await ui.screenshot('sharing-excluded');
  });

  it('leaves out an unsaved file that will have an excluded name', async () => {
    const plain = scratch.write('plain.txt', 'nothing special');
    await use(plain);
    await until('the plain file', () => lastPath() === plain);
    const secret = vscode.Uri.file(scratch.path('.env.new')).with({ scheme: 'untitled' });
    const editor = await vscode.window.showTextDocument(secret, { preview: false });
    try {
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'KEY=secret'));
      await vscode.commands.executeCommand('editor.action.selectAll');
      await until('the selection to be cleared', () => lastPath() === '');
      const lists = ['getOpenEditors', 'getCurrentSelection', 'getLatestSelection'];
      const answers = await Promise.all(lists.map((tool) => client.callForTexts(tool)));
      assert.match(answers.join(), /plain\.txt/);
      assert.doesNotMatch(answers.join(), /\.env\.new|KEY=secret/);
      assert.doesNotMatch(JSON.stringify(client.received), /\.env\.new|KEY=secret/);
    } finally {
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    }
  });

  it('leaves ignored files out of everything, if the user wants that', async () => {
    scratch.write('.gitignore', 'build/\n');
    execFileSync('git', ['init', '-q'], { cwd: scratch.folder });
    const ignored = scratch.write('build/hush.txt', 'hush');
    const plain = scratch.write('plain.txt', 'plain');
    await configure('share.excludeGitIgnored', true);
    await use(plain);
    await until('the plain file', () => lastPath() === plain);
    await use(ignored);
    await until('the selection to be cleared', () => lastPath() === '');
    await assertSecret(ignored, /hush/, 'plain.txt');
  });

  it('hears of it when a file that was shared becomes ignored, whatever the way', async () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: scratch.folder });
    await watched('.git');
    git('init', '--quiet');
    scratch.write('.gitignore', 'tracked.txt\n');
    const [tracked, excluded] = ['tracked.txt', 'excluded.txt'].map((name) => scratch.write(name, name));
    assert.ok(tracked !== undefined && excluded !== undefined);
    git('add', '--force', 'tracked.txt');
    await configure('share.excludeGitIgnored', true);
    await use(tracked);
    await until('the tracked file', () => lastPath() === tracked);
    git('rm', '--quiet', '--cached', 'tracked.txt');
    await until('the selection to be cleared', () => lastPath() === '');
    await use(excluded);
    await until('the other file', () => lastPath() === excluded);
    scratch.write('.git/info/exclude', 'excluded.txt\n');
    await until('the selection to be cleared again', () => lastPath() === '');
  });

  it('leaves out what Git, which fails, cannot tell of', async () => {
    const unknown = scratch.write('broken/hush.txt', 'hush');
    execFileSync('git', ['init', '-q'], { cwd: scratch.path('broken') });
    scratch.write('broken/.git/config', 'no configuration');
    await configure('share.excludeGitIgnored', true);
    await use(unknown);
    const plain = scratch.write('plain.txt', 'plain');
    await use(plain);
    await until('the plain file', () => lastPath() === plain); // Git was asked of that one later
    await use(unknown);
    await until('the selection to be cleared', () => lastPath() === '');
    await assertSecret(unknown, /hush/, 'plain.txt');
  });

  it('asks Git about nothing outside of the workspace, wherever a link leads, and leaves that out', async () => {
    const outside = realpathSync(mkdtempSync(join(tmpdir(), 'ide-bridge-outside-')));
    const spy = new GitSpy(scratch);
    try {
      writeFileSync(join(outside, 'a.txt'), 'text');
      symlinkSync(outside, scratch.path('link'));
      const plain = scratch.write('plain.txt', 'plain');
      await configure('share.excludeGitIgnored', true);
      for (const path of [join(outside, 'a.txt'), scratch.path('link/a.txt')]) {
        await use(path);
        await use(plain);
        await until('the plain file', () => lastPath() === plain); // Git was asked of that one later
        await use(path);
        await until('the selection to be cleared', () => lastPath() === '');
      }
      await use(join(outside, 'a.txt'));
      await until('the reason', async () =>
        /possibly ignored by Git, which is asked within the workspace only/.test(
          (await eye().locator('a').getAttribute('aria-label')) ?? '',
        ),
      );
      assert.ok(spy.runs.some((run) => run.includes(scratch.folder)));
      assert.deepEqual(
        spy.runs.filter((run) => run.includes(outside) || run.includes('/link')),
        [],
      );
    } finally {
      spy.remove();
      rmSync(outside, { recursive: true });
    }
  });

  it('takes patterns of files, of folders, and with paths', async () => {
    await configure('share.exclude', ['*.log', 'private', 'secrets/', '**/docs/*.md']);
    const shared = scratch.write('docs/deep/a.md', 'a');
    for (const name of ['x.log', 'private/deep/a.txt', 'secrets/a.txt', 'docs/a.md']) {
      await use(shared);
      await until('the shared file', () => lastPath() === shared);
      await use(scratch.write(name, 'x'));
      await until(`nothing of ${name}`, () => lastPath() === '');
    }
  });

  describe('a file that was shared stays here as soon as', () => {
    const { Global, Workspace } = vscode.ConfigurationTarget;
    const set = (name: string, value: unknown, target: vscode.ConfigurationTarget) =>
      vscode.workspace.getConfiguration('ideBridge').update(name, value, target);
    const changes: [string, () => PromiseLike<unknown>][] = [
      ['the user excludes it', () => set('share.exclude', ['told.txt'], Global)],
      ['the workspace excludes it', () => set('share.exclude', ['told.txt'], Workspace)],
      [
        'the user excludes it where the workspace excludes others',
        async () => {
          await set('share.exclude', ['others'], Workspace);
          await isTold(true);
          await set('share.exclude', ['told.txt'], Global);
        },
      ],
      ['the user switches sharing off', () => set('share.enabled', false, Global)],
      ['the workspace switches sharing off', () => set('share.enabled', false, Workspace)],
      ['the user excludes what Git ignores', () => set('share.excludeGitIgnored', true, Global)],
      ['the workspace excludes what Git ignores', () => set('share.excludeGitIgnored', true, Workspace)],
      [
        'it is renamed to an excluded name',
        async () => {
          diagnostics.clear();
          const [from, to] = ['told.txt', '.env.told'].map((name) => vscode.Uri.file(scratch.path(name)));
          assert.ok(from && to);
          const edit = new vscode.WorkspaceEdit();
          edit.renameFile(from, to);
          await vscode.workspace.applyEdit(edit);
          await until('the tab', () => vscode.window.activeTextEditor?.document.uri.fsPath === to.fsPath);
        },
      ],
    ];

    afterEach(async () => {
      for (const name of ['share.enabled', 'share.exclude', 'share.excludeGitIgnored']) {
        await set(name, undefined, Workspace);
      }
    });

    /** In all that lists files. */
    const isTold = (expected: boolean) =>
      until(`told: ${expected}`, async () => {
        const lists = ['getOpenEditors', 'getDiagnostics'].map((tool) => client.callForTexts(tool));
        return (await Promise.all(lists)).every((texts) => /told/.test(texts.join()) === expected);
      });

    for (const [what, change] of changes) {
      it(what, async () => {
        scratch.write('.gitignore', 'told.txt\n');
        execFileSync('git', ['init', '--quiet'], { cwd: scratch.folder });
        await use(scratch.write('told.txt', 'text'));
        await isTold(true);
        await change();
        await isTold(false);
      });
    }
  });

  it('is paused, resumed and switched off in the status bar', async () => {
    const choose = async (label: string) => {
      await eye().click();
      const name = ui.page.locator('.label-name', { hasText: new RegExp(`${label}$`) });
      const row = ui.page.locator('.quick-input-widget .monaco-list-row', { has: name });
      await row.waitFor();
      await ui.screenshot(`sharing-choose-${label}`);
      await row.click();
    };
    const file = scratch.write('a.txt', 'text');
    await use(file);
    await until('the file', () => lastPath() === file);
    await choose('Paused');
    await until('nothing', () => lastPath() === '');
    await until('the word', async () => /Paused/.test((await eye().textContent()) ?? ''));
    const [editors] = await client.callForTexts('getOpenEditors');
    assert.doesNotMatch(editors ?? '', /a\.txt/);
    await eye().click();
    await ui.page.locator('.quick-input-widget .monaco-list-row.focused', { hasText: 'Paused' }).waitFor();
    await ui.page.keyboard.press('Enter');
    await ui.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    assert.match((await eye().textContent()) ?? '', /Paused/);
    await choose('On');
    await until('the file again', () => lastPath() === file);
    await until('the active editor again', () => lastActive() === file);
    await choose('Off');
    await until('nothing again', () => lastPath() === '');
    assert.equal(vscode.workspace.getConfiguration('ideBridge').get('share.enabled'), false);
    await choose('On');
    await until('the file at last', () => lastPath() === file);
  });

  it('shows the exact last payload on a rendered page, which is not shared itself', async () => {
    const file = scratch.write('a.txt', 'exactly this');
    await use(file);
    await until('the selection', () => selections().at(-1)?.text === 'exactly this');
    await vscode.commands.executeCommand('ideBridge.showShared');
    const payload = JSON.stringify(selections().at(-1), undefined, 2);
    const inPreview = () =>
      Promise.all(ui.page.frames().map((frame) => frame.locator('h1, pre').allInnerTexts())).catch(() => []);
    await until('the rendered page', async () => {
      const texts = (await inPreview()).flat().map((text) => text.trim());
      return texts.includes('What Is Shared Now') && texts.includes(payload);
    });
    await ui.screenshot('what-is-shared-now');
    await vscode.commands.executeCommand('markdown.showSource');
    const text = () => vscode.window.activeTextEditor?.document.getText() ?? '';
    await until('the source', () => text().includes(payload), 5_000, text);
    assert.equal(lastPath(), file);
    const [editors] = await client.callForTexts('getOpenEditors');
    assert.doesNotMatch(editors ?? '', /What Is Shared/);
  });

  it('repeats the selection after each prompt, if the user wants that', async () => {
    const file = scratch.write('a.txt', 'again');
    await use(file);
    await until('the selection', () => selections().at(-1)?.text === 'again');
    await configure('share.selectionWithEachPrompt', true);
    const before = selections().length;
    await client.callForTexts('closeAllDiffTabs');
    await until('the selection again', () => selections().length > before);
    assert.equal(selections().at(-1)?.text, 'again');
  });

  it('tells the real file’s side of a diff, and the first of several cursors', async () => {
    const file = scratch.write('real.txt', 'one\ntwo\n');
    const untouched = vscode.Uri.from({ scheme: 'ide-bridge-report', path: '/real.txt' });
    await vscode.commands.executeCommand('vscode.diff', untouched, vscode.Uri.file(file), 'real.txt (diff)');
    await until('the file', () => lastPath() === file);
    const editor = await until('its editor', () =>
      vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === file),
    );
    editor.selections = [new vscode.Selection(1, 0, 1, 3), new vscode.Selection(0, 0, 0, 3)];
    await until('the first', () => selections().at(-1)?.text === 'two');
    await ui.page.locator('.editor.original .view-lines').first().click();
    await vscode.commands.executeCommand('editor.action.selectAll');
    await until('still the file', () => lastPath() === file);
    assert.ok(selections().every(({ filePath }) => [file, ''].includes(filePath)));
  });

  it('sends few messages for a thousand moves of the cursor', async () => {
    const file = scratch.write('long.txt', 'line\n'.repeat(1_100));
    const document = await vscode.workspace.openTextDocument(file);
    const editor = await vscode.window.showTextDocument(document);
    await until('the file', () => lastPath() === file);
    const [count, cpu, start] = [selections().length, process.cpuUsage(), Date.now()];
    for (let line = 0; line < 1_000; line++) {
      editor.selection = new vscode.Selection(line, 0, line, 4);
      if (line % 10 === 0) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
    await until('the last', () => selections().at(-1)?.selection.start.line === 999);
    const elapsed = Date.now() - start;
    const { user, system } = process.cpuUsage(cpu);
    console.log(
      `1,000 moves in ${elapsed} ms: ${selections().length - count} messages, ${Math.round((user + system) / 1_000)} ms of CPU`,
    );
    assert.ok(selections().length - count <= elapsed / 50 + 2);
  });
});
