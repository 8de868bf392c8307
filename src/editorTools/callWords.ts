import { basename } from 'node:path';
import { misleading } from '../base/printable.ts';
import { timeText } from '../base/text.ts';
import { onOneLine } from '../sessions/stateText.ts';
import type { Call, CallingClient, CallState } from './calls.ts';
import { toolGroups } from './names.ts';

const states: Readonly<Record<CallState, string>> = {
  asks: 'Asks',
  runs: 'Runs',
  done: 'Done',
  refused: 'Refused',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

/** What a call of a tool is about, of the arguments that a client has sent. Not fit to be shown as it is. */
export function subjectOf(tool: string, args: unknown): string {
  const given = (typeof args === 'object' && args !== null ? args : {}) as Record<string, unknown>;
  const { name, title, expression, how, symbol, newName, line } = given;
  const file = typeof given.file === 'string' ? basename(given.file) : undefined;
  const place = file !== undefined && line !== undefined ? `${file}:${words(line)}` : file;
  switch (tool) {
    case 'rename':
      return `${words(symbol ?? place)} → ${words(newName)}`;
    case 'applyCodeAction':
      return words(title);
    case 'format':
    case 'organizeImports':
    case 'runTests':
      return words(file);
    case 'runTask':
    case 'startDebugging':
      return words(name);
    case 'evaluate':
      return words(expression);
    case 'stepDebugging':
      return words(how);
    case 'stopDebugging':
      return '';
    case 'setBreakpoint':
      return words(place);
    default: // of another extension
      return Object.keys(given).length === 0 ? '' : words(given);
  }
}

/** For example `runTask: build`. @param limit of what it is about, in UTF-16 units */
export function callText({ tool, subject }: Pick<Call, 'tool' | 'subject'>, limit: number): string {
  return `${onOneLine(tool, 64)}${subject === '' ? '' : `: ${onOneLine(subject, limit)}`}`;
}

/** For example `Asks: runTask: build`. */
export function stateAndCall(call: Call, limit = 40): string {
  return `${states[call.state]}: ${callText(call, limit)}`;
}

/** For the log, which stays on the disk: what a tool of another extension was given is not in it. */
export function auditLine(call: Call): string {
  const { client, tool, state } = call;
  const isOurs = Object.values(toolGroups).some(({ names }) => names.some((name) => name === tool));
  return `${client.name}: ${isOurs ? callText(call, 200) : onOneLine(tool, 64)} (${states[state].toLowerCase()})`;
}

/** What its row says besides, on one line. */
export function callDescription({ state, answer, begunAt, endedAt }: Call): string {
  const took = endedAt === undefined ? 0 : Math.round((endedAt - begunAt) / 1_000);
  const why = state === 'failed' || state === 'cancelled' ? `: ${onOneLine(answer, 80)}` : '';
  return `${states[state]}${took >= 1 && state === 'done' ? ` in ${took} s` : ''}${why} · ${timeText(begunAt)}`;
}

/** What is known of it, a line each. */
export function callFacts(call: Call): string[] {
  const { state, client, begunAt, endedAt } = call;
  return [
    stateAndCall(call, 500),
    `Called by ${client.name} at ${new Date(begunAt).toLocaleString()}`,
    ...(endedAt === undefined
      ? [state === 'asks' ? 'Waits for your answer' : 'Runs now']
      : [`Ended after ${((endedAt - begunAt) / 1_000).toFixed(1)} s`]),
  ];
}

/** All of it, as plain text. */
export function callReport(call: Call): string {
  const { client, tool, given, answer } = call;
  const [, ...facts] = callFacts(call);
  return [
    `${onOneLine(tool, 64)}, ${states[call.state].toLowerCase()}`,
    ...facts,
    '',
    'It was given:',
    whole(given),
    '',
    ...(answer === ''
      ? [`${client.name} has had no answer yet.`]
      : [`${client.name} was told:`, whole(answer)]),
    '',
  ].join('\n');
}

/** @param same how many others have its name, which time tells apart then */
export function clientDescription({ calls, session }: CallingClient, same: number): string {
  const [busy] = ['asks', 'runs'].flatMap((state) => calls.filter((call) => call.state === state));
  const [last] = calls;
  const told = busy ?? last;
  return [
    ...(told ? [stateAndCall(told)] : []),
    ...(session ? [] : ['has left']),
    ...(session && same > 0 ? [`since ${new Date(session.connectedAt).toLocaleTimeString()}`] : []),
    'editor tools',
  ].join(' · ');
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}

/** Its lines as they are, but nothing in them that makes them read as something else. */
function whole(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(misleading, '\uFFFD');
}
