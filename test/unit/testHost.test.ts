import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isAlive } from '../../src/server/processes.ts';
import { judge, summary } from '../../scripts/testVerdict.ts';
import { installOnce } from '../host/cache.ts';
import { testedEnvironment, userEnvironment } from '../host/environment.ts';
import { Outcome } from '../host/outcome.ts';
import { endTree } from '../host/processes.ts';
import { until } from '../support/until.ts';

describe('test host', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'ide-bridge-unit-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  describe('verdict on a run', () => {
    const result = (content: object) => {
      const file = path.join(folder, 'result.json');
      writeFileSync(file, JSON.stringify({ pending: 0, faults: [], ...content }));
      return file;
    };
    const failed = async (file: string, ended?: Error) => (await judge([{ resultFile: file, ended }])).failed;

    it('is the number of failed tests', async () => {
      assert.equal(await failed(result({ passes: 3, failures: 0 })), 0);
      assert.equal(await failed(result({ passes: 3, failures: 2 }), new Error('code 1')), 2);
    });

    it('counts what was skipped', async () => {
      const resultFile = result({ passes: 3, failures: 2, pending: 1 });
      assert.equal(summary(await judge([{ resultFile, ended: undefined }])), '3 passed, 2 failed, 1 skipped');
    });

    it('is that of every window, and one without a test is none', async () => {
      const ended = undefined;
      const first = { resultFile: result({ passes: 3, failures: 0 }), ended };
      const second = { resultFile: path.join(folder, 'second.json'), ended };
      assert.equal(summary(await judge([first, second])), '3 passed, 1 failed, 0 skipped');
      writeFileSync(second.resultFile, JSON.stringify({ passes: 0, failures: 0, pending: 0, faults: [] }));
      assert.equal(summary(await judge([first, second])), '3 passed, 0 failed, 0 skipped');
    });

    it('is a failure when the extension host ended without a word', async () => {
      assert.equal(await failed(path.join(folder, 'missing.json')), 1);
    });

    it('is a failure when no test ran', async () => {
      assert.equal(await failed(result({ passes: 0, failures: 0 })), 1);
    });

    it('is a failure when VS Code fails after the tests have passed', async () => {
      assert.equal(await failed(result({ passes: 3, failures: 0 }), new Error('code 124')), 1);
    });
  });

  describe('outcome of a window', () => {
    const exited = (how: string) => `[12:00:00] <42> Extension Host Process exited with ${how}.`;

    it('is the code that the tests ended with', async () => {
      const outcome = new Outcome(true);
      outcome.watchServerLine(exited('code: 0, signal: null'));
      outcome.testsEnded(0);
      assert.equal(await outcome.code, 0);
    });

    it('is a failure when the extension host was killed, whatever the workbench says', async () => {
      const outcome = new Outcome(true);
      outcome.testsEnded(0);
      outcome.watchServerLine(exited('code: null, signal: SIGKILL'));
      assert.equal(await outcome.code, 1);
    });
  });

  describe('cache', () => {
    const before = process.env.IDE_BRIDGE_CACHE;
    beforeEach(() => (process.env.IDE_BRIDGE_CACHE = folder));
    afterEach(() => {
      if (before === undefined) delete process.env.IDE_BRIDGE_CACHE;
      else process.env.IDE_BRIDGE_CACHE = before;
    });
    const build = (content: string) => async (dir: string) => writeFileSync(path.join(dir, 'file'), content);

    it('builds once', async () => {
      await installOnce('thing-1', build('first'));
      const dir = await installOnce('thing-1', build('second'));
      assert.equal(readFileSync(path.join(dir, 'file'), 'utf8'), 'first');
    });

    it('keeps one of two builds at once', async () => {
      const [a, b] = await Promise.all([
        installOnce('thing-1', build('a')),
        installOnce('thing-1', build('b')),
      ]);
      assert.equal(a, b);
      assert.deepEqual(readdirSync(folder), ['thing-1']);
    });

    it('keeps nothing of a failed build', async () => {
      const failing = installOnce('thing-1', async (dir) => {
        writeFileSync(path.join(dir, 'half'), '');
        throw new Error('no network');
      });
      await assert.rejects(failing, /no network/);
      assert.deepEqual(readdirSync(folder), []);
    });
  });

  describe('environment', () => {
    it('of a VS Code under test is without editor, agent, account, proxy and CI', () => {
      const names = [
        'VSCODE_PID',
        'CLAUDE_CONFIG_DIR',
        'ANTHROPIC_API_KEY',
        'https_proxy',
        'npm_config_prefix',
        'CI',
      ];
      const added = names.filter((name) => process.env[name] === undefined);
      for (const name of added) process.env[name] = 'x';
      try {
        const env = testedEnvironment({ CLAUDE_CONFIG_DIR: '/given', PATH: undefined });
        assert.deepEqual(
          names.filter((name) => name in env),
          ['CLAUDE_CONFIG_DIR'],
        );
        assert.equal(env.CLAUDE_CONFIG_DIR, '/given');
        assert.equal('PATH' in env, false);
        assert.equal('ANTHROPIC_API_KEY' in userEnvironment(), true);
      } finally {
        for (const name of added) delete process.env[name];
      }
    });
  });

  it('ends processes that ignore the polite signal, and those of sessions of their own', async function () {
    if (process.platform === 'win32') this.skip();
    const pidFile = path.join(folder, 'pid');
    const stubborn = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
      require('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))`;
    const parent = spawn(
      process.execPath,
      [
        '-e',
        `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stubborn)}], { detached: true })`,
      ],
      { detached: true },
    );
    const read = () => (readdirSync(folder).includes('pid') ? Number(readFileSync(pidFile, 'utf8')) : 0);
    await until('the grandchild runs', () => read() > 0);
    await endTree(parent.pid ?? 0, 200);
    await until('both are gone', () => !isAlive(parent.pid ?? 0) && !isAlive(read()));
  });
});
