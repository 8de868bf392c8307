import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { withLf } from '../base/text.ts';
import { openDocument } from '../editor/documents.ts';
import { Session } from '../server/session.ts';
import type { Outcome } from '../tools/openDiff.ts';
import type { BaseFile } from './baseFile.ts';
import { type KeptVersions, languageOf } from './keptVersions.ts';
import { linesOf } from './merge.ts';
import { asShown, type Proposal } from './proposal.ts';

/** ms in which the CLI is expected to have written what it was told. */
const patience = 10_000;
const pause = 100;

/**
 * Gives the user back what they have written in a proposal for a file that has changed since, unless the file has it once
 * that `outcome` is told: CLI 2.1 may refuse it, and tells that nobody but the model. Where they have written nothing, says so.
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
  const before = textOf(base);
  // The editor may not have read yet what is newer in the file.
  const known = `${openDocument(proposal.original)?.getText() ?? ''}\n${before}`;
  const own = ownLines(proposal, text, known);
  if ((await proposal.outcome.promise) !== outcome) {
    return;
  }
  if (own.length > 0) {
    versions.keep(uri, text);
    if (!(await becomes(base, (now) => own.every((line) => now.has(line))))) {
      await versions.give(uri, text, { language, why: 'not written' });
    }
    versions.forget(uri);
  } else if (withLf(text) !== before && !(await becomes(base, () => textOf(base) !== before))) {
    sayNotWritten(proposal);
  }
}

/** Those that the user has written there: dropping changes is no writing. */
function ownLines({ shownFirst }: Proposal, text: string, original: string): string[] {
  const known = new Set([asShown(original), shownFirst].flatMap((side) => side.split('\n')));
  return asShown(text)
    .split('\n')
    .filter((line) => !known.has(line));
}

function sayNotWritten({ fileName, session }: Proposal): void {
  // A chat shows by itself what became of an edit; of a session that has gone nobody waits for it.
  if (session instanceof Session && session.isOpen) {
    void vscode.window.showWarningMessage(
      `${fileName} was not written: Claude Code refuses an edit of lines that have changed since it read the file. It has been told to read them anew.`,
    );
  }
}

function textOf(base: BaseFile): string {
  return linesOf(base.now).join('\n');
}

/** Looks again and again, as a hook may change at once what the CLI has written. */
async function becomes(base: BaseFile, isWritten: (now: ReadonlySet<string>) => boolean): Promise<boolean> {
  const deadline = Date.now() + patience;
  const isThere = () => {
    base.look();
    return isWritten(new Set(linesOf(base.now)));
  };
  while (!isThere()) {
    if (Date.now() > deadline) {
      return false;
    }
    await delay(pause);
  }
  return true;
}
