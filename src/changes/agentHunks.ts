import * as vscode from 'vscode';
import type { Hunk } from '../base/lineDiff.ts';
import { diffOf } from './changeHunks.ts';
import type { Entry } from './changeSet.ts';
import { ofAgents, shifted, type SlidingHunk, slidingHunks, touching } from './touching.ts';

/** Undefined where they could not be told: the text from before was replaced while it was asked for. */
type Told = Promise<readonly SlidingHunk[] | undefined>;

/** What was found of a document, as it was then. */
interface Found {
  readonly version: number;
  /** Of the text that it was compared with. */
  readonly before: string;
  /** Of agents, when an agent was the last to write: in lines of `before`. */
  readonly written: Told;
  /** Those of them that are there, in lines of the document as it is by now. */
  readonly left: Told;
}

/**
 * The hunks of a file that agents have made, as far as it can be told: what the user types in the editor, or has typed
 * and saved since, is no change to review.
 */
export class AgentHunks implements vscode.Disposable {
  private readonly found = new WeakMap<vscode.TextDocument, Found>();
  /** Documents of which the last change was the user's. */
  private readonly typed = new WeakSet<vscode.TextDocument>();
  private readonly subscription: vscode.Disposable;

  constructor() {
    this.subscription = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges, reason }) => {
        const found = this.found.get(document);
        if (found && contentChanges.length > 0) {
          const left = found.left.then((hunks) => hunks && shifted(hunks, contentChanges));
          this.found.set(document, { ...found, left });
        }
        if (document.isDirty || reason !== undefined) {
          this.typed.add(document);
        } else if (contentChanges.length > 0) {
          this.typed.delete(document); // it was read anew, as somebody has written the file
        }
      }),
    );
  }

  /** None where too much has changed to tell them. */
  async of(change: Entry, document: vscode.TextDocument): Promise<readonly Hunk[]> {
    const { set, snapshot } = change;
    const { version } = document;
    const before = `${set.id} ${snapshot.takenAt} ${snapshot.hash}`; // another one once a part is kept, or the user has saved
    const last = this.found.get(document);
    if (last?.version === version && last.before === before) {
      return (await last.left) ?? [];
    }
    const all = slidingHunksOf(change, document).catch(() => undefined);
    const found = this.typed.has(document) && last ? follow(last, before, all) : fresh(all);
    this.found.set(document, { version, before, ...found });
    return (await found.left) ?? [];
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

async function slidingHunksOf(change: Entry, document: vscode.TextDocument): Promise<SlidingHunk[]> {
  const { before, now, hunks } = await diffOf(change, document);
  return slidingHunks(hunks, before, now);
}

function fresh(all: Told): Pick<Found, 'written' | 'left'> {
  return { written: all, left: all };
}

/** The user has typed, or a part was kept, or what they have saved is taken in: then the lines of `before` are others. */
function follow(last: Found, before: string, all: Told): Pick<Found, 'written' | 'left'> {
  if (last.before === before) {
    const left = Promise.all([all, last.written]).then(([hunks, written]) =>
      hunks && written ? ofAgents(hunks, written) : hunks,
    );
    return { written: last.written, left };
  }
  return fresh(
    Promise.all([all, last.left]).then(([hunks, left]) =>
      hunks && left ? touching(hunks, left, ({ nowStart, nowEnd }) => [nowStart, nowEnd]) : hunks,
    ),
  );
}
