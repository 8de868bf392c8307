import type * as vscode from 'vscode';

/** What the user may want next. */
export type NextStep = 'goOn' | 'review';

/** What an answer remembers, also over a reload of the window. */
export interface AnswerMetadata {
  /** With which its thread goes on. */
  readonly sessionId?: string;
  readonly next?: readonly NextStep[];
}

/** None of them agrees to anything: whatever needs the user's permission is asked again. */
const followups: Readonly<Record<NextStep, vscode.ChatFollowup>> = {
  goOn: { label: 'Go on', prompt: 'Go on where you have stopped.' },
  review: { label: 'Review the changes', prompt: '', command: 'review' },
};

export function followupsOf({ metadata }: vscode.ChatResult): vscode.ChatFollowup[] {
  return ((metadata as AnswerMetadata | undefined)?.next ?? []).map((step) => followups[step]);
}
