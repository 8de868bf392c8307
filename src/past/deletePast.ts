import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { setName } from '../records/pastNames.ts';
import type { PastSession } from '../records/pastSessions.ts';
import { statOf } from '../records/recordFile.ts';
import { removePast } from '../records/removePast.ts';
import type { Holder, PastList } from './pastList.ts';
import { titleText } from './pastWords.ts';

/** Asks, as the editor cannot take anything out of the trash again. The first answer harms nothing. */
export async function deletePast(
  memento: vscode.Memento,
  list: PastList,
  session: PastSession,
  open: (session: PastSession) => Promise<void>,
): Promise<void> {
  const { sessionId, path, bytes } = session;
  const title = titleText(session);
  const isHeld = async () => {
    const holder = await list.lookForHolder(sessionId);
    if (holder) {
      refuse(`“${title}” was not deleted: it is open ${placeOf(holder)}.`);
    }
    return holder !== undefined;
  };
  if (await isHeld()) {
    return;
  }
  const [show, action] = ['Open Transcript', 'Move to Trash'];
  const choice = await vscode.window.showWarningMessage(
    `Delete “${title}”?`,
    {
      modal: true,
      detail:
        'Its transcript goes to the trash, with those of its sub-agents. Claude Code cannot go on with it then.',
    },
    show,
    action,
  );
  if (choice === show) {
    await open(session);
  }
  if (choice !== action || (await isHeld())) {
    return;
  }
  if (statOf(path)?.size !== bytes) {
    refuse(`“${title}” was not deleted: it has been written to since it was listed. Look at it again.`);
    list.refresh();
    return;
  }
  const remover = new Remover(title);
  try {
    await removePast(session, (each) => remover.remove(each));
    if (!remover.isLeft) {
      await setName(memento, sessionId, undefined);
    }
  } catch (error) {
    refuse(`“${title}” could not be deleted: ${printable(errorMessage(error), 300)}`);
  }
  list.refresh();
}

/** Moves to the trash; where there is none, deletes for good if the user wants that. */
class Remover {
  private isForGood: boolean | undefined;

  constructor(private readonly title: string) {}

  get isLeft(): boolean {
    return this.isForGood === false;
  }

  /** @throws what the editor says where it cannot */
  async remove(path: string): Promise<void> {
    const uri = vscode.Uri.file(path);
    if (this.isForGood === undefined) {
      try {
        await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: true });
        return;
      } catch (error) {
        this.isForGood = await this.ask(errorMessage(error));
      }
    }
    if (this.isForGood) {
      await vscode.workspace.fs.delete(uri, { recursive: true, useTrash: false });
    }
  }

  private async ask(why: string): Promise<boolean> {
    const action = 'Delete for Good';
    const choice = await vscode.window.showWarningMessage(
      `“${this.title}” cannot be moved to the trash. Delete it for good?`,
      { modal: true, detail: printable(why, 300) },
      'Keep It',
      action,
    );
    return choice === action;
  }
}

function refuse(words: string): void {
  void vscode.window.showInformationMessage(words);
}

function placeOf(holder: Holder): string {
  switch (holder.kind) {
    case 'session':
      return `in ${printable(holder.session.label)}`;
    case 'chat':
      return 'in the chat';
    case 'starting':
      return 'in a terminal, in a moment';
    case 'elsewhere':
      return `in another Claude Code (process ${holder.pid})`;
  }
}
