import { Refusal } from './refusal.ts';

/** Lines and columns from 1. */
export interface Problem {
  path: string;
  line: number;
  column: number;
  severity: string;
  message: string;
  source?: string;
  code?: string;
}

export interface ChangedProblem extends Problem {
  change?: 'new' | 'gone';
}

/** Of one client; the oldest is forgotten first. */
const maxMarks = 10;
/** Of one mark. */
const maxProblems = 2_000;

/** What each client was told of problems at some point in time. */
export class Marks {
  private readonly ofClients = new WeakMap<object, Map<number, readonly Problem[]>>();
  private last = 0;

  /** @returns the mark; undefined where there is too much to keep */
  add(client: object, problems: readonly Problem[]): number | undefined {
    if (problems.length > maxProblems) {
      return undefined;
    }
    const kept = this.ofClients.get(client) ?? new Map<number, readonly Problem[]>();
    this.ofClients.set(client, kept.set(++this.last, problems));
    const [oldest] = kept.keys();
    if (kept.size > maxMarks && oldest !== undefined) {
      kept.delete(oldest);
    }
    return this.last;
  }

  /** @throws Refusal for a mark that this client was not given, or that is forgotten */
  get(client: object, mark: number): readonly Problem[] {
    const kept = this.ofClients.get(client)?.get(mark);
    if (!kept) {
      throw new Refusal(
        `There is no mark ${mark}: of each connection the last ${maxMarks} are kept. Ask without since.`,
      );
    }
    return kept;
  }
}

/** A problem that an edit above it has only moved is the same. */
export function problemChanges(
  before: readonly Problem[],
  now: readonly Problem[],
): { come: Problem[]; gone: Problem[] } {
  const unmatched = new Map<string, Problem[]>();
  for (const problem of before) {
    const alike = unmatched.get(identity(problem)) ?? [];
    unmatched.set(identity(problem), [...alike, problem]);
  }
  // First those that have not moved: of two alike it is not the old one that has come.
  const moved = now.filter((problem) => !take(unmatched, problem, (other) => other.line === problem.line));
  const come = moved.filter((problem) => !take(unmatched, problem, () => true));
  return { come, gone: [...unmatched.values()].flat() };
}

function take(
  from: Map<string, Problem[]>,
  problem: Problem,
  fits: (other: Problem) => boolean,
): Problem | undefined {
  const alike = from.get(identity(problem)) ?? [];
  const index = alike.findIndex(fits);
  return index < 0 ? undefined : alike.splice(index, 1)[0];
}

function identity({ path, severity, source, code, message }: Problem): string {
  return JSON.stringify([path, severity, source, code, message]);
}
