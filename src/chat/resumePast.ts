import { readPast } from '../agent/history.ts';
import type { Item } from '../agent/items.ts';
import { errorMessage } from '../base/errors.ts';
import { cut } from '../base/text.ts';
import { choosePast } from '../sessions/resume.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import { heldIn } from './heldIn.ts';
import { tellElsewhere } from './itsFolder.ts';
import { block, plain } from './markdown.ts';
import type { Surface } from './surface.ts';

/** Prompts and answers that are shown of it, from its end. */
const maxShown = 8;
/** UTF-16 units of each. */
const maxLength = 4_000;

/**
 * Lets the user choose a past session of the window's folders, and shows how it ended.
 * @param asked the id of the one that was asked for, or what else the user has typed
 * @param holderOf what has that session open outside of the chat of this window, in words
 * @returns the id of the one to go on with
 */
export async function resumePast(
  records: SessionRecords,
  folders: readonly string[],
  surface: Surface,
  asked: string,
  holderOf: (sessionId: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!records.isAllowed) {
    surface.markdown('Past conversations are not known: `ideBridge.records.enabled` is off.');
    const command = { id: 'workbench.action.openSettings' };
    surface.buttons([{ title: 'Open Settings', command, args: ['ideBridge.records.enabled'] }]);
    return undefined;
  }
  const session = await choosePast(records, asked.trim());
  if (!session) {
    surface.markdown(
      session === null ? 'No past conversation in a folder of this window was found.' : 'None was chosen.',
    );
    return undefined;
  }
  if (!heldIn(session, folders) && session.cwd !== undefined) {
    tellElsewhere(surface, session.cwd);
    return undefined;
  }
  const { sessionId, title = 'No title' } = session;
  const holder = await holderOf(sessionId);
  if (holder !== undefined) {
    // Two in one conversation would not know of each other.
    surface.markdown(`**${plain(title)}** is open in ${holder}. End it there first.`);
    return undefined;
  }
  surface.markdown(`**${plain(title)}**\n\n`);
  try {
    const { conversation } = await readPast(session);
    const said = conversation.snapshot().items.filter(isSaid);
    surface.markdown(said.length > maxShown ? '*What was said last:*\n\n' : '');
    said.slice(-maxShown).forEach((item) => show(item, surface));
  } catch (error) {
    surface.markdown(`${plain(errorMessage(error), 500)}\n\n`);
  }
  surface.markdown('\n\n---\n\n*Your next message goes on with it.*');
  return sessionId;
}

type Said = Extract<Item, { kind: 'prompt' | 'text' | 'thinking' }>;

function isSaid(item: Item): item is Said {
  return (item.kind === 'prompt' || item.kind === 'text') && item.parent === undefined && item.text !== '';
}

function show({ kind, text }: Said, surface: Surface): void {
  if (kind === 'prompt') {
    surface.markdown(`**You**${block(text, maxLength, 'text')}`);
  } else {
    surface.quote(`${cut(text, maxLength)}\n\n`);
  }
}
