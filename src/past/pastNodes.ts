import type { PastSession } from '../records/pastSessions.ts';

/** A conversation that was, and for which no other row stands. */
export interface PastRow {
  readonly past: 'session';
  readonly id: string;
  readonly session: PastSession;
  /** Of the CLI that has it open elsewhere, as in another window. */
  readonly pid: number | undefined;
}

/** A row of what was held before, or `run`: what is offered above it while no session is connected. */
export type PastNode =
  | { readonly past: 'run'; readonly id: string }
  | { readonly past: 'group'; readonly id: string; readonly isOfAll: boolean }
  | PastRow
  | { readonly past: 'more'; readonly id: string; readonly left: number }
  | { readonly past: 'note'; readonly id: string; readonly words: string };

/** @param row what a menu or a key gives a command */
export function isPastRow(row: unknown): row is PastRow {
  return (row as PastRow | undefined)?.past === 'session';
}
