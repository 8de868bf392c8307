import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import type { Changes } from './changes.ts';
import type { ChangeReview } from './changeReview.ts';
import type { ChangeSets } from './changeSets.ts';
import type { UserSaves } from './userSaves.ts';

/** Tells what the user does to files in the editor, which is not an agent's work. */
export function watchUserEdits(review: ChangeReview, sets: ChangeSets, changes: Changes): vscode.Disposable {
  const { workspace } = vscode;
  const store = new DisposableStore();
  /** Loaded once the user saves a file that waits for review, or may again. */
  let saves: UserSaves | undefined;
  const load = async () => {
    const { UserSaves } = await import('./userSaves.ts');
    return (saves ??= store.add(new UserSaves(review, sets)));
  };
  const willSave = ({ scheme, fsPath }: vscode.Uri) => {
    if (scheme === 'file') {
      review.willSave(fsPath); // not for a proposal: its acceptance lets the agent write
    }
  };
  const didSave = ({ scheme, fsPath }: vscode.Uri, document?: vscode.TextDocument) => {
    if (scheme === 'file') {
      review.didSave(fsPath, document && ((save) => saves?.end(document, save)));
    }
  };
  const didSaveText = (document: vscode.TextDocument) => {
    // The editor waits for what is loaded as a save begins, but not for long.
    if (saves || !review.mayWait(document.uri.fsPath)) {
      didSave(document.uri, document);
    } else {
      const end = () => didSave(document.uri, document);
      void load().then(end, end);
    }
  };
  return vscode.Disposable.from(
    workspace.onWillSaveTextDocument((event) => {
      const { document } = event;
      willSave(document.uri);
      if (review.mayWait(document.uri.fsPath)) {
        if (saves) {
          saves.begin(document);
        } else {
          event.waitUntil(load().then((loaded) => loaded.begin(document)));
        }
      }
    }),
    store,
    workspace.onWillSaveNotebookDocument(({ notebook }) => willSave(notebook.uri)),
    workspace.onDidSaveTextDocument(didSaveText),
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
