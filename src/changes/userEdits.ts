import * as vscode from 'vscode';
import type { Changes } from './changes.ts';
import type { ChangeReview } from './changeReview.ts';
import type { ChangeSets } from './changeSets.ts';
import type { takeSavedLines } from './savedLines.ts';

/** Tells what the user does to files in the editor, which is not an agent's work. */
export function watchUserEdits(review: ChangeReview, sets: ChangeSets, changes: Changes): vscode.Disposable {
  const { workspace } = vscode;
  /** Loaded once the user saves a file that waits for review, or may again. */
  let take: typeof takeSavedLines | undefined;
  const load = async () => {
    take = (await import('./savedLines.ts')).takeSavedLines;
  };
  const willSave = ({ scheme, fsPath }: vscode.Uri) => {
    if (scheme === 'file') {
      review.willSave(fsPath); // not for a proposal: its acceptance lets the agent write
    }
  };
  const didSave = ({ scheme, fsPath }: vscode.Uri, document?: vscode.TextDocument) => {
    if (scheme === 'file') {
      review.didSave(fsPath, document && ((save) => take?.(review, sets, fsPath, save, document)));
    }
  };
  return vscode.Disposable.from(
    workspace.onWillSaveTextDocument((event) => {
      const { document } = event;
      willSave(document.uri);
      if (!take && review.mayWait(document.uri.fsPath)) {
        event.waitUntil(load());
      }
    }),
    workspace.onWillSaveNotebookDocument(({ notebook }) => willSave(notebook.uri)),
    workspace.onDidSaveTextDocument((document) => didSave(document.uri, document)),
    workspace.onDidSaveNotebookDocument(({ uri }) => didSave(uri)),
    workspace.onWillCreateFiles(({ files }) => files.forEach(willSave)), // also by a copy over another file
    workspace.onDidCreateFiles(({ files }) => files.forEach((uri) => didSave(uri))),
    workspace.onDidDeleteFiles(({ files }) => files.forEach(({ fsPath }) => review.didDelete(fsPath))),
    workspace.onDidRenameFiles(({ files }) => {
      files.forEach(({ oldUri, newUri }) => review.didRename(oldUri.fsPath, newUri.fsPath));
      void changes.refresh();
    }),
  );
}
