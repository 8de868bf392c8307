import * as vscode from 'vscode';
import type { Session } from '../server/session.ts';
import { isNoTerminal, LastTab, nameOf } from './lastTab.ts';
import { allTabs, contentOf } from './tabContent.ts';

interface Terminals {
  terminalOf(session: Session): vscode.Terminal | undefined;
}

/** ms within which it is told that a prompt was sent: the user may have gone back to an editor since. */
const noticeTime = 1_000;

/** ms after which a tab that has given way to another one by closing is gone. */
const closingTime = 100;

/** Outside of our diffs. */
type Place = vscode.Terminal | vscode.Uri | 'chat';

/**
 * Where the user is. VS Code does not tell what has the focus, so the last place counts that showed a sign of the user:
 * a prompt from a terminal or the chat, a terminal that was shown, a key or a click in an editor, another tab in front.
 */
export class UserPlace implements vscode.Disposable {
  private outsideOfDiffs: Place | undefined;
  private inEditor = false;
  private seenInEditorAt = -Infinity;
  private seenOutsideAt = -Infinity;
  private readonly lastTab = new LastTab(() => this.look());
  private inFront = activeTab();
  private timer: ReturnType<typeof setTimeout> | undefined;
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
      vscode.window.onDidChangeActiveTerminal((terminal) => {
        if (terminal && terminal !== this.outsideOfDiffs) {
          this.seenOutsideAt = performance.now(); // they have gone on by themselves
        }
        this.seenIn(terminal);
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

  /** Whether an editor outside of our diffs had a key or a click, or another terminal was shown, since then, in ms as `performance.now` counts. */
  wasSeenOutside(since: number): boolean {
    return this.seenOutsideAt > since;
  }

  /** Of a terminal that was the active one before, in a closed panel perhaps, VS Code tells nothing. */
  show(terminal: vscode.Terminal): void {
    terminal.show();
    this.seenIn(terminal);
  }

  /** The user has sent a prompt to it, or answered what it asks in its terminal. */
  prompted(session: Session): void {
    // They may have gone back to an editor since.
    if (performance.now() - this.seenInEditorAt > noticeTime) {
      this.setInEditor(false); // also for a terminal that is not of this window
      this.seenIn(this.terminals.terminalOf(session));
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
    const { showTab } = await import('./showTab.ts');
    if (await showTab(this.lastTab.name)) {
      this.noteOutside();
    } else {
      this.setInEditor(false);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscriptions.dispose();
  }

  private seenIn(terminal: vscode.Terminal | undefined): void {
    if (terminal) {
      this.outsideOfDiffs = terminal;
      this.setInEditor(false);
    }
  }

  /** Who goes to another tab, by its name or the mouse, is in it before the first key there. */
  private look(): void {
    const [before, now] = [this.inFront, activeTab()];
    this.inFront = now;
    if (!now && this.inEditor) {
      this.setInEditor(false);
    }
    // What comes where nothing was in front may be a file that was accepted, which we leave open.
    const name = before && nameOf(before);
    if (!before || !isNoTerminal(now) || this.isOurDiff(now) || nameOf(now) === name) {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const hasGivenWay = this.isOurDiff(before) && !allTabs().some((tab) => nameOf(tab) === name);
      if (this.inFront === now && !hasGivenWay) {
        this.seenInEditor();
      }
    }, closingTime);
  }

  /** @param uri where a key or a click was; else they have gone there, for which a prompt told later is a later sign */
  private seenInEditor(uri?: vscode.Uri): void {
    if (this.noteOutside(uri)) {
      this.seenOutsideAt = performance.now();
    }
    const at = uri ? performance.now() : this.seenInEditorAt;
    if (this.inEditor) {
      this.seenInEditorAt = at;
    } else {
      this.setInEditor(true, at);
    }
  }

  /** @param uri by default that of the tab in front @returns whether the user is outside of our diffs */
  private noteOutside(uri?: vscode.Uri): boolean {
    const tab = activeTab();
    // The left side of a diff of ours is an ordinary file.
    const isOutside = tab !== undefined && !this.isOurDiff(tab);
    if (isOutside) {
      this.outsideOfDiffs = uri ?? contentOf(tab.input)?.uri ?? this.outsideOfDiffs;
    }
    return isOutside;
  }

  private setInEditor(inEditor: boolean, at = performance.now()): void {
    clearTimeout(this.timer); // they have gone on since
    this.inEditor = inEditor;
    this.seenInEditorAt = inEditor ? at : -Infinity;
    this.changed.fire();
  }
}

function activeTab(): vscode.Tab | undefined {
  return vscode.window.tabGroups.activeTabGroup.activeTab;
}
