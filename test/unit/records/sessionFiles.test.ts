import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fsModule, * as fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { isLaterProcess, SessionFiles, type SessionFileChange } from '../../../src/records/sessionFiles.ts';
import { until } from '../../support/until.ts';
import { sessionFileTexts } from './fixtures.ts';

describe('session files', () => {
  const { pid } = process;
  let config: string;
  let folder: string;
  let changes: SessionFileChange[];
  let files: SessionFiles;

  beforeEach(() => {
    config = fs.mkdtempSync(join(tmpdir(), 'records-'));
    folder = join(config, 'sessions');
    fs.mkdirSync(folder);
    changes = [];
    files = new SessionFiles(folder);
    files.onDidChange((change) => changes.push(change));
  });

  afterEach(() => {
    files.dispose();
    fs.rmSync(config, { recursive: true, force: true });
  });

  const path = (of = pid) => join(folder, `${of}.json`);
  /** As the CLI wrote it, for a process that lives. */
  const text = (index = -1, fields: object = {}) =>
    JSON.stringify({
      ...(JSON.parse(sessionFileTexts().at(index) ?? '') as object),
      pid,
      procStart: undefined,
      ...fields,
    });
  /** As the CLI does it. */
  const replace = (content: string) => {
    fs.writeFileSync(`${path()}.tmp`, content);
    fs.renameSync(`${path()}.tmp`, path());
  };
  const reason = (of = pid) => files.reasons(of).join();

  it('tell each state that 2.1.330 was seen to be in', async () => {
    files.start();
    const seen: string[] = [];
    for (const [index] of sessionFileTexts().entries()) {
      replace(text(index));
      const { status, waitingFor } = JSON.parse(text(index)) as { status?: string; waitingFor?: string };
      await until(text(index), () => {
        const file = files.get(pid);
        return file?.status === status && file?.waitingFor === waitingFor;
      });
      const state = [status, waitingFor].filter((word) => word !== undefined).join(': ');
      if (!seen.includes(state)) {
        seen.push(state);
      }
    }
    assert.deepEqual(
      seen.sort(),
      ['', 'busy', 'idle', 'shell', 'waiting: input needed', 'waiting: permission prompt'].sort(),
    );
    assert.match(files.get(pid)?.version ?? '', /^2\.1\.330$/);
    assert.deepEqual(reason(), '');
  });

  it('are read at the start, seen to come, to change, and to go', async () => {
    replace(text(0));
    files.start();
    assert.equal(files.get(pid)?.cwd, '/home/user/project');
    fs.unlinkSync(path());
    await until('the end', () => changes.at(-1)?.file === undefined && changes.length === 2);
    assert.equal(files.get(pid), undefined);
    replace(text(0));
    await until('it again', () => files.get(pid));
    assert.equal(changes.length, 3);
  });

  it('nothing is read before the start', () => {
    replace(text());
    assert.equal(files.get(pid), undefined);
    assert.deepEqual(files.all, []);
  });

  it('are seen in a folder that is made later, with nothing but a watch', async () => {
    fs.rmdirSync(folder);
    files.start();
    assert.deepEqual(files.reasons(pid), ['it keeps no session file']);
    fs.mkdirSync(folder);
    replace(text());
    await until('the file', () => files.get(pid));
    fs.rmSync(folder, { recursive: true });
    await until('its end', () => !files.get(pid));
    fs.mkdirSync(folder);
    replace(text());
    await until('it again', () => files.get(pid));
  });

  it('of which half is written leave what was known', async () => {
    replace(text(-1, { status: 'busy' }));
    files.start();
    fs.writeFileSync(path(), text(-1, { status: 'idle' }).slice(0, 100));
    await until('the reason', () => reason().includes('cannot be understood'));
    assert.equal(files.get(pid)?.status, 'busy');
    fs.writeFileSync(path(), text(-1, { status: 'idle' }));
    await until('the rest', () => files.get(pid)?.status === 'idle');
    assert.equal(reason(), '');
  });

  it('of a process that has ended are not used', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    const dead = child.pid ?? 0;
    fs.writeFileSync(path(dead), text(-1, { pid: dead }));
    files.start();
    assert.equal(files.get(dead), undefined);
    assert.match(reason(dead), /left over from a process that has ended$/);
  });

  it('of a process whose number another has now are not used', function () {
    if (process.platform !== 'linux') {
      this.skip();
    }
    replace(text(-1, { procStart: '1' }));
    files.start();
    assert.equal(files.get(pid), undefined);
    assert.match(reason(), /has ended$/);
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    replace(text(-1, { procStart: start }));
    files.refresh(pid);
    assert.equal(files.get(pid)?.pid, pid);
  });

  it('of another user are not used', function () {
    if (process.getuid?.() !== 0) {
      this.skip(); // only root can make one
    }
    replace(text());
    fs.chownSync(path(), 12_345, 12_345);
    files.start();
    assert.equal(files.get(pid), undefined);
    assert.match(reason(), /is another user's$/);
  });

  for (const [what, make] of [
    ['a link', () => fs.symlinkSync(join(config, 'elsewhere.json'), path())],
    ['a folder', () => fs.mkdirSync(path())],
    ['far too large', () => fs.writeFileSync(path(), Buffer.alloc(100_000, ' '))],
    ["another process's", () => fs.writeFileSync(path(), text(-1, { pid: pid + 1 }))],
    ['one with a path for an id', () => fs.writeFileSync(path(), text(-1, { sessionId: '../../x' }))],
  ] as const) {
    it(`that are ${what} are not used, and it is said why`, () => {
      fs.writeFileSync(join(config, 'elsewhere.json'), text());
      make();
      files.start();
      assert.equal(files.get(pid), undefined);
      assert.match(reason(), new RegExp(`^${path()} `));
    });
  }

  it('behind a folder that is a link are not used', () => {
    fs.renameSync(folder, join(config, 'elsewhere'));
    fs.symlinkSync(join(config, 'elsewhere'), folder);
    replace(text());
    files.start();
    assert.equal(files.get(pid), undefined);
    assert.match(reason(), /looked at every 2 s \(a link\)$/);
    files.refresh(pid);
    assert.equal(files.get(pid), undefined);
  });

  it('have keys beside them, which are not opened', () => {
    const opened: string[] = [];
    fs.writeFileSync(join(folder, `${pid}.0123abcd.key`), 'secret');
    replace(text());
    const { openSync } = fsModule;
    fsModule.openSync = (...args) => {
      opened.push(basename(String(args[0])));
      return openSync(...args);
    };
    syncBuiltinESMExports();
    try {
      files.start();
    } finally {
      fsModule.openSync = openSync;
      syncBuiltinESMExports();
    }
    assert.deepEqual(opened, [`${pid}.json`]);
  });

  it('are looked at every while where the system cannot watch, and it is said why', async () => {
    files.dispose();
    const watch = (() => {
      throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    }) as typeof fs.watch;
    files = new SessionFiles(folder, { interval: 20, watch });
    files.start();
    assert.match(reason(), /sessions is looked at every 0.02 s \(ENOSPC\)$/);
    replace(text());
    await until('the file', () => files.get(pid));
    fs.unlinkSync(path());
    await until('its end', () => !files.get(pid));
  });

  it('leave no watch and no timer behind', () => {
    files.start();
    files.dispose();
    const left = process.getActiveResourcesInfo().filter((name) => name.startsWith('FSEvent'));
    assert.deepEqual(left, []);
  });

  it('from before the last start of the system are of a process that has ended, where no more is known of it', () => {
    const ago = (seconds: number) => ({ pid, startedAt: Date.now() - seconds * 1_000, procStart: undefined });
    for (const platform of ['win32', 'darwin'] as const) {
      assert.equal(isLaterProcess(ago(100), platform, 60), true);
      assert.equal(isLaterProcess(ago(10), platform, 60), false);
      assert.equal(isLaterProcess({ ...ago(0), startedAt: undefined }, platform, 60), false);
    }
    assert.equal(isLaterProcess(ago(100), 'linux', 60), false);
  });
});
