import type fc from 'fast-check';
import { testEnvironment } from '../support/testEnvironment.ts';

export interface Sequences {
  /** Of one area. */
  readonly count: number;
  /** ms */
  readonly timeout: number;
  readonly parameters: { numRuns: number; seed?: number; endOnFailure?: boolean };
}

/**
 * The same few in every run, so that what they find was changed by the commit that is tested. With
 * IDE_BRIDGE_TEST_SEQUENCES, as many others, and the shortest one that fails.
 */
export function sequences(): Sequences {
  const count = Number(process.env[testEnvironment.sequences] ?? 0);
  return count > 0
    ? { count, timeout: 1_800_000, parameters: { numRuns: count, endOnFailure: false } }
    : { count: 25, timeout: 150_000, parameters: { numRuns: 25, seed: 12, endOnFailure: true } };
}

/** One thing that happens: `canHappen` as the model is, `run` in the window and in the model. */
export function step<Model extends object, Real>(
  name: string,
  canHappen: (model: Readonly<Model>) => boolean,
  run: (model: Model, real: Real) => Promise<void>,
): fc.AsyncCommand<Model, Real> {
  return { check: canHappen, run, toString: () => name };
}
