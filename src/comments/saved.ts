import type { Lines } from './anchor.ts';

/** Over a reload of the window. */
export interface SavedComment {
  readonly text: string;
  /** The review with which it waits for the prompt of its session. */
  readonly review?: string | undefined;
  /** To whom, and when, in ms since the epoch. */
  readonly sent?: { readonly to: string; readonly at: number } | undefined;
}

export interface SavedThread {
  /** Absolute, of the file: also for comments on a proposal, which ends with the window. */
  readonly path: string;
  readonly lines: Lines;
  /** The lines as they were when the user wrote about them. */
  readonly quoted: readonly string[];
  readonly isResolved: boolean;
  readonly comments: readonly SavedComment[];
}

/** Their place in the memory of the workspace. */
export const rememberedThreads = 'reviewComments';
