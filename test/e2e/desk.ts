import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { isListening } from '../../src/server/processes.ts';
import { commandOf, extensionHost } from '../host/processes.ts';
import { writeUserSettings } from '../host/settings.ts';
import { openWorkbench, type Workbench, type WorkbenchOptions } from '../host/workbench.ts';
import { Claude, type PermissionMode } from './claude.ts';
import { createCliHome, type CliHome } from './cliHome.ts';
import { EditorWindow, keybindings } from './editorWindow.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';
import { keepLogs, logTail } from './keepLogs.ts';
import { MockApi, text, type Turn } from './mockApi.ts';
import { ensureCli, type CliVersion } from './provisionCli.ts';
import { Terminal } from './terminal.ts';

/** Runs notebooks on a real Python; built by `node esbuild.mjs --tests`. */
const testKernel = path.resolve('out/test/kernel');

/** What a failing scenario leaves behind goes here, in a folder of its name. */
const artifacts = path.resolve('out/e2e');

/** The CLI looks for a bridge that went away until 16 s later; ms. */
export const patience = 16_000;

export interface DeskOptions {
  /** Nothing is under development, so there are no notebooks, but VS Code starts a crashed extension host again. */
  plain?: boolean;
  /** The folder is opened through a symbolic link, so that a CLI in it has other paths than the editor. */
  linked?: boolean;
}

/**
 * A user's desk: a VS Code with the extension on an empty folder, and a CLI of one version on the PATH of its
 * terminals. It stays open for all scenarios of that version; each has its own files, terminals and models.
 */
export class Desk {
  private readonly apis: MockApi[] = [];
  private readonly claudes: Claude[] = [];
  private terminals = 0;
  private shells = 0;
  private scenarios = 0;
  private isConfigured = false;

  private current: EditorWindow | undefined;
  private workbench: Workbench | undefined;

  private constructor(
    readonly root: string,
    private readonly home: CliHome,
    readonly workspace: string,
    private readonly options: WorkbenchOptions,
  ) {}

  get window(): EditorWindow {
    if (this.current === undefined) throw new Error('the window is closed');
    return this.current;
  }

  static async open(version: CliVersion, { plain, linked }: DeskOptions = {}): Promise<Desk> {
    const bin = await ensureCli(version);
    const { vsix, extensionDevelopmentPaths } = extensionUnderTest();
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ide-bridge-e2e-')));
    const workspace = path.join(root, 'workspace');
    const folder = linked ? path.join(root, 'linked') : workspace;
    await mkdir(folder);
    if (linked) await symlink(folder, workspace);
    const home = await createCliHome(path.join(root, 'home'), workspace);
    const desk = new Desk(root, home, workspace, {
      folder: workspace,
      dataDir: path.join(root, 'vscode'),
      vsix,
      extensionDevelopmentPaths: [...extensionDevelopmentPaths, ...(plain ? [] : [testKernel])],
      env: { ...home.env, PATH: `${bin}:${process.env.PATH ?? ''}` },
      keybindings,
      settings: {
        // Both draw over the rows that these tests read, and the first one takes keys.
        'terminal.integrated.suggest.enabled': false,
        'terminal.integrated.stickyScroll.enabled': false,
      },
    });
    try {
      await desk.openWindow();
      return desk;
    } catch (error) {
      await desk.leaveBehind(`opening the desk for ${version}`);
      await desk.close();
      throw error;
    }
  }

  private async openWindow(): Promise<void> {
    this.workbench = await openWorkbench(this.options);
    await this.workbench.page.setViewportSize({ width: 1500, height: 1100 });
    this.current = new EditorWindow(this.workbench.page);
    await this.ready();
  }

