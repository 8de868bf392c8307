import * as vscode from 'vscode';
import { isSame } from '../editor/documents.ts';

/** Whether it shows a file by itself, not as a side of a diff. */
export function isPlain({ viewColumn, document: { uri } }: vscode.TextEditor): boolean {
  const group = vscode.window.tabGroups.all.find((each) => each.viewColumn === viewColumn);
  const input = group?.activeTab?.input;
  return uri.scheme === 'file' && input instanceof vscode.TabInputText && isSame(input.uri, uri);
}
