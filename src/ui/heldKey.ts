import type * as vscode from 'vscode';
import { setContext } from '../editor/setContext.ts';
import { repeatTime } from '../proposals/inFront.ts';

/**
 * Swallows a key of ours that is still down when what it has decided is gone: it would write into the file, or press
 * Enter in the terminal, to which the focus returns.
 */
export class HeldKey implements vscode.Disposable {
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** To be called for each press, and each time that it comes again. @returns whether it may be that */
  press(): boolean {
    const isHeld = this.timer !== undefined;
    if (!isHeld) {
      tell(true);
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.dispose(), repeatTime);
    return isHeld;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    tell(false);
  }
}

function tell(isHeld: boolean): void {
  setContext('ideBridge.keyIsHeld', isHeld);
}
