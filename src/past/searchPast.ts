import * as vscode from 'vscode';
import { withoutIcons } from '../editor/plainLabel.ts';
import type { PastSession } from '../records/pastSessions.ts';
import { promptText } from '../sessions/stateText.ts';
import type { PastList } from './pastList.ts';
import { pastDescription, titleText } from './pastWords.ts';

export interface PastAction extends vscode.QuickInputButton {
  /** The list is shown again when it is done. */
  readonly isRepeated?: boolean;
  act(session: PastSession): unknown;
}

interface Item extends vscode.QuickPickItem {
  readonly session: PastSession;
}

interface Choice {
  readonly session: PastSession;
  readonly button: vscode.QuickInputButton | undefined;
  /** What was typed. */
  readonly value: string;
}

/** Of those that match: nobody looks through more, and the editor takes its time for each. */
const maxShown = 200;

/**
 * Lets the user find one by its title, its prompts and its folder, among all that there are.
 * @param chosen what is done with the one that is chosen
 * @param actions buttons of each
 */
export async function searchPast(
  list: PastList,
  title: string,
  chosen: (session: PastSession) => unknown,
  actions: (session: PastSession) => readonly PastAction[],
): Promise<void> {
  for (let value = ''; ;) {
    const choice = await pick(list, title, actions, value);
    if (!choice) {
      return;
    }
    const action = actions(choice.session).find(({ tooltip }) => tooltip === choice.button?.tooltip);
    await (action ? action.act(choice.session) : chosen(choice.session));
    if (action?.isRepeated !== true) {
      return;
    }
    value = choice.value;
  }
}

async function pick(
  list: PastList,
  title: string,
  actions: (session: PastSession) => readonly PastAction[],
  value: string,
): Promise<Choice | undefined> {
  const quickPick = vscode.window.createQuickPick<Item>();
  quickPick.title = title;
  quickPick.placeholder = 'Type words of a title, a prompt or a folder';
  quickPick.value = value;
  quickPick.busy = true;
  let items: readonly Item[] = [];
  const filter = () => {
    quickPick.items = items.filter((item) => hasWords(item, quickPick.value)).slice(0, maxShown);
  };
  quickPick.onDidChangeValue(filter);
  const read = async () => {
    const now = Date.now();
    const all = (await list.all().catch(() => undefined)) ?? [];
    items = all.map((session) => itemOf(list, session, now, actions(session)));
    quickPick.busy = false;
    if (all.length === 0) {
      quickPick.hide();
      void vscode.window.showInformationMessage('No past session was found.');
    }
    filter();
  };
  try {
    return await new Promise((resolve) => {
      quickPick.onDidAccept(() => {
        const [item] = quickPick.selectedItems;
        resolve(item && { session: item.session, button: undefined, value: quickPick.value });
      });
      quickPick.onDidTriggerItemButton(({ item, button }) =>
        resolve({ session: item.session, button, value: quickPick.value }),
      );
      quickPick.onDidHide(() => resolve(undefined));
      quickPick.show();
      void read(); // which takes its time where there are many
    });
  } finally {
    quickPick.dispose();
  }
}

function itemOf(
  list: PastList,
  session: PastSession,
  now: number,
  buttons: readonly vscode.QuickInputButton[],
): Item {
  const holder = list.holderOf(session.sessionId);
  const where = pastDescription(session, undefined, list.folders, now);
  const title = titleText(session);
  const prompts = session.prompts.map(promptText).filter((prompt) => prompt !== title);
  return {
    session,
    alwaysShow: true, // what does not match is left out: the editor finds only words that stand side by side
    label: withoutIcons(title),
    description: withoutIcons(holder ? `open now · ${where}` : where),
    ...(prompts.length > 0 ? { detail: withoutIcons(prompts.join(' · ')) } : {}),
    buttons,
  };
}

/** Whether each of the words is somewhere in it, in whatever order. */
function hasWords({ label, description, detail, session }: Item, typed: string): boolean {
  const { branch, cwd, sessionId } = session;
  const text = [label, description, detail, branch, cwd, sessionId].join('\n').toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
