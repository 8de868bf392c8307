import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { WorkingTree } from '../../src/changes/workingTree.ts';
import { checkIgnore } from '../../src/sharing/checkIgnore.ts';
import { hostileRepositories, Repository } from '../support/hostileRepositories.ts';
import { Marks } from '../support/marks.ts';
import { trustedGit } from '../support/trusted.ts';

describe('no program is run that a repository names by', () => {
  let root: string;

  beforeEach(() => (root = realpathSync(mkdtempSync(path.join(tmpdir(), 'ide-bridge-hostile-')))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  for (const { by, plant, trigger } of hostileRepositories) {
    it(by, async () => {
      const repository = new Repository(path.join(root, 'repository'));
      const marks = new Marks(path.join(root, 'programs'));
      plant(repository, marks);
      const { folder } = repository;

      // It would be, if Git were asked as it is usually: of a copy, as its answer is kept.
      marks.clear();
      cpSync(folder, `${folder}-copy`, { recursive: true });
      spawnSync('git', trigger, { cwd: `${folder}-copy` });
      assert.notDeepEqual(marks.read(), [], 'the repository is harmless');
      marks.clear();

      const folders = ['', 'docs', 'sub'].map((name) => path.join(folder, name)).filter(existsSync);
      for (const each of folders) {
        await checkIgnore(trustedGit, each, ['a.txt', 'b.dat', 'c.txt', 'ignored.txt', '.git']);
      }
      const trees = folders.map((each) => new WorkingTree(each, trustedGit));
      await Promise.all(trees.map((tree) => tree.note()));
      const names = ['a.txt', 'b.dat', 'new.txt', 'new.dat', 'docs/c.txt', 'sub/a.txt', 'sub/b.dat'];
      for (const name of names.filter((each) => existsSync(path.dirname(repository.path(each))))) {
        repository.write(name, 'changed\n');
      }
      utimesSync(repository.path('new.dat'), 0, 0); // as if it was moved there: its content is looked for in git
      for (const tree of trees) {
        await tree.noteFile(repository.path('new.txt'));
        await tree.before(names.map((name) => repository.path(name)));
      }
      assert.deepEqual(marks.read().slice(0, 3), []);
    });
  }
});
