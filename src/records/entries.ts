import * as z from 'zod/mini';
import type { PatchHunk, Replacement } from './events.ts';
import { lenient } from './lenient.ts';
import { withoutPasteMarks } from './withoutPasteMarks.ts';

/** What one line of a transcript tells, of what we ask. */
export type Entry = EntryPlace &
  (
    | { readonly kind: 'prompt'; readonly text: string; readonly isTyped: boolean; readonly mode?: string }
    /** A slash command: its turn, if it has one, begins with what the model says. */
    | { readonly kind: 'command'; readonly text: string }
    | {
        readonly kind: 'assistant';
        readonly uses: readonly { id: string; name: string; input: Record<string, unknown> }[];
        readonly model?: string;
        readonly contextTokens?: number;
        /** The model has no more to say. */
        readonly isLast: boolean;
      }
    | { readonly kind: 'results'; readonly results: readonly EntryResult[] }
    | { readonly kind: 'interrupted' }
    | { readonly kind: 'turnEnded' }
    | { readonly kind: 'mode'; readonly mode: string }
    | {
        readonly kind: 'title';
        readonly by: 'user' | 'cli' | 'summary';
        readonly title: string;
        readonly leafUuid?: string;
      }
  );

/** Which session it is of, and when. */
export interface EntryPlace {
  readonly uuid?: string;
  readonly sessionId?: string;
  readonly cwd?: string;
  /** Of Git. */
  readonly branch?: string;
  readonly version?: string;
  /** ms since the epoch; undefined where the line has no time */
  readonly at?: number;
  /** Of a sub-agent; '' where the CLI (1.0) does not name it. */
  readonly agentId?: string;
}

export interface EntryResult {
  readonly toolUseId: string;
  readonly isError: boolean;
  readonly isRefused: boolean;
  readonly isInterrupted: boolean;
  readonly isInBackground: boolean;
  readonly edit?: EntryEdit;
  /** The sub-agent that it was for, which has ended unless it goes on in the background. */
  readonly agent?: { readonly id: string; readonly isInBackground: boolean };
}

export interface EntryEdit {
  readonly filePath: string;
  readonly before: string | null | undefined;
  readonly after: string | undefined;
  readonly replacements: readonly Replacement[];
  readonly patch: readonly PatchHunk[];
  readonly isUserModified: boolean;
}

/** Fields that are not named here are let through, and left behind: keeping them doubles what a line costs. */
const place = {
  uuid: lenient(z.string()),
  sessionId: lenient(z.string()),
  cwd: lenient(z.string()),
  gitBranch: lenient(z.string()),
  version: lenient(z.string()),
  timestamp: lenient(z.string()),
  isSidechain: lenient(z.boolean()),
  agentId: lenient(z.string()),
};

const block = z.object({
  type: z.string(),
  text: lenient(z.string()),
  id: lenient(z.string()),
  name: lenient(z.string()),
  input: lenient(z.record(z.string(), z.unknown())),
  tool_use_id: lenient(z.string()),
  is_error: lenient(z.boolean()),
});

const content = z.union([z.string(), z.array(block)]);

const hunk = z.object({
  oldStart: z.number(),
  oldLines: z.number(),
  newStart: z.number(),
  newLines: z.number(),
  /** Of a file that was written over there can be millions. */
  lines: z.custom<string[]>(
    (found) => Array.isArray(found) && found.every((line) => typeof line === 'string'),
  ),
});

/** Of Edit, Write, NotebookEdit (1.0 leaves its path and texts out) and of 1.0's MultiEdit, as they were seen. */
const editResult = z.object({
  type: lenient(z.string()),
  filePath: lenient(z.string()),
  notebook_path: lenient(z.string()),
  originalFile: lenient(z.nullable(z.string())),
  originalFileContents: lenient(z.nullable(z.string())),
  original_file: lenient(z.nullable(z.string())),
  content: lenient(z.string()),
  oldString: lenient(z.string()),
  newString: lenient(z.string()),
  replaceAll: lenient(z.boolean()),
  edits: lenient(
    z.array(z.object({ old_string: z.string(), new_string: z.string(), replace_all: lenient(z.boolean()) })),
  ),
  updated_file: lenient(z.string()),
  structuredPatch: lenient(z.array(hunk)),
  userModified: lenient(z.boolean()),
  error: lenient(z.string()),
});

/** Of Agent (2.1) and Task; 1.0 does not name its sub-agents. */
const agentResult = z.object({ agentId: lenient(z.string()), isAsync: lenient(z.boolean()) });

const userLine = z.object({
  ...place,
  type: z.literal('user'),
  message: z.object({ content }),
  isMeta: lenient(z.boolean()),
  isCompactSummary: lenient(z.boolean()),
  permissionMode: lenient(z.string()),
  origin: lenient(z.object({ kind: z.string() })),
  toolUseResult: z.optional(z.unknown()),
  toolDenialKind: lenient(z.string()),
  toolDenialBeforeRun: lenient(z.boolean()),
});

const tokens = lenient(z.number());

