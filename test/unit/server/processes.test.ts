import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { endTree } from '../../../src/server/endTree.ts';
import { lineage } from '../../../src/server/lineage.ts';
import { descendants, parentIn, parseProcessTable } from '../../../src/server/processTable.ts';
import { trustedProcesses } from '../../support/trusted.ts';

describe('lineage of a process', () => {
  it('leads from a grandchild over its shell to this process and beyond', async () => {
    const shell = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { detached: true });
    try {
      const [output] = (await once(shell.stdout, 'data')) as [Buffer];
      const grandchild = Number(output.toString());
      const pids = await lineage(grandchild, trustedProcesses);
      assert.deepEqual(pids.slice(0, 3), [grandchild, shell.pid, process.pid]);
      assert.ok(pids.includes(process.ppid));
    } finally {
      process.kill(-(shell.pid ?? 0), 'SIGKILL');
    }
  });

  it('of a process that is gone is that process alone', async () => {
    const child = spawn('true');
    await once(child, 'close');
    assert.deepEqual(await lineage(child.pid ?? 0, trustedProcesses), [child.pid]);
  });

  it('reads the tables of ps and of PowerShell', () => {
    const expected = (began: number) =>
      new Map([
        [1, { parent: 0, began: 0 }],
        [4321, { parent: 1, began }],
      ]);
    assert.deepEqual(parseProcessTable('    1     0\n 4321     1\n'), expected(0));
    assert.deepEqual(parseProcessTable(`1 0 \r\n4321 1 ${fileTime(5)}\r\n\r\n`), expected(5));
  });

  it('ends where the number of a parent is that of a later process', () => {
    const table = parseProcessTable([row(10, 9, 100), row(11, 10, 200), row(9, 1, 150)].join('\n'));
    assert.equal(parentIn(table, 11), 10);
    assert.equal(parentIn(table, 10), undefined);
  });
});

/** As Windows counts: units of 100 ns since 1601. @param time ms since the epoch */
const fileTime = (time: number) => (BigInt(time) + 11_644_473_600_000n) * 10_000n;
const row = (pid: number, parent: number, began: number) => `${pid} ${parent} ${fileTime(began)}`;

describe('the processes that one has started', () => {
  const of = (pid: number, began: number, ...rows: string[]) =>
    descendants(parseProcessTable(rows.join('\r\n')), pid, began);

  it('are those of its children, too', () => {
    assert.deepEqual(of(10, 0, '12 11', '11 10', '10 1', '13 1'), [11, 12]);
    assert.deepEqual(of(10, 100, row(12, 11, 300), row(11, 10, 200), row(10, 1, 100)), [11, 12]);
  });

  it('are none that are older than it, which another one with its number has started', () => {
    const rows = [row(10, 1, 1_000), row(11, 10, 900), row(12, 11, 2_000), row(13, 10, 1_500), '14 10'];
    assert.deepEqual(of(10, 1_000, ...rows), [13]);
    // 13 has ended, and another one has its number.
    assert.deepEqual(of(10, 1_000, row(10, 1, 1_000), row(13, 1, 5_000), row(15, 13, 3_000)), []);
  });

  it('are known by the time where it has ended', () => {
    assert.deepEqual(of(10, 1_000, row(11, 10, 900), row(13, 10, 1_500)), [13]);
  });

  it('are not known where its number is that of a later process', () => {
    assert.deepEqual(of(10, 1_000, row(10, 1, 9_000), row(13, 10, 9_500)), []);
  });
});

describe('the end of a process that we have started', () => {
  const began = 1_000;
  let children: ChildProcess[];

  beforeEach(() => (children = []));
  afterEach(() => children.forEach((child) => child.kill('SIGKILL')));

  const start = (script: string) => {
    const child = spawn('sh', ['-c', script]);
    children.push(child);
    return { child, pid: child.pid ?? 0 };
  };
  /** Answers with these tables, one after the other. */
  const tables = (...texts: (string | Error)[]) => ({
    run: async () => {
      const text = texts.shift() ?? '';
      if (text instanceof Error) {
        throw text;
      }
      return { code: 0, stdout: Buffer.from(text), stderr: '' };
    },
  });

  it('on Windows is its own while there is patience, as a signal would be the end at once', async () => {
    const { child, pid } = start('read -r _; sleep 0.2; exit 7');
    const closed = once(child, 'close');
    child.stdin.end();
    await endTree(pid, began, tables(row(pid, 1, began)), 10_000, 'win32');
    assert.deepEqual(await closed, [7, null]);
  });

  it('on Windows is ours then, and that of what it has started', async () => {
    const [one, two] = [start('exec sleep 60'), start('exec sleep 60')];
    const table = [row(one.pid, 1, began), row(two.pid, one.pid, 2_000)].join('\r\n');
    const closed = Promise.all([once(one.child, 'close'), once(two.child, 'close')]);
    await endTree(one.pid, began, tables(table, table), 50, 'win32');
    assert.deepEqual(await closed, [
      [null, 'SIGKILL'],
      [null, 'SIGKILL'],
    ]);
  });

  it('on Windows is not that of another one that has its number by then, or may have', async () => {
    const [other, unknown] = [start('exec sleep 60'), start('exec sleep 60')];
    for (const [{ pid }, now] of [
      [other, row(other.pid, 1, 3_000)],
      [unknown, new Error('no answer')],
    ] as const) {
      const one = start('exec sleep 60');
      const table = [row(one.pid, 1, began), row(pid, one.pid, 2_000)].join('\r\n');
      const closed = once(one.child, 'close');
      await endTree(one.pid, began, tables(table, now), 50, 'win32');
      assert.deepEqual(await closed, [null, 'SIGKILL']);
    }
    for (const { child } of [other, unknown]) {
      const closed = once(child, 'close');
      child.kill('SIGTERM'); // which only one that lives ends by
      assert.deepEqual(await closed, [null, 'SIGTERM']);
    }
  });
});
