import { access as mayBe, constants, readFile, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import { counted, withLf } from '../base/text.ts';
import { openDocument } from '../editor/documents.ts';
import { asOpened } from '../editor/workspaceFolders.ts';
import { Proposer } from '../server/proposer.ts';
import type { Session, ToolCall } from '../server/session.ts';
import type { ProposalReviewer } from '../tools/openDiff.ts';
import type { EditListener } from '../tools/getDiagnostics.ts';
import type { Access } from './access.ts';
import { clientName } from './clientName.ts';
import { bytesLike } from './fileBytes.ts';
import { keepTelling } from './keepTelling.ts';
import { onOneLine } from './onOneLine.ts';
import type { Found } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import { shownName } from './sourceLines.ts';
import type { FileEdit } from './workspaceEdits.ts';

/** What is told of an edit that was accepted, so that Agent Changes takes it as reviewed. */
export interface EditsByAgents {
  readonly edits: EditListener;
  readonly review: {
    didAccept(author: Proposer, path: string, text: string): void;
    didCall(author: Proposer): void;
    takeAccepted(path: string): void;
  };
  readonly changes: { refresh(): Promise<void> };
}

export const editOutput = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      outcome: z.enum(['accepted', 'acceptedWithChanges', 'rejected']),
      reason: z.optional(z.string()),
    }),
  ),
});
type Result = z.infer<typeof editOutput>['files'][number];

/** Far below those of the agents in the chat. */
let lastId = -1_000_000;

/** Who is no session of the bridge, as the author of proposals and edits, which are written here. */
export class ProposingAuthor extends Proposer {
  readonly id = --lastId;
  override readonly isAlwaysNamed = true;
  readonly pid = undefined;
  /** Not that of the CLI, which writes what is accepted by itself: here we do. */
  readonly clientInfo = undefined;

  constructor(readonly label: string) {
    super();
  }
}

/** A review has ended before the user has decided. */
export class Undecided extends Refusal {}

interface Decided {
  readonly edit: FileEdit;
  /** By which the editor knows the file. */
  readonly path: string;
  /** What the file is to be; undefined: rejected. */
  readonly text: string | undefined;
  /** Of a rejection. */
  readonly reason: string | undefined;
  /** The file when that was decided. */
  readonly seen: Buffer | undefined;
}

/** Puts edits of clients to the user, and writes what was accepted. */
export class ReviewedEdits {
  private readonly clients = new WeakMap<Session, ProposingAuthor>();

  constructor(
    private readonly proposals: ProposalReviewer,
    private readonly byAgents: EditsByAgents,
  ) {}

  /**
   * Shows a proposal for each file, all at once, and waits until each is decided. Nothing is written before the last of
   * them is: where the call is cancelled, the client goes, or one review ends without a decision, the others are
   * withdrawn and no file has changed. Then each file that is to be written is looked at, and if one is no longer as it
   * was when the user decided, or cannot be written, none is. Only then they are written, one after the other.
   * @throws Refusal that says why nothing was written, or which files were before one could not be
   */
  async review(edits: readonly FileEdit[], { session, signal, tellProgress }: ToolCall): Promise<Result[]> {
    const client = this.authorOf(session);
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    let decided: Decided[];
    const waiting = keepTelling(tellProgress);
    try {
      decided = await Promise.all(edits.map((edit) => this.decide(edit, client, either)));
    } catch (error) {
      over.abort();
      throw error;
    } finally {
      waiting.dispose();
    }
    signal.throwIfAborted();
    return this.write(decided, client);
  }

  /** As whom the user sees a client. */
  authorOf(session: Session): ProposingAuthor {
    const author =
      this.clients.get(session) ?? new ProposingAuthor(`${clientName(session)} by the editor tools`);
    this.clients.set(session, author);
    return author;
  }

  /**
   * The same for one file.
   * @returns with the text that was written, with LF line ends
   * @throws Undecided; Refusal that says why it was not written
   */
  async reviewOne(
    edit: FileEdit,
    author: ProposingAuthor,
    signal: AbortSignal,
  ): Promise<Omit<Result, 'path'> & { text?: string }> {
    const decided = await this.decide(edit, author, signal);
    const [result] = await this.write([decided], author);
    const { text } = decided;
    return { outcome: 'rejected', ...result, ...(text !== undefined && { text }) };
  }