const assistantLine = z.object({
  ...place,
  type: z.literal('assistant'),
  message: z.object({
    model: lenient(z.string()),
    content,
    stop_reason: lenient(z.nullable(z.string())),
    usage: lenient(
      z.object({
        input_tokens: tokens,
        cache_creation_input_tokens: tokens,
        cache_read_input_tokens: tokens,
        output_tokens: tokens,
      }),
    ),
  }),
});

const otherLine = z.union([
  z.object({ ...place, type: z.literal('system'), subtype: z.string() }),
  z.object({ ...place, type: z.literal('permission-mode'), permissionMode: z.string() }),
  z.object({ ...place, type: z.literal('custom-title'), customTitle: z.string() }),
  z.object({ ...place, type: z.literal('ai-title'), aiTitle: z.string() }),
  z.object({
    ...place,
    type: z.literal('summary'),
    summary: z.string(),
    leafUuid: lenient(z.string()),
  }),
]);

/** The types that are parsed. */
const wanted = new Set([
  'user',
  'assistant',
  'system',
  'permission-mode',
  'custom-title',
  'ai-title',
  'summary',
]);

/** In what others say it is escaped, so that this is found of the line itself and of what it consists of. */
const typeKey = Buffer.from('"type":"');
const quote = 0x22;

/** Undefined for everything that is not asked for, or that is not what it was seen to be. */
export function parseEntry(line: Buffer): Entry | undefined {
  if (!isWanted(line)) {
    return undefined;
  }
  let json: unknown;
  try {
    json = JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
  return entryOf(json);
}

/**
 * Tells most of what is not asked for by a search. The longest of it (requests, system prompts) says so where it begins;
 * in others the type comes last.
 */
export function isWanted(line: Buffer): boolean {
  for (let at = line.indexOf(typeKey); at >= 0; at = line.indexOf(typeKey, at + 1)) {
    const from = at + typeKey.length;
    if (wanted.has(line.toString('latin1', from, line.indexOf(quote, from)))) {
      return true;
    }
    if (at === 1) {
      return false;
    }
  }
  return false;
}

/** See `parseEntry`, of a line that has been read. */
export function entryOf(json: unknown): Entry | undefined {
  const type = typeof json === 'object' && json !== null && 'type' in json ? json.type : undefined;
  switch (type) {
    case 'user': {
      const { data } = userLine.safeParse(json);
      return data && ofUser(data);
    }
    case 'assistant': {
      const { data } = assistantLine.safeParse(json);
      return data && ofAssistant(data);
    }
    default: {
      const { data } = otherLine.safeParse(json);
      return data && ofOther(data);
    }
  }
}

function ofUser(line: z.infer<typeof userLine>): Entry | undefined {
  const at = placeOf(line);
  const { content } = line.message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const results = blocks.flatMap((found) =>
    'tool_use_id' in found && found.type === 'tool_result' && found.tool_use_id !== undefined
      ? { ...found, tool_use_id: found.tool_use_id }
      : [],
  );
  if (results.length > 0) {
    return {
      ...at,
      kind: 'results',
      results: results.map(({ tool_use_id, is_error }) => ({
        toolUseId: tool_use_id,
        isError: is_error === true,
        ...endOf(line),
        // With several results in one line, whose it is would be a guess.
        ...(results.length === 1 && is_error !== true ? editOf(line.toolUseResult) : {}),
        ...(results.length === 1 ? agentOf(line.toolUseResult) : {}),
      })),
    };
  }
  if (line.isMeta === true || line.isCompactSummary === true) {
    return undefined;
  }
  const texts = blocks.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? text : []));
  const text = texts.filter((found) => !/^<(ide_|system-reminder)/.test(found)).join('\n');
  if (text.startsWith('[Request interrupted by user')) {
    return { ...at, kind: 'interrupted' };
  }
  if (/^<(local-command-|bash-)/.test(text)) {
    return undefined; // what was run without the model
  }
  const command = /<command-name>\s*([^<]+?)\s*<\/command-name>/.exec(text.slice(0, 10_000))?.[1];
  if (command !== undefined && text.startsWith('<command-')) {
    const args = /<command-args>([^<]*)<\/command-args>/.exec(text)?.[1]?.trim() ?? '';
    return { ...at, kind: 'command', text: args === '' ? command : `${command} ${args}` };
  }
  const isTyped = line.origin ? line.origin.kind === 'human' : !text.startsWith('<task-notification>');
  const { permissionMode: mode } = line;
  const words = withoutPasteMarks(text);
  return { ...at, kind: 'prompt', text: words, isTyped, ...(mode === undefined ? {} : { mode }) };
}

/**
 * Whether a tool has run. 2.1 says it in words of its own. Older ones say "was rejected" of what never ran, and
 * "interrupted" of what did; 2.1 says "was rejected" of both.
 */
