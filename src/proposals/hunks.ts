import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { diffLines, type Hunk } from '../base/lineDiff.ts';
import { Throttle } from '../base/throttle.ts';
import { isSame, linesIn, openDocument } from '../editor/documents.ts';
import type { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';
import { watchWorkspaceFiles } from '../editor/workspaceFiles.ts';

/** A part of a proposal that can be decided by itself. Lines are 0-based, ends exclusive. */
export interface ProposalHunk extends Hunk {
  /** The line of the proposed side at which it is shown: where lines were only removed, the one after them. */
  readonly line: number;
  /** The user has said that it shall stay. */
  readonly isKept: boolean;
}

interface Compared {
  readonly key: string;
  readonly hunks: Hunk[];
  readonly isOnlyWhitespace: boolean;
}

/** The hunks of each proposal, as its two sides are now. */
export class Hunks implements vscode.Disposable {
  private readonly compared = new WeakMap<Proposal, Compared>();
  private readonly kept = new WeakMap<Proposal, Set<string>>();
  private readonly changed = new vscode.EventEmitter<Proposal>();
  private readonly store = new DisposableStore();

  /** A side of the proposal, or what is kept of it, has changed; or whether its file has unsaved changes, or is newer. */
  readonly onDidChange = this.changed.event;

  constructor(proposals: Proposals) {
    const touched = new Set<Proposal>();
    const throttle = new Throttle(100, () => {
      touched.forEach((proposal) => {
        proposal.base.look();
        proposal.base.follow(openDocument(proposal.uri)?.getText() ?? '');
        this.changed.fire(proposal);
      });
      touched.clear();
    });
    const touch = (uri: vscode.Uri) => {
      for (const proposal of proposals.all) {
        if (isSame(proposal.uri, uri) || isSame(vscode.Uri.file(proposal.filePath), uri)) {
          touched.add(proposal);
          throttle.schedule();
        }
      }
    };
    this.store.add(this.changed);
    this.store.add(throttle);
    this.store.add(vscode.workspace.onDidChangeTextDocument(({ document }) => touch(document.uri)));
    this.store.add(watchWorkspaceFiles(touch));
  }

  async of(proposal: Proposal): Promise<ProposalHunk[]> {
    const [before, now] = await Promise.all([open(proposal.original), open(proposal.uri)]);
    const versions = () => `${before?.version} ${now?.version}`;
    let compared = this.compared.get(proposal);
    if (compared?.key !== versions()) {
      const [key, lines] = [versions(), await Promise.all([linesOf(before), linesOf(now)])];
      if (key !== versions()) {
        return this.of(proposal);
      }
      const [ours, theirs] = lines;
      const { hunks } = diffLines(linesBeside(ours, theirs), linesBeside(theirs, ours));
      compared = { key, hunks, isOnlyWhitespace: hunks.length > 0 && hunks.every(isWhitespace(...lines)) };
      this.compared.set(proposal, compared);
    }
    const lastLine = (now?.lineCount ?? 1) - 1;
    const kept = this.kept.get(proposal);
    return compared.hunks.map((hunk) => ({
      ...hunk,
      line: Math.min(hunk.nowStart, lastLine),
      isKept: now !== undefined && kept?.has(identity(hunk, now)) === true,
    }));
  }

  /** Whether the lines differ, as they were last looked at, at their ends only, which the editor hides by default. */
  isOnlyWhitespace(proposal: Proposal): boolean {
    return this.compared.get(proposal)?.isOnlyWhitespace === true;
  }

  /** The hunk at that line of the proposed side. */
  async at(proposal: Proposal, line: number): Promise<ProposalHunk | undefined> {
    const hunks = await this.of(proposal);
    return hunks.find((hunk) => line >= hunk.line && line < Math.max(hunk.nowEnd, hunk.line + 1));
  }

  /** Marks it as decided, until its text changes. */
  async keep(proposal: Proposal, hunk: Hunk): Promise<void> {
    const now = await vscode.workspace.openTextDocument(proposal.uri);
    const kept = this.kept.get(proposal) ?? new Set();
    this.kept.set(proposal, kept.add(identity(hunk, now)));
    this.changed.fire(proposal);
  }

  dispose(): void {
    this.store.dispose();
  }
}

/** The same as long as neither the original lines nor the proposed ones are others. */
function identity(hunk: Hunk, now: vscode.TextDocument): string {
  const lines = now.getText(new vscode.Range(hunk.nowStart, 0, hunk.nowEnd, 0));
  return `${hunk.beforeStart}-${hunk.beforeEnd} ${lines}`;
}

function isWhitespace(before: readonly string[], now: readonly string[]): (hunk: Hunk) => boolean {
  return ({ beforeStart, beforeEnd, nowStart, nowEnd }) =>
    beforeEnd - beforeStart === nowEnd - nowStart &&
    before
      .slice(beforeStart, beforeEnd)
      .every((line, index) => line.trim() === now[nowStart + index]?.trim());
}

/** An empty text has one line, as the editor sees it; beside one that does not end with a line end it has none. */
function linesBeside(lines: string[], others: string[]): string[] {
  return lines.length === 1 && lines[0] === '' && others.at(-1) !== '' ? [] : lines;
}

/** Undefined for a file that is gone. */
export async function open(uri: vscode.Uri): Promise<vscode.TextDocument | undefined> {
  try {
    return await vscode.workspace.openTextDocument(uri);
  } catch {
    return undefined;
  }
}

async function linesOf(document: vscode.TextDocument | undefined): Promise<string[]> {
  return document ? linesIn(document) : [''];
}
