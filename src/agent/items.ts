import type { ImageSum } from './promptImages.ts';

/** What a conversation with an agent consists of, whichever agent it is. All of it is JSON. */
export type Item = ItemPlace &
  (
    | { readonly kind: 'prompt'; readonly text: string; readonly state: 'queued' | 'sent' | 'dropped' }
    | { readonly kind: 'text' | 'thinking'; readonly text: string; readonly state: StreamState }
    | {
        readonly kind: 'toolUse';
        readonly name: string;
        /** What is there of the input's JSON while it streams; '' once `input` has come. */
        readonly inputText: string;
        readonly input?: Readonly<Record<string, unknown>>;
        readonly state: StreamState | 'running' | 'failed';
        readonly result?: ToolResult;
      }
    | {
        readonly kind: 'question';
        /** Of the tool use that it asks for; undefined where the agent (1.0) does not say. */
        readonly toolUseId?: string;
        readonly tool: string;
        readonly state: 'open' | 'allowed' | 'denied' | 'withdrawn';
      }
    /** A request to the model's API that has failed; the agent makes it again (CLI 2.1 tells). */
    | {
        readonly kind: 'retry';
        /** The one that comes, from 1. */
        readonly attempt: number;
        readonly attempts: number;
        /** ms until then */
        readonly delay: number;
        /** Of HTTP; undefined where no answer came. */
        readonly status?: number;
        /** A word for it, such as "overloaded". */
        readonly reason?: string;
      }
    | { readonly kind: 'todos'; readonly todos: readonly Todo[] }
    | {
        readonly kind: 'error';
        readonly cause: ErrorCause;
        readonly message: string;
        readonly detail?: string;
      }
    | {
        readonly kind: 'turnEnd';
        readonly outcome: 'done' | 'interrupted' | 'failed';
        /** ms */
        readonly duration?: number;
        readonly usage?: Usage;
        /** US dollars, of this turn. */
        readonly cost?: number;
      }
    /** Something that we do not know, as it came; old ones are removed. */
    | { readonly kind: 'other'; readonly json: unknown }
  );

export interface ItemPlace {
  readonly id: string;
  /** The tool use of the sub-agent that it belongs to. */
  readonly parent?: string;
}

/**
 * `failed`: the turn, by what the agent says; `notLoggedIn`: the same, and the user has to log in; `ended`: its process,
 * untold; `unreadable`: something that it printed; `notKept`: something of the conversation could not be written down.
 */
export type ErrorCause =
  'notStarted' | 'notLoggedIn' | 'notResumed' | 'notKept' | 'failed' | 'ended' | 'unreadable';

/** `stopped`: it will not become more, by an interruption or an error. */
export type StreamState = 'streaming' | 'done' | 'stopped';

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** UTF-16 units that were left out at the end. */
  readonly leftOut?: number;
}

export interface Todo {
  readonly text: string;
  readonly state: 'pending' | 'running' | 'done';
}

/** Tokens. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWritten: number;
}

/** What is true of the conversation as a whole. */
export interface ConversationState {
  readonly sessionId?: string;
  readonly version?: string;
  readonly model?: string;
  readonly mode?: string;
  readonly isRunning: boolean;
  /** US dollars, of all turns. */
  readonly cost?: number;
  /** Tokens that the model can take. */
  readonly contextWindow?: number;
  /** Tokens that it can say in one message. */
  readonly maxOutput?: number;
  /** Tokens that the last request to it had. */
  readonly contextTokens?: number;
  /** How often this process has put a summary in the place of what was said, whoever wanted it. */
  readonly compactions?: number;
  /** What the results of tools have had since then; not those of sub-agents, whose requests are their own. */
  readonly resultImages?: ImageSum;
}

/** A small step from one snapshot to the next. */
export type Delta =
  | { readonly type: 'add'; readonly item: Item }
  /** To `text`, or of a tool use to `inputText`. */
  | { readonly type: 'append'; readonly id: string; readonly text: string }
  /** Fields take the place of those of the same name. */
  | { readonly type: 'change'; readonly id: string; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly type: 'remove'; readonly id: string }
  | { readonly type: 'state'; readonly fields: Partial<ConversationState> };

export interface Snapshot {
  /** Of the last delta that is in it. */
  readonly seq: number;
  readonly items: readonly Item[];
  readonly state: ConversationState;
}
