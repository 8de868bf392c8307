import * as vscode from 'vscode';

/**
 * Tells when the user has saved the document or notebook that they look at. Auto-save is no sign of their will, nor is
 * a "save all" while they look elsewhere.
 */
export function onDidSaveByHand(
  isLookedAt: (uri: vscode.Uri) => boolean,
  listener: (uri: vscode.Uri) => void,
): vscode.Disposable {
  const { workspace } = vscode;
  const saving = new Set<string>();
  const isByHand = (uri: vscode.Uri, reason: vscode.TextDocumentSaveReason) =>
    reason === vscode.TextDocumentSaveReason.Manual && isLookedAt(uri);
  const end = ({ uri }: { uri: vscode.Uri }) => {
    if (saving.delete(uri.toString())) {
      listener(uri);
    }
  };
  return vscode.Disposable.from(
    workspace.onWillSaveTextDocument(({ document: { uri }, reason }) => {
      if (isByHand(uri, reason)) {
        saving.add(uri.toString());
      }
    }),
    workspace.onDidSaveTextDocument(end),
    workspace.onWillSaveNotebookDocument(({ notebook: { uri, isDirty }, reason }) => {
      if (isByHand(uri, reason)) {
        saving.add(uri.toString());
        if (!isDirty) {
          end({ uri }); // before the editor writes it in a form of its own
        }
      }
    }),
    workspace.onDidSaveNotebookDocument(end),
  );
}
