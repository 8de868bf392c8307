import { dirname } from 'node:path';
import type * as vscode from 'vscode';
import type { ReviewRows } from '../editor/reviewTree.ts';
import { RowLooks } from '../editor/rowLooks.ts';
import { itemOf } from './changeItems.ts';
import type { Change, Changes } from './changes.ts';
import { type ChangeSet, type TurnStart, turnsOf } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import type { ChangesSection } from './changesSection.ts';
import type { HistoryEntry, HistoryFile } from './history.ts';
import type { NewProblems } from './newProblems.ts';

export type ChangesNode =
  | { kind: 'session'; set: ChangeSet }
  | { kind: 'turn'; set: ChangeSet; start: TurnStart; changes: readonly Change[] }
  | { kind: 'folder'; set: ChangeSet; id: string; folder: string; changes: readonly Change[] }
  | { kind: 'more'; set: ChangeSet; id: string; rows: readonly ChangesNode[] }
  | { kind: 'file'; change: Change }
  | { kind: 'problem'; change: Change; problem: vscode.Diagnostic }
  | { kind: 'history'; set: ChangeSet }
  | { kind: 'decision'; set: ChangeSet; entry: HistoryEntry }
  | { kind: 'decidedFile'; set: ChangeSet; entry: HistoryEntry; file: HistoryFile };

/** Rows that stand below one. */
const pageSize = 200;

/**
 * Session → turn → the files that it has last changed there (by folder, if they are many), until they are kept or reverted; and what was. Of sessions and
 * turns the newest is the first.
 */
export class ChangeRows implements ReviewRows<ChangesNode> {
  names: readonly string[] = [];
  private readonly looks = new RowLooks();
  /** Of the rows that are shut at first, those that the editor has asked for what is below. */
  private readonly opened = new Set<string>();

  /** Rows below which files stand by folder. */
  private readonly inFolders = new Set<string>();

  constructor(
    private readonly section: Pick<ChangesSection, 'shown'>,
    private readonly sets: ChangeSets,
    private readonly changes: Changes,
    private readonly problems: NewProblems,
  ) {}

  /** What the editor asks for. It does so some time after it was told to, and gets what is then. */
  draw(node?: ChangesNode): ChangesNode[] {
    if (!node) {
      this.drawn();
    }
    return node && isShutFirst(node) ? this.open(node) : this.below(node);
  }

  /** Of what was below it when it was drawn, another may have taken the place since: that does not show while it is shut. */
  private open(shut: ChangesNode): ChangesNode[] {
    const row = rowOf(shut);
    this.opened.add(row);
    const rows = this.all();
    this.names = rows.map(rowOf); // by the user's own click, not by the next change
    return this.below(rows.find((each) => rowOf(each) === row) ?? shut);
  }

