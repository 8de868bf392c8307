import { basename } from 'node:path';
import { printable } from '../base/printable.ts';
import { counted, timeText } from '../base/text.ts';
import type { PastSession } from '../records/pastSessions.ts';
import { promptText } from '../sessions/stateText.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** How long ago that was; the date for what is longer ago than a month. Both in ms since the epoch. */
export function agoText(at: number, now: number): string {
  const past = now - at;
  if (past < minute) {
    return 'just now'; // also where the clock was put back
  }
  if (past < hour) {
    return `${Math.floor(past / minute)} min ago`;
  }
  if (past < day) {
    return `${Math.floor(past / hour)} h ago`;
  }
  return past < 31 * day ? `${Math.floor(past / day)} d ago` : new Date(at).toLocaleDateString();
}

/** On one line, and never empty. */
export function titleText({ title = '' }: Pick<PastSession, 'title'>): string {
  return promptText(title) || 'No title';
}

/** What tells it from the others, besides its title. @param folders those of the window, where it needs no other */
export function pastDescription(
  { lastActive, cwd }: PastSession,
  pid: number | undefined,
  folders: readonly string[],
  now: number,
): string {
  const isElsewhere = cwd !== undefined && !(folders.length === 1 && folders[0] === cwd);
  return [
    agoText(lastActive, now),
    pid !== undefined && `open elsewhere (process ${pid})`,
    isElsewhere && printable(basename(cwd), 60),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** A line for each thing that is known of it. @param turns of the user; undefined where they are not counted yet */
export function factsOf(session: PastSession, turns: string | undefined): string[] {
  const { begun, lastActive, prompts, branch, cwd, sessionId } = session;
  const [first] = prompts;
  return [
    ...(first === undefined ? [] : [`First prompt: ${promptText(first)}`]),
    ...(turns === undefined ? [] : [turns]),
    `${begun === undefined ? '' : `Begun ${timeText(begun)}, `}last active ${timeText(lastActive)}`,
    ...(branch === undefined ? [] : [`Branch: ${printable(branch, 100)}`]),
    `Folder: ${cwd === undefined ? 'not known' : printable(cwd, 300)}`,
    `Id: ${sessionId}`,
  ];
}

/** `3 prompts`, or that there are at least so many. */
export function turnsText(turns: number, isComplete: boolean): string {
  return `${isComplete ? '' : 'At least '}${counted(turns, 'prompt')}`;
}
