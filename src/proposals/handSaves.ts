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
  /** A save that began before, and never came to its end, counts no more. @returns whether this one is by hand */
  const begin = (uri: vscode.Uri, reason: vscode.TextDocumentSaveReason) => {
    const isByHand = reason === vscode.TextDocumentSaveReason.Manual && isLookedAt(uri);
    saving[isByHand ? 'add' : 'delete'](uri.toString());
    return isByHand;
  };
  const end = ({ uri }: { uri: vscode.Uri }) => {
    if (saving.delete(uri.toString())) {
      listener(uri);
    }
  };
  return vscode.Disposable.from(
    workspace.onWillSaveTextDocument(({ document: { uri }, reason }) => void begin(uri, reason)),
    workspace.onDidSaveTextDocument(end),
    workspace.onWillSaveNotebookDocument(({ notebook: { uri, isDirty }, reason }) => {
      if (begin(uri, reason) && !isDirty) {
        end({ uri }); // before the editor writes it in a form of its own
      }
    }),
    workspace.onDidSaveNotebookDocument(end),
  );
}
