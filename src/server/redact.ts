import { printable } from '../base/printable.ts';

/** Fields whose text says what a message is about, and never what is in a file. */
const tellingFields = new Set([
  'jsonrpc',
  'method',
  'id',
  'requestId',
  'name',
  'version',
  'protocolVersion',
  'type',
  'mimeType',
  'severity',
  'languageId',
  'uri',
  'uris',
  'path',
  'filePath',
  'fileUrl',
  'old_file_path',
  'new_file_path',
  'tab_name',
]);

/** The answers of the tools that decide over an edit. */
const verdict = /^(FILE_SAVED|DIFF_REJECTED|TAB_CLOSED|CLOSED_\d+_DIFF_TABS)$/;

const maxItems = 20;
const maxDepth = 12;
/** In one message. */
const maxValues = 400;
const maxCharacters = 4_000;

/**
 * A copy of a message that can be shown and sent to others: shape, numbers and the telling fields are kept, any other
 * text is its length. What is long, wide or deep is cut, and is not looked at beyond the cut.
 */
export function redacted(message: unknown): unknown {
  return new Redaction().copy(message, '', 0);
}

class Redaction {
  private values = maxValues;
  private characters = maxCharacters;

  copy(value: unknown, field: string, depth: number): unknown {
    this.values--;
    if (typeof value === 'string') {
      return tellingFields.has(field) || verdict.test(value)
        ? this.shown(value)
        : `<${value.length} characters>`;
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    if (depth >= maxDepth) {
      return '<deeper>';
    }
    return Array.isArray(value)
      ? this.list(value, field, depth + 1)
      : this.fields(value as Record<string, unknown>, depth + 1);
  }

  private list(items: readonly unknown[], field: string, depth: number): unknown[] {
    const kept: unknown[] = [];
    for (const item of items) {
      if (this.isFull(kept.length)) {
        return [...kept, `<${items.length - kept.length} more>`];
      }
      kept.push(this.copy(item, field, depth));
    }
    return kept;
  }

  private fields(fields: Record<string, unknown>, depth: number): object {
    const kept: [string, unknown][] = [];
    for (const field in fields) {
      if (this.isFull(kept.length)) {
        kept.push(['…', '<more>']);
        break;
      }
      kept.push([this.shown(field, 60), this.copy(fields[field], field, depth)]);
    }
    return Object.fromEntries(kept);
  }

  private shown(text: string, limit = 200): string {
    const shown = printable(text, limit);
    this.characters -= shown.length;
    return shown;
  }

  private isFull(items: number): boolean {
    return items >= maxItems || this.values <= 0 || this.characters <= 0;
  }
}
