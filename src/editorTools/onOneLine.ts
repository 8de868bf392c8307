import { printable } from '../base/printable.ts';

/** As `printable`, but code such as `handlers[name](event)` stays what it is: no notification shows it. */
export function onOneLine(text: string, limit = 200): string {
  const parts = text.slice(0, limit).split('](');
  return `${parts.map((part) => printable(part, limit)).join('](')}${text.length > limit ? '…' : ''}`;
}
