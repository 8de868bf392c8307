import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('A workspace of several folders', function () {
  this.timeout(120_000);
  const own = useOwnWindow();

  it('has them all in the lock file, which follows when one comes or goes; clients stay connected', async () => {
    const configDir = path.join(own.root, 'config');
    const file = path.join(own.root, 'several.code-workspace');
    const folders = (names: string[]) => names.map((name) => path.join(own.root, name));
    // In one step: half of a file would name no folder, with which the editor begins its extension host anew.
    const choose = async (names: string[]) => {
      await writeFile(`${file}.new`, JSON.stringify({ folders: folders(names).map((path) => ({ path })) }));
      await rename(`${file}.new`, file);
    };
    await Promise.all(folders(['a', 'b', 'c']).map((folder) => mkdir(folder)));
    await choose(['a', 'b']);
    await own.open({ folder: file, env: { CLAUDE_CONFIG_DIR: configDir } });
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
