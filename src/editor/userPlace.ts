import * as vscode from 'vscode';
import type { Session } from '../server/session.ts';
import { LastTab } from './lastTab.ts';
import { allTabs, contentOf } from './tabContent.ts';

interface Terminals {
  terminalOf(session: Session): vscode.Terminal | undefined;
}

/** ms within which it is told that a prompt was sent: the user may have gone back to an editor since. */
const noticeTime = 1_000;

/** Outside of our diffs. */
type Place = vscode.Terminal | vscode.Uri | 'chat';

/**
 * Where the user is. VS Code does not tell what has the focus, so the last place counts that showed a sign of the user:
 * a prompt from a terminal or the chat, a terminal that was shown, a key or a click in an editor.
 */
export class UserPlace implements vscode.Disposable {
  private outsideOfDiffs: Place | undefined;
  private inEditor = false;
  private seenInEditorAt = -Infinity;
  private seenOutsideAt = -Infinity;
  private readonly lastTab = new LastTab();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;

  /** A terminal has been shown, or the user has gone from one to an editor. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly terminals: Terminals,
    private readonly isOurDiff: (tab: vscode.Tab) => boolean,
  ) {
    this.subscriptions = vscode.Disposable.from(
      this.changed,
      this.lastTab,
      vscode.window.onDidChangeActiveTerminal((terminal) => this.seenIn(terminal)),
      vscode.window.tabGroups.onDidChangeTabs(() => {
        if (this.inEditor && allTabs().length === 0) {
          this.setInEditor(false);
        }
      }),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        if (kind !== undefined && kind !== vscode.TextEditorSelectionChangeKind.Command) {
          this.seenInEditor(textEditor.document.uri);
        }
      }),
    );
  }

  /** The terminal, the chat, or the file in an editor, before one of our diffs drew the user away. */
  get beforeDiff(): Place | undefined {
    return this.outsideOfDiffs;
  }

  /** In any, also in one of our diffs. */
  get isInEditor(): boolean {
    return this.inEditor;
  }

  /** Whether there was a key or a click in an editor outside of our diffs since then, in ms as `performance.now` counts. */
  wasSeenOutside(since: number): boolean {
    return this.seenOutsideAt > since;
  }

  /** Of a terminal that was the active one before, in a closed panel perhaps, VS Code tells nothing. */
  show(terminal: vscode.Terminal): void {
    terminal.show();
    this.seenIn(terminal);
  }

  /** The user has sent a prompt to it. */
  prompted(session: Session): void {
    if (this.mayHaveLeft) {
      this.seenIn(this.terminals.terminalOf(session));
      this.leaveEditor(); // also for a terminal that is not of this window
    }
  }

  /** The user has just sent a prompt there, or is led back to it; what they type there is not seen. */
  wentToChat(): void {
    this.outsideOfDiffs = 'chat';
    this.setInEditor(false);
  }

  /** Nothing that the user has done since it was shown was elsewhere. */
  isStillIn(terminal: vscode.Terminal): boolean {
    return !this.inEditor && this.outsideOfDiffs === terminal;
  }

  /** From a terminal to the tab that the user came from, or to what covers it now, of whatever kind that is. */
  async goToEditor(): Promise<void> {
    this.setInEditor(true);
    if (!(await this.lastTab.show())) {
      this.setInEditor(false);
      return;
    }
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    if (tab && !this.isOurDiff(tab)) {
      this.outsideOfDiffs = contentOf(tab.input)?.uri ?? this.outsideOfDiffs;
    }
  }

  /** Until the next key or click in an editor, if the last one was not just now. */
  leaveEditor(): void {
    if (this.mayHaveLeft) {
      this.setInEditor(false);
    }
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private seenIn(terminal: vscode.Terminal | undefined): void {
    if (terminal) {
      this.outsideOfDiffs = terminal;
      this.setInEditor(false);
    }
  }

  private seenInEditor(uri: vscode.Uri): void {
    const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
    // The left side of a diff of ours is an ordinary file.
    if (tab && !this.isOurDiff(tab)) {
      this.outsideOfDiffs = uri;
      this.seenOutsideAt = performance.now();
    }
    if (this.inEditor) {
      this.seenInEditorAt = performance.now();
    } else {
      this.setInEditor(true);
    }
  }

  private get mayHaveLeft(): boolean {
    return performance.now() - this.seenInEditorAt > noticeTime;
  }

  private setInEditor(inEditor: boolean): void {
    this.inEditor = inEditor;
    this.seenInEditorAt = inEditor ? performance.now() : -Infinity;
    this.changed.fire();
  }
}
