import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  checkBridge,
  checkCli,
  checkEnvironment,
  checkFolders,
  checkOtherLocks,
  checkPermissionMode,
  type Finding,
} from '../../../src/doctor/checkup.ts';
import { TestBridges } from '../../support/testBridges.ts';
import { trustedProcesses } from '../../support/trusted.ts';

const said = (findings: Finding[]) => findings.map(({ level, what }) => `${level}: ${what}`).join('\n');

describe('checkup', () => {
  let bridges: TestBridges;

  beforeEach(() => {
    bridges = new TestBridges();
  });
  afterEach(() => bridges.cleanUp());

  describe('of the bridge', () => {
    it('finds nothing wrong while it listens', async () => {
      const { bridge } = await bridges.start();
      assert.match(
        said(await checkBridge(bridge)),
        /^ok: .*, 0 connected\.\nok: The lock file .* only you can read it/,
      );
    });

    it('finds one that is stopped, and one that could not start, and how to start it', async () => {
      const bridge = bridges.create();
      const [stopped] = await checkBridge(bridge);
      assert.deepEqual([stopped?.level, stopped?.fix], ['problem', 'restart']);
      fs.writeFileSync(bridges.lockDir, 'in the way');
      await bridge.start();
      const [failed] = await checkBridge(bridge);
      assert.match(failed?.what ?? '', /could not be made/);
      assert.match(failed?.remedy ?? '', /restart the bridge/);
    });

    it('finds a lock file that is gone, one that others can read, and one that was spoilt', async () => {
      const { bridge, lock } = await bridges.start();
      fs.chmodSync(lock.path, 0o644);
      assert.match(said(await checkBridge(bridge)), /problem: Other users can read the lock file/);
      fs.writeFileSync(lock.path, '{}');
      fs.chmodSync(lock.path, 0o600);
      assert.match(said(await checkBridge(bridge)), /problem: .* is not what a lock file has to be/);
      fs.rmSync(lock.path);
      assert.match(said(await checkBridge(bridge)), /problem: The lock file .* cannot be read/);
    });
  });

  describe('of other lock files', () => {
    async function other(pid: number, port: number, workspaceFolders: string[]): Promise<string> {
      const content = { pid, workspaceFolders, ideName: 'Other', transport: 'ws', runningInWindows: false };
      const path = join(bridges.lockDir, `${port}.lock`);
      fs.mkdirSync(bridges.lockDir, { recursive: true });
      fs.writeFileSync(path, JSON.stringify({ ...content, authToken: 'x' }));
      return said(await checkOtherLocks(bridges.lockDir, undefined, ['/ws']));
    }

    it('finds ghosts: of a dead process, and of a port on which nobody listens', async () => {
      const { pid } = spawnSync(process.execPath, ['-e', '']);
      assert.match(await other(pid, 1, ['/ws']), /^problem: .*1\.lock is a ghost/);
      assert.match(await other(process.pid, 1, ['/ws']), /^problem: .*1\.lock is a ghost/);
    });

    it('finds another editor on the same folder, and minds none on other folders', async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      assert.match(await other(process.pid, port, ['/ws']), /^note: Other serves \/ws too/);
      assert.equal(await other(process.pid, port, ['/elsewhere']), '');
      server.close();
    });

    it('finds another editor on a folder in this one, or around it: both fit a CLI in the inner one', async () => {
      const server = createServer();
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      server.unref(); // a check that fails shall not keep the run alive
      const address = server.address();
      const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
      assert.match(await other(process.pid, port, ['/ws/sub']), /^note: Other serves \/ws\/sub too/);
      assert.match(await other(process.pid, port, ['/']), /^note: Other serves \/ws too/);
      assert.match(
        await other(process.pid, port, ['/ws', '/ws/sub']),
        /^note: Other serves \/ws, \/ws\/sub too/,
      );
      assert.equal(await other(process.pid, port, ['/ws2']), '');
      server.close();
    });
  });

  it('of the folders tells which CLIs find this window', () => {
    assert.equal(checkFolders([]).level, 'note');
    assert.match(checkFolders(['/ws']).what, /in or below \/ws finds this window/);
  });

  describe('of the environment', () => {
    const cases: [string, NodeJS.ProcessEnv, Record<string, string | null>, RegExp][] = [
      ['nothing special', {}, {}, /^$/],
      [
        'a config folder of the editor’s',
        { CLAUDE_CONFIG_DIR: '/c' },
        {},
        /^note: .*lock files go to \/c\/ide/,
      ],
      ['another one in terminals', {}, { CLAUDE_CONFIG_DIR: '/t' }, /^problem: Terminals have another .*\/t/],
      [
        'none in terminals',
        { CLAUDE_CONFIG_DIR: '/c' },
        { CLAUDE_CONFIG_DIR: null },
        /problem: Terminals have/,
      ],
      ['the same in both', { CLAUDE_CONFIG_DIR: '/c' }, { CLAUDE_CONFIG_DIR: '/c' }, /^note: [^\n]*$/],
      [
        'connecting switched off',
        { CLAUDE_CODE_AUTO_CONNECT_IDE: '0' },
        {},
        /^problem: .*switches connecting off/,
      ],
      ['the same by a setting', {}, { CLAUDE_CODE_AUTO_CONNECT_IDE: 'false' }, /^problem: .*switches/],
      ['a proxy', { https_proxy: 'http://p' }, {}, /^note: A proxy is set \(HTTPS_PROXY\)/],
    ];
    for (const [what, editor, added, expected] of cases) {
      it(`finds ${what}`, () => assert.match(said(checkEnvironment(editor, added)), expected));
    }
  });

  it('of the CLI runs it for its version, and says what is wrong without one', async () => {
    const cli = join(bridges.root, 'claude');
    fs.writeFileSync(cli, '#!/bin/sh\necho "2.1.330 ($1)"\n', { mode: 0o755 });
    assert.match(
      (await checkCli(`${cli} --continue`, trustedProcesses)).what,
      /is installed: 2\.1\.330 \(--version\)/,
    );
    const folder = join(bridges.root, 'a folder');
    fs.mkdirSync(folder);
    fs.copyFileSync(cli, join(folder, 'claude'));
    assert.match(
      (await checkCli(`"${join(folder, 'claude')}" --continue`, trustedProcesses)).what,
      /is installed: 2\.1\.330/,
    );
    const missing = await checkCli('/no/such/claude', trustedProcesses);
    assert.equal(missing.level, 'problem');
    assert.match(missing.what, /^“\/no\/such\/claude --version” does not run: [^\uFFFD]*not found$/);
  });

  it('of the permission mode takes that in which we start it, else the settings file that wins', () => {
    const [local, user] = [join(bridges.root, 'local.json'), join(bridges.root, 'user.json')];
    const mode = (path: string, defaultMode: string) =>
      fs.writeFileSync(path, JSON.stringify({ permissions: { defaultMode } }));
    const found = () => checkPermissionMode([local, user]).what;
    assert.match(found(), /in manual mode only/);
    mode(user, 'acceptEdits');
    assert.match(found(), /starts in mode “acceptEdits”, in which it sends no diffs/);
    mode(local, 'default');
    assert.match(found(), /starts in manual mode/);
    assert.match(checkPermissionMode([local, user], 'plan').what, /starts in mode “plan”/);
  });

  it('of the permission mode reads settings through a link, and neither a device, a pipe nor a huge file', () => {
    const path = (name: string) => join(bridges.root, name);
    fs.writeFileSync(path('real.json'), '{"permissions":{"defaultMode":"plan"}}');
    fs.symlinkSync('real.json', path('link.json'));
    fs.symlinkSync('/dev/zero', path('device.json'));
    execFileSync('mkfifo', [path('pipe')]);
    fs.symlinkSync('pipe', path('pipe.json'));
    fs.writeFileSync(path('huge.json'), '{"permissions":{"defaultMode":"default"}}');
    fs.truncateSync(path('huge.json'), 2 ** 40);
    const hostile = ['device.json', 'pipe', 'pipe.json', 'huge.json', 'none.json'].map(path);
    assert.match(checkPermissionMode([...hostile, path('link.json')]).what, /starts in mode “plan”/);
  });
});