  async close(): Promise<void> {
    await this.workbench?.close();
    await rm(this.root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  /**
   * Starts a CLI in a new terminal and waits until the window counts it as connected.
   * @param inside a command that opens another shell first, such as tmux
   */
  async startClaude(mode: PermissionMode = 'default', inside?: string): Promise<Claude> {
    const api = await MockApi.start();
    this.apis.push(api);
    const terminal = await Terminal.open(
      this.window,
      this.terminals++,
      path.join(this.root, `shell-${++this.shells}`),
    );
    if (inside !== undefined) await terminal.run(inside);
    const claude = await Claude.start(terminal, api, mode);
    this.claudes.push(claude);
    await this.window.connectedClients(this.apis.length);
    return claude;
  }

  /** Waits until a client that asks is told of problems in that file: its language server runs. */
  async reportsOn(file: WorkspaceFile): Promise<void> {
    const { port, authToken } = await until('the lock file', () => findLocks(this.home.configDir)[0]);
    const client = await IdeClient.connect({ port, token: authToken });
    const ask = () =>
      client.call('getDiagnostics', { uri: file.path }, { 'claudecode/toolUseId': 'toolu_1' });
    await until(
      `problems of ${file.path}`,
      async () => (await ask()).content[0]?.text?.includes('severity'),
      40_000,
    );
    await client.close();
    await this.window.connectedClients(this.apis.length);
  }

  /** A file of this scenario in the workspace, with these contents; without, only its path. */
  async file(name: string, contents?: string): Promise<WorkspaceFile> {
    const folder = path.join(this.workspace, `scenario-${this.scenarios}`);
    await mkdir(folder, { recursive: true });
    const file = new WorkspaceFile(path.join(folder, name));
    if (contents !== undefined) {
      await mkdir(path.dirname(file.path), { recursive: true });
      await writeFile(file.path, contents);
    }
    return file;
  }

  /**
   * Settings of the user, for this scenario, before it opens terminals. The window is reloaded: it does not see that
   * others write the file.
   */
  async configure(settings: Record<string, unknown>): Promise<void> {
    this.isConfigured = true;
    await writeUserSettings(path.join(this.root, 'vscode'), { ...this.options.settings, ...settings });
    await this.reloadPage();
    await this.window.closeEditors(); // those that were closed just before come back
  }

  /** Reloads the window and goes back to its terminals, which live on. */
  async reload(): Promise<void> {
    await this.reloadPage();
    // VS Code does not always remember that the panel was open. Without a terminal this would open one.
    await this.window.runCommand('Terminal: Focus on Terminal View');
    await this.window.terminals(this.terminals);
  }

  private async reloadPage(): Promise<void> {
    const { page } = this.window;
    await page.reload();
    await page.locator('[id="status.problems"]').waitFor({ timeout: 60_000 }); // by then its terminals are back
  }

  /** Quits VS Code and starts it again on the same data, once `meanwhile` is done: no terminal or CLI lives on. */
  async restart(meanwhile?: () => Promise<void>): Promise<void> {
    await this.workbench?.close();
    await meanwhile?.();
    await this.openWindow();
    await this.window.killTerminals(); // it brings them back, with new shells
    this.terminals = 0;
  }

  /** Has a CLI in tmux, outside of VS Code, do what the model says to one prompt, and ends it. */
  async runOutside(prompt: string, turns: Turn[]): Promise<void> {
    const api = await MockApi.start();
    const server = ['-L', `ide-bridge-outside-${process.pid}`];
    const env = { ...process.env, ...this.options.env, ANTHROPIC_BASE_URL: api.url, PROMPT: prompt };
    const screen = () => execFileSync('tmux', [...server, 'capture-pane', '-p'], { env, encoding: 'utf8' });
    api.script([...turns, text('it is done outside')]);
    try {
      const command = 'claude --permission-mode acceptEdits "$PROMPT"';
      const size = ['-x', '150', '-y', '50', '-c', this.workspace];
      execFileSync('tmux', [...server, '-f', '/dev/null', 'new-session', '-d', ...size, command], { env });
      await until('the end', () => screen().includes('it is done outside'), 60_000, screen);
    } finally {
      spawnSync('tmux', [...server, 'kill-server'], { env });
      await api.close();
    }
  }

  /** Runs a line of the user's in a shell outside of VS Code, in the workspace. @returns what it says */
  async shell(line: string, more: Record<string, string> = {}): Promise<string> {
    const env = { ...process.env, ...this.options.env, ...more };
    const { stdout } = await promisify(execFile)('bash', ['-c', line], { cwd: this.workspace, env });
    return stdout;
  }

  /** Until the window has taken note that it watches. */
  async watches(): Promise<void> {
    const files = () => readdir(path.join(this.root, 'vscode'), { recursive: true });
    await until(
      'the note',
      async () => (await files()).some((each) => path.basename(each) === 'watched.json'),
      30_000,
    );
  }

  /** Kills the extension host, as a crash does; the window starts another by itself. */
  crashExtensionHost(): Promise<void> {
    if (this.workbench) process.kill(extensionHost(this.workbench.serverPid), 'SIGKILL');
    return Promise.resolve();
  }

  /** For how many ms nobody listened on the bridge's port, while `action` took it away for a while. */
  async absenceOf(port: number, action: () => Promise<void>): Promise<number> {
    const measure = async () => {
      while (await isListening(port)) await sleep(5);
      const gone = performance.now();
      while (!(await isListening(port))) await sleep(5);
      return Math.round(performance.now() - gone);
    };
    const [absence] = await Promise.all([measure(), action()]);
    return absence;
  }

  /**
   * The only CLI is connected again after the bridge was `away` for that many ms: by itself, or, where it has given up, by
   * what the editor then says is to be done.
   * @returns whether it had to be by itself, and was not
   */
  async comesBack(claude: Claude, away: number): Promise<boolean> {
    const isBack = this.window.connectedClients(1, 25_000).then(
      () => true,
      () => false,
    );
    if (await isBack) return false;
    const { terminal } = claude;
    console.log(`      the CLI has given up: the bridge was away for ${away} ms\n${await terminal.text()}`);
    console.log(await logTail(path.join(this.root, 'vscode'), 40));
    if (await this.isLost()) await this.reconnect(claude);
    return away < patience - 1_000;
  }

  /** Waits until the only CLI is connected again, or the editor says that it has to be told to. @returns whether it has */
  async isLost(): Promise<boolean> {
    const { page } = this.window;
    const lost = page.locator('.pane .monaco-list-row', { hasText: 'Not connected, type /ide' });
    await this.window.runCommand('Claude Code: Focus on Sessions View');
    await Promise.any([lost.waitFor(), this.window.connectedClients(1, 30_000)]);
    return lost.isVisible();
  }

  /** Connects the only CLI as a user does. */
  async reconnect({ terminal }: Claude): Promise<void> {
    await terminal.type('/ide');
    await terminal.press('Enter');
    await terminal.shows('to an IDE');
    const isConnected = async () => {
      await terminal.press('Enter');
      return this.window.connectedClients(1, 3_000).then(
        () => true,
        () => false,
      );
    };
    await until('it to be connected', isConnected, 30_000);
  }

  /** The window has all its parts, and the bridge listens: terminals that are opened from now on know of it. */
  private async ready(): Promise<void> {
    // Comes late. A terminal that is asked for much earlier is never opened on a busy machine.
    await this.window.page.locator('[id="status.problems"]').waitFor({ timeout: 60_000 });
    const lockFiles = () => readdir(path.join(this.home.configDir, 'ide')).catch(() => []);
    await until(
      'the lock file of the window',
      async () => (await lockFiles()).length === 1,
      30_000,
      lockFiles,
    );
  }

  /** Clears the desk for the next scenario. */
  async clear(): Promise<void> {
    const clis = this.claudes.splice(0).flatMap((claude) => claude.pids());
    await this.window.killTerminals();
    await this.endsOf(clis);
    await this.window.connectedClients(0);
    await this.window.closeEditors();
    await this.window.keepAgentChanges();
    if (this.isConfigured) {
      await this.configure({});
      this.isConfigured = false;
    }
    for (const api of this.apis.splice(0)) await api.close();
    this.terminals = 0;
    this.scenarios++;
  }

  /** One that lives on without its terminal stays connected, and is none of the next scenario's business. */
  private async endsOf(clis: readonly number[]): Promise<void> {
    const left = () => clis.filter((pid) => commandOf(pid) !== '');
    await until('the CLIs to end', () => left().length === 0).catch(() => {
      console.log(`      ${left().join()} lived on without a terminal`);
      left().forEach((pid) => process.kill(pid, 'SIGKILL'));
    });
  }

  /** Writes down what is on the screen, what was on the wire, and what the extension has logged. */
  async leaveBehind(scenario: string): Promise<void> {
    const folder = path.join(artifacts, scenario.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
    await mkdir(folder, { recursive: true });
    await this.window.page.screenshot({ path: path.join(folder, 'screenshot.png') });
    const rows = await this.window.page.locator('.xterm-rows').allInnerTexts();
    await writeFile(path.join(folder, 'terminal.txt'), rows.join('\n--------\n'));
    for (const [index, api] of this.apis.entries()) {
      const requests = JSON.stringify(api.log, undefined, 2);
      await writeFile(path.join(folder, `requests-${index + 1}.json`), requests);
    }
    await keepLogs(path.join(this.root, 'vscode'), folder);
  }
}

export class WorkspaceFile {
  constructor(readonly path: string) {}

  exists(): boolean {
    return existsSync(this.path);
  }

  text(): Promise<string> {
    return readFile(this.path, 'utf8');
  }
}
