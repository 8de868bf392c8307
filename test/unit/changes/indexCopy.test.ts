import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { withIndexCopy } from '../../../src/changes/indexCopy.ts';

describe('a copy of git’s index', () => {
  let gitDir: string;
  beforeEach(() => (gitDir = mkdtempSync(join(tmpdir(), 'ide-bridge-unit-'))));
  afterEach(() => rmSync(gitDir, { recursive: true }));

  it('is gone afterwards', async () => {
    const copy = await withIndexCopy(gitDir, async (index) => index);
    assert.ok(!existsSync(dirname(copy)));
  });

  it('that cannot be deleted, as a scanner has it open, takes no answer away', async () => {
    const { rm } = fs;
    const dirs: string[] = [];
    fs.rm = async (path) => {
      dirs.push(String(path));
      throw Object.assign(new Error('held'), { code: 'EBUSY' });
    };
    syncBuiltinESMExports();
    try {
      assert.equal(await withIndexCopy(gitDir, async () => 'answer'), 'answer');
    } finally {
      fs.rm = rm;
      syncBuiltinESMExports();
      dirs.forEach((dir) => rmSync(dir, { recursive: true }));
    }
    assert.equal(dirs.length, 1);
  });
});
