import * as vscode from 'vscode';

/**
 * The row that has the focus, of the view that has it. VS Code tells extensions only which one is selected, and that is
 * another once the user has pressed an arrow key: so the selection of the row is changed, and changed back.
 * @returns undefined where there is none, or the view is drawn anew meanwhile
 */
export async function focusedRow<T>(view: vscode.TreeView<T>): Promise<T | undefined> {
  const before = view.selection;
  await toggle();
  const after = view.selection;
  await toggle();
  const differing = [
    ...after.filter((row) => !before.includes(row)),
    ...before.filter((row) => !after.includes(row)),
  ];
  return differing.length === 1 ? differing[0] : undefined;
}

function toggle(): Thenable<unknown> {
  return vscode.commands.executeCommand('list.toggleSelection');
}
