import * as vscode from 'vscode';

/** What the rows of a section looked like when they were last told to be drawn. */
export class RowLooks {
  private last = '';

  /** @param rows each with its name, and what it is about where that does not show @returns whether they look otherwise now */
  change(rows: readonly (readonly [name: string, item: vscode.TreeItem, about?: unknown])[]): boolean {
    const looks = JSON.stringify(
      rows.map(([name, { label, description, tooltip, contextValue, collapsibleState }, about]) => [
        name,
        about,
        label,
        description,
        tooltip,
        contextValue,
        collapsibleState,
      ]),
    );
    const areOthers = looks !== this.last;
    this.last = looks;
    return areOthers;
  }
}

/** Gives a row the icon of a file; as the file itself it would bear the marks of its problems, and ours, too. */
export function fileIcon(path: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme: 'ide-bridge-icon' });
}
