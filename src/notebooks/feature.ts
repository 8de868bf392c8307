import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { byKey, forShow } from '../editor/commandIds.ts';
import { codeScheme } from '../editor/schemes.ts';
import { allTabs, contentOf } from '../editor/tabContent.ts';
import { Notebooks } from './notebooks.ts';
import type { RunQuestions } from './runQuestions.ts';

/** Code that runs in the kernel of the open notebook, once the user has said so. */
export class NotebooksFeature implements Disposable {
  readonly notebooks: Notebooks;
  /** There once something was asked. */
  private asked: RunQuestions | undefined;
  private readonly store = new DisposableStore();

  constructor(workspaceState: vscode.Memento) {
    this.notebooks = this.store.add(new Notebooks(workspaceState, this.questions));
    // Of an earlier extension host, whose session has had no answer.
    const left = allTabs().filter(({ input }) => contentOf(input)?.uri.scheme === codeScheme);
    void vscode.window.tabGroups.close(left);
  }

  commands() {
    return {
      runCode: (argument: unknown) =>
        argument === forShow
          ? this.asked?.show() || sayThatNoCodeWaits()
          : this.agree(argument === byKey, typeof argument === 'number' ? argument : undefined),
      refuseCode: () => this.asked?.refuse() || sayThatNoCodeWaits(),
    };
  }

  readonly questions = async (): Promise<RunQuestions> => {
    const { RunQuestions } = await import('./runQuestions.ts');
    return (this.asked ??= this.store.add(new RunQuestions()));
  };

  dispose(): void {
    this.store.dispose();
  }

  private agree(isByKey: boolean, yes?: number): void {
    const agreement = this.asked?.agree(isByKey, yes) ?? 'nothing waits';
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
