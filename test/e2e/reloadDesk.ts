import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import type { AtMentioned } from '../../src/protocol/ide.ts';
import { childrenOf, commandOf, extensionHost, killTree } from '../host/processes.ts';
import { openWorkbench, type Workbench, type WorkbenchOptions } from '../host/workbench.ts';
import { type ConnectOptions, findLocks, IdeClient, type Lock } from '../support/ideClient.ts';
import { clickRowButton, reviewRows } from '../support/reviewRows.ts';
import { until } from '../support/until.ts';
import { EditorWindow, keybindings } from './editorWindow.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';
import { keepLogs } from './keepLogs.ts';

export type AutoSave = 'off' | 'afterDelay' | 'onFocusChange' | 'onWindowChange';

/** What an editor would mend: a byte order mark, mixed line ends, a byte that is no UTF-8, no line end at the end. */
const before = Buffer.from('\xEF\xBB\xBFone\r\ntwo\nthree \xFF', 'latin1');

/**
 * A window in one mode of auto-save, and what is in it when it is interrupted: files that an agent has changed, a
 * proposal that was typed into a while ago and one just now, and a mention that waits for a session with a name.
 */
export class ReloadDesk {
  private window: EditorWindow;
  private round = 0;
  private session: IdeClient | undefined;
  /** One that has not said who it is: for a session the mention would not wait. */
  private stranger: IdeClient | undefined;
  /** The process of an extension host whose window is gone. */
  private lingering: number | undefined;

  private constructor(
    private readonly root: string,
    private readonly options: WorkbenchOptions & { dataDir: string },
    private workbench: Workbench,
    private lock: Lock,
  ) {
    this.window = new EditorWindow(workbench.page);
  }

  static async open(autoSave: AutoSave): Promise<ReloadDesk> {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ide-bridge-e2e-')));
    await mkdir(path.join(root, 'workspace'));
    const options = {
      folder: path.join(root, 'workspace'),
      dataDir: path.join(root, 'vscode'),
      ...extensionUnderTest(),
      env: { CLAUDE_CONFIG_DIR: path.join(root, 'config') },
      keybindings,
      // With a shorter delay the editor does not show in a tab what it has not saved yet.
      settings: { 'files.autoSave': autoSave, 'files.autoSaveDelay': 1_600 },
    };
    const workbench = await openWorkbench(options);
    const lock = await until('the lock file', () => locksIn(root)[0], 30_000);
    await isComplete(workbench.page);
    return new ReloadDesk(root, options, workbench, lock);
  }

  async close(): Promise<void> {
    await this.workbench.close();
    await rm(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  /** Writes down what is on the screen, and what the extension has logged in each of its hosts. */
  async leaveBehind(title: string): Promise<void> {
    const folder = path.resolve('out/e2e', title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
    await mkdir(folder, { recursive: true });
    await this.window.page.screenshot({ path: path.join(folder, 'screenshot.png') });
    await keepLogs(this.options.dataDir, folder);
  }

  // What is there before the interruption.

  /** Sets all of it up, and waits until the editor has put away what it puts away by itself. */
  async leave(): Promise<void> {
    this.round++;
    this.session ??= await IdeClient.connect(this.address);
    await this.window.connectedClients(1);
    await this.window.answer('IDE Bridge: Rename Claude Code Session…', this.label);
    await this.changeFiles(this.session);
    await this.session.close();
    this.session = undefined;
    await this.window.connectedClients(0);
    await this.mention();
    await this.typeIntoProposals();
  }

  sendNow(): Promise<void> {
    return this.window.sendNow();
  }

  private async changeFiles(session: IdeClient): Promise<void> {
    await writeFile(this.file('changed.txt'), before);
    for (const name of ['changed.txt', 'created.txt']) {
      await session.call('getDiagnostics', { uri: `file://${this.file(name)}` });
      await writeFile(this.file(name), 'by the agent\n');
    }
    await session.call('getDiagnostics');
    await this.showViews();
    await this.changes('2 files').waitFor();
  }

  private async mention(): Promise<void> {
    await writeFile(this.file('mentioned.txt'), 'one\n');
    await this.window.openFile(this.file('mentioned.txt'));
    await this.window.mention();
    await this.window.page.locator('.statusbar-item', { hasText: 'Claude: 1 waiting' }).waitFor();
  }

  private async typeIntoProposals(): Promise<void> {
    this.stranger = await IdeClient.open(this.address);
    await this.stranger.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'claude-code', version: '2.1.330' },
    });
    this.stranger.notify('notifications/initialized');
    await this.typeIntoProposal(this.stranger, 'early.txt');
    if (this.isSavedWhen('onWindowChange')) await this.leaveWindow();
    await this.typeIntoProposal(this.stranger, 'late.txt');
    await this.isPutAway();
  }

