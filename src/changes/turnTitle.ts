import { printable } from '../base/printable.ts';
import type { TurnStart } from './changeSet.ts';

/** Of a prompt, in UTF-16 units. */
const maxTitle = 200;

/** The first line of the prompt, as text. */
export function turnTitle({ mark }: TurnStart): string {
  return mark ? printable(mark.prompt, maxTitle) || 'By itself' : 'A prompt';
}
