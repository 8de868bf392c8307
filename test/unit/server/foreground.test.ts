import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beginOf, readsTerminal } from '../../../src/server/foreground.ts';
import { until } from '../../support/until.ts';

/** In terminals of `script`, which every Linux with util-linux has. */
describe('the process that reads a terminal', function () {
  let folder: string;
  let terminal: ChildProcess | undefined;

  before(function () {
    try {
      execFileSync('script', ['--version'], { stdio: 'ignore' });
    } catch {
      this.skip();
    }
  });
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ide-bridge-test-'));
  });
  afterEach(() => {
    terminal?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  /** An interactive shell, with job control as users have it. */
  async function openShell(): Promise<{ shell: number; type: (line: string) => void }> {
    const child = spawn('script', ['-qc', 'bash --norc --noprofile', '/dev/null'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: folder,
      env: { ...process.env, HISTFILE: '' },
    });
    terminal = child;
    const type = (line: string) => void child.stdin.write(line);
    type('echo $$ > shell.pid\n');
    return { shell: await pidIn('shell.pid'), type };
  }

  /** Of a stand-in for the CLI, which writes it down. */
  const pidIn = (file: string): Promise<number> =>
    until(file, () => {
      const name = path.join(folder, file);
      return existsSync(name) && Number(readFileSync(name, 'utf8'));
    });
  const becomes = (expected: boolean, pid: number, shell: number) =>
    until(String(expected), async () => (await readsTerminal(pid, shell)) === expected);
  const cli = "sh -c 'echo $$ > cli.pid; exec sleep 60'";

  it('is the program that was started last', async () => {
    const { shell, type } = await openShell();
    await becomes(true, shell, shell);
    type(`${cli}\n`);
    const pid = await pidIn('cli.pid');
    await becomes(true, pid, shell);
    assert.equal(await readsTerminal(shell, shell), false);
  });

  it('is the program that a script has started', async () => {
    const { shell, type } = await openShell();
    type(`sh -c "${cli.replaceAll('$', '\\$')}; true"\n`);
    await becomes(true, await pidIn('cli.pid'), shell);
  });

  it('is not one in the background, nor one that is suspended', async () => {
    const { shell, type } = await openShell();
    type(`${cli} &\n`);
    const pid = await pidIn('cli.pid');
    await becomes(true, shell, shell);
    assert.equal(await readsTerminal(pid, shell), false);
    type('fg\n');
    await becomes(true, pid, shell);
    type('\x1a');
    await becomes(false, pid, shell);
    type('less /etc/passwd\n');
    await becomes(false, shell, shell);
    assert.equal(await readsTerminal(pid, shell), false);
  });

  it('is not one that has handed the terminal to another', async () => {
    const { shell, type } = await openShell();
    type('sh -c \'echo $$ > cli.pid; sh -c "touch begun; exec sleep 60"; exec sleep 60\'\n');
    const pid = await pidIn('cli.pid');
    await until('the other', () => existsSync(path.join(folder, 'begun')));
    assert.equal(await readsTerminal(pid, shell), false);
  });

  it('may have helpers that do not read it', async () => {
    const { shell, type } = await openShell();
    type(
      'sh -c \'echo $$ > cli.pid; sh -c "touch begun; exec sleep 60" </dev/null >/dev/null 2>&1 & exec sleep 60\'\n',
    );
    const pid = await pidIn('cli.pid');
    await until('the helper', () => existsSync(path.join(folder, 'begun')));
    await becomes(true, pid, shell);
  });

  it('is not known for one in a terminal within the terminal', async () => {
    const { shell, type } = await openShell();
    type(`script -qc "${cli.replaceAll('$', '\\$')}" /dev/null\n`);
    const pid = await pidIn('cli.pid');
    assert.equal(await readsTerminal(pid, shell), false);
  });

  it('is not known for a process that is gone', async () => {
    assert.equal(await readsTerminal(2 ** 22 + 1, process.pid), false);
  });
});

describe('the begin of a process', () => {
  it('is its own, whatever it runs, and goes with it', async function () {
    if (process.platform !== 'linux') this.skip();
    const began = await beginOf(process.pid);
    assert.match(began ?? '', /^[1-9]\d*$/);
    assert.equal(await beginOf(process.pid), began);
    const later = spawn('sleep', ['60']);
    assert.ok(later.pid);
    assert.ok(Number(await beginOf(later.pid)) > Number(began));
    later.kill();
    await once(later, 'exit');
    assert.equal(await beginOf(later.pid), undefined);
  });
});
