import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import { printable } from '../base/printable.ts';
import { bom, withLf } from '../base/text.ts';
import type { Proposer } from '../server/proposer.ts';
import type { Outcome, ProposalRequest } from '../tools/openDiff.ts';
import { openDocument, openNotebook } from '../editor/documents.ts';
import type { BaseFile } from './baseFile.ts';
import type { Target } from './proposalTarget.ts';

const kinds: Record<Target, string> = {
  'text file': 'proposed edit',
  'new file': 'proposed new file',
  other: 'proposed text',
};

/** One `openDiff` under review: the two sides of its diff, and an outcome that settles once. */
export class Proposal {
  readonly outcome = new Deferred<Outcome>();
  readonly session: Proposer;
  readonly tabName: string;
  readonly filePath: string;
  readonly proposedText: string;
  /** Of the proposed text, and of what decisions about its changes have made of it. */
  private readonly unwritten: Set<string>;

  constructor(
    { session, tabName, filePath, proposedText }: ProposalRequest,
    readonly target: Target,
    /** The file itself; an empty one of ours where there is none, or none that a text editor shows. */
    readonly original: vscode.Uri,
    /** The proposed side of the diff. */
    readonly uri: vscode.Uri,
    /** The file on disk. */
    readonly base: BaseFile,
  ) {
    this.session = session;
    this.tabName = tabName;
    this.filePath = filePath;
    this.proposedText = proposedText;
    this.unwritten = new Set([digest(proposedText)]);
  }

  /** Fit to be shown. */
  get fileName(): string {
    return printable(basename(this.filePath));
  }

  /** @param ofSession whether to name the session, because there are several */
  title(ofSession: boolean): string {
    return `${this.fileName} (${kinds[this.target]}${ofSession ? `, ${this.session.label}` : ''})`;
  }

  /** Not for the editor's notebook diff, which fails if one side is neither empty nor a notebook. */
  get isText(): boolean {
    const sides = [this.proposedText, openDocument(this.original)?.getText() ?? ''];
    return !this.filePath.endsWith('.ipynb') || sides.some((text) => text.trim() !== '' && !isJson(text));
  }

  /** Whether it can be made for the file as it is now. */
  get canMerge(): boolean {
    return this.target === 'text file' && this.isText && this.base.now !== undefined;
  }

  /** What the proposed side held at first. */
  get shownFirst(): string {
    return asShown(this.proposedText);
  }

  /** Whether the editor holds changes to the file that the agent has not seen. */
  get isOverUnsavedChanges(): boolean {
    return [openDocument(this.original), openNotebook(this.original)].some((open) => open?.isDirty);
  }

  /**
   * What to answer when the proposed side holds `text`. The line ends are LF, as the CLI wants them; a text that
   * was not edited goes back as it came, with everything that an editor makes uniform.
   */
  finalText(text: string): string {
    const mark = this.proposedText.startsWith(bom) ? bom : '';
    return this.isEdited(text) ? mark + withLf(text) : this.proposedText;
  }

  /** Whether `text` is more than what an editor makes of the proposed one. */
  isEdited(text: string): boolean {
    return asShown(text) !== this.shownFirst;
  }

  /** A change was dropped, or all were merged with what is newer in the file, which made `to` of `from`. */
  follow(from: string, to: string): void {
    if (this.unwritten.has(digest(from))) {
      this.unwritten.add(digest(to));
    }
  }

  /** Whether `text` is the user's: neither of decisions alone nor what the file itself holds. */
  isWritten(text: string, original: string): boolean {
    return !this.unwritten.has(digest(text)) && digest(text) !== digest(original);
  }
}

/** What an editor makes of a text: no byte order marks, no half surrogate pairs, one kind of line end, no unusual ones. */
export function asShown(text: string): string {
  return withLf(Buffer.from(text.replace(/^\uFEFF+|[\u2028\u2029]/g, '')).toString());
}

/** The editor may end a text with a line end as it saves it. */
function digest(text: string): string {
  return createHash('sha1').update(asShown(text).trimEnd()).digest('base64');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
