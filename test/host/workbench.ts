// Opens a real VS Code: its server from npm, and its workbench in a headless Chromium.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium, type BrowserContext, type Page } from 'playwright-core';
import { testedEnvironment } from './environment.ts';
import { Outcome } from './outcome.ts';
import { ensureChromium, ensureHost, type HostVersion } from './provision.ts';
import { installVsix, startServer, type Server } from './server.ts';
import { testSettings, writeUserKeybindings, writeUserSettings } from './settings.ts';

export interface WorkbenchOptions {
  version?: HostVersion;
  /** Absolute path of a folder or of a .code-workspace file; an empty window without. */
  folder?: string;
  /** Data of server, user, extensions and browser. A temporary folder by default; give one to reopen it later. */
  dataDir?: string;
  extensionDevelopmentPaths?: string[];
  /** Module whose `run()` the extension host calls; its result decides `exit`. */
  extensionTestsPath?: string;
  /** Files to install first. */
  vsix?: string[];
  /** Changes to the environment of extension host and terminals; undefined removes. */
  env?: Record<string, string | undefined>;
  /** User settings; an existing settings.json is replaced. */
  settings?: Record<string, unknown>;
  /** The user's keys, on top of VS Code's. */
  keybindings?: readonly { key: string; command: string; args?: unknown }[];
  /** Port on 127.0.0.1 for a second client of the DevTools protocol. */
  remoteDebuggingPort?: number;
  /** Whether the workbench asks for trust; by default everything is trusted. */
  workspaceTrust?: boolean;
  /** Lines of the server, and of the extension host's console when a tests path is given. */
  onLog?: (line: string) => void;
}

export interface Workbench {
  readonly page: Page;
  /** Opens this window again, also in a second page of `page.context()`. */
  readonly url: string;
  readonly serverPid: number;
  /** Settles when the tests have ended (their code), else when the server has (its code) or after close() (0). */
  readonly exit: Promise<number>;
  /** Closes the windows, as a user would, then ends every process. Calling it again does nothing. */
  close(): Promise<void>;
}

export async function openWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const host = await ensureHost(options.version ?? 'newest');
  const executablePath = ensureChromium();
  const dataDir = options.dataDir ?? (await mkdtemp(path.join(tmpdir(), 'ide-bridge-host-')));
  const log = options.onLog ?? (() => undefined);

  const cleanups: (() => Promise<void>)[] = [];
  const cleanUp = async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  };
  if (options.dataDir === undefined) {
    cleanups.push(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  }

  try {
    for (const vsix of options.vsix ?? []) await installVsix(host, dataDir, vsix);
    if (options.settings) await writeUserSettings(dataDir, options.settings);
    if (options.keybindings) await writeUserKeybindings(dataDir, options.keybindings);

    const outcome = new Outcome(options.extensionTestsPath !== undefined);
    const server = await startServer({
      host,
      dataDir,
      env: testedEnvironment(options.env),
      workspaceTrust: options.workspaceTrust ?? false,
      endWhenUnused: true,
      onLine: (line) => {
        log(line);
        outcome.watchServerLine(line);
      },
    });
    cleanups.push(() => server.stop());
    void server.exit.then((code) => outcome.settle(code));

    const context = await launchBrowser(executablePath, dataDir, options.remoteDebuggingPort);
    cleanups.push(() => context.close());
    context.on('close', () => outcome.settle(1));
    await prepareWindows(context, server, options, outcome, log);

    const page = context.pages()[0] ?? (await context.newPage());
    page.on('crash', () => outcome.settle(1));
    const url = server.windowUrl(options.folder);
    await page.goto(url);
    await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout: 60_000 });

    return {
      page,
      url,
      serverPid: server.pid,
      exit: outcome.code,
      close: async () => {
        outcome.settle(0);
        await closeWindows(context, outcome);
        await cleanUp();
      },
    };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

