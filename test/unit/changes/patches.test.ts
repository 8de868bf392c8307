import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PatchedFile } from '../../../src/base/patch.ts';
import { patchOfAll } from '../../../src/changes/patches.ts';

describe('a patch of many files', () => {
  const reading = (...files: PatchedFile[]) => new Map(files.map((file) => [file.path, async () => file]));
  const numbered = (count: number, step: number) =>
    Buffer.from(Array.from({ length: count }, (_, i) => `${(i * step) % count}\n`).join(''));

  it('is taken by git, and leaves out what is no text', async () => {
    const { patch, leftOut } = await patchOfAll(
      reading(
        { path: 'a.txt', before: Buffer.from('one\n'), now: Buffer.from('two\n') },
        { path: 'image.png', before: Buffer.from([1, 0, 2]), now: Buffer.from([3]) },
        { path: 'latin1.txt', before: Buffer.from([0xe9]), now: Buffer.from('e') },
        { path: 'run.sh', before: undefined, now: Buffer.from('#!/bin/sh\n'), isExecutable: true },
      ),
    );
    assert.deepEqual(leftOut, ['image.png', 'latin1.txt']);
    const folder = mkdtempSync(join(tmpdir(), 'patch-'));
    try {
      execFileSync('git', ['init', '--quiet'], { cwd: folder });
      writeFileSync(join(folder, 'a.txt'), 'one\n');
      execFileSync('git', ['apply'], { cwd: folder, input: patch });
      const texts = ['a.txt', 'run.sh'].map((name) => readFileSync(join(folder, name), 'utf8'));
      assert.deepEqual(texts, ['two\n', '#!/bin/sh\n']);
    } finally {
      rmSync(folder, { recursive: true });
    }
    assert.match(patch, /new file mode 100755/);
  });

  it('leaves out one that cannot be read, and goes on', async () => {
    const files = new Map([
      ['gone bad', () => Promise.reject(new Error('It is a folder.'))],
      ...reading({ path: 'new.txt', before: undefined, now: Buffer.from('new\n') }),
    ]);
    const { patch, leftOut } = await patchOfAll(files);
    assert.deepEqual(leftOut, ['gone bad']);
    assert.match(patch, /\+new\n/);
  });

  it('has one time for all files, and leaves the window to others between two of them', async () => {
    const tooDifferent = ['a', 'b', 'c', 'd'].map((path) => ({
      path,
      before: numbered(40_009, 1),
      now: numbered(40_009, 7_919),
    }));
    let turns = 0;
    const counting = setInterval(() => turns++, 0);
    const start = performance.now();
    const { leftOut } = await patchOfAll(reading(...tooDifferent), 300);
    clearInterval(counting);
    assert.deepEqual(leftOut, ['a', 'b', 'c', 'd']);
    assert.ok(performance.now() - start < 1_500, 'it has taken the time of each');
    assert.ok(turns > 0, 'nothing else has run meanwhile');
  });
});
