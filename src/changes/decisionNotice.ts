import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import type { Reviewing } from './changeCommands.ts';
import { decisionTitle } from './historyItems.ts';

/** Says what was done, if anything was, and what else there is to know of it. */
export function offerUndo(reviewing: Reviewing, decision: string, note = ''): void {
  const entry = reviewing.sets.history.find(decision);
  if (entry) {
    const button = 'Undo';
    void vscode.window
      .showInformationMessage(
        [decisionTitle(entry), note]
          .filter(Boolean)
          .map((words) => `${printable(words, 1_000)}.`)
          .join(' '),
        button,
      )
      .then((choice) => (choice === button ? undo(reviewing, decision) : undefined));
  }
}

/** Takes a decision back, and says what could not be. */
export async function undo(reviewing: Reviewing, decision: string): Promise<void> {
  const paths = reviewing.sets.history.find(decision)?.files.map(({ path }) => path);
  try {
    const problems = await reviewing.undo(decision);
    if (problems.length > 0) {
      const words = problems.map((problem) => printable(problem, 1_000)).join(' ');
      void vscode.window.showErrorMessage(`Not everything could be undone. ${words}`);
    }
  } catch (error) {
    void vscode.window.showInformationMessage(errorMessage(error));
  }
  await reviewing.changes.refresh(new Set(paths));
}
