import type { Report } from '../editor/reports.ts';
import type { LoggedMessage } from '../server/messageLog.ts';
import { commandIds } from '../editor/commandIds.ts';

/** The protocol inspector: one line per message, without any text of the user's. */
export function describeMessages(messages: readonly LoggedMessage[]): Report {
  const lines = messages.map(({ time, session, from, message }) => {
    const arrow = from === 'client' ? '→' : '←';
    return `${new Date(time).toISOString().slice(11, 23)} ${session} ${arrow} ${message}`;
  });
  const head = '# Time (UTC), session, → from the client or ← from the bridge, message without texts';
  return {
    text: `${[head, ...(lines.length === 0 ? ['# No message yet.'] : lines)].join('\n')}\n`,
    actions: [{ line: 0, title: '$(refresh) Show the latest', command: commandIds.showMessages }],
  };
}