  private below(node?: ChangesNode): ChangesNode[] {
    if (!node) {
      return this.section.shown.map((set): ChangesNode => ({ kind: 'session', set })).reverse();
    }
    switch (node.kind) {
      case 'session':
        return [
          ...this.turnsAndFiles(node.set),
          ...(this.historyOf(node.set).length > 0 ? [{ kind: 'history' as const, set: node.set }] : []),
        ];
      case 'turn':
      case 'folder':
        return this.files(node, node.changes);
      case 'more':
        return [...node.rows];
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

  nameOf(node: ChangesNode): string {
    return rowOf(node);
  }

  itemOf(node: ChangesNode): vscode.TreeItem {
    return itemOf(node, this.changes, ({ snapshot }) => this.problems.of(snapshot.path).length);
  }

  parentOf(node: ChangesNode): ChangesNode | undefined {
    if (!(isAboveFiles(node) || node.kind === 'file')) {
      return undefined;
    }
    const set = node.kind === 'file' ? node.change.set : node.set;
    return this.parentIn({ kind: 'session', set }, rowOf(node));
  }

  private parentIn(node: ChangesNode, row: string): ChangesNode | undefined {
    for (const child of this.below(node)) {
      const parent =
        rowOf(child) === row ? node : isAboveFiles(child) ? this.parentIn(child, row) : undefined;
      if (parent) {
        return parent;
      }
    }
    return undefined;
  }

  beside(file: ChangesNode): () => ChangesNode | undefined {
    const files = this.all(() => true).filter(({ kind }) => kind === 'file');
    const index = files.findIndex((other) => rowOf(other) === rowOf(file));
    const beside = files[index + 1] ?? files[index - 1];
    return () => {
      const left = new Set(this.all(() => true).map(rowOf));
      return beside && left.has(rowOf(beside)) && !left.has(rowOf(file)) ? beside : undefined;
    };
  }

  drawn(): boolean {
    const all = this.all();
    this.names = all.map(rowOf);
    return this.looks.change(
      all.map((node) => {
        const about = 'change' in node ? node.change.snapshot.takenAt : undefined;
        return [rowOf(node), this.itemOf(node), about];
      }),
    );
  }

  /** @param isOpen whether what is below a row that is shut at first is meant, too */
  private all(
    isOpen = (shut: ChangesNode) => this.opened.has(rowOf(shut)),
    node?: ChangesNode,
  ): ChangesNode[] {
    return node && isShutFirst(node) && !isOpen(node)
      ? []
      : this.below(node).flatMap((child) => [child, ...this.all(isOpen, child)]);
  }

  private turnsAndFiles(set: ChangeSet): ChangesNode[] {
    const changes = byTurn(set, this.changes.ofSet(set));
    const turns = turnsOf(set).filter(({ edited }) => edited.length > 0);
    return [
      ...turns
        .map((start): ChangesNode => ({ kind: 'turn', set, start, changes: changes.get(start) ?? [] }))
        .reverse(),
      ...this.files({ kind: 'session', set }, changes.get(undefined) ?? []),
    ];
  }

  /** By folder where they are too many to be looked through, and on until they are half as many. */
  private files(above: Above, changes: readonly Change[]): ChangesNode[] {
    const row = rowOf(above);
    const folders = grouped(changes, ({ snapshot }) => dirname(snapshot.path));
    const most = this.inFolders.has(row) ? pageSize / 2 : pageSize;
    if (changes.length <= most || folders.size === 1) {
      this.inFolders.delete(row);
      return pages(
        above,
        changes.map((change) => ({ kind: 'file', change })),
      );
    }
    this.inFolders.add(row);
    const { set } = above;
    const nodeOf = (folder: string): ChangesNode => ({
      kind: 'folder',
      set,
      id: `${row} ${folder}`,
      folder,
      changes: folders.get(folder) ?? [],
    });
    return pages(above, [...folders.keys()].sort().map(nodeOf));
  }

  private historyOf({ id }: ChangeSet): HistoryEntry[] {
    return this.sets.history.ofSet(id);
  }
}

/** Those of a session, by the turn in which it has last changed them; undefined: in none that is known. */
function byTurn(set: ChangeSet, changes: readonly Change[]): Map<TurnStart | undefined, Change[]> {
  const last = new Map(turnsOf(set).flatMap((each) => each.edited.map((path) => [path, each])));
  return grouped(changes, ({ snapshot }) => last.get(snapshot.path));
}

function grouped<T, Key>(all: readonly T[], keyOf: (each: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group) {
      group.push(each);
    } else {
      groups.set(key, [each]);
    }
  }
  return groups;
}

type Above = Extract<ChangesNode, { set: ChangeSet }>;

/** All at once, 2,000 files nearly double what the extension host does for the list (`npm run bench`). */
function pages(above: Above, rows: readonly ChangesNode[]): ChangesNode[] {
  const more: ChangesNode[] = [];
  for (let start = pageSize; start < rows.length; start += pageSize) {
    const id = `${rowOf(above)} more ${start}`;
    more.push({ kind: 'more', set: above.set, id, rows: rows.slice(start, start + pageSize) });
  }
  return [...rows.slice(0, pageSize), ...more];
}

function isAboveFiles(node: ChangesNode): node is Extract<ChangesNode, { kind: 'turn' | 'folder' | 'more' }> {
  return node.kind === 'turn' || node.kind === 'folder' || node.kind === 'more';
}

/** What is below those does not move what stands under them before they are opened. */
function isShutFirst({ kind }: ChangesNode): boolean {
  return kind === 'folder' || kind === 'more' || kind === 'history' || kind === 'decision';
}

/** What tells it apart from the others. */
function rowOf(node: ChangesNode): string {
  switch (node.kind) {
    case 'session':
      return node.set.id;
    case 'turn':
      return `${node.set.id} ${node.start.begun}`;
    case 'folder':
    case 'more':
      return node.id;
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
