import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { byKey } from '../editor/commandIds.ts';
import { Notebooks } from './notebooks.ts';
import { RunLenses } from './runLenses.ts';
import { RunQuestions } from './runQuestions.ts';

/** Code that runs in the kernel of the open notebook, once the user has said so. */
export class NotebooksFeature implements Disposable {
  readonly notebooks: Notebooks;
  readonly questions: RunQuestions;
  private readonly store = new DisposableStore();

  constructor(workspaceState: vscode.Memento) {
    this.questions = this.store.add(new RunQuestions());
    this.notebooks = this.store.add(new Notebooks(workspaceState, this.questions));
    this.store.add(new RunLenses(this.questions));
  }

  commands() {
    return {
      runCode: (argument: unknown) =>
        this.agree(argument === byKey, typeof argument === 'number' ? argument : undefined),
      refuseCode: () => this.questions.refuse() || sayThatNoCodeWaits(),
    };
  }

  dispose(): void {
    this.store.dispose();
  }

  private agree(isByKey: boolean, yes?: number): void {
    const agreement = this.questions.agree(isByKey, yes);
    if (agreement === 'nothing waits') {
      sayThatNoCodeWaits();
    } else if (agreement === 'too soon') {
      vscode.window.setStatusBarMessage(
        'Not run: the code came to the front only just now. Wait a moment, then press again.',
        5_000,
      );
    }
  }
}

function sayThatNoCodeWaits(): void {
  void vscode.window.showInformationMessage('No code waits for your consent.');
}
