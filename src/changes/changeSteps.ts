import * as vscode from 'vscode';
import type { Hunk } from '../base/lineDiff.ts';
import type { AgentHunks } from './agentHunks.ts';
import { counted } from '../base/text.ts';
import { shownLine } from './changeHunks.ts';
import type { Changes } from './changes.ts';
import type { ChangeSets } from './changeSets.ts';
import { openChange } from './openDiffs.ts';
import { isSame } from '../editor/documents.ts';
import { moveCursor } from '../editor/moveCursor.ts';

/** From one change of an agent to the next, through the editors of the files that wait for review. */
export class ChangeSteps {
  constructor(
    private readonly sets: Pick<ChangeSets, 'away'>,
    private readonly changes: Changes,
    private readonly agentHunks: AgentHunks,
  ) {}

  /** To the next change or the one before, in the file in front or in another one. */
  async go(step: 1 | -1): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const path = editor?.document.uri.fsPath ?? '';
    const [change] = this.changes.ofPath(path);
    const [other] = this.filesFrom(path, step);
    if (!editor || !change) {
      return this.goToFile(other, step);
    }
    const hunks = await this.agentHunks.of(change, editor.document);
    const at = editor.selection.active.line;
    const lineOf = (hunk: Hunk) => shownLine(hunk, editor.document);
    const next =
      step > 0 ? hunks.find((hunk) => lineOf(hunk) > at) : hunks.findLast((hunk) => lineOf(hunk) < at);
    if (next || other === undefined) {
      return goTo(next ?? (step > 0 ? hunks[0] : hunks.at(-1)), editor); // around, in the only one
    }
    await this.goToFile(other, step);
  }

  /** @returns goes to the first file after that one which waits by then, in the order of now */
  after(path: string): () => Promise<void> {
    const others = this.filesFrom(path, 1);
    return () => this.goToFile(others.find((other) => this.changes.ofPath(other).length > 0));
  }

  /** From a file on, around; without itself. */
  private filesFrom(path: string, step: 1 | -1): string[] {
    const all = [...new Set(this.changes.all.map(({ snapshot }) => snapshot.path))];
    const paths = step > 0 ? all : all.reverse();
    const index = paths.indexOf(path);
    return index < 0 ? paths : [...paths.slice(index + 1), ...paths.slice(0, index)];
  }

  private async goToFile(path: string | undefined, step: 1 | -1 = 1): Promise<void> {
    const [change] = path === undefined ? [] : this.changes.ofPath(path);
    if (!change) {
      const { size } = this.sets.away;
      const words =
        size === 0
          ? 'All changes by agents are reviewed.'
          : `All that is here is reviewed; ${counted(size, 'file')} ${size === 1 ? 'waits' : 'wait'}: see Review`;
      vscode.window.setStatusBarMessage(words, 5_000);
      return;
    }
    if (change.comparison.kind === 'deleted') {
      await openChange(change);
      await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      return;
    }
    // In the editor that the user has for it, which may be one of notebooks or pictures.
    const uri = vscode.Uri.file(change.snapshot.path);
    await vscode.commands.executeCommand('vscode.open', uri);
    const editor = vscode.window.activeTextEditor;
    if (editor && isSame(uri, editor.document.uri)) {
      const hunks = await this.agentHunks.of(change, editor.document);
      await goTo(step > 0 ? hunks[0] : hunks.at(-1), editor);
    }
  }
}

export async function goTo(hunk: Hunk | undefined, editor: vscode.TextEditor): Promise<void> {
  if (hunk) {
    await moveCursor(editor, shownLine(hunk, editor.document));
  }
}
