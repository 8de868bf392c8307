import * as vscode from 'vscode';

/**
 * Tells when the user has saved the document that they look at. Auto-save is no sign of their will, nor is a
 * "save all" while they look elsewhere.
 */
export function onDidSaveByHand(
  isLookedAt: (uri: vscode.Uri) => boolean,
  listener: (uri: vscode.Uri) => void,
): vscode.Disposable {
  const saving = new Set<string>();
  return vscode.Disposable.from(
    vscode.workspace.onWillSaveTextDocument(({ document: { uri }, reason }) => {
      if (reason === vscode.TextDocumentSaveReason.Manual && isLookedAt(uri)) {
        saving.add(uri.toString());
      }
    }),
    vscode.workspace.onDidSaveTextDocument(({ uri }) => {
      if (saving.delete(uri.toString())) {
        listener(uri);
      }
    }),
  );
}
