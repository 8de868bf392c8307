import { setTimeout as delay } from 'node:timers/promises';
import { openDocument } from '../editor/documents.ts';
import type { Outcome } from '../tools/openDiff.ts';
import type { BaseFile } from './baseFile.ts';
import { type KeptVersions, languageOf } from './keptVersions.ts';
import { linesOf } from './merge.ts';
import type { Proposal } from './proposal.ts';

/** ms in which the CLI is expected to have written what it was told. */
const patience = 10_000;
const pause = 100;

/**
 * Gives the user back what they have written in a proposal for a file that has changed since, unless the file has it once
 * that `outcome` is told: CLI 2.1 may refuse it, and tells that nobody but the model.
 * @param text what the diff shows
 */
export async function giveUnlessWritten(
  proposal: Proposal,
  text: string,
  outcome: Outcome,
  versions: KeptVersions,
): Promise<void> {
  const { uri, base } = proposal;
  const language = languageOf(uri);
  const own = proposal.ownLines(text, openDocument(proposal.original)?.getText() ?? '');
  if (own.length > 0 && (await proposal.outcome.promise) === outcome) {
    versions.keep(uri, text);
    if (!(await isWritten(base, own))) {
      await versions.give(uri, text, { language, why: 'not written' });
    }
    versions.forget(uri);
  }
}

/** Looks again and again, as a hook may change at once what the CLI has written. */
async function isWritten(base: BaseFile, own: readonly string[]): Promise<boolean> {
  const deadline = Date.now() + patience;
  const isThere = () => {
    base.look();
    const there = new Set(linesOf(base.now));
    return own.every((line) => there.has(line));
  };
  while (!isThere()) {
    if (Date.now() > deadline) {
      return false;
    }
    await delay(pause);
  }
  return true;
}
