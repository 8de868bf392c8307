import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { counted, linesText, timeText } from '../base/text.ts';
import type { Change, Changes } from './changes.ts';
import type { ChangeSet } from './changeSet.ts';
import type { ChangesNode } from './changeRows.ts';
import { decidedFileItem, decisionItem, historyItem } from './historyItems.ts';
import { commandIds } from '../editor/commandIds.ts';
import { fileIcon } from '../editor/rowLooks.ts';
import { turnTitle } from './turnTitle.ts';

/** The row of the tree. */
export function itemOf(
  node: ChangesNode,
  changes: Changes,
  newProblemsOf: (change: Change) => number,
): vscode.TreeItem {
  switch (node.kind) {
    case 'session':
      return sessionItem(node.set, changes.ofSet(node.set));
    case 'turn':
      return turnItem(node, changes.ofSet(node.set));
    case 'folder':
      return folderItem(node);
    case 'more':
      return moreItem(node);
    case 'file':
      return fileItem(node, changes.ofPath(node.change.snapshot.path), newProblemsOf(node.change));
    case 'problem':
      return problemItem(node.change, node.problem);
    case 'history':
      return historyItem(node.set);
    case 'decision':
      return decisionItem(node);
    case 'decidedFile':
      return decidedFileItem(node);
  }
}

function sessionItem(set: ChangeSet, changes: readonly Change[]): vscode.TreeItem {
  const waits = changes.length > 0;
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(set.label, waits ? Expanded : Collapsed);
  item.id = waits ? set.id : `${set.id}:reviewed`; // else the editor would leave it as it was, open or not
  item.contextValue = waits ? 'changes.session' : 'reviewedSession';
  item.iconPath = new vscode.ThemeIcon('sparkle');
  item.description = waits ? filesText(changes) : reviewedText(set.snapshots.size > 0);
  item.tooltip = `Changed by ${set.label} since ${new Date(set.startedAt).toLocaleString()}`;
  return item;
}

/** @param waitsElsewhere what nobody has decided about is as before: on another branch, for instance */
function reviewedText(waitsElsewhere: boolean): string {
  return waitsElsewhere ? 'nothing differs now' : 'all reviewed';
}

