import * as vscode from 'vscode';
import { setContext } from '../editor/setContext.ts';
import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { commandIds } from '../editor/commandIds.ts';
import type { ReviewSection } from '../editor/reviewTree.ts';
import { StatusItem } from '../editor/statusItem.ts';
import type { ChangeRows, ChangesNode } from './changeRows.ts';
import { type Changes, leftText } from './changes.ts';
import type { ChangeSet } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import type { NewProblems } from './newProblems.ts';

/** What agents have changed, and what tells how much of it is left wherever the user is. */
export class ChangesSection implements ReviewSection<ChangesNode>, Disposable {
  readonly id = 'changes';
  readonly label = 'Changed';
  left: string | undefined;
  rows: ChangeRows | undefined;
  private away: string | undefined;
  private readonly changed = new vscode.EventEmitter<undefined>();
  /** A click goes to the next change. */
  private readonly status = new StatusItem(
    'ideBridge.changes',
    100.0005,
    'Agent Changes',
    commandIds.nextAgentChange,
  );
  private readonly update = new Throttle(100, () => this.show());
  /** The paths that the menus know, one a line. */
  private told: string | undefined;
  private readonly subscriptions: readonly Disposable[];

  readonly onDidChange = this.changed.event;

  constructor(
    private readonly sets: ChangeSets,
    private readonly changes: Changes,
    private readonly problems: NewProblems,
  ) {
    this.subscriptions = [
      changes.onDidChange(() => this.update.schedule()),
      problems.onDidChange(() => this.update.schedule()),
      this.update,
      this.status,
      this.changed,
    ];
    this.show();
  }

  get isEmpty(): boolean {
    return this.shown.length === 0;
  }

  get notice(): string | undefined {
    return [this.sets.notice, this.away].filter(Boolean).join('\n') || undefined;
  }

  /** What waits on another branch, see `BranchSwitches`. */
  tellAway(away: string | undefined): void {
    this.away = away;
    this.update.schedule();
  }

  /** Those of which there is something to see, the newest last. */
  get shown(): ChangeSet[] {
    return this.sets.all.filter(
      (set) => this.changes.ofSet(set).length > 0 || this.sets.history.ofSet(set.id).length > 0,
    );
  }

  has(row: object): row is ChangesNode {
    return 'kind' in row;
  }

  async load(): Promise<ChangeRows> {
    const { ChangeRows } = await import('./changeRows.ts');
    return (this.rows ??= new ChangeRows(this, this.sets, this.changes, this.problems));
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private show(): void {
    const { all } = this.changes;
    this.tellLeft(leftText(all));
    const hasHistory = this.sets.history.entries.length > 0;
    setContext('ideBridge.hasChangeHistory', hasHistory);
    this.tellPaths(all.map(({ snapshot }) => snapshot.path));
    this.changed.fire(undefined);
  }

  /** To the menus, which get all of them each time: some thousand are told only when there are others. */
  private tellPaths(changed: readonly string[]): void {
    const told = changed.join('\n');
    if (told === this.told) {
      return;
    }
    this.told = told;
    // What they know as `resourcePath` has backslashes on Windows, where the file is on this machine.
    const paths = changed.map((path) => vscode.Uri.file(path)).flatMap(({ path, fsPath }) => [path, fsPath]);
    setContext('ideBridge.hasChanges', paths.length > 0);
    setContext('ideBridge.changedPaths', [...new Set(paths)]);
  }

  private tellLeft(left: string | undefined): void {
    this.left = left;
    this.status.tell(
      left === undefined
        ? undefined
        : { text: `$(git-compare) ${left}`, tooltip: `${left} by agents to review: click to go there.` },
    );
  }
}
