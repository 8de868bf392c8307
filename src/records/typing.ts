import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionState } from './events.ts';

/**
 * Whether words may be typed into the CLI's terminal: only at its prompt, while it does nothing. `idle` is that: a
 * dialog of its own, such as `/model`, counts as `waiting`, too (seen in 2.1.330).
 */
export function mayType(state: SessionState | undefined): 'now' | 'later' | 'unknown' {
  switch (state?.status) {
    case 'idle':
    case 'shell':
      return 'now';
    case 'working':
    case 'running':
    case 'waiting':
      return 'later';
    case undefined:
      return 'unknown';
  }
}

/**
 * `typed` or perhaps `lost`, as a question has come up at that very moment: nothing more is to be typed.
 * `later`, `unknown` (what it is at), `not reading` (its terminal): nothing was.
 */
export type Typed = 'typed' | 'lost' | 'later' | 'unknown' | 'not reading';

/** A CLI in a terminal. */
export interface Typist {
  /** What it is at, as its record says now. */
  look(): Promise<SessionState | undefined>;
  /** Whether it, and nothing else, gets what is typed there. */
  readsTerminal(): Promise<boolean>;
  /** Without Enter. */
  type(): void;
}

/** ms in which what the record says is on the screen, and the other way round. */
export const redraw = 300;

/** Looks, types, and looks again: the CLI may go on to a question at any moment. */
export async function typeAtPrompt(
  cli: Typist,
  pause: (ms: number) => Promise<unknown> = sleep,
): Promise<Typed> {
  const before = mayType(await cli.look());
  if (before !== 'now') {
    return before;
  }
  await pause(redraw);
  if (!(await cli.readsTerminal())) {
    return 'not reading';
  }
  const now = mayType(await cli.look());
  if (now !== 'now') {
    return now;
  }
  cli.type();
  await pause(redraw);
  return (await cli.look())?.status === 'waiting' ? 'lost' : 'typed';
}
