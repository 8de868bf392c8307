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

/**
 * Tells how a run in a VS Code ended. What the tests wrote down counts, since VS Code can end with 0 although its
 * extension host died in the middle.
 * @param ended the error of a VS Code that did not end with 0
 */
export async function judge(resultFile: string, ended: Error | undefined): Promise<Verdict> {
  const text = await readFile(resultFile, 'utf8').catch(() => undefined);
  if (text === undefined) {
    const how = ended?.message ?? 'VS Code ended with exit code 0';
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      messages: [`The tests left no result: they died, hung or never ran (${how}).`],
    };
  }
  const { passes, failures, pending, failedTitles } = JSON.parse(text) as TestResult;
  const verdict: Verdict = {
    passed: passes,
    failed: failures,
    skipped: pending,
    messages: failedTitles.map((title) => `failed: ${title}`),
  };
  if (passes + failures === 0) {
    verdict.failed++;
    verdict.messages.push('No test ran.');
  } else if (ended && failures === 0) {
    verdict.failed++;
    verdict.messages.push(`The tests passed, but VS Code did not end well: ${ended.message}`);
  }
  return verdict;
}
