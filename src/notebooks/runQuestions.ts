import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import type { Session } from '../server/session.ts';
import { columnBeside } from '../editor/columns.ts';
import { isSame } from '../editor/documents.ts';
import { InFront } from '../proposals/inFront.ts';
import { codeScheme } from '../editor/schemes.ts';
import { allTabs, contentOf, tabsWith } from '../editor/tabContent.ts';

export interface RunQuestion {
  session: Session;
  /** File name of the notebook. */
  notebook: string;
  code: string;
  /** What a yes means for later questions, in words that follow it. */
  lasts: string;
}

interface AskedQuestion extends RunQuestion {
  readonly uri: vscode.Uri;
  readonly answer: Deferred<boolean>;
  /** A click or a key that was meant for what was there before is no consent. */
  isConsidered: boolean;
}

/** What became of a yes. */
export type Agreement = 'agreed' | 'too soon' | 'brought into view' | 'nothing waits';

/** In ms. */
const consideration = 1_000;

/**
 * Code that a session wants to run, whole, in a read-only document beside what the user works in. It takes neither the
 * focus nor a place in the notebook, so no key typed for something else is an answer, and nothing is left if the
 * window goes. Closing it is a no.
 */
export class RunQuestions implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private asked: AskedQuestion | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly inFront = new InFront(() => {
    const editor = vscode.window.activeTextEditor;
    return editor && isSame(this.asked?.uri, editor.document.uri) ? this.asked : undefined;
  });
  private readonly subscriptions: vscode.Disposable;

  /** Another question waits, or one can be agreed to now. */
  readonly onDidChangeQuestion = this.changed.event;

  constructor() {
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      this.inFront,
      vscode.workspace.registerTextDocumentContentProvider(codeScheme, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.followTabs(closed)),
    );
    // Of an earlier extension host, whose session has had no answer.
    void vscode.window.tabGroups.close(allTabs().filter(isQuestion));
  }

  /** The one that waits for its answer. */
  find(uri: vscode.Uri): (RunQuestion & { isConsidered: boolean }) | undefined {
    return this.asked && isSame(this.asked.uri, uri) ? this.asked : undefined;
  }

  /** One at a time. @returns whether the user agrees; false when the signal comes first */
  async ask(question: RunQuestion, signal: AbortSignal): Promise<boolean> {
    const path = `/${randomUUID()}/Run in ${question.notebook}?`;
    const uri = vscode.Uri.from({ scheme: codeScheme, path });
    const asked = { ...question, uri, answer: new Deferred<boolean>(), isConsidered: false };
    const refuse = () => asked.answer.settle(false);
    this.asked = asked;
    signal.addEventListener('abort', refuse, { once: true });
    let timer;
    try {
      await show(uri);
      timer = setTimeout(() => {
        asked.isConsidered = true;
        this.changed.fire();
      }, consideration);
      if (signal.aborted || tabsWith(uri).length === 0) {
        refuse();
      }
      return await asked.answer.promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', refuse);
      this.asked = undefined;
      await vscode.window.tabGroups.close(tabsWith(uri));
    }
  }

  /**
   * Only to what is in view: else it is brought there.
   * @param isByKey then it counts from when the user got there: before, it may have been meant for their notebook
   */
  agree(isByKey: boolean): Agreement {
    const { asked } = this;
    if (!asked) {
      return 'nothing waits';
    }
    const shown = tabsWith(asked.uri);
    if (!shown.some(({ isActive }) => isActive)) {
      const viewColumn = shown[0]?.group.viewColumn ?? vscode.ViewColumn.Active;
      void vscode.window.showTextDocument(asked.uri, { viewColumn, preview: false });
      return 'brought into view';
    }
    const isMeant = !isByKey || this.inFront.takesKey();
    return isMeant && asked.isConsidered && asked.answer.settle(true) ? 'agreed' : 'too soon';
  }

  /** @returns false where nothing waits */
  refuse(): boolean {
    return this.asked?.answer.settle(false) ?? false;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.find(uri)?.code ?? '';
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private followTabs(closed: readonly vscode.Tab[]): void {
    const { asked } = this;
    if (asked && closed.some(isQuestion)) {
      // A tab that moves to another group or window closes and opens again.
      setTimeout(() => tabsWith(asked.uri).length === 0 && asked.answer.settle(false), 100);
    }
  }
}

function isQuestion({ input }: vscode.Tab): boolean {
  return contentOf(input)?.uri.scheme === codeScheme;
}

async function show(uri: vscode.Uri): Promise<void> {
  const document = await vscode.languages.setTextDocumentLanguage(
    await vscode.workspace.openTextDocument(uri),
    'python',
  );
  await vscode.window.showTextDocument(document, {
    viewColumn: columnBeside(),
    preserveFocus: true,
    preview: false, // which the next file would replace
  });
}
