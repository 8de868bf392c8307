import { isUtf8 } from 'node:buffer';
import * as z from 'zod/mini';
import { withLf, withoutBom } from '../base/text.ts';
import { stateOf } from './fileState.ts';
import type { AskPermission, PermissionDecision, PermissionQuestion } from './permissions.ts';

/** What an edit would make of a file. Texts have LF and no byte order mark: the CLI keeps what the file has. */
export interface ProposedEdit {
  readonly question: PermissionQuestion;
  /** Absolute. */
  readonly filePath: string;
  /** Null where there is no file yet. */
  readonly before: string | null;
  readonly after: string;
}

export type Reviewed =
  /** `text`: what the user has made of `after`. */
  | { readonly kind: 'accepted'; readonly text: string }
  | { readonly kind: 'rejected'; readonly reason: string };

/** Shows an edit to the user. @param signal nobody waits for the answer any more */
export type ReviewEdit = (edit: ProposedEdit, signal: AbortSignal) => Promise<Reviewed>;

const text = z.string();
const inputs = {
  Write: z.object({ file_path: text, content: text }),
  Edit: z.object({
    file_path: text,
    old_string: text,
    new_string: text,
    replace_all: z.optional(z.boolean()),
  }),
  MultiEdit: z.object({
    file_path: text,
    edits: z.array(z.object({ old_string: text, new_string: text, replace_all: z.optional(z.boolean()) })),
  }),
  NotebookEdit: z.object({
    notebook_path: text,
    new_source: text,
    cell_id: z.optional(text),
    edit_mode: z.optional(text),
  }),
};
type Replacement = z.infer<typeof inputs.MultiEdit>['edits'][number];

interface Computed {
  readonly filePath: string;
  readonly before: string | null;
  readonly after: string;
  /** The input by which exactly that text lands. @returns a reason where the tool cannot do that */
  inputFor(text: string): Readonly<Record<string, unknown>> | string;
}

/** Edits are shown as a proposal; all else, and an edit that we cannot foresee, is asked about. */
export function withEditReview(ask: AskPermission, review: ReviewEdit): AskPermission {
  return async (question, signal) => {
    const computed = question.group === 'edit' ? await compute(question) : undefined;
    if (!computed) {
      return ask(question, signal);
    }
    const { filePath, before, after } = computed;
    const reviewed = await review({ question, filePath, before, after }, signal);
    return reviewed.kind === 'rejected'
      ? { kind: 'deny', reason: reviewed.reason }
      : decisionFor(computed, withLf(reviewed.text));
  };
}

function decisionFor(computed: Computed, text: string): PermissionDecision {
  if (text === computed.after) {
    return { kind: 'allow' };
  }
  if (text === computed.before) {
    return { kind: 'deny', reason: 'The user has taken back all of this edit.' };
  }
  const input = computed.inputFor(text);
  return typeof input === 'string' ? { kind: 'deny', reason: input } : { kind: 'allow', input };
}

/** Undefined for what the CLI will refuse, or do in a way that we do not know. */
async function compute({ tool, input }: PermissionQuestion): Promise<Computed | undefined> {
  switch (tool) {
    case 'Write': {
      const { data } = inputs.Write.safeParse(input);
      const file = data && (await fileAt(data.file_path));
      return file && { ...file, after: withLf(data.content), inputFor: (content) => ({ ...input, content }) };
    }
    case 'Edit': {
      const { data } = inputs.Edit.safeParse(input);
      return (
        data &&
        computeEdits(data.file_path, [data], (old_string, new_string) => ({
          ...input,
          old_string,
          new_string,
          replace_all: false,
        }))
      );
    }
    case 'MultiEdit': {
      const { data } = inputs.MultiEdit.safeParse(input);
      return (
        data &&
        computeEdits(data.file_path, data.edits, (old_string, new_string) => ({
          ...input,
          edits: [{ old_string, new_string }],
        }))
      );
    }
    case 'NotebookEdit':
      return computeCell(input);
    default:
      return undefined;
  }
}

