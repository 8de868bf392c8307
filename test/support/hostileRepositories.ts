// Repositories that name programs in every place from which Git takes one without being told to.
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Marks } from './marks.ts';

const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];

/** A repository with `a.txt`, `b.dat` and `docs/c.txt` committed, and `ignored.txt` ignored; none of it hostile. */
export class Repository {
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.write('.gitignore', 'ignored.txt\n');
    this.write('a.txt', 'committed\n');
    this.write('b.dat', 'committed data\n');
    this.write('docs/c.txt', 'committed\n');
    this.git('init', '--quiet', '--initial-branch=main');
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message=first');
  }

  git(...args: string[]): string {
    return execFileSync('git', [...identity, ...args], { cwd: this.folder, encoding: 'utf8', stdio: 'pipe' });
  }

  config(...settings: (readonly [name: string, value: string])[]): void {
    settings.forEach(([name, value]) => this.git('config', name, value));
  }

  path(name: string): string {
    return path.join(this.folder, name);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }

  /** Makes Git look at the content of a tracked file again, which is what it was. */
  touch(name: string): void {
    utimesSync(this.path(name), new Date(), new Date(Date.now() - 60_000));
  }
}

export interface HostileRepository {
  /** What names the program. */
  readonly by: string;
  readonly plant: (repository: Repository, marks: Marks) => void;
  /** An ordinary command of Git that runs it. */
  readonly trigger: readonly string[];
}

const status = ['status', '--porcelain'];
const checkOut = ['cat-file', '--filters', 'HEAD:b.dat'];

const monitor = (marks: Marks) => ['core.fsmonitor', marks.program('fsmonitor')] as const;

/** Settings for `b.dat` alone, so that the other files are what they are everywhere. */
function filter(kind: string, driver = 'evil', attributes = '.gitattributes'): HostileRepository['plant'] {
  return (repository, marks) => {
    repository.write(attributes, `b.dat filter=${driver}\n`);
    repository.config([`filter.${driver}.${kind}`, marks.program('filter')]);
    repository.touch('b.dat');
  };
}

function hooks(folder: string): HostileRepository['plant'] {
  return (repository, marks) => {
    const program = marks.program('hook');
    mkdirSync(repository.path(folder), { recursive: true });
    for (const name of ['post-index-change', 'post-checkout', 'reference-transaction', 'pre-auto-gc']) {
      copyFileSync(program, repository.path(`${folder}/${name}`));
    }
    if (folder !== '.git/hooks') {
      repository.config(['core.hooksPath', folder]);
    }
    repository.touch('a.txt');
  };
}

function diff(setting: string): HostileRepository['plant'] {
  return (repository, marks) => {
    repository.write('.gitattributes', '* diff=evil\n');
    repository.config([setting, marks.program('diff')]);
    repository.write('a.txt', 'changed\n');
  };
}

/** A tracked repository in a folder of another, as a submodule is one; Git goes into it for each diff. */
function submodule(plant: HostileRepository['plant']): HostileRepository['plant'] {
  return (repository, marks) => {
    const sub = new Repository(repository.path('sub'));
    repository.git('add', 'sub');
    repository.git('commit', '--quiet', '--message=second');
    plant(sub, marks);
  };
}

/** Without the text of `b.dat`, which Git then gets from where it is told to. */
function partialClone(
  ...remote: ((marks: Marks) => [name: string, value: string])[]
): HostileRepository['plant'] {
  return (repository, marks) => {
    const blob = repository.git('rev-parse', 'HEAD:b.dat').trim();
    rmSync(repository.path(`.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`));
    repository.config(
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'origin'],
      ['remote.origin.promisor', 'true'],
      ...remote.map((setting) => setting(marks)),
    );
    repository.write('b.dat', 'changed\n');
  };
}

