import * as vscode from 'vscode';

/** ms in which the user has not yet seen where a row is now. */
const unseenTime = 500;
/** ms within which the editor asks for the rows that it was told to draw; it asks for none of what is folded. */
const askingTime = 5_000;

/** When a row has moved, on the clock of `performance.now()`. */
interface Move {
  /** When the editor was told. */
  readonly told: number;
  /** When it has first asked for rows since, which it then draws. */
  asked?: number;
}

/** The rows of one tree view, and which have moved just now: a click on such a one may be meant for another. */
export class RowMoves {
  private places: ReadonlyMap<string, number> = new Map();
  private moves: ReadonlyMap<string, Move> = new Map();

  /** To be called when the editor is told to draw the view. @param rows what tells them apart, from the first to the last */
  told(rows: readonly string[]): void {
    const told = performance.now();
    const places = new Map(rows.map((row, place) => [row, place]));
    const moveOf = (row: string) =>
      (places.get(row) === this.places.get(row) && this.moves.get(row)) || { told };
    this.moves = new Map(rows.map((row) => [row, moveOf(row)]));
    this.places = places;
  }

  /** To be called when the editor asks for rows: on a busy machine long after it was told. */
  asked(): void {
    const now = performance.now();
    for (const move of this.moves.values()) {
      if (now - move.told < askingTime) {
        move.asked ??= now;
      }
    }
  }

  /** Whether it has just come, or others above it have come or gone. Says so to the user. */
  refuseClick(row: string): boolean {
    const { told, asked = told } = this.moves.get(row) ?? { told: -Infinity };
    const isUnseen = performance.now() - asked < unseenTime;
    if (isUnseen) {
      vscode.window.setStatusBarMessage('Nothing was done: the row has moved just now. Try again.', 5_000);
    }
    return isUnseen;
  }
}
