import type { Item } from '../agent/items.ts';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import { block, code, head, plain } from '../chat/markdown.ts';
import { said } from '../chat/said.ts';
import { toolLine } from '../chat/toolLine.ts';

/** What stands above a transcript. */
export interface TranscriptHead {
  readonly title: string;
  /** One line each. */
  readonly facts: readonly string[];
}

/** UTF-16 units of the whole: the editor's preview takes seconds for more. */
const maxText = 400_000;
/** Of what a tool that has failed has said. */
const maxFailure = { lines: 5, units: 1_000 };

/**
 * A conversation as a page in Markdown. All of it comes from outside: nothing in it becomes a link, an image or HTML, and what
 * stands between fences becomes a block that it cannot end.
 */
export function transcriptText({ title, facts }: TranscriptHead, items: readonly Item[]): string {
  const shown: string[] = [];
  let length = 0;
  let leftOut = 0;
  // From the end, and no more than is shown: of a long one the rest would take seconds.
  for (const item of items.toReversed()) {
    const part = length > maxText ? undefined : partOf(item);
    length += part?.length ?? 0;
    if (length > maxText && shown.length > 0) {
      leftOut++;
    } else if (part !== undefined) {
      shown.unshift(part);
    }
  }
  return [
    `# ${plain(title)}`,
    facts.map((fact) => plain(fact, 1_000)).join('  \n'),
    '---',
    ...(leftOut > 0 ? [`*${counted(leftOut, 'entry', 'entries')} before these left out.*`] : []),
    ...(shown.length === 0 ? ['*Nothing was said.*'] : shown),
  ].join('\n\n');
}

function partOf(item: Item): string | undefined {
  switch (item.kind) {
    case 'prompt':
      return item.text.trim() === '' ? undefined : `## You\n\n${said(item.text)}`;
    case 'text':
      return item.text.trim() === '' ? undefined : said(item.text);
    case 'toolUse':
      return toolPart(item);
    case 'error':
      return `**${plain(item.message, 500)}**`;
    case 'thinking':
    case 'question':
    case 'retry':
    case 'todos':
    case 'turnEnd':
    case 'other':
      return undefined;
  }
}

function toolPart({
  name,
  input = {},
  state,
  result,
}: Extract<Item, { kind: 'toolUse' }>): string | undefined {
  const line = toolLine(name, input);
  if (!line) {
    return undefined;
  }
  const target = line.path ?? line.code ?? line.text;
  const isFailed = state === 'failed' || result?.isError === true;
  const words = [
    `▸ ${plain(line.verb)}`,
    ...(target === undefined ? [] : [code(target.replace(/\s*\n\s*/g, ' ⏎ '), 300)]),
    ...(isFailed ? ['— *failed*'] : []),
  ].join(' ');
  const failure = isFailed && result ? head(result.text, maxFailure.lines, maxFailure.units).shown : '';
  return failure.trim() === '' ? words : `${words}${block(failure, maxFailure.units, 'text').trimEnd()}`;
}

/** A name for the page of a conversation, which no other has. */
export function transcriptName(title: string, sessionId: string): string {
  const name = printable(title, 60).replace(/[\\/:*?"<>|#%]/g, '-');
  return `${name} (${sessionId.slice(0, 8)}).md`;
}
