import * as vscode from 'vscode';

/** ms in which the user has not yet seen where a row is now. */
const unseenTime = 500;

/** The rows of one tree view, and which have moved just now: a click on such a one may be meant for another. */
export class RowMoves {
  private places: ReadonlyMap<string, number> = new Map();
  /** On the clock of `performance.now()`. */
  private movedAt: ReadonlyMap<string, number> = new Map();

  /** To be called whenever the view is drawn. @param rows what tells them apart, from the first to the last */
  drawn(rows: readonly string[]): void {
    const now = performance.now();
    const places = new Map(rows.map((row, place) => [row, place]));
    const moveOf = (row: string) =>
      places.get(row) === this.places.get(row) ? (this.movedAt.get(row) ?? -Infinity) : now;
    this.movedAt = new Map(rows.map((row) => [row, moveOf(row)]));
    this.places = places;
  }

  /** Whether it has just come, or others above it have come or gone. Says so to the user. */
  refuseClick(row: string): boolean {
    const isUnseen = performance.now() - (this.movedAt.get(row) ?? -Infinity) < unseenTime;
    if (isUnseen) {
      sayNothingWasDone('the row has moved just now. Try again.');
    }
    return isUnseen;
  }
}

export function sayNothingWasDone(why: string): void {
  vscode.window.setStatusBarMessage(`Nothing was done: ${why}`, 5_000);
}
