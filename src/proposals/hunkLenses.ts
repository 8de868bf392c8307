import * as vscode from 'vscode';
import type { Hunks, ProposalHunk } from './hunks.ts';
import type { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';
import { proposalScheme } from '../editor/schemes.ts';
import { commandIds } from '../editor/commandIds.ts';

/** A setting of the editor: whether a diff leaves out what differs only at the ends of lines. */
const hidesWhitespace = 'diffEditor.ignoreTrimWhitespace';

/** The decisions that can be made inside a diff: at each hunk, and about the file at the first one. */
export class HunkLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;

  readonly onDidChangeCodeLenses = this.changed.event;

  constructor(
    private readonly proposals: Proposals,
    private readonly hunks: Hunks,
  ) {
    const look = () => this.changed.fire();
    this.subscriptions = vscode.Disposable.from(
      vscode.languages.registerCodeLensProvider({ scheme: proposalScheme }, this),
      hunks.onDidChange(look),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(hidesWhitespace)) {
          look();
        }
      }),
      proposals.onDidChange(look),
    );
  }

  async provideCodeLenses({ uri }: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const proposal = this.proposals.find(uri);
    if (!proposal) {
      return [];
    }
    proposal.base.look(); // nobody tells of what is outside of the workspace
    // A new file is decided as a whole.
    const isText = proposal.target === 'text file';
    const hunks = isText ? await this.hunks.of(proposal) : [];
    if (!this.proposals.find(uri)) {
      return []; // decided while the hunks were looked for
    }
    const [first = [], ...others] =
      hunks.length > 1 ? hunks.map((hunk, index) => hunkLenses(uri, hunk, index, hunks.length)) : [];
    const note = isText && hunks.length === 0 ? [lens(0, 'No line differs')] : this.hiddenNote(proposal);
    // With the first hunk, as the lines above it may be folded away; at the top where the diff shows none.
    const line = note.length > 0 ? 0 : (hunks[0]?.line ?? 0);
    const warned = warnings(proposal, line);
    // Beside a warning a narrow diff has no room for more than a word: those of a hunk are called otherwise.
    const what = hunks.length > 1 && warned.length === 0 ? ' File' : '';
    return [
      ...warned, // first, as a narrow diff cuts off what comes last
      ...note,
      ...first.slice(0, 2),
      ...fileLenses(proposal, line, what),
      ...first.slice(2), // comment and place, which decide nothing
      ...onlyHunkLenses(uri, hunks),
      ...others.flat(),
    ];
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.changed.dispose();
  }

  private hiddenNote(proposal: Proposal): vscode.CodeLens[] {
    const isHidden = vscode.workspace.getConfiguration(undefined, proposal.uri).get(hidesWhitespace);
    return this.hunks.isOnlyWhitespace(proposal) && isHidden
      ? [lens(0, '$(whitespace) Only whitespace differs')] // the editor offers to show it
      : [];
  }
}

/** @param what they are about, where there are others: a narrow diff has room for two words */
function fileLenses({ uri }: Proposal, line: number, what: string): vscode.CodeLens[] {
  return [
    lens(line, `$(check) Accept${what}`, commandIds.acceptProposal, uri),
    lens(line, `$(discard) Reject${what}`, commandIds.rejectProposal, uri),
  ];
}

function warnings({ uri, isOverUnsavedChanges, base, canMerge }: Proposal, line: number): vscode.CodeLens[] {
  if (isOverUnsavedChanges) {
    return [lens(line, '$(warning) Unsaved'), lens(line, 'Save', commandIds.saveBeforeReview, uri)];
  }
  return base.isOutdated
    ? [
        lens(line, '$(warning) Older text'),
        ...(canMerge ? [lens(line, 'Merge', commandIds.mergeProposal, uri)] : []),
      ]
    : [];
}

function hunkLenses(uri: vscode.Uri, hunk: ProposalHunk, index: number, count: number): vscode.CodeLens[] {
  const { line, isKept } = hunk;
  const place = index + 1;
  return [
    isKept ? keptLens(line) : lens(line, '$(check) Keep', commandIds.keepHunk, uri, line),
    lens(line, '$(discard) Drop', commandIds.dropHunk, uri, line),
    commentLens(uri, hunk),
    lensOf(line, { title: `${place}/${count}`, tooltip: `Change ${place} of ${count}`, command: '' }),
  ];
}

/** What stands beside those of the file, which decide on the only hunk as well: a narrow diff has no room for both. */
function onlyHunkLenses(uri: vscode.Uri, [hunk, ...others]: readonly ProposalHunk[]): vscode.CodeLens[] {
  if (!hunk || others.length > 0) {
    return [];
  }
  return [...(hunk.isKept ? [keptLens(hunk.line)] : []), commentLens(uri, hunk)];
}

function keptLens(line: number): vscode.CodeLens {
  return lens(line, '$(check) Kept');
}

function commentLens(uri: vscode.Uri, { line, nowEnd }: ProposalHunk): vscode.CodeLens {
  return lens(line, '$(comment) Comment', commandIds.commentOnLines, uri, line, Math.max(line, nowEnd - 1));
}

/** Without a command it is plain text. */
function lens(line: number, title: string, command = '', ...args: unknown[]): vscode.CodeLens {
  return lensOf(line, { title, command, arguments: args });
}

function lensOf(line: number, command: vscode.Command): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command);
}
