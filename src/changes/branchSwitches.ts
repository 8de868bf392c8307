import { basename } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import { Throttle } from '../base/throttle.ts';
import { editorGit, type GitApi, type GitRepository } from '../editor/editorGit.ts';
import type { Changes } from './changes.ts';
import type { ChangeSets } from './changeSets.ts';

/** ms that may pass from when git replaces files until the editor's own Git tells of the branch. */
const patience = 15_000;

/** Files that wait for review on another branch than the one that is checked out. */
interface Away {
  readonly branch: string;
  readonly paths: ReadonlySet<string>;
}

/** Says what a branch switch has taken from the list, where else it would be gone without a word: nobody has decided about it. */
export class BranchSwitches implements Disposable {
  private readonly store = new DisposableStore();
  /** What is checked out, as far as it is known; by the folder of the repository. */
  private readonly heads = new Map<string, string>();
  private readonly away = new Map<string, Away>();
  /** Paths, as they were last looked at. */
  private listed: ReadonlySet<string> = new Set();
  /** By path, when the file has last left the list, in ms. */
  private readonly left = new Map<string, number>();
  private told: string | undefined;

  /** @param tell gets what is to be read for as long as it is so; undefined: nothing */
  constructor(
    private readonly sets: ChangeSets,
    private readonly changes: Changes,
    private readonly tell: (words: string | undefined) => void,
  ) {
    const update = this.store.add(new Throttle(100, () => this.look()));
    this.store.add(changes.onDidChange(() => update.schedule()));
    this.look();
  }

  async start(): Promise<void> {
    const git = await editorGit();
    if (git) {
      this.store.add(git.onDidOpenRepository((repository) => this.follow(git, repository)));
      git.repositories.forEach((repository) => this.follow(git, repository));
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  private follow(git: GitApi, repository: GitRepository): void {
    const root = rootOf(repository);
    const look = () => {
      const head = headOf(repository);
      const last = this.heads.get(root);
      if (head !== undefined && head !== last) {
        this.heads.set(root, head);
        if (last !== undefined) {
          void this.switched(git, root, head);
        }
      }
    };
    this.store.add(repository.state.onDidChange(look));
    look();
  }

  private async switched(git: GitApi, root: string, branch: string): Promise<void> {
    await this.changes.refresh();
    this.look();
    const since = performance.now() - patience;
    const before = this.away.get(root)?.paths ?? [];
    const left = [...this.left].flatMap(([path, at]) => (at >= since ? [path] : []));
    this.left.clear();
    const isIn = (path: string) => {
      const repository = git.getRepository(vscode.Uri.file(path));
      return repository && rootOf(repository) === root;
    };
    const paths = [...before, ...left].filter((path) => this.isAway(path) && isIn(path));
    this.away.set(root, { branch, paths: new Set(paths) });
    this.say();
    if (this.told !== undefined) {
      vscode.window.setStatusBarMessage(this.told, 10_000);
    }
  }

  /** Nobody has decided about it, and it is as it was before. */
  private isAway(path: string): boolean {
    return this.sets.ofPath(path).length > 0 && this.changes.ofPath(path).length === 0;
  }

  private look(): void {
    const listed = new Set(this.changes.all.map(({ snapshot }) => snapshot.path));
    for (const path of this.listed) {
      if (!listed.has(path) && this.isAway(path)) {
        this.left.set(path, performance.now());
      }
    }
    this.listed = listed;
    this.say();
  }

  private say(): void {
    const away = [...this.away.values()].map(({ branch, paths }) => ({
      branch,
      left: [...paths].filter((path) => this.isAway(path)),
    }));
    this.sets.away = new Set(away.flatMap(({ left }) => left));
    const words = away.flatMap(({ branch, left }) => (left.length > 0 ? sentence(branch, left) : []));
    const told = words.length > 0 ? words.join(' ') : undefined;
    if (told !== this.told) {
      this.told = told;
      this.tell(told);
    }
  }
}

function sentence(branch: string, [first = '', ...others]: readonly string[]): string {
  const isOne = others.length === 0;
  const files = isOne ? printable(basename(first), 200) : counted(others.length + 1, 'file');
  const [are, they, wait] = isOne ? ['is', 'it', 'waits'] : ['are', 'they', 'wait'];
  return `On ${printable(branch, 60)}, ${files} ${are} as before the edits of agents: ${they} ${wait} for review again once you switch back.`;
}

/** Git's API makes another object of one each time that it is asked. */
function rootOf({ rootUri }: GitRepository): string {
  return rootUri.toString();
}

/** The branch; else the commit, in short. Undefined before git has told of one. */
function headOf({ state: { HEAD } }: GitRepository): string | undefined {
  return HEAD?.name ?? HEAD?.commit?.slice(0, 8);
}
