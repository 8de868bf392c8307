import { readFile, stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { counted } from '../base/text.ts';
import { tokenOf } from '../editor/cancellation.ts';
import { openDocument, openNotebook } from '../editor/documents.ts';
import { path } from '../tools/paths.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging, type Place, placeText, shownLine } from './answers.ts';
import { placeOutput } from './places.ts';
import { readingTool } from './readingTool.ts';
import { shownName } from './sourceLines.ts';
import type { Workshop } from './workshop.ts';

export function listDirectory({ access }: Workshop): Tool {
  return readingTool({
    name: 'listDirectory',
    title: 'Folder',
    description: 'What a folder of the workspace has in it, folders first, each of them with a / at its end',
    input: z.object({
      folder: z.optional(path.check(z.describe('Path; the workspace folder by default'))),
      ...paging,
    }),
    output: z.object({
      entries: z.array(z.object({ path: z.string(), kind: z.enum(['folder', 'file', 'link', 'other']) })),
      ...pageOutput,
    }),
    async run(args) {
      access.check();
      const folders =
        args.folder === undefined
          ? (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri)
          : [await access.folder(args.folder)];
      const all: { uri: vscode.Uri; kind: EntryKind }[] = [];
      for (const folder of folders) {
        const entries = await entriesIn(folder);
        const found = entries.map(([name, type]) => ({
          uri: vscode.Uri.joinPath(folder, name),
          kind: entryKind(type),
        }));
        all.push(
          ...found.sort(
            (a, b) => Number(b.kind === 'folder') - Number(a.kind === 'folder') || compare(a.uri, b.uri),
          ),
        );
      }
      const { items, withheld } = await access.shared(all, ({ uri }) => uri);
      const shown = await page(
        items,
        args,
        ({ uri, kind }) => {
          const name = shownName(uri.fsPath);
          const note = kind === 'folder' ? '/' : kind === 'file' ? '' : `  (${kind})`;
          return { line: `${name}${note}`, data: { path: uri.fsPath, kind } };
        },
        withheld,
      );
      return { text: pageText(shown, 'entry', 'entries'), data: { entries: shown.items, ...shown.counts } };
    },
  });
}

/** None of a folder of the window that is gone: those of the others are told. @throws for one that cannot be read */
async function entriesIn(folder: vscode.Uri): Promise<[string, vscode.FileType][]> {
  try {
    return await vscode.workspace.fs.readDirectory(folder);
  } catch (error) {
    if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound') {
      return [];
    }
    throw error;
  }
}

type EntryKind = 'folder' | 'file' | 'link' | 'other';

function entryKind(type: vscode.FileType): EntryKind {
  if (type & vscode.FileType.SymbolicLink) {
    return 'link';
  }
  return type === vscode.FileType.Directory ? 'folder' : type === vscode.FileType.File ? 'file' : 'other';
}

/** Files of which the text is searched in one call. */
const maxSearched = 2_000;
/** Of one of them, in MB. */
const maxFile = 4;
/** Files and places that are gone through, of which pages are made. */
const maxFound = 5_000;
/** ms that a search may take. */
const maxTime = 20_000;

/**
 * By glob and literal text only. A regular expression of a model led astray might never end, and the editor's own search,
 * which stands that, has no stable API.
 */
export function searchFiles({ access }: Workshop): Tool {
  return readingTool({
    name: 'searchFiles',
    title: 'Search in Files',
    description:
      'Files by glob, without those that the editor excludes from search; with text, the lines that have it, unsaved ones included. The text is taken literally, not as a regular expression, and is looked for within a line',
    input: z.object({
      glob: z.optional(
        z.string().check(z.minLength(1), z.maxLength(200), z.refine(isModest, 'has too many * or {')),
      ),
      text: z.optional(
        z.string().check(
          z.minLength(1),
          z.maxLength(500),
          z.refine((text) => !/[\r\n]/.test(text), 'is looked for within a line: give one of its lines'),
        ),
      ),
      matchCase: z.optional(z.boolean()),
      ...paging,
    }),
    output: z.object({
      files: z.optional(z.array(z.string())),
      places: z.optional(z.array(placeOutput)),
      isComplete: z.boolean(),
      ...pageOutput,
    }),
    async run(args, { signal }) {
      access.check();
      const { glob = '**/*', text } = args;
      const found = await find(glob, text === undefined ? maxFound : maxSearched, signal);
      const { items, withheld } = await access.shared(found.sort(compare), (uri) => uri);
      const limit = text === undefined ? maxFound : maxSearched;
      if (text === undefined) {
        const shown = await page(
          items,
          args,
          ({ fsPath }) => ({ line: shownName(fsPath), data: fsPath }),
          withheld,
        );
        const isComplete = found.length < limit;
        return {
          text: `${pageText(shown, 'file', 'files')}${isComplete ? '' : incomplete}`,
          data: { files: shown.items, isComplete, ...shown.counts },
        };
      }
      const { places, isComplete, notes } = await search(
        items,
        text,
        args.matchCase ?? false,
        signal,
        (uri) => access.isInside(uri),
      );
      const shown = await page(
        places,
        args,
        (place) => ({ line: placeText(place, shownName), data: place }),
        withheld,
      );
      const isAll = isComplete && found.length < limit;
      return {
        text: [`${pageText(shown, 'place', 'places')}${isAll ? '' : incomplete}`, ...notes].join('\n'),
        data: { places: shown.items, isComplete: isAll && notes.length === 0, ...shown.counts },
      };
    },
  });
}

