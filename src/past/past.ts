import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import { printable } from '../base/printable.ts';
import type { ChatSession } from '../chat/chatSessions.ts';
import { onRow } from '../editor/commandIds.ts';
import type { PastSession } from '../records/pastSessions.ts';
import { Session } from '../server/session.ts';
import { continueInChat, continueInTerminal, mayChat, resumeInChat } from './changePlace.ts';
import type { PastFeature } from './feature.ts';
import { fork, resumeInTerminal } from './goOn.ts';
import { PastList } from './pastList.ts';
import { isPastRow } from './pastNodes.ts';
import { PastRows } from './pastRows.ts';
import { renamePast } from './renamePast.ts';
import { type PastAction, searchPast } from './searchPast.ts';

type Act = (session: PastSession) => unknown;

/** The conversations that were: their rows, and what can be done with them. */
export class Past implements Disposable {
  readonly rows: PastRows;
  private readonly list: PastList;

  /** @param tell the rows are others */
  constructor(
    private readonly feature: PastFeature,
    private readonly tell: () => void,
  ) {
    this.list = new PastList(feature, tell);
    this.rows = new PastRows(this.list, ({ cwd }) => mayChat(feature.around, this.list, cwd));
  }

  commands() {
    const { list, rows, acts } = this;
    const { around } = this.feature;
    const on = (title: string, act: Act) => (row: unknown, focused?: unknown) =>
      this.on(title, act, row === onRow ? focused : row);
    return {
      openTranscript: on('Open Transcript', acts.open),
      resumePastInTerminal: (row: unknown) =>
        isPastRow(row) && rows.refuseClick(row) ? undefined : this.on('Resume in Terminal', acts.resume, row),
      resumePastInChat: on('Resume in Chat', acts.resumeInChat),
      forkPast: on('Fork in Terminal', acts.fork),
      renamePast: on('Rename Past Session', acts.rename),
      deletePast: on('Delete Past Session', acts.delete),
      searchPast: () => this.choose('Past Sessions', acts.open, (session) => this.buttons(session)),
      pastOfAllFolders: () => this.setScope(true),
      pastOfThisFolder: () => this.setScope(false),
      showMorePast: () => {
        rows.showMore();
        this.tell();
      },
      continueInTerminal: (row: unknown) => (isChat(row) ? continueInTerminal(around, list, row) : undefined),
      continueInChat: (row: unknown) =>
        row instanceof Session ? continueInChat(around, list, row) : undefined,
    };
  }

  /** See `resumeInTerminal`. */
  resume(session: PastSession): Promise<void> {
    return resumeInTerminal(this.feature.around, this.list, session);
  }

  dispose(): void {
    this.list.dispose();
  }

  private readonly acts = {
    open: async (session: PastSession) => {
      const { openTranscript } = await import('./openTranscript.ts');
      await openTranscript(this.feature.around.reports, session);
    },
    resume: (session: PastSession) => this.resume(session),
    resumeInChat: (session: PastSession) => resumeInChat(this.feature.around, this.list, session),
    fork: (session: PastSession) => fork(this.feature.around, session),
    rename: (session: PastSession) => renamePast(this.feature.around.globalState, this.list, session),
    delete: async (session: PastSession) => {
      const { deletePast } = await import('./deletePast.ts');
      await deletePast(this.feature.around.globalState, this.list, session, this.acts.open);
    },
  };

  private buttons(session: PastSession): PastAction[] {
    const { acts } = this;
    const button = (icon: string, tooltip: string, act: Act, isRepeated = false): PastAction => ({
      iconPath: new vscode.ThemeIcon(icon),
      tooltip,
      act,
      isRepeated,
    });
    return [
      button('terminal', 'Resume in Terminal', acts.resume),
      ...(mayChat(this.feature.around, this.list, session.cwd)
        ? [button('comment-discussion', 'Resume in Chat', acts.resumeInChat)]
        : []),
      button('repo-forked', 'Fork in Terminal', acts.fork),
      button('edit', 'Rename', acts.rename, true),
      button('trash', 'Delete', acts.delete, true),
    ];
  }

  /** With the session of the row that a menu or a key names, or of the user's choice. */
  private async on(title: string, act: Act, row: unknown): Promise<void> {
    if (isPastRow(row)) {
      await act(row.session);
    } else if (row === undefined) {
      await this.choose(title, act, () => []);
    } else if (row instanceof Session || isChat(row)) {
      const label = printable(row.label);
      void vscode.window.showInformationMessage(`“${label}” goes on: only past sessions can be deleted.`);
    }
  }

  private async choose(
    title: string,
    act: Act,
    actions: (session: PastSession) => readonly PastAction[],
  ): Promise<void> {
    if (this.feature.around.records.isAllowed) {
      await searchPast(this.list, title, act, actions);
    } else {
      void tellUnreadable();
    }
  }

  private async setScope(isOfAll: boolean): Promise<void> {
    this.feature.isOfAll = isOfAll;
    this.rows.startOver();
    await vscode.commands.executeCommand('setContext', 'ideBridge.pastOfAll', isOfAll);
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    this.list.refresh();
    if (!this.feature.around.records.isAllowed) {
      void tellUnreadable();
    }
  }
}

function isChat(row: unknown): row is ChatSession {
  return (row as ChatSession | undefined)?.chatId !== undefined;
}

async function tellUnreadable(): Promise<void> {
  const { tell, tellUntrusted } = await import('../editor/tell.ts');
  if (!vscode.workspace.isTrusted) {
    await tellUntrusted('past');
    return;
  }
  await tell(
    'Past sessions are known from what Claude Code writes down, which is not read: ideBridge.records.enabled is off.',
    {
      title: 'Open Settings',
      command: 'workbench.action.openSettings',
      arguments: ['ideBridge.records.enabled'],
    },
  );
}