function turnItem(
  { set, start, changes }: Extract<ChangesNode, { kind: 'turn' }>,
  ofSet: readonly Change[],
): vscode.TreeItem {
  const waits = changes.length > 0;
  const { None, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(turnTitle(start), waits ? Expanded : None);
  item.id = `${set.id}:${start.begun}${waits ? '' : ':reviewed'}`; // see `sessionItem`
  item.contextValue = 'turn';
  item.iconPath = new vscode.ThemeIcon('comment');
  const edited = new Set(start.edited);
  const above = ofSet.filter(({ snapshot }) => edited.has(snapshot.path));
  const counts = waits
    ? [filesText(changes)]
    : [
        above.length > 0
          ? `${counted(above.length, 'file')} above, changed again`
          : reviewedText(start.edited.some((path) => set.snapshots.has(path))),
      ];
  item.description = [...counts, timeText(start.begun)].filter(Boolean).join(' · ');
  const names = start.edited.map((path) => basename(path));
  const left = names.length - shownTurns.most;
  item.tooltip = [
    `${set.label} was asked at ${new Date(start.begun).toLocaleString()}:`,
    turnTitle(start),
    `Edited after that: ${names.slice(0, shownTurns.most).join(', ')}${left > 0 ? ` and ${left} more` : ''}`,
  ].join('\n');
  return item;
}

function folderItem({ id, folder, changes }: Extract<ChangesNode, { kind: 'folder' }>): vscode.TreeItem {
  const { Collapsed } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(vscode.workspace.asRelativePath(folder), Collapsed);
  item.id = id;
  item.contextValue = 'changes.folder';
  item.iconPath = vscode.ThemeIcon.Folder;
  item.description = filesText(changes);
  item.tooltip = folder;
  return item;
}

function moreItem({ id, rows }: Extract<ChangesNode, { kind: 'more' }>): vscode.TreeItem {
  const { Collapsed } = vscode.TreeItemCollapsibleState;
  const folders = rows.flatMap((row) => (row.kind === 'folder' ? [row] : []));
  const files = rows.flatMap((row) => (row.kind === 'file' ? [row.change] : []));
  const title =
    folders.length > 0 ? counted(folders.length, 'more folder') : counted(files.length, 'more file');
  const item = new vscode.TreeItem(title, Collapsed);
  item.id = id;
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.description = countsText([...files, ...folders.flatMap(({ changes }) => changes)]);
  return item;
}

/** @param node what its commands get */
function fileItem(
  node: { change: Change },
  ofSameFile: readonly Change[],
  newProblems: number,
): vscode.TreeItem {
  const { set, snapshot, comparison } = node.change;
  const uri = vscode.Uri.file(snapshot.path);
  const item = new vscode.TreeItem(
    basename(snapshot.path),
    newProblems > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
  );
  const folder = vscode.workspace.asRelativePath(dirname(snapshot.path));
  const others = ofSameFile.filter((other) => other.set !== set).map((other) => other.set.label);
  item.id = `${set.id}:${snapshot.path}`;
  item.contextValue = 'file';
  item.resourceUri = fileIcon(snapshot.path);
  item.iconPath = vscode.ThemeIcon.File;
  item.description = [
    comparison.kind === 'modified' ? '' : comparison.kind === 'created' ? 'new' : 'deleted',
    countsText([node.change]),
    comparison.isBinary ? 'binary' : '',
    comparison.lines?.lineEnds ? `line ends now ${comparison.lines.lineEnds}` : '',
    newProblems === 0 ? '' : counted(newProblems, 'new problem'),
    sourceMark(node.change),
    folder === dirname(snapshot.path) && vscode.workspace.getWorkspaceFolder(uri) ? '' : folder,
  ]
    .filter(Boolean)
    .join(' · ');
  item.tooltip = [
    snapshot.path,
    `${comparison.kind} by ${doersOf(node.change)}`,
    ...(others.length > 0 ? [`also changed by ${others.join(', ')}`] : []),
    ...sourceNote(node.change),
    ...turnsNote(node.change),
  ].join('\n');
  item.command = { command: commandIds.openChange, title: 'Open Change', arguments: [node] };
  return item;
}

function problemItem({ set, snapshot }: Change, problem: vscode.Diagnostic): vscode.TreeItem {
  const item = new vscode.TreeItem(problem.message.split('\n', 1)[0] ?? '');
  const isError = problem.severity === vscode.DiagnosticSeverity.Error;
  const { line, character } = problem.range.start;
  item.contextValue = 'problem';
  item.iconPath = new vscode.ThemeIcon(
    isError ? 'error' : 'warning',
    new vscode.ThemeColor(isError ? 'problemsErrorIcon.foreground' : 'problemsWarningIcon.foreground'),
  );
  item.description = `${problem.source ?? ''} [Ln ${line + 1}, Col ${character + 1}]`.trim();
  item.tooltip = `New since ${set.label} changed the file:\n${problem.message}`;
  item.command = {
    command: 'vscode.open',
    title: 'Go to Problem',
    arguments: [vscode.Uri.file(snapshot.path), { selection: problem.range }],
  };
  return item;
}

/** Whose change it is, or may be. */
export function doersOf({ set, snapshot }: Change): string {
  return [set.label, ...(snapshot.orBy ?? [])].join(' or ');
}

function sourceMark({ snapshot: { source, orBy = [] } }: Change): string {
  switch (source) {
    case 'announced':
    case 'told':
      return '';
    case 'git':
    case 'saved':
      return ['by shell', ...orBy].join(', or ');
    case 'recorded':
    case 'rebuilt':
      return 'while away';
  }
}

/** Turns that are named, and UTF-16 units of the prompt of each. */
const shownTurns = { most: 5, length: 60 };

function turnsNote({ snapshot: { turns = [] } }: Change): string[] {
  const shown = turns.slice(-shownTurns.most).map(({ prompt, begun }) => {
    const what = prompt === '' ? 'by itself' : `“${printable(prompt, shownTurns.length)}”`;
    return `${what} (${timeText(begun)})`;
  });
  const left = turns.length - shown.length;
  return shown.length === 0 ? [] : [`Changed in: ${left > 0 ? `${left} earlier, ` : ''}${shown.join(', ')}`];
}

/** How an edit that nobody has announced is known. */
export function sourceNote(change: Change): string[] {
  const { source, orBy } = change.snapshot;
  const by = orBy ? `by a shell command of ${doersOf(change)}` : 'by a shell command';
  switch (source) {
    case 'announced':
      return [];
    case 'git':
      return [`${by}, compared with the last commit`];
    case 'saved':
      return [`${by}, compared with what was there uncommitted`];
    case 'recorded':
      return ['edited while this window did not watch, compared with what the CLI has written down'];
    case 'told':
      return ['not announced, compared with what the CLI has written down'];
    case 'rebuilt':
      return [
        'edited while this window did not watch, and changed since: compared with what it would be without the edits',
      ];
  }
}

function filesText(changes: readonly Change[]): string {
  return [counted(changes.length, 'file'), countsText(changes)].filter(Boolean).join(' · ');
}

export function countsText(changes: readonly Change[]): string {
  let added = 0;
  let removed = 0;
  for (const { comparison } of changes) {
    added += comparison.lines?.added ?? 0;
    removed += comparison.lines?.removed ?? 0;
  }
  return linesText({ added, removed });
}
