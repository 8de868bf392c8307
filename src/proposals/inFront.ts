import * as vscode from 'vscode';

/** ms after which a key can no longer have been meant for what was in front before. */
const keyTime = 1_000;
/** ms within which a key that is held down comes again, as keyboards are set by default. */
export const repeatTime = 700;

/** One stay of something, or of nothing that counts, in front of the user. */
export interface Stay<T> {
  readonly of: T | undefined;
  /** ms, as `performance.now` counts them. */
  readonly since: number;
}

/**
 * What is in front of the user, and whether a key that says yes or no was meant for it: VS Code tells neither since when
 * it is there nor that a key is held. One that comes too soon says nothing, nor does it until it is let go.
 */
export class InFront<T> implements vscode.Disposable {
  private current: Stay<T> = { of: undefined, since: 0 };
  private tooSoon = -repeatTime;
  private readonly subscriptions: vscode.Disposable;

  constructor(private readonly active: () => T | undefined) {
    const look = () => void this.stay;
    this.subscriptions = vscode.Disposable.from(
      vscode.window.tabGroups.onDidChangeTabs(look),
      vscode.window.tabGroups.onDidChangeTabGroups(look),
      vscode.window.onDidChangeActiveTextEditor(look),
    );
  }

  get stay(): Stay<T> {
    const of = this.active();
    if (of !== this.current.of) {
      this.current = { of, since: performance.now() };
    }
    return this.current;
  }

  get isLong(): boolean {
    return performance.now() - this.stay.since >= keyTime;
  }

  /**
   * To be asked once for each key.
   * @param isAimed the user has shown before that they are there
   * @returns whether the key was meant for what is in front
   */
  takesKey(isAimed = false): boolean {
    const now = performance.now();
    const isMeant = isAimed || (this.isLong && now - this.tooSoon >= repeatTime);
    if (!isMeant) {
      this.tooSoon = now;
    }
    return isMeant;
  }

  dispose(): void {
    this.subscriptions.dispose();
  }
}
