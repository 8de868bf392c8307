import type { Entry, EntryResult } from './entries.ts';
import type { RecordEvent, ToolUse, Turn, TurnToolUse } from './events.ts';

interface RunningTurn {
  readonly id: string;
  readonly prompt: string;
  readonly begun: number;
  ended?: number;
  isInterrupted: boolean;
  readonly files: Set<string>;
  readonly toolUses: Map<string, TurnToolUse>;
}

/** A model that never gets an answer to thousands of calls: the oldest are forgotten. */
const maxOpenTools = 1_000;
/** Prompts are shown, not sent; what is pasted into one can be megabytes. */
const maxPrompt = 10_000;

/** Takes the entries of a session and its sub-agents in order, and says what they mean. Reads nothing. */
export class Conversation {
  private current: RunningTurn | undefined;
  private command: Extract<Entry, { kind: 'command' }> | undefined;
  private readonly open = new Map<string, ToolUse>();
  /** Of those the ids that nobody waits for any more; should their results come, they count. */
  private readonly givenUp = new Set<string>();
  /** Sub-agents that go on beside their session. */
  private readonly background = new Set<string>();
  /** When a sub-agent has ended; '' for all that their session waits for. */
  private readonly agentsEnded = new Map<string, number>();

  mode: string | undefined;
  model: string | undefined;
  contextTokens: number | undefined;

  constructor(private readonly tell: (event: RecordEvent) => void) {}

  /** Begun and not ended, in the order of their begin. */
  get openTools(): readonly ToolUse[] {
    return [...this.open.values()].filter(({ id }) => !this.givenUp.has(id));
  }

  /** The one that runs, or the last. */
  get turn(): Turn | undefined {
    return this.current && shown(this.current);
  }

  /** Whether a turn runs; undefined before the first. */
  get isRunning(): boolean | undefined {
    return this.current && this.current.ended === undefined;
  }

  take(entry: Entry): void {
    switch (entry.kind) {
      case 'prompt':
        if (entry.agentId === undefined) {
          this.begin(entry, entry.text, entry.isTyped);
          this.endNotified(entry);
          this.setMode(entry.mode);
        }
        break;
      case 'command':
        this.command = entry;
        break;
      case 'assistant':
        this.hear(entry);
        break;
      case 'results':
        entry.results.forEach((result) => this.endTool(result, entry));
        break;
      case 'interrupted':
        this.endAgent(entry.agentId ?? '', entry);
        if (entry.agentId === undefined && this.current) {
          this.current.isInterrupted = true;
          this.end(entry.at);
        }
        break;
      case 'turnEnded':
        if (entry.agentId === undefined) {
          this.end(entry.at);
        }
        break;
      case 'mode':
        this.setMode(entry.mode);
        break;
      case 'title':
        break; // asked for by who lists past sessions
    }
  }

  /** A line was left out, of that sub-agent or of the session itself: what was open may have ended with it. */
  skip(agentId: string | undefined): void {
    this.giveUp((use) => (use.agentId ?? '') === (agentId ?? ''));
  }

  private giveUp(isOver: (use: ToolUse) => boolean): void {
    this.openTools.filter(isOver).forEach(({ id }) => this.givenUp.add(id));
  }

  private endAgent(agentId: string, { at = 0 }: { readonly at?: number }): void {
    this.agentsEnded.set(agentId, at);
    this.giveUp((use) => use.agentId === agentId || (agentId === '' && this.isWaitedFor(use)));
  }

  /** What an agent in the background was told to do has ended, or was stopped. */
  private endNotified(entry: Extract<Entry, { kind: 'prompt' }>): void {
    const task = /^<task-notification>\s*<task-id>([\w-]+)</.exec(entry.text)?.[1];
    if (task !== undefined) {
      this.endAgent(task, entry);
    }
  }

  private isWaitedFor({ agentId }: ToolUse): boolean {
    return agentId !== undefined && !this.background.has(agentId);
  }

