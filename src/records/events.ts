/**
 * What the CLI's own records tell of a session. All times are ms since the epoch by the clock of the CLI, which may jump:
 * the order is that of the events, not of their times.
 */

/** One call of a tool by the model, or by a sub-agent of the session. */
export interface ToolUse {
  readonly id: string;
  /** For example `Bash` or `Edit`. */
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** When the model asked for it; it has not run before. */
  readonly begun: number;
  /** Of the sub-agent that called it; '' where the CLI (1.0) does not name it. */
  readonly agentId?: string;
}

export interface ToolResult {
  readonly use: ToolUse;
  readonly ended: number;
  readonly isError: boolean;
  /** It has not run: the user, or a rule, has said no. */
  readonly isRefused: boolean;
  /** It was stopped by the user; it may have run for a while. */
  readonly isInterrupted: boolean;
  /** Its command goes on in the background: what it changes from now on comes outside of every window. */
  readonly isInBackground: boolean;
}

/**
 * One hunk, with the lines of a unified diff; line numbers are 1-based. Made to be shown: the CLI writes the tabs at the
 * beginning of a line as spaces, so that none is to be applied.
 */
export interface PatchHunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/** What an edit has put in the place of what. */
export interface Replacement {
  readonly from: string;
  readonly to: string;
  /** All that was there, and not only the first. */
  readonly isAll: boolean;
}

/** A file that the CLI's own tools have written, with what it was before. */
export interface RecordedEdit {
  readonly toolUseId: string;
  readonly at: number;
  /** Absolute, as the CLI names it. */
  readonly filePath: string;
  /** The whole text from before, with LF; null for a file that was not there, undefined where the record leaves it out. */
  readonly before: string | null | undefined;
  /** The whole text after, where the record has it (`Write`); else `replacements` tell. */
  readonly after: string | undefined;
  /** One after the other; none where the whole text was written. */
  readonly replacements: readonly Replacement[];
  readonly patch: readonly PatchHunk[];
  /** The user has changed the proposal before it was written. */
  readonly isUserModified: boolean;
  readonly agentId?: string;
}

/** Names and times only: a turn is kept as long as its session, inputs may be large. */
export interface TurnToolUse extends Pick<ToolUse, 'id' | 'name' | 'begun'> {
  readonly ended?: number;
  /** It has not run. */
  readonly isRefused?: true;
}

/** From one prompt to the next. */
export interface Turn {
  /** The uuid of the prompt's line. */
  readonly id: string;
  readonly prompt: string;
  readonly begun: number;
  /** Undefined while it runs, or where the record does not say. */
  readonly ended?: number;
  readonly isInterrupted: boolean;
  /** Absolute paths of what was edited, each once, in the order of the first edit. */
  readonly files: readonly string[];
  readonly toolUses: readonly TurnToolUse[];
}

/** A turn as it is remembered with what was done in it. */
export interface TurnMark {
  readonly id: string;
  /** The first line of the prompt, cut; '' where the CLI has prompted itself. */
  readonly prompt: string;
  readonly begun: number;
}

/** An edit that was looked for afterwards. */
export interface PastEdit extends RecordedEdit {
  readonly turn?: TurnMark;
  /** Of the CLI. */
  readonly version?: string;
}

/**
 * What a session is at. `running` is all that the transcript of a CLI without session files tells: its turn has not
 * ended, it works or asks. `shell`: the turn has ended, a command of it runs in the background.
 */
export type SessionState =
  | { readonly status: 'idle' | 'shell' | 'working' | 'running'; readonly since: number }
  | {
      readonly status: 'waiting';
      readonly since: number;
      /** In the CLI's words: `permission prompt`, `input needed`, …; '' where it does not say. */
      readonly waitingFor: string;
      /** The tools that the question can be about: begun and not ended, sub-agents' included. Mostly one. */
      readonly asks: readonly ToolUse[];
    };

/** Everything that is told of one session, in the order of its records. */
export type RecordEvent =
  | { readonly type: 'state'; readonly state: SessionState | undefined }
  /** `isTyped` is false for what the CLI prompts itself with, such as the end of a background task. */
  | { readonly type: 'prompt'; readonly turn: Turn; readonly isTyped: boolean; readonly at: number }
  | { readonly type: 'toolBegun'; readonly use: ToolUse }
  | { readonly type: 'toolEnded'; readonly result: ToolResult }
  | { readonly type: 'edit'; readonly edit: RecordedEdit }
  | { readonly type: 'turnEnded'; readonly turn: Turn; readonly at: number }
  | { readonly type: 'mode'; readonly mode: string }
  | { readonly type: 'model'; readonly model: string }
  /** Tokens that the last request of the session itself has put into the context, with its answer. */
  | { readonly type: 'usage'; readonly contextTokens: number; readonly at: number }
  /** Its transcript was found, or it has gone on to another (`/clear`, `/resume`); what follows is of that one. */
  | { readonly type: 'session'; readonly sessionId: string }
  /** Something is missing here: a line over the limit, a transcript that was cut or replaced. */
  | { readonly type: 'gap'; readonly reason: string }
  /** How the session is known has changed. */
  | { readonly type: 'source'; readonly source: RecordSource };

/** For the doctor. */
export interface RecordSource {
  readonly known: 'session file and transcript' | 'session file' | 'transcript' | 'nothing';
  /** Why not more, and why by looking every 2 s instead of watching. */
  readonly reasons: readonly string[];
}
