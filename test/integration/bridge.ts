import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Locator } from 'playwright-core';
import * as vscode from 'vscode';
import { findLocks, IdeClient, type Lock } from '../support/ideClient.ts';
import { testEnvironment } from '../support/testEnvironment.ts';
import { connectUi, type Ui } from '../support/ui.ts';
import { until } from '../support/until.ts';

export function extensionUnderTest(): vscode.Extension<unknown> {
  const extension = vscode.extensions.getExtension('ide-bridge.ide-bridge-for-claude-code');
  assert.ok(extension);
  return extension;
}

/** For what VS Code 1.96 is known not to do; docs/limits.md names it. */
export function skipOnFloor(test: Mocha.Context): void {
  if (process.env[testEnvironment.floor]) {
    test.skip();
  }
}

/** The lock file that the extension under test has written. */
export async function currentLock(): Promise<Lock> {
  await extensionUnderTest().activate();
  const configDir = process.env.CLAUDE_CONFIG_DIR;
  assert.ok(configDir, 'the runner sets CLAUDE_CONFIG_DIR');
  return until('the lock file', () => findLocks(configDir)[0]);
}

const clients = new Set<IdeClient>();

// Also those of a test that has failed before it could do so. After every test of the file that imports this: each file
// is a bundle of its own, with its own clients.
/** Lets a clock go on that a test has stopped, and not let go on as it failed. */
let goOn: (() => void) | undefined;

afterEach(async () => {
  goOn?.();
  await Promise.all([...clients].map((client) => client.close().then(() => clients.delete(client))));
});

/** A client of which the bridge knows who it is, until the end of the test. */
export async function connectClient(pid = process.pid): Promise<IdeClient> {
  const { port, authToken } = await currentLock();
  const client = await IdeClient.connect({ port, token: authToken, pid });
  clients.add(client);
  await client.request('ping'); // answered after `ide_connected` was taken
  return client;
}

/** A folder with files inside the workspace, for one test. */
export class Scratch {
  readonly folder: string;

  constructor() {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    assert.ok(root);
    this.folder = realpathSync(mkdtempSync(join(root, 'scratch-')));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Buffer): string {
    const path = this.path(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    // Again, as a shell of which it was the home may write its history while it ends.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 });
  }
}

/** What the tests of a suite work with: the same hands and eyes for all, a client and a folder for each. */
export class Desk {
  ui!: Ui;
  client!: IdeClient;
  scratch!: Scratch;
  private readonly changed = new Set<string>();

  /** Sets a setting of the user, by its full name, until the end of the test. */
  async configure(name: string, value: unknown): Promise<void> {
    this.changed.add(name);
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  }

  /** Ends what the test has begun: its client and diffs, its settings, terminals, toasts and editors. */
  async clear(): Promise<void> {
    await this.client.callForTexts('closeAllDiffTabs').catch(() => {}); // what was typed there is not to be kept
    await Promise.all([...clients].map((client) => client.close())); // also those of a test that has failed
    await until('the diffs of a closed client to be gone', () => proposalTabs().length === 0);
    for (const name of this.changed) {
      await this.configure(name, undefined);
    }
    this.changed.clear();
    vscode.window.terminals.forEach((terminal) => terminal.dispose());
    await until('the terminals to go', () => vscode.window.terminals.length === 0);
    await vscode.commands.executeCommand('notifications.clearAll');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    this.scratch.remove();
  }
}

/**
 * A desk for the tests of the enclosing `describe`: made ready before, and cleared after, each of them. The suite's
 * own `beforeEach` comes after this one's, its own `afterEach` too. What other suites have left is gone before the first.
 * @param pid what the client of the next test says to be; this process by default
 */
export function useDesk(pid?: () => number): Desk {
  const desk = new Desk();
  before(async () => {
    desk.ui = await connectUi();
    await tidyWindow();
    await endReview();
  });
  after(() => desk.ui.close());
  beforeEach(async () => {
    desk.scratch = new Scratch();
    desk.client = await connectClient(pid?.());
  });
  afterEach(() => desk.clear());
  return desk;
}

/**
 * As if a moment had passed in which no key was pressed: the next one counts for what is in front now.
 * @param time ms
 */
export function letMomentPass(time = 1_000): void {
  const now = performance.now.bind(performance);
  performance.now = () => now() + time; // which the extension asks, too
}

/** Makes no time pass on that clock, however busy the machine is. @returns lets it go on */
export function holdMoment(): () => void {
  const now = performance.now.bind(performance);
  const moment = now();
  performance.now = () => moment;
  goOn = () => {
    performance.now = now;
    goOn = undefined;
  };
  return goOn;
}

/** The user opens a file and clicks below its lines: without any, that is no sign of them. */
export async function clickInto({ page }: Ui, path: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(path);
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  await page.locator('.editor-instance .view-lines').first().click();
  await until('the caret', () => editor.selection.active.line === document.lineCount - 1);
  return document;
}

/** Rejects the proposal in front with a reason. @returns where that is typed */
export async function askForReason({ page }: Ui): Promise<Locator> {
  const input = page.locator('.quick-input-widget input:visible');
  const refusal = page.locator('.notification-toast', { hasText: 'is not in this window' });
  // The terminal of a session is found a moment after it has connected.
  await until('the question', async () => {
    await vscode.commands.executeCommand('notifications.clearAll');
    void vscode.commands.executeCommand('ideBridge.rejectProposalWithReason');
    // Neither, where the refusal came while the last one was on its way out.
    await input
      .or(refusal)
      .first()
      .waitFor({ timeout: 2_000 })
      .catch(() => {});
    return input.isVisible();
  });
  return input;
}

/** Leaves the editors all the room that there is: what is behind a panel has no lens to read or to click. */
async function tidyWindow(): Promise<void> {
  for (const command of ['workbench.action.closePanel', 'workbench.action.closeAuxiliaryBar']) {
    await vscode.commands.executeCommand(command);
  }
}

/** Leaves nothing to review, and nothing of having done so: no history, no toast. */
export async function endReview(): Promise<void> {
  for (const command of [
    'ideBridge.keepAllChanges',
    'ideBridge.clearChangeHistory',
    'notifications.clearAll',
  ]) {
    await vscode.commands.executeCommand(command);
  }
}

export function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
}

