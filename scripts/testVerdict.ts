import { readFile } from 'node:fs/promises';
import type { TestResult } from '../test/support/testEnvironment.ts';

export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

export interface Verdict extends Counts {
  /** What went wrong, a line each. */
  messages: string[];
}

/** The line that .ci/run adds up. */
export function summary({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** A VS Code that has run tests. */
export interface Run {
  resultFile: string;
  /** The error of one that did not end with 0. */
  ended: Error | undefined;
}

/**
 * Tells how a run in one VS Code or several ended. What the tests wrote down counts, since VS Code can end with 0
 * although its extension host died in the middle.
 */
export async function judge(runs: readonly Run[]): Promise<Verdict> {
  const verdict: Verdict = { passed: 0, failed: 0, skipped: 0, messages: [] };
  const fault = (message: string) => {
    verdict.failed++;
    verdict.messages.push(message);
  };
  for (const { resultFile, ended } of runs) {
    const text = await readFile(resultFile, 'utf8').catch(() => undefined);
    if (text === undefined) {
      const how = ended?.message ?? 'VS Code ended with exit code 0';
      fault(`The tests left no result: they died, hung or never ran (${how}).`);
      continue;
    }
    const { passes, failures, pending, faults } = JSON.parse(text) as TestResult;
    verdict.passed += passes;
    verdict.failed += failures;
    verdict.skipped += pending;
    verdict.messages.push(...faults.map((fault) => `failed: ${fault}`));
    if (ended && failures === 0) fault(`The tests passed, but VS Code did not end well: ${ended.message}`);
  }
  if (verdict.passed + verdict.failed === 0) fault('No test ran.');
  return verdict;
}
