import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { ChangeSets } from '../../../src/changes/changeSets.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';

/** What a window that is opened now would know, from what this one has on disk. */
export async function withStored<T>(look: (sets: ChangeSets, log: MemoryLog) => Promise<T>): Promise<T> {
  const userData = process.env[testEnvironment.userData];
  assert.ok(userData);
  const index = readdirSync(userData, { recursive: true, encoding: 'utf8' }).find((path) =>
    path.endsWith(['ide-bridge.ide-bridge-for-claude-code', 'changes', 'index.json'].join(sep)),
  );
  assert.ok(index);
  const dir = mkdtempSync(join(tmpdir(), 'ide-bridge-reload-'));
  try {
    cpSync(join(userData, index, '..'), dir, { recursive: true });
    const log = new MemoryLog();
    const limits = { files: 1_000, totalBytes: 10_000_000, fileBytes: 1_000_000 };
    const sets = new ChangeSets({ dir, limits: () => limits, isAlive: () => true, log });
    return await look(sets, log);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