/** Unsaved new documents that have a tab: the editor keeps those without one for some minutes. */
export function untitledDocuments(): vscode.TextDocument[] {
  const shown = tabs().map(({ input }) => input instanceof vscode.TabInputText && input.uri.toString());
  return vscode.workspace.textDocuments.filter(
    ({ isUntitled, uri }) => isUntitled && shown.includes(uri.toString()),
  );
}

/** Labels of the diff tabs that show a proposal. */
export function proposalTabs(): string[] {
  return tabs()
    .filter(
      ({ input }) =>
        input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'ide-bridge-proposal',
    )
    .map(({ label }) => label);
}

/** What a CLI calls with each prompt of the user, who is in its terminal then, whatever file they have just gone to. */
export async function prompt(client: IdeClient): Promise<void> {
  letMomentPass();
  await client.callForTexts('closeAllDiffTabs');
}

/** Proposes `text` for the file at `path`, and waits until its diff is open. */
export async function propose(
  client: IdeClient,
  path: string,
  text: string,
  tabName = 'T1',
): Promise<{ answer: Promise<string[]>; uri: vscode.Uri }> {
  const before = proposalUris().map(String);
  const answer = client.callForTexts('openDiff', {
    old_file_path: path,
    new_file_path: path,
    new_file_contents: text,
    tab_name: tabName,
  });
  answer.catch(() => {}); // a test may never look at it
  const isNew = (uri: vscode.Uri) => !before.includes(uri.toString());
  const uri = await until('the diff', () => proposalUris().find(isNew), 20_000);
  return { answer, uri };
}

/** The proposed side for the file of that name, once it is shown. */
export function proposedSide(name: string): Promise<vscode.Uri> {
  const isOfFile = ({ path }: vscode.Uri) => path.endsWith(`/${name}`);
  return until(`the proposal for ${name}`, () => proposalUris().find(isOfFile), 30_000);
}

function proposalUris(): vscode.Uri[] {
  return tabs().flatMap(({ input }) =>
    input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'ide-bridge-proposal'
      ? [input.modified]
      : [],
  );
}

/** Chooses what is shared, in the list. @param now the row that holds until then */
export async function chooseSharing({ page }: Ui, label: string, now: string): Promise<void> {
  void vscode.commands.executeCommand('ideBridge.chooseSharing');
  // As it opens, the list may still show the rows that it had the last time.
  await page.locator('.quick-input-widget .monaco-list-row.focused', { hasText: now }).waitFor();
  const name = page.locator('.label-name', { hasText: new RegExp(`${label}$`) });
  await page.locator('.quick-input-widget .monaco-list-row', { has: name }).click();
  await page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
}
