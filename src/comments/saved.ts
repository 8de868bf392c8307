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
  /** The lines as they were when the user wrote about them; of many the first ones. */
  readonly quoted: readonly string[];
  /** SHA-256 of the others, where there are more. */
  readonly rest?: string | undefined;
  readonly isResolved: boolean;
  /** The process of the session that has proposed or changed them, where that was one and is known. */
  readonly author?: number | undefined;
  /** When the user began it, in ms since the epoch: a process that began later is not that author. */
  readonly begun?: number | undefined;
  readonly comments: readonly SavedComment[];
}

/** Their place in the memory of the workspace. */
export const rememberedThreads = 'reviewComments';