  private async typeIntoProposal(client: IdeClient, name: string): Promise<void> {
    const file = this.file(name);
    await writeFile(file, 'one\ntwo\n');
    client.start('tools/call', {
      name: 'openDiff',
      arguments: {
        old_file_path: file,
        new_file_path: file,
        new_file_contents: 'proposed\ntwo\n',
        tab_name: name,
      },
    });
    const diff = await this.window.diffOf(path.basename(file));
    await diff.typeAfter('proposed', ` and typed into ${path.basename(file)}`);
    await this.dirtyTabs.filter({ hasText: path.basename(file) }).waitFor();
  }

  /** Until what was typed is saved, or the editor has a backup of it, as it makes one of all that is not saved. */
  private async isPutAway(): Promise<void> {
    const backups = async () => {
      const files = await readdir(this.backups, { recursive: true }).catch(() => []);
      return files.filter((file) => file.includes('ide-bridge-proposal/')).length;
    };
    const isAllSaved = this.isSavedWhen('afterDelay');
    await until('a copy of what was typed', async () => {
      const dirty = await this.dirtyTabs.count();
      return dirty === 0 || (!isAllSaved && dirty <= (await backups()));
    });
    // Nor is anything left of the rows before.
    await until(
      'it on disk',
      () => this.typedTexts().length === 2,
      10_000,
      () => this.typedTexts(),
    );
  }

  private isSavedWhen(mode: AutoSave): boolean {
    return this.options.settings?.['files.autoSave'] === mode;
  }

  get dirtyTabs(): Locator {
    return this.window.page.locator('.tab.dirty');
  }

  private get backups(): string {
    return path.join(this.root, 'vscode/user/User/Backups');
  }

  /** Headless pages have the focus all the time. */
  private async leaveWindow(): Promise<void> {
    const { page } = this.window;
    await page.evaluate('document.hasFocus = () => false; window.dispatchEvent(new Event("blur"))');
    await this.dirtyTabs.waitFor({ state: 'detached' });
    await page.evaluate('delete document.hasFocus; window.dispatchEvent(new Event("focus"))');
  }

  // The interruption.

  async reload(): Promise<void> {
    await this.window.page.reload();
  }

  async killExtensionHost(): Promise<void> {
    process.kill(extensionHost(this.workbench.serverPid), 'SIGKILL');
  }

  /** As when its process runs out of memory: nothing is closed in order. The user opens it again. */
  async crashWindow(): Promise<void> {
    const host = extensionHost(this.workbench.serverPid);
    await this.crash();
    process.kill(host, 'SIGKILL'); // on the desktop it ends with its window
    await this.openAgain();
  }

  /** The same on a remote machine, where the extension host stays for hours: here, until the session is back. */
  async crashWindowAlone(): Promise<void> {
    this.lingering = extensionHost(this.workbench.serverPid);
    process.kill(this.lingering, 'SIGSTOP');
    await this.crash();
    await this.openAgain();
  }

  private async crash(): Promise<void> {
    const { page } = this.window;
    const crashed = page.waitForEvent('crash');
    const devTools = await page.context().newCDPSession(page);
    void devTools.send('Page.crash').catch(() => {}); // there is nobody to answer
    await crashed;
  }

