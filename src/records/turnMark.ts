import { cut, firstLine } from '../base/text.ts';
import type { Turn, TurnMark } from './events.ts';

/** How much of a prompt is remembered, in UTF-16 units. */
const maxMark = 200;

export function turnMark({ id, prompt, begun }: Pick<Turn, 'id' | 'prompt' | 'begun'>): TurnMark {
  const line = firstLine(prompt);
  return { id, prompt: line.startsWith('<task-notification>') ? '' : cut(line, maxMark), begun };
}
