import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChildProcesses } from '../../../src/server/childProcesses.ts';
import { checkCli } from '../../../src/doctor/checkup.ts';
import { trustedProcesses } from '../../support/trusted.ts';

describe('the door to processes', () => {
  it('is shut until the user trusts the workspace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ide-bridge-door-'));
    const mark = join(folder, 'mark');
    let isTrusted = false;
    const processes = new ChildProcesses(() => isTrusted);
    try {
      await assert.rejects(processes.run('touch', [mark]), /Restricted Mode/);
      assert.match((await checkCli('claude', processes)).what, /Restricted Mode/);
      assert.ok(!existsSync(mark));
      isTrusted = true;
      await processes.run('touch', [mark]);
      assert.ok(existsSync(mark));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('tells how a process ended and what it said, and hands it its input', async () => {
    const script = 'cat; echo oops >&2; exit 3';
    const { code, stdout, stderr } = await trustedProcesses.run('sh', ['-c', script], { input: 'in' });
    assert.deepEqual([code, stdout.toString(), stderr], [3, 'in', 'oops\n']);
  });

  it('does not mind one that reads no input', async () => {
    const { code } = await trustedProcesses.run('true', [], { input: 'x'.repeat(1_000_000) });
    assert.equal(code, 0);
  });

  it('ends one that takes too long, and what it has started keeps nobody waiting', async () => {
    const processes = new ChildProcesses(() => true, 200);
    await assert.rejects(processes.run('sh', ['-c', 'trap "" TERM; sleep 3; true']), /within 0.2 seconds/);
  });

  it('ends one that says too much', async () => {
    await assert.rejects(trustedProcesses.run('yes', []), /maxBuffer/);
  });

  it('says when there is no such program', async () => {
    await assert.rejects(trustedProcesses.run('no-such-program', []), { code: 'ENOENT' });
  });
});
