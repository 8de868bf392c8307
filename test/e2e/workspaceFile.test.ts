import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openWorkbench, type Workbench } from '../host/workbench.ts';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';

describe('A workspace of several folders', function () {
  this.timeout(120_000);
  let root: string;
  let workbench: Workbench | undefined;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'ide-bridge-e2e-')));
  });
  afterEach(async () => {
    await workbench?.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  it('has them all in the lock file, which follows when one comes or goes; clients stay connected', async () => {
    const extension =
      process.env.IDE_BRIDGE_E2E_EXTENSION ?? assert.fail('started without `npm run test:cli`');
    const isPackaged = extension.endsWith('.vsix');
    const configDir = path.join(root, 'config');
    const file = path.join(root, 'several.code-workspace');
    const folders = (names: string[]) => names.map((name) => path.join(root, name));
    const choose = (names: string[]) =>
      writeFile(file, JSON.stringify({ folders: folders(names).map((folder) => ({ path: folder })) }));
    await Promise.all(folders(['a', 'b', 'c']).map((folder) => mkdir(folder)));
    await choose(['a', 'b']);
    workbench = await openWorkbench({
      folder: file,
      dataDir: path.join(root, 'vscode'),
      vsix: isPackaged ? [extension] : [],
      extensionDevelopmentPaths: isPackaged ? [] : [extension],
      env: { CLAUDE_CONFIG_DIR: configDir },
    });
    const lock = () => findLocks(configDir)[0];
    const { port, authToken } = await until('the lock file', lock, 30_000);
    const client = await IdeClient.connect({ port, token: authToken });
    for (const names of [['a', 'b'], ['a', 'b', 'c'], ['a']]) {
      await choose(names);
      await until(
        `${names.join()} in the lock file`,
        () => lock()?.workspaceFolders.join() === folders(names).join(),
        20_000,
        lock,
      );
    }
    assert.deepEqual([lock()?.port, lock()?.authToken], [port, authToken]);
    const answer = await client.callForJson<{ folders: { path: string }[] }>('getWorkspaceFolders');
    assert.deepEqual(
      answer.folders.map((folder) => folder.path),
      folders(['a']),
    );
    await client.close();
  });
});