const incomplete = '\nThere may be more: the search was cut off. A narrower glob finds them.';

/** What the matcher of the editor is done with in no time. */
export function isModest(glob: string): boolean {
  return (glob.match(/\*+|\{/g) ?? []).length <= 10;
}

async function find(glob: string, limit: number, signal: AbortSignal): Promise<vscode.Uri[]> {
  const cancellation = tokenOf(AbortSignal.any([signal, AbortSignal.timeout(maxTime)]));
  const found = new Map<string, vscode.Uri>(); // a workspace folder may lie in another one
  try {
    for (const folder of vscode.workspace.workspaceFolders ?? []) {
      const pattern = new vscode.RelativePattern(folder, glob);
      const inIt = await vscode.workspace.findFiles(pattern, excluded(folder), limit, cancellation.token);
      inIt.forEach((uri) => found.set(uri.toString(), uri));
    }
    return [...found.values()].slice(0, limit);
  } finally {
    cancellation.dispose();
  }
}

/** On top of `files.exclude`, which `findFiles` minds by itself. */
function excluded({ uri }: vscode.WorkspaceFolder): string | undefined {
  const settings = vscode.workspace
    .getConfiguration('search', uri)
    .get<Record<string, unknown>>('exclude', {});
  const globs = Object.keys(settings).filter((glob) => settings[glob] === true);
  return globs.length > 0 ? `{${globs.join(',')}}` : undefined;
}

async function search(
  files: readonly vscode.Uri[],
  text: string,
  matchCase: boolean,
  signal: AbortSignal,
  mayRead: (uri: vscode.Uri) => Promise<boolean>,
): Promise<{ places: Place[]; isComplete: boolean; notes: string[] }> {
  // In lower case, a line may have another length.
  const wanted = new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), matchCase ? 'u' : 'iu');
  const places: Place[] = [];
  let tooLarge = 0;
  let unsaved = 0;
  const told = (isComplete: boolean) => ({ places, isComplete, notes: notesOf(tooLarge, unsaved) });
  const deadline = performance.now() + maxTime;
  for (const uri of files) {
    signal.throwIfAborted();
    if (performance.now() > deadline || places.length >= maxFound) {
      return told(false);
    }
    unsaved += openNotebook(uri)?.isDirty ? 1 : 0;
    const content = openDocument(uri)?.getText() ?? ((await mayRead(uri)) ? await read(uri.fsPath) : '');
    tooLarge += content === undefined ? 1 : 0;
    if (content === undefined || !wanted.test(content)) {
      continue;
    }
    for (const [index, line] of content.split(/\r\n?|\n/).entries()) {
      const at = line.search(wanted);
      if (at >= 0 && places.length < maxFound) {
        places.push({ path: uri.fsPath, line: index + 1, column: at + 1, text: shownLine(line) });
      }
    }
  }
  return told(true);
}

/** What an answer that names no place would else have a client take for proven. */
function notesOf(tooLarge: number, unsaved: number): string[] {
  return [
    ...(tooLarge > 0
      ? [
          `${counted(tooLarge, 'file', 'files')} of more than ${maxFile} MB not searched: a narrower glob leaves them out.`,
        ]
      : []),
    ...(unsaved > 0
      ? [
          `${counted(unsaved, 'notebook', 'notebooks')} searched without what is not saved: readBuffer tells that.`,
        ]
      : []),
  ];
}

/** Nothing of what is no text, or is gone by now; undefined for what is too large. */
async function read(file: string): Promise<string | undefined> {
  try {
    const found = await stat(file);
    if (!found.isFile()) {
      return '';
    }
    if (found.size > maxFile * 1024 * 1024) {
      return undefined;
    }
    const bytes = await readFile(file);
    const mark = bytes.toString('latin1', 0, 2);
    if (mark === '\xFF\xFE' || mark === '\xFE\xFF') {
      return new TextDecoder(mark === '\xFF\xFE' ? 'utf-16le' : 'utf-16be').decode(bytes);
    }
    return bytes.includes(0) ? '' : bytes.toString('utf8');
  } catch {
    return '';
  }
}

function compare(a: vscode.Uri, b: vscode.Uri): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}
