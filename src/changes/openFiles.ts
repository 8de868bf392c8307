import * as vscode from 'vscode';
import type { Entry } from './changeSet.ts';
import type { Editor, Unsaved } from './editor.ts';
import { documentBefore } from './beforeFiles.ts';
import { openDocument, openNotebook } from '../editor/documents.ts';

/** What the window has open of the files that agents change. */
export class OpenFiles implements Editor {
  unsaved(path: string): Unsaved | undefined {
    const uri = vscode.Uri.file(path);
    const document = openDocument(uri);
    const notebook = openNotebook(uri);
    return document?.isDirty
      ? unsavedText(document)
      : notebook?.isDirty
        ? unsavedNotebook(notebook)
        : undefined;
  }

  async delete(path: string): Promise<boolean> {
    const edit = new vscode.WorkspaceEdit();
    edit.deleteFile(vscode.Uri.file(path), { ignoreIfNotExists: true });
    return vscode.workspace.applyEdit(edit);
  }
}

function unsavedText(document: vscode.TextDocument): Unsaved {
  const typed = { text: document.getText(), eol: document.eol };
  const put = ({ text, eol }: typeof typed) => {
    const edit = new vscode.WorkspaceEdit();
    edit.set(document.uri, [
      vscode.TextEdit.replace(document.validateRange(new vscode.Range(0, 0, document.lineCount, 0)), text),
      vscode.TextEdit.setEndOfLine(eol),
    ]);
    return vscode.workspace.applyEdit(edit);
  };
  return {
    replace: async (entry: Entry) => {
      const before = await documentBefore(entry);
      return put({ text: before.getText(), eol: before.eol });
    },
    putBack: async () => void (await put(typed)),
    save: async () => document.save(),
  };
}

/** It is saved as it is: clean, it follows the file. */
function unsavedNotebook(notebook: vscode.NotebookDocument): Unsaved {
  return {
    replace: async () => true,
    putBack: async () => {},
    save: async () => notebook.save(),
  };
}