async function computeEdits(
  filePath: string,
  edits: readonly Replacement[],
  inputFor: (before: string, text: string) => Readonly<Record<string, unknown>>,
): Promise<Computed | undefined> {
  const file = await fileAt(filePath);
  if (!file) {
    return undefined;
  }
  let after: string | undefined = file.before ?? '';
  for (const edit of edits) {
    after = after === undefined ? undefined : replaced(after, edit);
  }
  return after === undefined || after === (file.before ?? '')
    ? undefined
    : { ...file, after, inputFor: (text) => inputFor(file.before ?? '', text) };
}

function replaced(text: string, { old_string, new_string, replace_all }: Replacement): string | undefined {
  if (old_string === '') {
    return text === '' ? new_string : undefined;
  }
  const parts = text.split(old_string);
  if (parts.length === 1 || (parts.length > 2 && replace_all !== true)) {
    return undefined;
  }
  // Of lines that go, their line ends go, too (2.1, 2.0).
  const isOfLines = new_string === '' && !old_string.endsWith('\n') && text.includes(`${old_string}\n`);
  return isOfLines ? text.split(`${old_string}\n`).join('') : parts.join(new_string);
}

async function fileAt(filePath: string): Promise<{ filePath: string; before: string | null } | undefined> {
  const bytes = await stateOf(filePath);
  if (!bytes) {
    return bytes === null ? { filePath, before: null } : undefined;
  }
  // What is no UTF-8 cannot be compared, nor written as it was.
  return isUtf8(bytes) ? { filePath, before: withLf(withoutBom(bytes.toString())) } : undefined;
}

const notebook = z.looseObject({
  cells: z.array(
    z.looseObject({ id: z.optional(text), cell_type: text, source: z.union([text, z.array(text)]) }),
  ),
});
type Notebook = z.infer<typeof notebook>;

/** Only what a cell holds: the place of one that is added, or what comes with one that goes, is the CLI's. */
async function computeCell(input: Readonly<Record<string, unknown>>): Promise<Computed | undefined> {
  const { data } = inputs.NotebookEdit.safeParse(input);
  const file = data && (await fileAt(data.notebook_path));
  const before = notebookIn(file?.before ?? '');
  if (!data || !file || !before || (data.edit_mode ?? 'replace') !== 'replace') {
    return undefined;
  }
  const index = before.cells.findIndex(({ id }) => id !== undefined && id === data.cell_id);
  if (index < 0) {
    return undefined;
  }
  const indent = /^\{\n( +)/.exec(file.before ?? '')?.[1]?.length ?? 1;
  const print = (source: string) => JSON.stringify(withSource(before, index, source), null, indent);
  return {
    ...file,
    after: print(data.new_source),
    inputFor: (changed) => {
      const cell = notebookIn(changed)?.cells[index];
      const new_source = cell && sourceOf(cell);
      const isOnlyCell =
        new_source !== undefined &&
        JSON.stringify(notebookIn(changed)) === JSON.stringify(notebookIn(print(new_source)));
      return isOnlyCell
        ? { ...input, new_source }
        : 'The user has changed more of the notebook than this cell, which this tool cannot write. Read the notebook, and ask the user what it shall be.';
    },
  };
}

function notebookIn(json: string): Notebook | undefined {
  try {
    return notebook.safeParse(JSON.parse(json)).data;
  } catch {
    return undefined;
  }
}

function withSource(book: Notebook, index: number, source: string): Notebook {
  const lines = source.split(/(?<=\n)/);
  return {
    ...book,
    cells: book.cells.map((cell, at) => (at === index ? { ...cell, source: lines } : cell)),
  };
}

function sourceOf({ source }: Notebook['cells'][number]): string {
  return typeof source === 'string' ? source : source.join('');
}
