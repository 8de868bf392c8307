import * as vscode from 'vscode';
import { cut } from '../base/text.ts';
import { setName } from '../records/pastNames.ts';
import type { PastSession } from '../records/pastSessions.ts';
import type { PastList } from './pastList.ts';
import { titleText } from './pastWords.ts';

/** UTF-16 units; lists show one line. */
const maxName = 200;

/** Gives it a name of the editor's own: the records are the CLI's, and nothing is written there. */
export async function renamePast(
  memento: vscode.Memento,
  list: PastList,
  session: PastSession,
): Promise<void> {
  const value = titleText(session);
  const name = await vscode.window.showInputBox({
    title: 'Rename Past Session',
    value,
    prompt:
      'Only this editor calls it so; claude --resume has a title of its own. Leave it empty for that one.',
  });
  if (name === undefined || name === value) {
    return;
  }
  await setName(memento, session.sessionId, cut(name.trim(), maxName) || undefined);
  list.refresh();
}