  private async openAgain(): Promise<void> {
    const { page } = this.window;
    const next = await page.context().newPage();
    await next.goto(this.workbench.url);
    await page.close();
    this.window = new EditorWindow(next);
  }

  /** As when the machine goes down: server, extension host and browser. */
  async killAll(): Promise<void> {
    childrenOf(process.pid)
      .filter((pid) => commandOf(pid).includes(this.root))
      .forEach(killTree);
    this.workbench = await openWorkbench(this.options);
    this.window = new EditorWindow(this.workbench.page);
  }

  // What is there afterwards.

  /** The session finds the bridge of the window again. */
  async comeBack(): Promise<void> {
    await isComplete(this.window.page);
    const isCutOff = () => this.stranger?.socket.readyState === WebSocket.CLOSED;
    await until(
      'the bridge',
      async () => {
        const locks = locksIn(this.root);
        // An extension host that lives on keeps its port.
        const lock = locks.find(({ port }) => port !== this.lock.port) ?? (isCutOff() ? locks[0] : undefined);
        if (!lock) return false;
        this.session = await IdeClient.connect({ port: lock.port, token: lock.authToken }).catch(
          () => undefined,
        );
        this.lock = lock;
        return this.session !== undefined;
      },
      30_000,
      () => locksIn(this.root),
    );
    await this.window.connectedClients(1);
    if (this.lingering !== undefined) process.kill(this.lingering, 'SIGKILL');
    this.lingering = undefined;
  }

  get label(): string {
    return `Patient ${this.round}`;
  }

  tabLabels(): Promise<string[]> {
    return this.window.tabLabels();
  }

  /** What the editor asks above the window. */
  questions(): Promise<string[]> {
    return this.window.page.locator('.monaco-dialog-box').allInnerTexts();
  }

  /** What the extension keeps on disk of what was typed. */
  typedTexts(): string[] {
    return readdirSync(path.join(this.root, 'vscode/user'), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /ide-bridge[^/]*\/proposals\/.*\.json$/.test(name),
    );
  }

  mentions(): string[] {
    return this.session?.notifications<AtMentioned>('at_mentioned').map(({ filePath }) => filePath) ?? [];
  }

  get port(): number {
    return this.lock.port;
  }

  /** A window that has crashed does not know that it had shown them. */
  async showViews(): Promise<void> {
    await this.window.runCommand('Claude Code: Focus on Review View');
  }

  sessionLabels(): Promise<string[]> {
    return this.window.page
      .locator('.pane', { hasText: 'Sessions' })
      .locator('.monaco-list-row')
      .allInnerTexts();
  }

  async revertChanges(): Promise<void> {
    await this.changes('2 files').waitFor();
    await clickRowButton(this.changes('2 files'), 'Revert All Changes');
  }

  isAsBefore(): boolean {
    return readFileSync(this.file('changed.txt')).equals(before) && !existsSync(this.file('created.txt'));
  }

  private changes(text: string): Locator {
    return reviewRows(this.window.page).filter({ hasText: text }).first();
  }

  async clear(): Promise<void> {
    this.stranger?.socket.terminate();
    const question = this.window.page.getByRole('button', { name: "Don't Save" });
    if (await question.isVisible()) await question.click(); // there should be none
    await this.window.clearNotifications();
    await this.window.closeEditors();
    await this.window.keepAgentChanges();
  }

  /** A path of this round. */
  file(name: string): string {
    return path.join(this.root, 'workspace', this.nameOf(name));
  }

  nameOf(name: string): string {
    return `${this.round}-${name}`;
  }

  private get address(): ConnectOptions {
    return { port: this.lock.port, token: this.lock.authToken };
  }
}

async function isComplete(page: Page): Promise<void> {
  await page.locator('[id="status.problems"]').waitFor({ timeout: 60_000 });
}

function locksIn(root: string): Lock[] {
  return findLocks(path.join(root, 'config'));
}
