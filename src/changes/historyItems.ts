import { basename } from 'node:path';
import * as vscode from 'vscode';
import { counted, timeText } from '../base/text.ts';
import { commandIds } from '../editor/commandIds.ts';
import { fileIcon } from '../editor/rowLooks.ts';
import type { ChangeSet } from './changeSet.ts';
import type { HistoryEntry, HistoryFile } from './history.ts';

const words = { kept: 'Kept', reverted: 'Reverted', accepted: 'Accepted' } as const;
const icons = { kept: 'check', reverted: 'discard', accepted: 'pass' } as const;

/** `Kept a.txt`, `Reverted 3 files`, `Kept a change in a.txt`. */
export function decisionTitle({ kind, files }: HistoryEntry): string {
  const [first, ...others] = [...pathsOf(files)];
  const what =
    first !== undefined && others.length === 0 ? basename(first) : counted(others.length + 1, 'file');
  return `${words[kind]} ${files[0]?.isPart ? 'a change in ' : ''}${what}`;
}

export function historyItem(set: ChangeSet): vscode.TreeItem {
  const item = new vscode.TreeItem('History', vscode.TreeItemCollapsibleState.Collapsed);
  item.id = `${set.id}:history`;
  item.contextValue = 'history';
  item.iconPath = new vscode.ThemeIcon('history');
  item.tooltip = 'What you have kept, reverted and accepted, the last first. Each can be undone.';
  return item;
}

/** @param node what its commands get */
export function decisionItem(node: { set: ChangeSet; entry: HistoryEntry }): vscode.TreeItem {
  const { set, entry } = node;
  const isOne = entry.files.length === 1;
  const item = new vscode.TreeItem(
    decisionTitle(entry),
    isOne ? vscode.TreeItemCollapsibleState.None : vscode.TreeItemCollapsibleState.Collapsed,
  );
  item.id = `${set.id}:${entry.id}`;
  item.contextValue = 'decision';
  item.iconPath = new vscode.ThemeIcon(icons[entry.kind]);
  item.description = timeText(entry.at);
  item.tooltip = [
    `${words[entry.kind]} ${new Date(entry.at).toLocaleString()}`,
    ...[...pathsOf(entry.files)].slice(0, maxNamed),
  ].join('\n');
  if (isOne) {
    item.command = { command: commandIds.openChange, title: 'Open Change', arguments: [node] };
  }
  return item;
}

export function decidedFileItem(node: { entry: HistoryEntry; file: HistoryFile }): vscode.TreeItem {
  const item = new vscode.TreeItem(basename(node.file.path));
  item.contextValue = 'decidedFile';
  item.resourceUri = fileIcon(node.file.path);
  item.iconPath = vscode.ThemeIcon.File;
  item.tooltip = node.file.path;
  item.command = { command: commandIds.openChange, title: 'Open Change', arguments: [node] };
  return item;
}

/** In a tooltip. */
const maxNamed = 20;

function pathsOf(files: readonly HistoryFile[]): Set<string> {
  return new Set(files.map(({ path }) => path));
}
