import * as vscode from 'vscode';
import { commandIds } from '../editor/commandIds.ts';

/** Offers, in the Problems view and at the light bulb, to mention the lines of a problem. */
export function registerProblemActions(): vscode.Disposable {
  return vscode.languages.registerCodeActionsProvider(
    { scheme: 'file' },
    {
      provideCodeActions: ({ uri }, _range, { diagnostics }) =>
        diagnostics.map((diagnostic) => {
          const action = new vscode.CodeAction('Mention in Claude Code', vscode.CodeActionKind.QuickFix);
          action.diagnostics = [diagnostic];
          action.command = {
            command: commandIds.mentionFiles,
            title: action.title,
            arguments: [new vscode.Location(uri, diagnostic.range)],
          };
          return action;
        }),
    },
    { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
  );
}
