import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import { Queue } from '../base/queue.ts';
import { printable } from '../base/printable.ts';
import { columnBeside } from '../editor/columns.ts';
import { commandIds, forShow } from '../editor/commandIds.ts';
import { isSame } from '../editor/documents.ts';
import { Notice } from '../editor/notice.ts';
import { InFront } from '../proposals/inFront.ts';
import { RunLenses } from './runLenses.ts';
import { codeScheme } from '../editor/schemes.ts';
import { setting } from '../editor/settings.ts';
import type { ToolCall } from '../server/session.ts';
import { contentOf, tabsWith } from '../editor/tabContent.ts';

/** Loads what asks. */
export type LoadQuestions = () => Promise<RunQuestions>;

export interface RunQuestion {
  /** Of the tab, as a question. */
  readonly title: string;
  /** Who wants to run what, where. */
  readonly words: string;
  readonly code: string;
  /** Of the code, by the id that the editor has for it. */
  readonly language: string;
  /** What each answer that says yes is called; keys mean the first. */
  readonly yes: readonly [string, ...string[]];
}

interface AskedQuestion extends RunQuestion {
  readonly uri: vscode.Uri;
  /** Which yes; undefined: no. */
  readonly answer: Deferred<number | undefined>;
  /** A click or a key that was meant for what was there before is no consent. */
  isConsidered: boolean;
}

/** What became of a yes. */
export type Agreement = 'agreed' | 'too soon' | 'brought into view' | 'nothing waits';

/** The call of a tool that has to wait for the answer. */
type Asking = Pick<ToolCall, 'signal' | 'toolUseId'>;

/** In ms. */
const consideration = 1_000;

/**
 * What somebody wants to run, whole, in a read-only document beside what the user works in. It takes neither the
 * focus nor a place in the notebook, so no key typed for something else is an answer, and nothing is left if the
 * window goes. Closing it is a no.
 */
export class RunQuestions implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private asked: AskedQuestion | undefined;
  /** Whose answers are still to come. */
  private readonly waiting = new Map<Asking, RunQuestion>();
  private readonly queue = new Queue();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly inFront = new InFront(() => {
    const editor = vscode.window.activeTextEditor;
    return editor && isSame(this.asked?.uri, editor.document.uri) ? this.asked : undefined;
  });
  private readonly subscriptions: vscode.Disposable;

  /** Another question waits, one can be agreed to now, or one is over. */
  readonly onDidChangeQuestion = this.changed.event;

  constructor() {
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      this.inFront,
      vscode.workspace.registerTextDocumentContentProvider(codeScheme, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.followTabs(closed)),
      new RunLenses(this),
    );
  }

  /** The one that waits for its answer. */
  find(uri: vscode.Uri): (RunQuestion & { isConsidered: boolean }) | undefined {
    return this.asked && isSame(this.asked.uri, uri) ? this.asked : undefined;
  }

  /**
   * One at a time.
   * @returns the answer of `yes` by its index; undefined for a no, and when the call is aborted first
   */
  async ask(question: RunQuestion, asking: Asking): Promise<number | undefined> {
    const { signal } = asking;
    this.waiting.set(asking, question);
    try {
      return await this.queue.run(async () => (signal.aborted ? undefined : this.put(question, signal)));
    } finally {
      this.waiting.delete(asking);
      this.changed.fire();
    }
  }

  /** The titles of what waits for the user, by the uses of tools, whose ids their clients have told. */
  get waitingUses(): ReadonlyMap<string, string> {
    const all = [...this.waiting];
    return new Map(
      all.flatMap(([{ toolUseId }, { title }]) => (toolUseId === undefined ? [] : [[toolUseId, title]])),
    );
  }

  /**
   * Only to what is in view: else it is brought there.
   * @param isByKey then it counts from when the user got there: before, it may have been meant for their notebook
   * @param yes see `ask`
   */
  agree(isByKey: boolean, yes = 0): Agreement {
    const { asked } = this;
    if (!asked) {
      return 'nothing waits';
    }
    if (!tabsWith(asked.uri).some(({ isActive }) => isActive)) {
      this.show();
      return 'brought into view';
    }
    const isMeant = !isByKey || this.inFront.takesKey();
    return isMeant && asked.isConsidered && asked.answer.settle(yes) ? 'agreed' : 'too soon';
  }

  /** Brings the one that waits into view, and the focus to it. @returns false where nothing waits */
  show(): boolean {
    const { uri } = this.asked ?? {};
    if (uri) {
      const viewColumn = tabsWith(uri)[0]?.group.viewColumn ?? vscode.ViewColumn.Active;
      void vscode.window.showTextDocument(uri, { viewColumn, preview: false });
    }
    return uri !== undefined;
  }

  /** @returns false where nothing waits */
  refuse(): boolean {
    return this.asked?.answer.settle(undefined) ?? false;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.find(uri)?.code ?? '';
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private async put(question: RunQuestion, signal: AbortSignal): Promise<number | undefined> {
    // What is asked is named by those who ask: no path of another tab.
    const path = `/${randomUUID()}/${question.title.replaceAll('/', '\u2215')}`;
    const uri = vscode.Uri.from({ scheme: codeScheme, path });
    const answer = new Deferred<number | undefined>();
    const asked = { ...question, uri, answer, isConsidered: false };
    const refuse = () => answer.settle(undefined);
    this.asked = asked;
    signal.addEventListener('abort', refuse, { once: true });
    const notice = vscode.window.state.focused ? undefined : tell(question);
    let timer;
    try {
      this.changed.fire();
      await show(uri, question.language);
      timer = setTimeout(() => {
        asked.isConsidered = true;
        this.changed.fire();
      }, consideration);
      if (signal.aborted || tabsWith(uri).length === 0) {
        refuse();
      }
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      notice?.end();
      signal.removeEventListener('abort', refuse);
      this.asked = undefined;
      await vscode.window.tabGroups.close(tabsWith(uri));
    }
  }

  private followTabs(closed: readonly vscode.Tab[]): void {
    const { asked } = this;
    if (asked && closed.some(isQuestion)) {
      // A tab that moves to another group or window closes and opens again.
      setTimeout(() => tabsWith(asked.uri).length === 0 && asked.answer.settle(undefined), 100);
    }
  }
}

/** Whoever works in another program does not see its tab. */
function tell({ words }: RunQuestion): Notice | undefined {
  if (!setting('attention.notify')) {
    return undefined;
  }
  const notice = new Notice();
  const show = { title: 'Show', command: commandIds.runCode, arguments: [forShow] };
  notice.say(printable(words, 200), show);
  return notice;
}

function isQuestion({ input }: vscode.Tab): boolean {
  return contentOf(input)?.uri.scheme === codeScheme;
}

async function show(uri: vscode.Uri, language: string): Promise<void> {
  const document = await vscode.languages.setTextDocumentLanguage(
    await vscode.workspace.openTextDocument(uri),
    language,
  );
  await vscode.window.showTextDocument(document, {
    viewColumn: columnBeside(),
    preserveFocus: true,
    preview: false, // which the next file would replace
  });
}
