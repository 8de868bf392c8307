import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lineage, parseProcessTable } from '../../../src/server/processes.ts';
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
    const expected = [
      [1, 0],
      [4321, 1],
    ];
    assert.deepEqual(parseProcessTable('    1     0\n 4321     1\n'), expected);
    assert.deepEqual(parseProcessTable('1 0\r\n4321 1\r\n\r\n'), expected);
  });
});