export const hostileRepositories: readonly HostileRepository[] = [
  {
    by: 'core.fsmonitor',
    plant: (repository, marks) => repository.config(monitor(marks)),
    trigger: status,
  },
  {
    by: 'an included configuration',
    plant: (repository, marks) => {
      repository.git('config', '--file', 'included', ...monitor(marks));
      repository.config(['include.path', '../included']);
    },
    trigger: status,
  },
  {
    by: 'the configuration of a work tree',
    plant: (repository, marks) => {
      repository.config(['extensions.worktreeConfig', 'true']);
      repository.git('config', '--worktree', ...monitor(marks));
    },
    trigger: status,
  },
  {
    by: 'a .git file that points elsewhere',
    plant: (repository, marks) => {
      repository.config(monitor(marks));
      renameSync(repository.path('.git'), repository.path('elsewhere'));
      repository.write('.git', 'gitdir: elsewhere\n');
    },
    trigger: status,
  },
  {
    by: 'core.worktree, which points elsewhere',
    plant: (repository, marks) => {
      cpSync(repository.folder, `${repository.folder}-elsewhere`, { recursive: true });
      repository.config(monitor(marks), ['core.worktree', `${repository.folder}-elsewhere`]);
    },
    trigger: status,
  },
  {
    by: 'a bare repository among the files',
    plant: (repository, marks) => {
      for (const name of ['HEAD', 'config', 'index', 'objects', 'refs']) {
        cpSync(repository.path(`.git/${name}`), repository.path(`docs/${name}`), { recursive: true });
      }
      const settings = [monitor(marks), ['core.worktree', '.'], ['core.bare', 'false']] as const;
      for (const setting of settings) {
        repository.git('config', '--file', 'docs/config', ...setting);
      }
    },
    trigger: ['-C', 'docs', ...status],
  },
  { by: 'core.hooksPath', plant: hooks('githooks'), trigger: status },
  { by: 'hooks', plant: hooks('.git/hooks'), trigger: status },
  { by: 'diff.external', plant: diff('diff.external'), trigger: ['diff'] },
  { by: 'a diff driver', plant: diff('diff.evil.command'), trigger: ['diff'] },
  { by: 'textconv', plant: diff('diff.evil.textconv'), trigger: ['diff'] },
  { by: 'a clean filter', plant: filter('clean'), trigger: status },
  { by: 'a smudge filter', plant: filter('smudge'), trigger: checkOut },
  { by: 'a filter process', plant: filter('process'), trigger: checkOut },
  { by: 'a clean filter process', plant: filter('process'), trigger: status },
  { by: 'a filter with = in its name', plant: filter('clean', 'e=vil'), trigger: status },
  { by: 'a filter with . in its name', plant: filter('smudge', 'e.v.il'), trigger: checkOut },
  {
    by: 'a filter for .git/info/attributes',
    plant: filter('clean', 'evil', '.git/info/attributes'),
    trigger: status,
  },
  {
    by: 'a filter for core.attributesFile',
    plant: (repository, marks) => {
      filter('clean', 'evil', 'attributes')(repository, marks);
      repository.config(['core.attributesFile', repository.path('attributes')]);
    },
    trigger: status,
  },
  {
    by: 'a filter for a macro of attributes',
    plant: (repository, marks) => {
      filter('clean')(repository, marks);
      repository.write('.gitattributes', '[attr]macro filter=evil\nb.dat macro\n');
    },
    trigger: status,
  },
  {
    by: 'a filter for attributes that are in the index alone',
    plant: (repository, marks) => {
      filter('clean')(repository, marks);
      repository.git('add', '.gitattributes');
      rmSync(repository.path('.gitattributes'));
    },
    trigger: status,
  },
  {
    by: 'core.fsmonitor of a submodule',
    plant: submodule((sub, marks) => sub.config(monitor(marks))),
    trigger: status,
  },
  { by: 'a filter of a submodule', plant: submodule(filter('clean')), trigger: status },
  {
    by: 'core.sshCommand, for what a partial clone lacks',
    plant: partialClone(
      () => ['remote.origin.url', 'ssh://nowhere.invalid/x'],
      (marks) => ['core.sshCommand', marks.program('ssh')],
    ),
    trigger: checkOut,
  },
  {
    by: 'a remote that is a command, for what a partial clone lacks',
    plant: partialClone(
      (marks) => ['remote.origin.url', `ext::${marks.program('remote')} x`],
      () => ['protocol.ext.allow', 'always'],
    ),
    trigger: checkOut,
  },
  {
    by: 'remote.origin.uploadpack, for what a partial clone lacks',
    plant: partialClone(
      () => ['remote.origin.url', '.'],
      (marks) => ['remote.origin.uploadpack', marks.program('uploadpack')],
    ),
    trigger: checkOut,
  },
  {
    by: 'gpg.program, for a stash that is signed',
    plant: (repository, marks) => {
      repository.write('a.txt', 'stashed\n');
      repository.git('stash', '--quiet');
      const signed = repository
        .git('cat-file', 'commit', 'refs/stash')
        .replace('\n\n', '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n');
      repository.write('.git/signed', signed);
      const commit = repository.git('hash-object', '-t', 'commit', '-w', '.git/signed').trim();
      repository.git('stash', 'drop', '--quiet');
      repository.git('stash', 'store', '--message=x', commit);
      repository.config(['log.showSignature', 'true'], ['gpg.program', marks.program('gpg')]);
    },
    trigger: ['stash', 'list'],
  },
];
