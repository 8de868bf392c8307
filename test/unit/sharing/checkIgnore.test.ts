import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkIgnore } from '../../../src/sharing/checkIgnore.ts';
import { trustedGit } from '../../support/trusted.ts';

describe('what Git ignores', () => {
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'ide-bridge-ignored-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const init = () => execFileSync('git', ['init', '-q'], { cwd: folder });
  const ignored = async (...names: string[]) => {
    const found = await checkIgnore(trustedGit, folder, names);
    return found && names.filter((name) => found.has(name));
  };

  it('is told by name, whatever the name', async () => {
    init();
    writeFileSync(join(folder, '.gitignore'), '*.log\n');
    assert.deepEqual(await ignored('a b.log', 'ü\n.log', 'a.txt'), ['a b.log', 'ü\n.log']);
    assert.deepEqual(await ignored('a.txt'), []);
  });

  it('is nothing outside of a repository', async () => {
    assert.deepEqual(await ignored('a.txt'), []);
  });

  it('is nothing where there is no Git', async () => {
    const { PATH } = process.env;
    process.env.PATH = folder;
    try {
      assert.deepEqual(await ignored('a.txt'), []);
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('is not known where Git does not read the repository', async () => {
    init();
    writeFileSync(join(folder, '.git/config'), 'no configuration');
    assert.equal(await ignored('a.txt'), undefined);
  });

  it('is not known where the repository is somewhere else, and gone', async () => {
    writeFileSync(join(folder, '.git'), 'gitdir: /nowhere/.git/worktrees/x\n');
    assert.equal(await ignored('a.txt'), undefined);
  });

  it('is not known of a folder that is gone', async () => {
    rmSync(folder, { recursive: true });
    assert.equal(await ignored('a.txt'), undefined);
  });
});
