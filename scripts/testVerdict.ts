import { readFile } from 'node:fs/promises';
import type { TestResult } from '../test/support/testEnvironment.ts';

export interface Verdict {
  passed: number;
  failed: number;
  /** What went wrong, a line each. */
  messages: string[];
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
      messages: [`The tests left no result: they died, hung or never ran (${how}).`],
    };
  }
  const { passes, failures, failedTitles } = JSON.parse(text) as TestResult;
  const verdict: Verdict = {
    passed: passes,
    failed: failures,
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
