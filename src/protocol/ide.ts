import * as z from 'zod/mini';

/** What the IDE side adds to MCP. Lines are 0-based, characters are UTF-16 columns, all paths are absolute. */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/**
 * The CLI ignores the whole notification when `text`, `filePath` or `selection` is null, and keeps the old
 * selection. It is cleared by an empty `filePath` and `text`.
 */
export interface SelectionChanged {
  text: string;
  filePath: string;
  fileUrl: string;
  /** In a notebook: lines are those of the cell. Ours; the CLI ignores it. */
  cellIndex?: number;
  selection: Range & { isEmpty: boolean };
}

export interface ActiveEditorChanged {
  filePath: string;
  fileUrl: string;
  languageId: string;
  selection: Range;
}

/** Lines are inclusive; the CLI takes the whole file when either is absent, and ignores the message on null. */
export interface AtMentioned {
  filePath: string;
  lineStart?: number;
  lineEnd?: number;
  /** Of a notebook, instead of lines. Ours; the CLI gets it as a part of the path. */
  cellId?: string;
}

/** Everything that we push, by method. */
export interface Notifications {
  selection_changed: SelectionChanged;
  'workspace/didChangeActiveEditor': ActiveEditorChanged;
  diagnostics_changed: { uris: string[] };
  at_mentioned: AtMentioned;
  'notifications/tools/list_changed': Record<string, never>;
}

/** Sent by the CLI after `notifications/initialized`; `pid` is the CLI's own. */
export const ideConnectedParams = z.object({ pid: z.int().check(z.positive()) });

export const lockFileContent = z.object({
  /** An ancestor of the integrated terminals' shells: CLIs 1.x and 2.0 check that it is one of their own. */
  pid: z.int(),
  workspaceFolders: z.array(z.string()),
  ideName: z.string(),
  transport: z.literal('ws'),
  runningInWindows: z.boolean(),
  authToken: z.string(),
  /** Ours; the CLI ignores unknown fields. Tells our locks from those of other extensions. */
  bridge: z.optional(z.string()),
});
export type LockFileContent = z.infer<typeof lockFileContent>;

export interface FileDiagnostics {
  /** `file://` and the raw path, not percent-encoded: the CLI compares it with its own letter by letter. */
  uri: string;
  diagnostics: Diagnostic[];
}

export interface Diagnostic {
  message: string;
  severity: 'Error' | 'Warning' | 'Information' | 'Hint';
  range: { start: Position; end: Position };
  /** In a notebook: lines are those of the cell. */
  cellIndex?: number;
  source?: string;
  code?: string;
  /** Where the code is explained. */
  codeDescription?: { href: string };
  tags?: ('Unnecessary' | 'Deprecated')[];
  relatedInformation?: {
    message: string;
    location: { uri: string; range: { start: Position; end: Position } };
  }[];
}