  private async decide(edit: FileEdit, client: ProposingAuthor, signal: AbortSignal): Promise<Decided> {
    const path = asOpened(edit.uri.fsPath);
    const outcome = await this.proposals.review(
      { session: client, tabName: path, filePath: path, proposedText: edit.after },
      signal,
    );
    if (outcome.kind === 'accepted') {
      return { edit, path, text: withLf(outcome.finalText), reason: undefined, seen: bytesNow(path) };
    }
    if (outcome.kind === 'rejected') {
      return { edit, path, text: undefined, reason: outcome.reason, seen: undefined };
    }
    throw new Undecided(
      `The review of ${shownName(path)} has ended without a decision. Nothing was written.`,
    );
  }

  /** See `review`. */
  private async write(decided: readonly Decided[], client: ProposingAuthor): Promise<Result[]> {
    for (const { path, seen, text } of decided) {
      if (text !== undefined) {
        await mustBeAsSeen(path, seen);
      }
    }
    const { edits, review, changes } = this.byAgents;
    const results: Result[] = [];
    for (const { path, seen, text, edit, reason } of decided) {
      if (text === undefined || !seen) {
        results.push({ path, outcome: 'rejected', ...(reason && { reason: onOneLine(reason, 2_000) }) });
        continue;
      }
      if (text === edit.before) {
        results.push({ path, outcome: 'rejected', reason: 'The user has taken back all of this edit' });
        continue;
      }
      review.didAccept(client, path, text);
      edits.willEdit(client, path);
      try {
        await writeFile(path, bytesLike(seen, text));
      } catch (error) {
        const written = results
          .filter(({ outcome }) => outcome !== 'rejected')
          .map((each) => shownName(each.path));
        throw new Refusal(
          `${shownName(path)} could not be written: ${onOneLine(errorMessage(error))}. ${written.length > 0 ? `Written before: ${written.join(', ')}.` : 'Nothing was written.'}`,
        );
      }
      review.didCall(client);
      review.takeAccepted(path);
      results.push({ path, outcome: text === edit.after ? 'accepted' : 'acceptedWithChanges' });
    }
    void changes.refresh();
    return results;
  }
}

/**
 * What a client is told of a review: without the files that the user has excluded from sharing since.
 * @param what is done, as in "Renamed"
 */
export async function tellOf(
  results: readonly Result[],
  what: string,
  access: Access,
): Promise<Found<z.infer<typeof editOutput>>> {
  const accepted = results.filter(({ outcome }) => outcome !== 'rejected').length;
  const words = {
    accepted: 'accepted as proposed',
    acceptedWithChanges: 'accepted with changes by the user: read it',
    rejected: 'rejected',
  };
  const { items, withheld } = await access.shared(results, ({ path }) => vscode.Uri.file(path));
  return {
    text: [
      accepted === 0
        ? 'The user has rejected this: nothing was written.'
        : `${what}; ${counted(accepted, 'file')} written${accepted < results.length ? `, ${results.length - accepted} not` : ''}.`,
      ...items.map(
        ({ path, outcome, reason }) =>
          `${shownName(path)}  ${words[outcome]}${reason === undefined ? '' : `: ${reason}`}`,
      ),
      ...(withheld > 0 ? [`${withheld} of them not shared by the settings of this editor.`] : []),
    ].join('\n'),
    data: { files: items },
  };
}

function bytesNow(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // deleted meanwhile
  }
}

async function mustBeAsSeen(path: string, seen: Buffer | undefined): Promise<void> {
  const now = await readFile(path).catch(() => undefined);
  if (!seen || !now?.equals(seen)) {
    throw new Refusal(
      `${shownName(path)} has changed since the user has decided about it. Nothing was written: ask again.`,
    );
  }
  if (openDocument(vscode.Uri.file(path))?.isDirty) {
    throw new Refusal(
      `${shownName(path)} has unsaved changes by now. Nothing was written: they have to be saved first.`,
    );
  }
  try {
    await mayBe(path, constants.W_OK);
  } catch {
    throw new Refusal(`${shownName(path)} may not be written. Nothing was written.`);
  }
}
