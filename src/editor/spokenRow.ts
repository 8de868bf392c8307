import type * as vscode from 'vscode';

/** Has a screen reader say what the row shows: the editor would read out its tooltip instead, with paths and ids. */
export function spoken(item: vscode.TreeItem): vscode.TreeItem {
  const { label, description } = item;
  const shown = [typeof label === 'object' ? label.label : label, description];
  item.accessibilityInformation ??= {
    label: shown.filter((part) => typeof part === 'string' && part).join(', '),
  };
  return item;
}
