/** As `vscode.TextDocumentContentChangeEvent`, in UTF-16 units. */
export interface TextChange {
  readonly rangeOffset: number;
  readonly rangeLength: number;
  readonly text: string;
}

/** Far more than a user types while a file is written: the save has failed, of which the editor does not tell. */
const maxSteps = 200;

/** A text, and what has become of it, step by step. */
export class TextSince {
  private steps: (readonly TextChange[])[] = [];

  constructor(private readonly first: string) {}

  /** @param changes in the order in which they are made */
  change(changes: readonly TextChange[]): void {
    if (this.steps.length < maxSteps) {
      this.steps.push(changes);
    }
  }

  /** Oldest first. */
  *all(): Iterable<string> {
    let text = this.first;
    yield text;
    for (const changes of this.steps) {
      for (const { rangeOffset, rangeLength, text: put } of changes) {
        text = text.slice(0, rangeOffset) + put + text.slice(rangeOffset + rangeLength);
      }
      yield text;
    }
  }
}
