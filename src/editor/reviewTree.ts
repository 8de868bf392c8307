import * as vscode from 'vscode';
import { RowMoves } from './rowMoves.ts';
import { spoken } from './spokenRow.ts';

/** What a feature has in the tree, below a row of its own. */
export interface ReviewSection<Row extends object = object> {
  /** Of its own row, also for the menus. */
  readonly id: string;
  readonly label: string;
  /** Tells the one row that is to be drawn anew, or undefined for all. */
  readonly onDidChange: vscode.Event<Row | undefined>;
  readonly isEmpty: boolean;
  /** How much waits for the user, for the title of the view. */
  readonly left: string | undefined;
  readonly badge?: vscode.ViewBadge | undefined;
  /** What the user must know of it. */
  readonly notice?: string | undefined;
  has(row: object): row is Row;
  /** There once they were seen, by `load`. */
  readonly rows: ReviewRows<Row> | undefined;
  load(): Promise<ReviewRows<Row>>;
}

/** The rows of a section. */
export interface ReviewRows<Row> {
  /** What tells them apart, from the first to the last, as they were last drawn. */
  readonly names: readonly string[];
  nameOf(row: Row): string;
  /** Those below a row, or at the top, as they are now. */
  draw(row?: Row): Row[];
  itemOf(row: Row): vscode.TreeItem;
  /** Of what may be revealed; undefined at the top. */
  parentOf(row: Row): Row | undefined;
  /** @returns the row to decide after that one, or before it, if that one is gone by the time it is called */
  beside(row: Row): () => Row | undefined;
  /** They are as they are now. @returns whether they look otherwise than before: one that is drawn anew may lose a click */
  drawn(): boolean;
}

/** ms: the editor asks for rows some 400 ms after it was told of them, on a busy machine after seconds. */
const listingTime = 5_000;

/** What waits for a decision, then what was changed: each below a row that is there while it has something. */
export class ReviewTree implements vscode.TreeDataProvider<object>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<object | undefined>();
  private readonly view: vscode.TreeView<object>;
  private readonly moves = new RowMoves();
  /** From the first to the last. */
  private readonly sections: ReviewSection[] = [];
  /** Of rows for which somebody waits. */
  private readonly awaited = new WeakMap<object, () => void>();
  /** Rows below which the user looks at none. */
  private readonly folded = new WeakSet<object>();
  /** What the editor was told of. */
  private shown: readonly ReviewSection[] = [];

  readonly onDidChangeTreeData = this.changed.event;

  constructor() {
    this.view = vscode.window.createTreeView('ideBridge.review', {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.view.onDidCollapseElement(({ element }) => this.folded.add(element));
    this.view.onDidExpandElement(({ element }) => this.folded.delete(element));
  }

  /** Below those that are there. */
  add(section: ReviewSection): vscode.Disposable {
    this.sections.push(section);
    this.update(section);
    return section.onDidChange((row) => (row ? this.changed.fire(row) : this.update(section)));
  }

  async getChildren(element?: object): Promise<object[]> {
    if (!element) {
      return (this.shown = this.full());
    }
    const section = this.sectionOf(element);
    const rows = section?.rows ?? (await section?.load());
    const below = rows?.draw(section === element ? undefined : element);
    this.move();
    return below ?? [];
  }

  /** At once: until VS Code 1.96 has it, a click on the row of before is answered with an error. */
  getTreeItem(element: object): vscode.TreeItem {
    this.awaited.get(element)?.();
    const rows = this.rowsOf(element);
    if (rows) {
      return spoken(rows.itemOf(element));
    }
    const { id, label } = element as ReviewSection;
    const item = new vscode.TreeItem(label, vscode.TreeItemCollapsibleState.Expanded);
    item.id = item.contextValue = id;
    return item;
  }

  getParent(element: object): object | undefined {
    return (
      this.rowsOf(element)?.parentOf(element) ??
      (this.isSection(element) ? undefined : this.sectionOf(element))
    );
  }

  /** Whether it is the row of a section, below which all others are. */
  isSection(element: unknown): element is ReviewSection {
    return this.sections.includes(element as ReviewSection);
  }

  /** Whether a click on its row may be meant for another. */
  refuseClick(element: object): boolean {
    return this.moves.refuseClick(
      this.isSection(element) ? element.id : (this.rowsOf(element)?.nameOf(element) ?? ''),
    );
  }

  /** @returns settles when the editor has the row; undefined where it is out of sight */
  listed(element: object): Promise<void> | undefined {
    if (!this.isOpenAt(element)) {
      return undefined;
    }
    return new Promise((resolve) => {
      this.awaited.set(element, resolve);
      setTimeout(resolve, listingTime);
    });
  }

  /**
   * To be asked before a decision by key on a row, which takes the row away, and the focus with it.
   * @returns gives the focus to the row beside it, if that row is gone by then; to the view, if none is left
   */
  beside(element: object): () => Promise<void> {
    const find = this.rowsOf(element)?.beside(element);
    return async () => {
      const beside = find?.();
      if (beside) {
        await this.view.reveal(beside, { focus: true, select: false });
      } else if (this.full().length === 0) {
        await vscode.commands.executeCommand('ideBridge.review.focus'); // which its list had
      }
    };
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  private isOpenAt(element: object): boolean {
    const parent = this.getParent(element);
    return parent ? !this.folded.has(parent) && this.isOpenAt(parent) : this.view.visible;
  }

  private update(section: ReviewSection): void {
    const of = <T>(property: (each: ReviewSection) => T | undefined) =>
      this.sections.flatMap((each) => property(each) ?? []);
    this.view.description = of(({ left }) => left).join(' · ');
    this.view.badge = of(({ badge }) => badge)[0];
    const looksOtherwise = section.rows?.drawn() !== false;
    this.move();
    if (this.shown.includes(section) === section.isEmpty) {
      this.changed.fire(undefined); // it has come or gone
    } else if (looksOtherwise) {
      this.changed.fire(section);
    }
    const message = of(({ notice }) => notice).join('\n');
    // The editor waits 200 ms for more after each change that it is told, and takes a message for one.
    if (this.view.message !== message) {
      this.view.message = message;
    }
  }

  private move(): void {
    this.moves.drawn(this.full().flatMap((section) => [section.id, ...(section.rows?.names ?? [])]));
  }

  private full(): ReviewSection[] {
    return this.sections.filter(({ isEmpty }) => !isEmpty);
  }

  private sectionOf(element: object): ReviewSection | undefined {
    return this.sections.find((section) => section === element || section.has(element));
  }

  /** Undefined of a section itself, too. */
  private rowsOf(element: object): ReviewRows<object> | undefined {
    const section = this.sectionOf(element);
    return section && section !== element ? section.rows : undefined;
  }
}
