import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { patchOf } from '../../../src/base/patch.ts';

describe('a patch', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'patch-'));
    // Git ignores what lies in a repository above it, but for its root.
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const put = (path: string, content: Buffer | undefined) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (content) writeFileSync(file, content);
    else rmSync(file, { force: true });
  };
  const there = (path: string) =>
    existsSync(join(folder, path)) ? readFileSync(join(folder, path)) : undefined;
  const apply = (patch: string, ...options: string[]) =>
    execFileSync('git', ['-c', 'core.autocrlf=false', 'apply', '--whitespace=nowarn', ...options], {
      cwd: folder,
      input: patch,
    });

  it('is taken by git, forwards and backwards, whatever the texts and names are', () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'ü\n', '\\ No newline\n', '-- x\n', '\n', 'end'), {
        maxLength: 12,
      })
      .map((lines) => Buffer.from(lines.join('')));
    const file = fc.option(text, { nil: undefined });
    const names = fc.constantFrom('a.txt', 'in a/folder b.txt', 'quote"tab\t.txt', 'ü/é\\x.txt', '-x');
    fc.assert(
      fc.property(names, file, file, (path, before, now) => {
        fc.pre(before === undefined ? now !== undefined : now === undefined || !before.equals(now));
        const patch = patchOf({ path, before, now });
        assert.ok(patch !== undefined);
        put(path, before);
        apply(patch);
        assert.deepEqual(there(path), now);
        apply(patch, '--reverse');
        assert.deepEqual(there(path), before);
        put(path, undefined);
      }),
      { numRuns: 25 },
    );
  });

  it('is of a file that was renamed since, and takes the name back, too', () => {
    const [before, now] = [Buffer.from('one\ntwo\n'), Buffer.from('ONE\ntwo\n')];
    const patch = patchOf({ path: 'in a/new.txt', before, now, renamedFrom: 'old "name".txt' }) ?? '';
    put('old "name".txt', before);
    apply(patch);
    assert.deepEqual([there('old "name".txt'), there('in a/new.txt')], [undefined, now]);
    apply(patch, '--reverse');
    assert.deepEqual([there('old "name".txt'), there('in a/new.txt')], [before, undefined]);
    put('in a/new.txt', undefined);
  });

  it('is of no file that is no text', () => {
    assert.equal(
      patchOf({ path: 'image.png', before: Buffer.from([1, 0, 2]), now: Buffer.from([3]) }),
      undefined,
    );
    assert.equal(
      patchOf({ path: 'latin1.txt', before: Buffer.from([0xe9]), now: Buffer.from('e') }),
      undefined,
    );
  });
});
