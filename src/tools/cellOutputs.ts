import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod/mini';
import type { Content } from '../protocol/mcp.ts';

/** One output of a cell: the same thing in one or more forms. */
export interface CellOutput {
  readonly items: readonly CellOutputItem[];
}

export interface CellOutputItem {
  readonly mime: string;
  readonly data: Uint8Array;
}

/** Of all images of one answer together: 5 MB in base64, which is what the model's API takes of a single one. */
const maxImageBytes = 3_750_000;

const streams = [
  'application/vnd.code.notebook.stdout',
  'application/vnd.code.notebook.stderr',
  'application/x.notebook.stream.stdout',
  'application/x.notebook.stream.stderr',
];
const errorType = 'application/vnd.code.notebook.error';
const images = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/svg+xml'];
/** The forms in which an output is told, the best for a model first. */
const preferences = [
  errorType,
  ...images,
  'text/markdown',
  'text/plain',
  'text/latex',
  'text/html',
  'application/json',
];

/** @param maxText UTF-16 code units of all texts together; what is too much is cut from the middle */
export function toContent(outputs: readonly CellOutput[], maxText: number): Content[] {
  const blocks = groups(outputs)
    .map(toBlock)
    .filter((block) => block.type === 'image' || block.text.trim() !== ''); // the API refuses empty texts
  return cutTexts(leaveOutImages(blocks), maxText);
}

/** One group per block of the answer: the pieces of a stream that follow each other, or one item. */
function groups(outputs: readonly CellOutput[]): CellOutputItem[][] {
  const all: CellOutputItem[][] = [];
  for (const { items } of outputs) {
    for (const item of items.every(isStream) ? items : bestOf(items)) {
      const last = all.at(-1);
      if (last && isStream(item) && last[0]?.mime === item.mime) {
        last.push(item);
      } else {
        all.push([item]);
      }
    }
  }
  return all;
}

function isStream({ mime }: CellOutputItem): boolean {
  return streams.includes(mime);
}

function bestOf(items: readonly CellOutputItem[]): CellOutputItem[] {
  const best =
    preferences.map((mime) => items.find((item) => item.mime === mime)).find((item) => item !== undefined) ??
    items.find(({ mime }) => mime.startsWith('text/') || mime.endsWith('json'));
  if (best) {
    return [best];
  }
  const types = items.map(({ mime }) => mime).join(', ');
  return [{ mime: 'text/plain', data: Buffer.from(`[An output of type ${types} cannot be shown here.]`) }];
}

function toBlock(group: CellOutputItem[]): Content {
  const mime = group[0]?.mime ?? '';
  const data = Buffer.concat(group.map((item) => item.data));
  if (images.includes(mime)) {
    return { type: 'image', data: data.toString('base64'), mimeType: mime };
  }
  const text = data.toString('utf8');
  return { type: 'text', text: plain(mime === errorType ? errorText(text) : text) };
}

const jsonError = z.object({
  name: z._default(z.string(), 'Error'),
  message: z._default(z.string(), ''),
  stack: z._default(z.string(), ''),
});

/** A traceback of Python ends with name and message; kernels that send none have these alone. */
function errorText(json: string): string {
  try {
    const { name, message, stack } = jsonError.parse(JSON.parse(json));
    return stack.includes(name) ? stack : [`${name}: ${message}`, stack].join('\n').trimEnd();
  } catch {
    return json; // in a form of the kernel's own
  }
}

/** As a terminal would leave it: no colours, and of a progress bar its last state. */
function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.replace(/\r+$/, ''))
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n');
}

function leaveOutImages(blocks: Content[]): Content[] {
  let left = maxImageBytes;
  return blocks.map((block) => {
    if (block.type === 'text') {
      return block;
    }
    const bytes = Buffer.byteLength(block.data, 'base64');
    if (bytes > left) {
      const size = Math.ceil(bytes / 1000).toLocaleString('en');
      return {
        type: 'text',
        text: `[An image (${block.mimeType}, ${size} kB) is left out: it is too large.]`,
      };
    }
    left -= bytes;
    return block;
  });
}

/** Keeps the beginning and the end of all that is told: an exception comes last. */
function cutTexts(blocks: Content[], maxText: number): Content[] {
  const total = blocks.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
  if (total <= maxText) {
    return blocks;
  }
  const cutStart = Math.ceil(maxText / 2);
  const cutEnd = total - Math.floor(maxText / 2);
  const note = `\n[… ${(cutEnd - cutStart).toLocaleString('en')} of ${total.toLocaleString('en')} characters cut …]\n`;
  let position = 0;
  return blocks.flatMap((block): Content[] => {
    if (block.type !== 'text') {
      return [block];
    }
    const start = position;
    position += block.text.length;
    const head = block.text.slice(0, Math.max(0, cutStart - start));
    const tail = block.text.slice(Math.max(head.length, cutEnd - start));
    const isCutHere = start <= cutStart && cutStart < position;
    const text = head + (isCutHere ? note : '') + tail;
    return text === '' ? [] : [{ type: 'text', text }];
  });
}
