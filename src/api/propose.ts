import { readFile, stat } from 'node:fs/promises';
import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { ProposalOutcome } from '../../api/ideBridge.d.ts';
import { Queue } from '../base/queue.ts';
import { withLf } from '../base/text.ts';
import { openDocument, openNotebook } from '../editor/documents.ts';
import { Access } from '../editorTools/access.ts';
import { textOf } from '../editorTools/fileBytes.ts';
import { Refusal } from '../editorTools/refusal.ts';
import {
  type EditsByAgents,
  ProposingAuthor,
  ReviewedEdits,
  Undecided,
} from '../editorTools/reviewedEdits.ts';
import type { FileEdit } from '../editorTools/workspaceEdits.ts';
import type { Sharing } from '../sharing/sharing.ts';
import type { ProposalReviewer } from '../tools/openDiff.ts';
import { ApiError, checked } from './apiError.ts';
import type { Caller } from './apis.ts';
import { cancellationToken, uriOfFile, words } from './arguments.ts';

export interface ProposePorts {
  readonly proposals: ProposalReviewer;
  readonly agentChanges: EditsByAgents;
  readonly sharing: Sharing;
}

/** Of the text in UTF-16 units, of the file in bytes. */
const maxText = 10 * 1024 * 1024;
/** Under review at the same time: each is a diff that the user has to look at. */
const maxOpen = 50;

const proposalInput = z.object({
  uri: uriOfFile,
  newText: z.string().check(z.maxLength(maxText)),
  title: z.optional(words(60)),
});

/** The proposals of one extension. */
export class ExtensionProposals {
  private readonly reviewed: ReviewedEdits;
  private readonly access: Access;
  /** By their titles: the view *Review* has a row for each. */
  private readonly authors = new Map<string, ProposingAuthor>();
  private open = 0;
  /** Files are read one after the other: of two proposals for one file it is the second that takes the other's place. */
  private readonly reading = new Queue();

  constructor(
    { proposals, agentChanges, sharing }: ProposePorts,
    private readonly caller: Caller,
  ) {
    this.reviewed = new ReviewedEdits(proposals, agentChanges);
    this.access = new Access(sharing);
  }

  /** See `IdeBridgeApi`. */
  async propose(input: unknown, givenToken: unknown): Promise<ProposalOutcome> {
    const { uri, newText, title } = checked('A proposal', proposalInput, input);
    const token = checked('The token of a proposal', z.optional(cancellationToken), givenToken);
    if (this.open >= maxOpen) {
      throw new ApiError(
        'Failed',
        `${maxOpen} proposals of this extension are open: the user has to decide first.`,
      );
    }
    this.open++;
    try {
      const edit = await this.reading.run(() => this.editOf(uri, newText));
      return edit.before === edit.after
        ? { accepted: true, text: edit.after }
        : await this.review(edit, this.authorOf(title), token);
    } finally {
      this.open--;
    }
  }

  private async review(
    edit: FileEdit,
    author: ProposingAuthor,
    token: vscode.CancellationToken | undefined,
  ): Promise<ProposalOutcome> {
    const cancelled = new AbortController();
    const listener = token?.onCancellationRequested(() => cancelled.abort());
    if (token?.isCancellationRequested) {
      cancelled.abort();
    }
    try {
      const { outcome, reason, text } = await this.reviewed.reviewOne(edit, author, cancelled.signal);
      return outcome === 'rejected' || text === undefined
        ? { accepted: false, withdrawn: false, ...(reason !== undefined && { reason }) }
        : { accepted: true, text };
    } catch (error) {
      if (error instanceof Undecided) {
        return { accepted: false, withdrawn: true };
      }
      throw error instanceof Refusal ? new ApiError('Failed', error.message) : error;
    } finally {
      listener?.dispose();
    }
  }

  private authorOf(title = ''): ProposingAuthor {
    const label = `extension ${this.caller.name}${title && `: ${title}`}`;
    const author = this.authors.get(title) ?? new ProposingAuthor(label);
    this.authors.set(title, author);
    return author;
  }

  /** @throws ApiError where it cannot be proposed so that it can be written */
  private async editOf(uri: vscode.Uri, newText: string): Promise<FileEdit> {
    if (!(await this.access.isInside(uri))) {
      throw new ApiError(
        'InvalidArgument',
        'A proposal: there is no such file in the workspace folders, or a link leads out of them.',
      );
    }
    if (openDocument(uri)?.isDirty || openNotebook(uri)?.isDirty) {
      throw new ApiError('Failed', 'The file has unsaved changes: they have to be saved first.');
    }
    const before = textOf(await contentOf(uri));
    if (before === undefined) {
      throw new ApiError('Failed', 'The file is not encoded in UTF-8, which is all that is written.');
    }
    return { uri, before, after: withLf(newText) };
  }
}

/** @throws ApiError */
async function contentOf({ fsPath }: vscode.Uri): Promise<Buffer> {
  const cannotBeRead = () => new ApiError('Failed', 'The file cannot be read.');
  const found = await stat(fsPath).catch(() => {
    throw cannotBeRead(); // gone meanwhile
  });
  if (!found.isFile()) {
    throw new ApiError('InvalidArgument', 'A proposal: this is no file.'); // to read a pipe would never end
  }
  if (found.size > maxText) {
    throw new ApiError('Failed', 'The file is too large.');
  }
  return readFile(fsPath).catch(() => {
    throw cannotBeRead();
  });
}
