import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { findLocks, IdeClient, type Lock } from '../support/ideClient.ts';
import { testEnvironment } from '../support/testEnvironment.ts';
import { until } from '../support/until.ts';

export function extensionUnderTest(): vscode.Extension<unknown> {
  const extension = vscode.extensions.getExtension('ide-bridge.ide-bridge-for-claude-code');
  assert.ok(extension);
  return extension;
}

/** For what VS Code 1.96 is known not to do; README's limits name it. */
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

/** A client of which the bridge knows who it is. */
export async function connectClient(pid = process.pid): Promise<IdeClient> {
  const { port, authToken } = await currentLock();
  const client = await IdeClient.connect({ port, token: authToken, pid });
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
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export function tabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap((group) => group.tabs);
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

/** Proposes `text` for the file at `path`, and waits until its diff is open. */
export async function propose(
  client: IdeClient,
  path: string,
  text: string,
  tabName = 'T1',
): Promise<{ answer: Promise<string[]>; uri: vscode.Uri }> {
  const before = proposalUris();
  const answer = client.callForTexts('openDiff', {
    old_file_path: path,
    new_file_path: path,
    new_file_contents: text,
    tab_name: tabName,
  });
  answer.catch(() => {}); // a test may never look at it
  const isNew = (uri: string) => !before.includes(uri);
  const uri = await until('the diff', () => proposalUris().find(isNew), 20_000);
  return { answer, uri: vscode.Uri.parse(uri) };
}

function proposalUris(): string[] {
  return tabs().flatMap(({ input }) =>
    input instanceof vscode.TabInputTextDiff && input.modified.scheme === 'ide-bridge-proposal'
      ? [input.modified.toString()]
      : [],
  );
}
