import { basename } from 'node:path';
import { printable } from '../base/printable.ts';
import type { SessionState, ToolUse } from '../records/events.ts';

/** A command, a path or a prompt on one line; nothing is left out but what comes after `limit` UTF-16 units. */
export function onOneLine(text: string, limit: number): string {
  const start = text.slice(0, limit * 4);
  const line = start
    .trim()
    .replace(/\s*\n\s*/g, ' ⏎ ')
    .replace(/[^\S\n]+/g, ' ');
  return printable(start.length < text.length ? `${line}…` : line, limit);
}

/** Of a tool's input: what it is about. The first that is there counts. */
const targets = ['command', 'file_path', 'notebook_path', 'path', 'url', 'query', 'pattern'] as const;

/** For example `Bash: npm test`. All of it comes from a model. @param limit of the target, in UTF-16 units */
export function toolText({ name, input }: ToolUse, limit: number): string {
  const tool = onOneLine(name, 40);
  const key = targets.find((candidate) => typeof input[candidate] === 'string' && input[candidate] !== '');
  const target = key === undefined ? undefined : input[key];
  if (typeof target !== 'string') {
    return tool;
  }
  const isShort = limit < 100 && key?.endsWith('path');
  return `${tool}: ${onOneLine(isShort ? basename(target) : target, limit)}`;
}

type Waiting = Extract<SessionState, { status: 'waiting' }>;

/** What a session asks. Of several tools that wait, the record does not say which of them is asked about. */
export function questionText({ asks, waitingFor }: Waiting, limit = 40): string {
  const [ask, ...others] = asks;
  if (!ask) {
    return waitingFor === '' ? 'Waiting for you' : `Asks: ${onOneLine(waitingFor, limit)}`;
  }
  if (others.length === 0) {
    return `Asks: ${toolText(ask, limit)}`;
  }
  const names = [...new Set(asks.map(({ name }) => onOneLine(name, 40)))];
  return `Asks: ${printable(names.join(' or '), limit)}, one of ${asks.length}`;
}

/** The first line of a prompt. */
export function promptText(prompt: string): string {
  const [line = ''] = prompt
    .slice(0, 10_000)
    .trimStart()
    .split(/[\r\n]/, 1);
  return onOneLine(line, 100);
}

/** @param count of those that wait, one or more */
export function proposalsText(count: number): string {
  return count === 1 ? 'Proposal open' : `${count} proposals open`;
}
