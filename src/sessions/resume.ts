import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { counted, timeText } from '../base/text.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import { workspace } from '../editor/workspaceFolders.ts';
import type { PastSession, PastSessionCounts, PastSessions } from '../records/pastSessions.ts';
import { launch } from './launch.ts';
import type { Launcher } from './launcher.ts';
import type { SessionRecords } from './sessionRecords.ts';
import { promptText } from './stateText.ts';

/** Bytes of a transcript that are read for its turns and files. */
const maxCounted = 32 * 1024 * 1024;
/** ms between two updates of the list while it is counted: each draws it anew. */
const updateInterval = 300;
/** Files that an item names. */
const maxNamed = 5;

export interface Past {
  /** Where it was held, and goes on. */
  readonly folder: string;
  readonly session: PastSession;
}

interface Item extends vscode.QuickPickItem {
  /** Undefined for the list of the CLI's own. */
  readonly past?: Past;
}

/** Goes on with conversations; what does is loaded when it is needed. */
export interface Resuming {
  load(): Promise<{
    /** In a terminal, where it was held; or shows who has it open: two in one conversation would not know of each other. */
    resume(session: PastSession): Promise<void>;
  }>;
}

/**
 * Lets the user choose among the conversations that were held in the folders of this window, and goes on with it. Where
 * there is none, or nothing may be read, the CLI shows a list of its own.
 */
export async function resume(launcher: Launcher, records: SessionRecords, resuming: Resuming): Promise<void> {
  const past = (await records.open())?.past;
  const found = past ? await pastOf(past) : [];
  if (!past || found.length === 0) {
    launch(launcher, ['--resume']);
    return;
  }
  const item = await pick(past, found, records.running, [inTerminal]);
  if (!item) {
    return;
  }
  if (!item.past) {
    launch(launcher, ['--resume']);
    return;
  }
  const { folder, session } = item.past;
  await (await resuming.load()).resume({ ...session, cwd: folder });
}

const inTerminal: Item = {
  label: '$(terminal) Choose in a terminal',
  detail: 'From the list of Claude Code itself',
};

/**
 * Lets the user choose among those that were held in the folders of this window.
 * @param sessionId of the one that is taken at once, if there is one, whatever folder it was held in
 * @returns undefined for none; null where there is none
 */
export async function choosePast(
  records: SessionRecords,
  sessionId: string,
): Promise<PastSession | undefined | null> {
  const past = (await records.open())?.past;
  const known = await past?.find(sessionId);
  if (known || !past) {
    return known ?? null;
  }
  const found = await pastOf(past);
  return found.length > 0 ? (await pick(past, found, records.running, []))?.past?.session : null;
}

/** The last active first. The CLI runs where links lead. */
async function pastOf(past: PastSessions): Promise<Past[]> {
  const real = await Promise.all(workspace.folders.map(({ path }) => realpath(path).catch(() => path)));
  const found: Past[] = [];
  for (const folder of new Set(real)) {
    found.push(...(await past.list(folder)).map((session) => ({ folder, session })));
  }
  return found.sort((a, b) => b.session.lastActive - a.session.lastActive);
}

async function pick(
  past: PastSessions,
  found: readonly Past[],
  running: ReadonlyMap<string, number>,
  others: readonly Item[],
): Promise<Item | undefined> {
  const folders = new Set(found.map(({ folder }) => folder));
  const items: Item[] = found.map(({ folder, session }) => ({
    past: { folder, session },
    label: withoutIcons(promptText(session.title ?? '') || 'No title'),
    description: [
      ...(running.has(session.sessionId) ? ['open now'] : []),
      timeText(session.lastActive),
      ...(folders.size > 1 ? [basename(folder)] : []),
    ].join(' · '),
    detail: '…',
  }));
  const quickPick = vscode.window.createQuickPick<Item>();
  quickPick.title = 'Resume a Conversation';
  quickPick.placeholder = `${counted(found.length, 'conversation')} in ${[...folders].map((folder) => basename(folder)).join(', ')}`;
  quickPick.matchOnDescription = true;
  quickPick.matchOnDetail = true;
  quickPick.keepScrollPosition = true;
  quickPick.items = [...items, ...others];
  let isOpen = true;
  const chosen = new Promise<Item | undefined>((resolve) => {
    quickPick.onDidAccept(() => resolve(quickPick.selectedItems[0]));
    quickPick.onDidHide(() => resolve(undefined));
  });
  quickPick.show();
  void countEach();
  const item = await chosen;
  isOpen = false;
  quickPick.dispose();
  return item;

  async function countEach(): Promise<void> {
    quickPick.busy = true;
    let updated = performance.now();
    for (const item of items) {
      if (!isOpen || !item.past) {
        return;
      }
      item.detail = await past.count(item.past.session, maxCounted).then(countText, errorMessage);
      if (performance.now() - updated > updateInterval || item === items.at(-1)) {
        updated = performance.now();
        update();
      }
    }
    quickPick.busy = false;
  }

  function update(): void {
    if (isOpen) {
      const { activeItems } = quickPick;
      quickPick.items = [...items, ...others];
      quickPick.activeItems = activeItems;
    }
  }
}

/** `2 turns · 3 files: a.ts, b.ts, c.ts` */
function countText({ turns, files, isComplete }: PastSessionCounts): string {
  const names = files.slice(0, maxNamed).map((file) => basename(file));
  const more = files.length > maxNamed ? ', …' : '';
  return [
    `${isComplete ? '' : 'At least '}${counted(turns, 'turn')}`,
    files.length === 0
      ? 'no file edited'
      : `${counted(files.length, 'file')}: ${printable(names.join(', '))}${more}`,
  ].join(' · ');
}
