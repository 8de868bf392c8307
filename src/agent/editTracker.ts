import { isAbsolute, resolve } from 'node:path';
import { type FileState, stateOf } from './fileState.ts';
import type { HookCall, Hooks } from './hooks.ts';
import { editTools } from './permissions.ts';

/** What one tool use of an agent has made of a file. */
export interface TrackedEdit {
  readonly sessionId: string;
  /** Counted from 0 in each session, since the tracker began; every prompt begins one. */
  readonly turn: number;
  /** Undefined where the CLI (1.0) does not say. */
  readonly toolUseId: string | undefined;
  readonly tool: string;
  /** Absolute. */
  readonly filePath: string;
  readonly before: FileState;
  readonly after: FileState;
}

const matcher = editTools.join('|');

/** Edits that begin and never end, as one that is refused, are forgotten beyond these, the oldest first. */
const maxBegun = 100;

interface Begun {
  readonly turn: number;
  readonly before: FileState;
}

/** Follows, by hooks that sessions are started with, what their edits make of files. */
export class EditTracker {
  private readonly begun = new Map<string, Begun>();
  private readonly turns = new Map<string, number>();

  /**
   * @param onWillEdit called before the file is written, and waited for
   * @param onDidEdit called once it has been
   */
  constructor(
    hooks: Hooks,
    private readonly onWillEdit: (sessionId: string, filePath: string) => Promise<void> | void,
    private readonly onDidEdit: (edit: TrackedEdit) => void,
  ) {
    hooks.add('UserPromptSubmit', ({ input }) => this.beginTurn(text(input['session_id'])));
    hooks.add('PreToolUse', (call) => this.begin(call), matcher);
    hooks.add('PostToolUse', (call) => this.end(call), matcher);
  }

  private beginTurn(sessionId: string): void {
    this.turns.set(sessionId, (this.turns.get(sessionId) ?? -1) + 1);
  }

  private async begin(call: HookCall): Promise<void> {
    const { sessionId, filePath, key } = placeOf(call);
    if (filePath === '') {
      return;
    }
    this.begun.delete(key);
    this.begun.set(key, { turn: this.turns.get(sessionId) ?? 0, before: await stateOf(filePath) });
    const [oldest] = this.begun.keys();
    if (this.begun.size > maxBegun && oldest !== undefined) {
      this.begun.delete(oldest);
    }
    await this.onWillEdit(sessionId, filePath);
  }

  private async end(call: HookCall): Promise<void> {
    const { sessionId, filePath, tool, key } = placeOf(call);
    const begun = this.begun.get(key);
    this.begun.delete(key);
    if (begun) {
      const after = await stateOf(filePath);
      this.onDidEdit({ sessionId, toolUseId: call.toolUseId, tool, filePath, ...begun, after });
    }
  }
}

/** One session's uses of tools come one after the other for each file; 1.0 gives them no ids. */
function placeOf({ input, toolUseId }: HookCall) {
  const sessionId = text(input['session_id']);
  const tool = text(input['tool_name']);
  const of = (input['tool_input'] ?? {}) as Readonly<Record<string, unknown>>;
  const named = text(of['file_path']) || text(of['notebook_path']);
  const cwd = text(input['cwd']);
  // As the model says it; only 2.1 makes it absolute.
  const filePath = named !== '' && isAbsolute(cwd) ? resolve(cwd, named) : named;
  return { sessionId, tool, filePath, key: toolUseId ?? JSON.stringify([sessionId, tool, filePath]) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
