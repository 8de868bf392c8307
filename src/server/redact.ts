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

/**
 * A copy of a message that can be shown and sent to others: shape, numbers and the telling fields are kept, any other
 * text is its length. What is long or deep is cut.
 */
export function redacted(value: unknown, field = '', depth = 0): unknown {
  if (typeof value === 'string') {
    return tellingFields.has(field) || verdict.test(value)
      ? printable(value)
      : `<${value.length} characters>`;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  if (depth >= maxDepth) {
    return '<deeper>';
  }
  if (Array.isArray(value)) {
    const kept = value.slice(0, maxItems).map((item) => redacted(item, field, depth + 1));
    return value.length > maxItems ? [...kept, `<${value.length - maxItems} more>`] : kept;
  }
  const entries = Object.entries(value);
  return Object.fromEntries([
    ...entries
      .slice(0, maxItems)
      .map(([key, item]) => [printable(key, 60), redacted(item, key, depth + 1)] as const),
    ...(entries.length > maxItems ? [['…', `<${entries.length - maxItems} more>`] as const] : []),
  ]);
}