  /** What is read of a sub-agent only after what its session says of its end. */
  private isFromBefore(use: ToolUse): boolean {
    const ended = [use.agentId, ...(this.isWaitedFor(use) ? [''] : [])];
    return ended.some((id) => id !== undefined && use.begun <= (this.agentsEnded.get(id) ?? -Infinity));
  }

  private begin({ uuid = '', at = 0 }: Entry, prompt: string, isTyped: boolean): void {
    this.command = undefined;
    // What the last turn has left open will not be answered; sub-agents in the background may go on.
    this.giveUp(({ agentId }) => agentId === undefined);
    this.endAgent('', { at });
    this.current = {
      id: uuid,
      prompt: prompt.length > maxPrompt ? prompt.slice(0, maxPrompt) : prompt,
      begun: at,
      isInterrupted: false,
      files: new Set(),
      toolUses: new Map(),
    };
    this.tell({ type: 'prompt', turn: shown(this.current), isTyped, at });
  }

  private hear(entry: Extract<Entry, { kind: 'assistant' }>): void {
    const { agentId, uses, model, contextTokens, isLast, at = 0 } = entry;
    if (agentId === undefined) {
      if (this.command && model !== undefined) {
        this.begin(this.command, this.command.text, true);
      } else if (this.current && !this.current.isInterrupted) {
        delete this.current.ended; // a hook has had it go on
      }
      if (model !== undefined && model !== this.model) {
        this.model = model;
        this.tell({ type: 'model', model });
      }
      if (contextTokens !== undefined && contextTokens !== this.contextTokens) {
        this.contextTokens = contextTokens;
        this.tell({ type: 'usage', contextTokens, at });
      }
    }
    for (const { id, name, input } of uses) {
      this.beginTool({ id, name, input, begun: at, ...(agentId === undefined ? {} : { agentId }) });
    }
    if (agentId === undefined && isLast) {
      this.end(at);
    }
  }

  private beginTool(use: ToolUse): void {
    this.open.set(use.id, use);
    this.givenUp.delete(use.id); // a transcript that was replaced is told anew
    if (this.isFromBefore(use)) {
      this.givenUp.add(use.id);
    }
    if (this.open.size > maxOpenTools) {
      const [oldest = ''] = this.open.keys();
      this.forget(oldest);
    }
    const { id, name, begun } = use;
    this.current?.toolUses.set(id, { id, name, begun });
    this.tell({ type: 'toolBegun', use });
  }

  private forget(toolUseId: string): void {
    this.open.delete(toolUseId);
    this.givenUp.delete(toolUseId);
  }

  private endTool(result: EntryResult, { at = 0 }: Entry): void {
    const { toolUseId, isError, isRefused, isInterrupted, isInBackground, edit, agent } = result;
    if (agent?.isInBackground === true) {
      this.background.add(agent.id);
    } else if (agent) {
      this.endAgent(agent.id, { at });
    }
    const use = this.open.get(toolUseId);
    if (!use) {
      return; // of a turn that was not read, or told already
    }
    this.forget(toolUseId);
    const { id, name, begun } = use;
    if (this.current?.toolUses.has(id)) {
      this.current.toolUses.set(id, { id, name, begun, ended: at, ...(isRefused && { isRefused }) });
    }
    if (edit) {
      this.current?.files.add(edit.filePath);
      const { agentId } = use;
      const by = agentId === undefined ? {} : { agentId };
      this.tell({ type: 'edit', edit: { ...edit, toolUseId, at, ...by } });
    }
    this.tell({
      type: 'toolEnded',
      result: { use, ended: at, isError, isRefused, isInterrupted, isInBackground },
    });
  }

  private end(at = 0): void {
    if (this.current && this.current.ended === undefined) {
      this.current.ended = at;
      this.tell({ type: 'turnEnded', turn: shown(this.current), at });
    }
  }

  private setMode(mode: string | undefined): void {
    if (mode !== undefined && mode !== this.mode) {
      this.mode = mode;
      this.tell({ type: 'mode', mode });
    }
  }
}

function shown({ files, toolUses, ...turn }: RunningTurn): Turn {
  return { ...turn, files: [...files], toolUses: [...toolUses.values()] };
}
