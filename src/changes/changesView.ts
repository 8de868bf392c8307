import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { type Change, type Changes, leftText } from './changes.ts';
import type { itemOf } from './changeItems.ts';
import type { ChangeSet } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import { commandIds } from '../editor/commandIds.ts';
import { RowMoves } from '../editor/rowMoves.ts';
import { StatusItem } from '../editor/statusItem.ts';
import type { NewProblems } from './newProblems.ts';
import type { HistoryEntry, HistoryFile } from './history.ts';

export type ChangesNode =
  | { kind: 'session'; set: ChangeSet }
  | { kind: 'file'; change: Change }
  | { kind: 'problem'; change: Change; problem: vscode.Diagnostic }
  | { kind: 'history'; set: ChangeSet }
  | { kind: 'decision'; set: ChangeSet; entry: HistoryEntry }
  | { kind: 'decidedFile'; set: ChangeSet; entry: HistoryEntry; file: HistoryFile };

/** Session → the files that it has changed, until they are kept or reverted, and what was. The newest session is the first. */
export class ChangesView implements vscode.TreeDataProvider<ChangesNode>, Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<ChangesNode>;
  /** How much waits for review, wherever the user is. A click goes to the next change. */
  private readonly status = new StatusItem(
    'ideBridge.changes',
    100.0005,
    'Agent Changes',
    commandIds.nextAgentChange,
  );
  private readonly update = new Throttle(100, () => this.show());
  private readonly rows = new RowMoves();
  /** There once the view was seen. */
  private itemOf: typeof itemOf | undefined;
  /** What the rows looked like, and were about, when they were last drawn. */
  private looks = '';
  private readonly subscriptions: readonly Disposable[];

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly sets: ChangeSets,
    private readonly changes: Changes,
    private readonly problems: NewProblems,
  ) {
    this.view = vscode.window.createTreeView('ideBridge.changes', {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.subscriptions = [
      changes.onDidChange(() => this.update.schedule()),
      problems.onDidChange(() => this.update.schedule()),
    ];
    this.show();
  }

  async getChildren(node?: ChangesNode): Promise<ChangesNode[]> {
    this.itemOf ??= (await import('./changeItems.ts')).itemOf;
    return this.childrenOf(node);
  }

  private childrenOf(node?: ChangesNode): ChangesNode[] {
    if (!node) {
      return this.sets.all
        .filter((set) => this.changes.ofSet(set).length > 0 || this.historyOf(set).length > 0)
        .map((set): ChangesNode => ({ kind: 'session', set }))
        .reverse();
    }
    switch (node.kind) {
      case 'session':
        return [
          ...this.changes.ofSet(node.set).map((change): ChangesNode => ({ kind: 'file', change })),
          ...(this.historyOf(node.set).length > 0 ? [{ kind: 'history' as const, set: node.set }] : []),
        ];
      case 'file':
        return this.problems
          .of(node.change.snapshot.path)
          .map((problem) => ({ kind: 'problem', change: node.change, problem }));
      case 'history':
        return this.historyOf(node.set).map((entry) => ({ kind: 'decision', set: node.set, entry }));
      case 'decision':
        return node.entry.files.length > 1
          ? node.entry.files.map((file) => ({ ...node, kind: 'decidedFile', file }))
          : [];
      case 'problem':
      case 'decidedFile':
        return [];
    }
  }

  /** At once: until VS Code 1.96 has it, a click on the row of before is answered with an error. */
  getTreeItem(node: ChangesNode): vscode.TreeItem {
    if (!this.itemOf) {
      throw new Error('The editor has a row that it was not given.');
    }
    return this.itemOf(node, this.changes, ({ snapshot }) => this.problems.of(snapshot.path).length);
  }

  /** Of what may be revealed. */
  getParent(node: ChangesNode): ChangesNode | undefined {
    return node.kind === 'file' ? { kind: 'session', set: node.change.set } : undefined;
  }

  /**
   * To be asked before a decision by key on the row of a file, which takes the row away, and the focus with it.
   * @returns gives the focus to the row of the file after it, or before it, if that row is gone by then
   */
  besideFile(file: ChangesNode): () => Promise<void> {
    const files = this.nodesBelow().filter(({ kind }) => kind === 'file');
    const index = files.findIndex((other) => rowOf(other) === rowOf(file));
    const beside = files[index + 1] ?? files[index - 1];
    return async () => {
      const left = new Set(this.nodesBelow().map(rowOf));
      if (beside && left.has(rowOf(beside)) && !left.has(rowOf(file))) {
        await this.view.reveal(beside, { focus: true, select: false });
      }
    };
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    this.update.dispose();
    this.view.dispose();
    this.status.dispose();
    this.changed.dispose();
  }

  /** Whether a click on its row may be meant for another. */
  refuseClick(node: ChangesNode): boolean {
    return this.rows.refuseClick(rowOf(node));
  }

  private nodesBelow(node?: ChangesNode): ChangesNode[] {
    return this.childrenOf(node).flatMap((child) => [child, ...this.nodesBelow(child)]);
  }

  private looksOf(node: ChangesNode): unknown[] {
    const { label, description, tooltip, contextValue, collapsibleState } = this.getTreeItem(node);
    const about = 'change' in node ? node.change.snapshot.takenAt : undefined;
    return [rowOf(node), about, label, description, tooltip, contextValue, collapsibleState];
  }

  private historyOf({ id }: ChangeSet): HistoryEntry[] {
    return this.sets.history.ofSet(id);
  }

  private show(): void {
    this.view.message = this.sets.notice ?? '';
    const { all } = this.changes;
    this.tellLeft(leftText(all));
    // What menus know as `resourcePath` has backslashes on Windows, where the file is on this machine.
    const paths = all
      .map(({ snapshot }) => vscode.Uri.file(snapshot.path))
      .flatMap(({ path, fsPath }) => [path, fsPath]);
    void vscode.commands.executeCommand('setContext', 'ideBridge.hasChanges', paths.length > 0);
    const hasHistory = this.sets.history.entries.length > 0;
    void vscode.commands.executeCommand('setContext', 'ideBridge.hasChangeHistory', hasHistory);
    void vscode.commands.executeCommand('setContext', 'ideBridge.changedPaths', [...new Set(paths)]);
    const nodes = this.nodesBelow();
    this.rows.drawn(nodes.map(rowOf));
    // A row that is drawn anew may lose a click, so none is without need.
    const looks = this.itemOf && JSON.stringify(nodes.map((node) => this.looksOf(node)));
    if (looks === undefined || looks !== this.looks) {
      this.looks = looks ?? '';
      this.changed.fire();
    }
  }

  private tellLeft(left: string | undefined): void {
    this.view.description = left ?? '';
    this.status.tell(
      left === undefined
        ? undefined
        : { text: `$(git-compare) ${left}`, tooltip: `${left} by agents to review: click to go there.` },
    );
  }
}

/** What tells it apart from the others. */
function rowOf(node: ChangesNode): string {
  switch (node.kind) {
    case 'session':
      return node.set.id;
    case 'file':
      return `${node.change.set.id} ${node.change.snapshot.path}`;
    case 'problem':
      return `${node.change.set.id} ${node.change.snapshot.path} ${node.problem.message}`;
    case 'history':
      return `${node.set.id} history`;
    case 'decision':
      return `${node.set.id} ${node.entry.id}`;
    case 'decidedFile':
      return `${node.set.id} ${node.entry.id} ${node.file.path}`;
  }
}