async function launchBrowser(
  executablePath: string,
  dataDir: string,
  remoteDebuggingPort: number | undefined,
): Promise<BrowserContext> {
  const profile = path.join(dataDir, 'browser');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    // It writes to its home even when given a profile.
    env: { ...process.env, HOME: profile },
    headless: true,
    viewport: { width: 1400, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
    // Signals are the business of processes.ts, for server and browser alike.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [
      // Loopback only, whatever a page asks for.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
      ...(remoteDebuggingPort ? [`--remote-debugging-port=${remoteDebuggingPort}`] : []),
    ],
  });
  return context;
}

/** Puts into every window what the desktop takes from its command line. */
async function prepareWindows(
  context: BrowserContext,
  server: Server,
  options: WorkbenchOptions,
  outcome: Outcome,
  log: (line: string) => void,
): Promise<void> {
  const uri = (file: string) => ({
    $mid: 1,
    scheme: 'vscode-remote',
    authority: new URL(server.origin).host,
    path: file,
  });
  const tests = options.extensionTestsPath;
  // The hooks by which a workbench in a browser reports on tests.
  await context.exposeFunction('codeAutomationLog', (_type: string, args: unknown[]) => {
    log(args.map(String).join(' '));
  });
  await context.exposeFunction('codeAutomationExit', (code: number) => outcome.testsEnded(code));
  await context.addInitScript(stopAnimations);
  await context.addInitScript(patchConfiguration, {
    configurationDefaults: testSettings,
    developmentOptions: {
      extensions: (options.extensionDevelopmentPaths ?? []).map(uri),
      ...(tests === undefined ? {} : { extensionTestsPath: uri(tests) }),
    },
  });
}

/** All of the DOM that we touch; the rest of the project is compiled without it. */
declare const Element: {
  prototype: { getAttribute: (this: { id: string }, name: string) => string | null };
};
declare const document: {
  addEventListener: (type: 'DOMContentLoaded', listener: () => void) => void;
  createElement: (name: 'style') => { textContent: string };
  head: { append: (element: object) => void };
};

/** What turns and runs on, such as bars of progress, has Chromium draw 36 frames a second without a GPU: a seventh of a run. */
function stopAnimations(): void {
  document.addEventListener('DOMContentLoaded', () => {
    const style = document.createElement('style');
    style.textContent = '*, ::before, ::after { animation: none !important; transition: none !important; }';
    document.head.append(style);
  });
}

/**
 * Runs in the page, before the workbench. A built VS Code ignores development paths in its URL, but takes them from
 * the options that the server writes into the page. Changing the page on its way instead would make Chromium treat
 * it as foreign and block its WebSocket.
 */
function patchConfiguration(added: { configurationDefaults: object; developmentOptions: object }): void {
  interface Configuration {
    productConfiguration?: { serviceWorker?: unknown };
    configurationDefaults?: object;
    developmentOptions?: object;
  }
  const original = Element.prototype.getAttribute;
  Element.prototype.getAttribute = function (name) {
    const value = original.call(this, name);
    if (name !== 'data-settings' || this.id !== 'vscode-workbench-web-configuration' || !value) return value;
    const configuration = JSON.parse(value) as Configuration;
    // Asks for a file that the server does not have.
    delete configuration.productConfiguration?.serviceWorker;
    configuration.configurationDefaults = {
      ...added.configurationDefaults,
      ...configuration.configurationDefaults,
    };
    configuration.developmentOptions = { ...configuration.developmentOptions, ...added.developmentOptions };
    return JSON.stringify(configuration);
  };
}

/** Closes the windows so that extensions are deactivated, and gives them a moment for it. */
async function closeWindows(context: BrowserContext, outcome: Outcome): Promise<void> {
  await Promise.all(
    context.pages().map((page) => page.close({ runBeforeUnload: true }).catch(() => undefined)),
  );
  const deadline = Date.now() + 1500;
  while (outcome.extensionHostsRunning && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
