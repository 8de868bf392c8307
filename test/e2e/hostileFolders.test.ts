import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { hostileRepositories, Repository } from '../support/hostileRepositories.ts';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { Marks } from '../support/marks.ts';
import { RecordedCli } from '../support/recordedCli.ts';
import { reviewRows } from '../support/reviewRows.ts';
import { inWebview } from '../support/ui.ts';
import { until } from '../support/until.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';
import { hostileSettings } from './hostileSettings.ts';
import { Remote } from './remote.ts';
import { useOwnWindow } from './useOwnWindow.ts';

const { contributes } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  contributes: { commands: { command: string }[]; views: Record<string, { id: string }[]> };
};
const everyCommand = [
  ...contributes.commands.map(({ command }) => command),
  ...Object.values(contributes.views)
    .flat()
    .map(({ id }) => `${id}.focus`),
];

/** What the extension, and what an editor usually, finds on the PATH. */
const programs = [
  ...['claude', 'git', 'gpg', 'ssh', 'node', 'npm', 'npx', 'python', 'python3'],
  ...['sh', 'bash', 'zsh', 'fish', 'env', 'which', 'ps', 'lsof', 'pgrep', 'id', 'uname', 'xdg-open', 'open'],
  ...['cmd', 'cmd.exe', 'powershell', 'powershell.exe', 'pwsh', 'where', 'code'],
];

/** What VS Code starts by itself when a window opens, also without the extension: it looks for ports to forward. */
const editorsOwn = /^(id -u|ps -F -A -l) /;

/** Where an agent, and the extension with it, looks for files of a project. */
const readByAgents = ['.claude/settings.json', '.mcp.json', 'CLAUDE.md', 'cells.ipynb'];

