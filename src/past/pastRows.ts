import * as vscode from 'vscode';
import { commandIds } from '../editor/commandIds.ts';
import { RowMoves } from '../editor/rowMoves.ts';
import type { PastSession } from '../records/pastSessions.ts';
import type { PastList } from './pastList.ts';
import type { PastNode, PastRow } from './pastNodes.ts';
import { factsOf, pastDescription, titleText, turnsText } from './pastWords.ts';

/** Rows that are shown at first, and more each time. */
const pageSize = 20;

/** What stands below the group of past sessions. */
export class PastRows {
  private pages = 1;
  private readonly moves = new RowMoves();

  /** @param mayChat whether the chat of this window can go on with it */
  constructor(
    private readonly list: PastList,
    private readonly mayChat: (session: PastSession) => boolean,
  ) {}

  /** @param above how many rows stand above them */
  async draw(above: number): Promise<PastNode[]> {
    const rows = await this.read();
    this.moves.drawn([
      ...Array.from({ length: above }, (_, index) => `${index}`),
      ...rows.map(({ id }) => id),
    ]);
    return rows;
  }

  /** Whether a click on its row may be meant for another. */
  refuseClick({ id }: PastRow): boolean {
    return this.moves.refuseClick(id);
  }

  private async read(): Promise<PastNode[]> {
    const found = (await this.list.inScope()) ?? [];
    if (found.length === 0) {
      return [{ past: 'note', id: 'past note', words: 'No other session was found.' }];
    }
    const shown = found.slice(0, this.pages * pageSize).map((session): PastRow => {
      const holder = this.list.holderOf(session.sessionId);
      const pid = holder?.kind === 'elsewhere' ? holder.pid : undefined;
      return { past: 'session', id: `past ${session.sessionId}`, session, pid };
    });
    const left = found.length - shown.length;
    return [...shown, ...(left > 0 ? [{ past: 'more', id: 'past more', left } as const] : [])];
  }

  showMore(): void {
    this.pages++;
  }

  startOver(): void {
    this.pages = 1;
  }

  item(node: Exclude<PastNode, { past: 'run' | 'group' }>): vscode.TreeItem {
    switch (node.past) {
      case 'session':
        return this.sessionItem(node);
      case 'more': {
        const item = new vscode.TreeItem('Show More…');
        item.description = `${node.left} more`;
        item.iconPath = new vscode.ThemeIcon('ellipsis');
        item.tooltip = '';
        item.command = { command: commandIds.showMorePast, title: 'Show More' };
        return item;
      }
      case 'note': {
        const item = new vscode.TreeItem(node.words);
        item.tooltip = '';
        return item;
      }
    }
  }

  /** Its prompts are counted only once the user looks at it. */
  async resolve(item: vscode.TreeItem, { session, pid }: PastRow): Promise<vscode.TreeItem> {
    const counts = await this.list.count(session).catch(() => undefined);
    const turns = counts && turnsText(counts.turns, counts.isComplete);
    item.tooltip = [
      titleText(session),
      ...(pid === undefined ? [] : [`Open elsewhere, in process ${pid}`]),
      ...factsOf(session, turns),
      'Click to open its transcript',
    ].join('\n');
    return item;
  }

  private sessionItem(row: PastRow): vscode.TreeItem {
    const { session, pid } = row;
    const item = new vscode.TreeItem(titleText(session));
    item.description = pastDescription(session, pid, this.list.folders, Date.now());
    item.iconPath = new vscode.ThemeIcon(pid === undefined ? 'history' : 'vm-active');
    item.contextValue = this.mayChat(session) ? 'past.chat' : 'past';
    item.command = { command: commandIds.openTranscript, title: 'Open Transcript', arguments: [row] };
    return item;
  }
}