function endOf(line: z.infer<typeof userLine>) {
  const { toolUseResult, toolDenialKind, toolDenialBeforeRun } = line;
  const text = typeof toolUseResult === 'string' ? toolUseResult : '';
  const isOldRefusal = toolDenialKind === undefined && text.includes('The tool use was rejected');
  const isRefused = toolDenialBeforeRun === true || isOldRefusal;
  const isInterrupted =
    !isRefused && (toolDenialKind !== undefined || text.includes('[Request interrupted by user'));
  const isInBackground =
    typeof toolUseResult === 'object' &&
    toolUseResult !== null &&
    'backgroundTaskId' in toolUseResult &&
    typeof toolUseResult.backgroundTaskId === 'string';
  return { isRefused, isInterrupted, isInBackground };
}

function agentOf(result: unknown): Pick<EntryResult, 'agent'> {
  const { agentId: id, isAsync } = agentResult.safeParse(result).data ?? {};
  return id === undefined ? {} : { agent: { id, isInBackground: isAsync === true } };
}

function editOf(result: unknown): { edit: EntryEdit } | undefined {
  const { success, data } = editResult.safeParse(result);
  const filePath = success ? (data.filePath ?? data.notebook_path) : undefined;
  if (!success || filePath === undefined || !isEdit(data)) {
    return undefined;
  }
  const patch = data.structuredPatch ?? [];
  const before = data.originalFile ?? data.originalFileContents ?? data.original_file;
  const isNew = data.type === 'create' || (before === null && patch.every(({ oldLines }) => oldLines === 0));
  return {
    edit: {
      filePath,
      before: before ?? (isNew ? null : undefined),
      after: data.content ?? data.updated_file,
      replacements: replacementsIn(data),
      patch,
      isUserModified: data.userModified === true,
    },
  };
}

function replacementsIn({ oldString: from, newString: to, replaceAll, edits }: z.infer<typeof editResult>) {
  return from !== undefined && to !== undefined
    ? [{ from, to, isAll: replaceAll === true }]
    : (edits ?? []).map(({ old_string, new_string, replace_all }) => ({
        from: old_string,
        to: new_string,
        isAll: replace_all === true,
      }));
}

/** Other tools name files, too. */
function isEdit(data: z.infer<typeof editResult>): boolean {
  return !data.error && (data.structuredPatch !== undefined || data.updated_file !== undefined);
}

function ofAssistant(line: z.infer<typeof assistantLine>): Entry {
  const { model, content, usage, stop_reason } = line.message;
  const uses = typeof content === 'string' ? [] : content;
  const contextTokens =
    usage &&
    [
      usage.input_tokens,
      usage.cache_creation_input_tokens,
      usage.cache_read_input_tokens,
      usage.output_tokens,
    ].reduce<number>((sum, count) => sum + (count ?? 0), 0);
  // What the CLI itself says in the model's place (errors, "No response requested.") has a model in angle brackets.
  const isModel = model !== undefined && !model.startsWith('<');
  return {
    ...placeOf(line),
    kind: 'assistant',
    uses: uses.flatMap(({ type, id, name, input }) =>
      type === 'tool_use' && id !== undefined && name !== undefined ? { id, name, input: input ?? {} } : [],
    ),
    ...(isModel ? { model } : {}),
    ...(isModel && contextTokens !== undefined ? { contextTokens } : {}),
    isLast: typeof stop_reason === 'string' && !['tool_use', 'pause_turn'].includes(stop_reason),
  };
}

function ofOther(line: z.infer<typeof otherLine>): Entry | undefined {
  const at = placeOf(line);
  switch (line.type) {
    case 'system':
      return line.subtype === 'turn_duration' ? { ...at, kind: 'turnEnded' } : undefined;
    case 'permission-mode':
      return { ...at, kind: 'mode', mode: line.permissionMode };
    case 'custom-title':
      return { ...at, kind: 'title', by: 'user', title: line.customTitle };
    case 'ai-title':
      return { ...at, kind: 'title', by: 'cli', title: line.aiTitle };
    case 'summary': {
      const { leafUuid } = line;
      const of = leafUuid === undefined ? {} : { leafUuid };
      return { ...at, kind: 'title', by: 'summary', title: line.summary, ...of };
    }
  }
}

/** A transcript can have lines of other sessions; one that names none is of its own. */
export function isOfSession(entry: EntryPlace, sessionId: string): boolean {
  return entry.sessionId === undefined || entry.sessionId === sessionId;
}

function placeOf(line: z.infer<z.ZodMiniObject<typeof place>>): EntryPlace {
  const { uuid, sessionId, cwd, gitBranch: branch, version, timestamp, isSidechain, agentId } = line;
  const at = timestamp === undefined ? NaN : Date.parse(timestamp);
  const agent = agentId ?? (isSidechain === true ? '' : undefined);
  return {
    ...(uuid === undefined ? {} : { uuid }),
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(branch === undefined || branch === '' || branch === 'HEAD' ? {} : { branch }), // none, or none that is known
    ...(version === undefined ? {} : { version }),
    ...(Number.isNaN(at) ? {} : { at }),
    ...(agent === undefined ? {} : { agentId: agent }),
  };
}
