import assert from 'node:assert/strict';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { findLocks, IdeClient } from '../support/ideClient.ts';
import { SdkTransport } from '../support/sdkTransport.ts';
import { until } from '../support/until.ts';
import { useOwnWindow } from './useOwnWindow.ts';

describe('A workspace of several folders', function () {
  this.timeout(120_000);
  const own = useOwnWindow();
  const configDir = () => path.join(own.root, 'config');
  const workspaceFile = () => path.join(own.root, 'several.code-workspace');

  async function write(file: string, text: string): Promise<void> {
    await mkdir(path.dirname(path.join(own.root, file)), { recursive: true });
    await writeFile(path.join(own.root, file), text);
  }

  /** In one step: half of a file would name no folder, with which the editor begins its extension host anew. */
  async function choose(names: string[]): Promise<void> {
    await write('new', JSON.stringify({ folders: names.map((name) => ({ path: name })) }));
    await rename(path.join(own.root, 'new'), workspaceFile());
  }

  const open = (settings = {}) =>
    own.open({ folder: workspaceFile(), settings, env: { CLAUDE_CONFIG_DIR: configDir() } });

  /** A client of the editor tools, once the window is open. */
  async function connect(): Promise<Client> {
    const { port, authToken } = await until('the lock file', () => findLocks(configDir())[0], 30_000);
    const client = new Client({ name: 'sdk', version: '1.0.0' });
    await client.connect(new SdkTransport(port, authToken, '/editor'));
    return client;
  }

  async function readBuffer(client: Client, file: string): Promise<string> {
    const result = await client.callTool({ name: 'readBuffer', arguments: { file } });
    return (result.content as { text: string }[])[0]?.text ?? '';
  }

  it('has them all in the lock file, which follows when one comes or goes; clients stay connected', async () => {
    const folders = (names: string[]) => names.map((name) => path.join(own.root, name));
    await Promise.all(folders(['a', 'b', 'c']).map((folder) => mkdir(folder)));
    await choose(['a', 'b']);
    await open();
    const lock = () => findLocks(configDir())[0];
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

  it('has the editor tools ask which file is meant by a path that two folders have', async () => {
    await write('a/src/same.txt', 'of a');
    await write('b/src/same.txt', 'of b');
    await write('b/src/single.txt', 'only in b');
    await write('a/.env', 'secret');
    await write('b/.env', 'secret');
    await choose(['a', 'b']);
    await open({ 'ideBridge.editorTools.enabled': true });
    const client = await connect();
    const read = (file: string) => readBuffer(client, file);
    const places = ['a', 'b'].map((name) => path.join(own.root, name, 'src', 'same.txt'));
    const words = '"src/same.txt" is in several workspace folders. Say which, by its whole path:';
    assert.equal(await read('src/same.txt'), [words, ...places].join('\n'));
    assert.match(await read(places[1] ?? ''), /of b/);
    assert.match(await read('src/single.txt'), /only in b/);
    assert.equal(await read('.env'), '".env" is not shared by the settings of this editor.');
    const listed = await client.callTool({ name: 'listDirectory', arguments: { folder: 'src' } });
    assert.match(JSON.stringify(listed.content), /is in several workspace folders/);
    await client.close();
  });

  it('holds to the strictest that one of its folders says of sharing, also one that comes later', async () => {
    const setOf = (settings: object) => JSON.stringify(settings);
    await write('a/plain.txt', 'plain');
    await write('a/first.secret', 'secret');
    await write('b/second.secret', 'secret');
    await write('b/.vscode/settings.json', setOf({ 'ideBridge.share.exclude': ['**/*.secret'] }));
    await write('c/.vscode/settings.json', setOf({ 'ideBridge.share.enabled': false }));
    await write('d/.vscode/settings.json', setOf({ 'ideBridge.share.enabled': true }));
    await choose(['a', 'b', 'd']);
    await open({ 'ideBridge.editorTools.enabled': true });
    const client = await connect();
    const read = (file: string) => readBuffer(client, file);
    assert.match(await read('plain.txt'), /plain/);
    for (const file of ['first.secret', 'second.secret']) {
      assert.equal(await read(file), `"${file}" is not shared by the settings of this editor.`);
    }
    await choose(['a', 'b', 'c', 'd']);
    await until('nothing to be shared', async () => /Sharing is off/.test(await read('plain.txt')), 20_000);
    await choose(['a', 'd']);
    await until(
      'all to be shared',
      async () => /as on disk\nsecret/.test(await read('first.secret')),
      20_000,
    );
    await client.close();
  });

  it('shows all that a debug compound starts, in whatever folder that is, and sees it change', async () => {
    const writeJson = (file: string, json: object) => write(file, JSON.stringify(json));
    const server = (program: string, other: string) => ({
      version: '0.2.0',
      configurations: [
        { name: 'Server', type: 'node', request: 'launch', program, preLaunchTask: 'prepare' },
        { name: 'Only in b', type: 'node', request: 'launch', program: '/only-in-b.js' },
        { name: other, type: 'node', request: 'launch', program: '/other.js' },
      ],
    });
    const client = { name: 'Server', type: 'node', request: 'launch', program: '/of-a.js' };
    const configurations = [{ folder: 'b', name: 'Server' }, 'Only in b', 'Server'];
    const compounds = [
      { name: 'All', configurations },
      { name: 'Lacking', configurations: ['Server', 'Gone'] },
    ];
    await writeJson('a/.vscode/launch.json', { version: '0.2.0', configurations: [client], compounds });
    await writeJson('b/.vscode/launch.json', server('/of-b.js', 'Other'));
    const tasks = [{ label: 'prepare', type: 'shell', command: 'echo prepared in b' }];
    await writeJson('b/.vscode/tasks.json', { version: '2.0.0', tasks });
    await choose(['a', 'b']);
    const settings = { 'ideBridge.editorTools.enabled': true, 'ideBridge.editorTools.debugging': true };
    const { page } = await open(settings);
    const sdk = await connect();
    const start = (name: string) => sdk.callTool({ name: 'startDebugging', arguments: { name } });

    assert.match(JSON.stringify(await start('Lacking')), /names a configuration that is nowhere/);

    const starting = start('All');
    const code = page.locator('.editor-instance .view-lines', { hasText: '"All"' });
    const shown = async () => (await code.first().innerText()).replaceAll('\u00a0', ' ');
    const wanted = [/# In b$/m, /"\/of-b\.js"/, /"\/only-in-b\.js"/, /"\/of-a\.js"/, /echo prepared in b/];
    const isAll = (text: string) => wanted.every((part) => part.test(text));
    await until('all of it', async () => isAll(await shown()), 20_000, shown);
    await writeJson('b/.vscode/launch.json', server('/another.js', 'Newer'));
    const debugSessions = async () => JSON.stringify(await sdk.callTool({ name: 'debugSessions' }));
    await until('the editor to have read it', async () => /Newer/.test(await debugSessions()));
    await page.locator('.codelens-decoration a', { hasText: 'Run Once' }).click({ delay: 50 });
    assert.match(JSON.stringify(await starting), /has become another one meanwhile/);
    await sdk.close();
  });
});