describe('A hostile folder', function () {
  this.timeout(180_000);
  const own = useOwnWindow();
  let remote: Remote;

  beforeEach(() => (remote = new Remote(own.root)));

  /** A repository of several of the hostile kinds at once. */
  function plant(name: string, marks: Marks): Repository {
    const repository = new Repository(path.join(own.root, name));
    const kinds = [
      'a bare repository among the files',
      'a filter of a submodule',
      'a filter for .git/info/attributes',
      'gpg.program, for a stash that is signed',
      'core.fsmonitor',
      'core.hooksPath',
    ];
    for (const kind of kinds) {
      hostileRepositories.find(({ by }) => by === kind)?.plant(repository, marks);
    }
    return repository;
  }

  /** In the place of what is read from a folder: pipes, a device, and what is too large. */
  async function plantSpecialFiles(repository: Repository): Promise<void> {
    await mkdir(repository.path('.claude'));
    for (const name of readByAgents) {
      execFileSync('mkfifo', [repository.path(name)]);
    }
    await symlink('/dev/zero', repository.path('.claude/settings.local.json'));
    await writeFile(repository.path('large.txt'), '');
    await truncate(repository.path('large.txt'), 8 * 1024 ** 3);
  }

  const open = (
    folder: string,
    env: Record<string, string>,
    settings: Record<string, unknown>,
    workspaceTrust: boolean,
  ) => {
    const { vsix, extensionDevelopmentPaths } = extensionUnderTest();
    return own.open({
      folder,
      vsix,
      extensionDevelopmentPaths: [...extensionDevelopmentPaths, remote.extension],
      env: { ...remote.env, CLAUDE_CONFIG_DIR: path.join(own.root, 'config'), ...env },
      settings: {
        // Both start programs of their own.
        'remote.autoForwardPorts': false,
        'git.enabled': false,
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.untrustedFiles': 'open',
        ...settings,
      },
      workspaceTrust,
    });
  };
  const look = (file: string) => remote.execute('vscode.open', pathToFileURL(file).href);

  /** Runs a command, and closes whatever it asks; between that, `check` is called. */
  async function use(page: Page, command: string, check: (doing: string) => Promise<void>): Promise<void> {
    let hasEnded = false;
    const ended = () => (hasEnded = true);
    remote.execute(command).then(ended, ended);
    const asks = page.locator('.quick-input-widget:visible, .monaco-dialog-box');
    await until(
      `${command} to end`,
      async () => {
        await check(command);
        if (hasEnded) return true;
        await remote.execute('notifications.clearAll');
        if ((await asks.count()) > 0) await page.keyboard.press('Escape');
        return false;
      },
      10_000,
    );
  }

  it('in Restricted Mode gets nothing run and nothing read', async () => {
    const marks = new Marks(path.join(own.root, 'bin'));
    const repository = plant('workspace', marks);
    const outside = plant('outside', marks);
    await plantSpecialFiles(repository);
    marks.clear();
    programs.forEach((name) => marks.program(name));
    const ways = hostileSettings(path.join(marks.folder, 'claude'));
    const configure = (way: number) =>
      repository.write(
        '.vscode/settings.json',
        // Theirs tells us which of ours are in force.
        JSON.stringify({ ...ways[way], 'editor.tabSize': 10 + way }),
      );
    configure(0);
    const { page } = await open(
      repository.folder,
      { PATH: `${marks.folder}${path.delimiter}${process.env.PATH}` },
      {},
      true,
    );
    await remote.ready();
    assert.equal((await remote.state()).isTrusted, false);
    await page.locator('.statusbar-item[id*="ideBridge.status"]').waitFor({ timeout: 30_000 });

    const marksOfOurs = () => marks.read().filter((line) => !editorsOwn.test(line));
    const nothing = { marks: [], processes: [], files: [], terminals: 0 };
    const check = async (doing: string) => {
      const { processes, files, terminals, longestPause, memory } = await remote.state();
      assert.deepEqual({ marks: marksOfOurs(), processes, files, terminals }, nothing, doing);
      assert.ok(longestPause < 2_000, `${doing}: the extension host was blocked for ${longestPause} ms`);
      assert.ok(memory < 500 * 1024 ** 2, `${doing}: ${memory} bytes`);
    };
    await check('at the start');
    const status = page.locator('.statusbar-item[id*="ideBridge."] a');
    for (const way of ways.keys()) {
      configure(way);
      await until('the settings', async () => (await remote.state()).tabSize === 10 + way);
      const names = ['a.txt', 'ignored.txt', 'docs/c.txt', 'sub/a.txt', '.git/config'];
      for (const file of [...names.map((name) => repository.path(name)), outside.path('a.txt')]) {
        await look(file);
        await check(`to look at ${file}`);
      }
      for (const item of await status.all()) {
        await item.click();
        await page.locator('.quick-input-widget:visible').waitFor();
        await page.keyboard.press('Escape');
      }
      // All of them with the first settings, with sharing off and on; of the others, the one that looks at most.
      for (const command of way < 2 ? everyCommand : ['ideBridge.doctor']) {
        await use(page, command, check);
      }
    }
  });

  it('in a trusted window has none of its programs run, and blocks nothing', async () => {
    const marks = new Marks(path.join(own.root, 'bin'));
    const repository = plant('workspace', marks);
    const outside = plant('outside', marks);
    await plantSpecialFiles(repository);
    marks.clear();
    const { page } = await open(repository.folder, {}, { 'ideBridge.share.excludeGitIgnored': true }, false);
    await remote.ready();
    const lock = await until('the lock file', () => findLocks(path.join(own.root, 'config'))[0], 30_000);
    const client = await IdeClient.connect({ port: lock.port, token: lock.authToken });
    const check = async (doing: string) => {
      const { longestPause, memory } = await remote.state();
      assert.deepEqual(marks.read(), [], doing);
      assert.ok(longestPause < 2_000, `${doing}: the extension host was blocked for ${longestPause} ms`);
      assert.ok(memory < 500 * 1024 ** 2, `${doing}: ${memory} bytes`);
    };
    await check('at the start');

    // Git is asked which of these it ignores, and says that it does not ignore the last.
    for (const file of [
      outside.path('a.txt'),
      ...['sub/a.txt', 'docs/c.txt', 'a.txt'].map((name) => repository.path(name)),
    ]) {
      await look(file);
      await check(`to look at ${file}`);
    }
    await until('the selection in a.txt', () =>
      client
        .notifications<{ filePath: string }>('selection_changed')
        .some(({ filePath }) => filePath === repository.path('a.txt')),
    );
    await use(page, 'ideBridge.doctor', check);
    await until('the page', () => inWebview({ page }, 'h1', 'a CLI from connecting'));

    // Git is asked what the files were, as after each prompt.
    await remote.execute('ideBridge.review.focus');
    const row = (name: string) => reviewRows(page).filter({ hasText: name }).first();
    const record = new RecordedCli(path.join(own.root, 'config'), repository.folder, process.pid);
    record.is('busy');
    record.prompt('go');
    record.call('Bash', { command: 'true' });
    await client.callForTexts('closeAllDiffTabs');
    let edits = 0;
    await until(
      'the edit by a shell command',
      async () => {
        repository.write('a.txt', `changed ${++edits} times\n`);
        repository.write('b.dat', `changed ${edits} times\n`);
        return row('a.txt')
          .waitFor({ timeout: 3_000 })
          .then(
            () => true,
            () => false,
          );
      },
      30_000,
    );
    record.result('');
    record.answer('done');
    record.is('idle');
    await check('to list an edit by a shell command');
    /** @param isAsked where what is there cannot be kept for an undo */
    const revert = async (name: string, isAsked = false) => {
      const reverted = remote.execute('ideBridge.revertFile', pathToFileURL(repository.path(name)).href);
      if (isAsked) {
        await page.locator('.monaco-dialog-box').getByRole('button', { name: 'Revert File' }).click();
      }
      await reverted;
      await check(`to revert ${name}`);
    };
    await revert('a.txt');
    await row('a.txt').waitFor({ state: 'hidden' });

    // A file that the agent has edited, and then made something else.
    for (const [name, replace, refusal] of [
      ['pipe.txt', (file: string) => execFileSync('mkfifo', [file]), 'pipe.txt is no longer a file'],
      [
        'device.txt',
        (file: string) => symlinkSync('/dev/zero', file),
        'device.txt: a link leads to another file now',
      ],
    ] as const) {
      const file = repository.path(name);
      repository.write(name, 'before\n');
      await client.call('getDiagnostics', { uri: `file://${file}` });
      repository.write(name, 'after\n');
      await row(name).waitFor();
      await rm(file);
      replace(file);
      await client.call('getDiagnostics', { uri: `file://${file}` });
      await revert(name, true);
      await page.getByText(refusal).first().waitFor();
      await remote.execute('notifications.clearAll');
    }
    await client.close();
  });
});
