import type { RecordEvent, SessionState, ToolResult, TurnToolUse } from '../records/events.ts';
import type { RecordedSession } from '../records/recordedSession.ts';

/** What must be known of a session's record. */
type Recorded = Pick<RecordedSession, 'openTools' | 'turn' | 'state'>;

interface Window {
  /** When the model asked for it, in ms since the epoch, as all times here. */
  readonly begun: number;
  /** Since when it runs; infinite while the user is asked whether it may. */
  runsFrom: number;
  /** Infinite until it has. */
  ended: number;
  isInBackground: boolean;
}

/** ms by which the time of a file can be behind: some systems look at the clock for it 100 times a second. */
export const clockSlack = 20;
/** ms by which it may be told late that the user has agreed: up to 170 were seen on a busy machine, all of it done by then. */
export const agreedLag = 400;
/** ms after its end until which something may still be told of what came in a window. */
const remembered = 60_000;

/**
 * When the commands of one session ran, by its record: what comes on disk in between may be its doing, and nothing else
 * is. A window of a command that goes on in the background ends with its turn: else all that the user does beside a
 * server that the agent has started would be the agent's.
 */
export class ShellWindows {
  /** By the id of the tool use. */
  private readonly windows = new Map<string, Window>();
  /** Whether what runs and what waits for permission can be told apart: not without a session file. */
  private isStateKnown = false;

  /** @param now ms since the epoch */
  constructor(private readonly now: () => number = Date.now) {}

  /** Whether one has run then or later, or runs. */
  hasRunSince(time: number): boolean {
    return [...this.windows.values()].some(({ ended }) => ended >= time);
  }

  /** Takes in what the record tells of the turn that runs, or was the last. */
  catchUp(recorded: Recorded): void {
    recorded.turn?.toolUses.filter(({ isRefused }) => !isRefused).forEach((use) => this.begin(use));
    this.compare(recorded);
    this.follow(recorded.state);
  }

  /** @param recorded as it is after that event */
  take(event: RecordEvent, recorded: Recorded): void {
    switch (event.type) {
      case 'toolEnded':
        this.end(event.result);
        break;
      case 'session':
      case 'gap':
        this.catchUp(recorded);
        return;
      case 'state':
        this.follow(event.state);
        break;
      default:
        break;
    }
    this.compare(recorded);
  }

  /** The session has ended, or is no longer known. */
  close(): void {
    this.endOpen(() => true, this.now());
  }

  /** Whether a command ran at that moment; undefined: one was asked for, and it will be seen whether it did. */
  hasRunAt(time: number): boolean | undefined {
    const around = [...this.windows.values()].filter(
      ({ runsFrom, ended }) => runsFrom - clockSlack <= time && time <= ended,
    );
    const isSure = ({ ended, isInBackground }: Window) =>
      this.isStateKnown || isInBackground || ended < Infinity;
    return around.some(isSure) || (around.length > 0 ? undefined : false);
  }

  private begin({ id, name, begun, ended = Infinity }: TurnToolUse): void {
    const known = this.windows.get(id);
    if (known && !known.isInBackground) {
      known.ended = Math.min(known.ended, ended);
    } else if (!known && runsCommands(name)) {
      this.prune();
      this.windows.set(id, { begun, runsFrom: begun, ended, isInBackground: false });
    }
  }

  private end({ use, ended, isRefused, isInBackground }: ToolResult): void {
    this.begin(use);
    const window = this.windows.get(use.id);
    if (isRefused) {
      this.windows.delete(use.id);
    } else if (window && isInBackground) {
      window.isInBackground = true;
    } else if (window) {
      window.ended = ended;
    }
  }

  /** What is open there is open here; what nobody waits for any more has ended, nobody says when. */
  private compare({ openTools }: Recorded): void {
    openTools.forEach((use) => this.begin(use));
    const open = new Set(openTools.map(({ id }) => id));
    this.endOpen((id, { isInBackground }) => !isInBackground && !open.has(id), this.now());
  }

  private follow(state: SessionState | undefined): void {
    this.isStateKnown = state !== undefined && state.status !== 'running';
    const asked = state?.status === 'waiting' && state.asks.length === 1 ? state.asks[0]?.id : undefined;
    for (const [id, window] of this.windows) {
      if (id === asked) {
        window.runsFrom = Infinity;
      } else if (window.runsFrom === Infinity) {
        window.runsFrom =
          state && state.status !== 'waiting'
            ? Math.max(window.begun, state.since - agreedLag)
            : window.begun;
      }
    }
    if (state?.status === 'idle' || state?.status === 'shell') {
      this.endOpen((_id, { isInBackground }) => isInBackground, state.since);
    }
  }

  private endOpen(isMeant: (id: string, window: Window) => boolean, time: number): void {
    for (const [id, window] of this.windows) {
      if (window.ended === Infinity && isMeant(id, window)) {
        window.ended = time;
      }
    }
  }

  private prune(): void {
    const oldest = this.now() - remembered;
    for (const [id, { ended }] of this.windows) {
      if (ended < oldest) {
        this.windows.delete(id);
      }
    }
  }
}

/** By Bash and PowerShell, and by the tools of MCP servers, but for our own: nobody announces what these write. */
export function runsCommands(tool: string): boolean {
  return (
    ['Bash', 'PowerShell'].includes(tool) || (tool.startsWith('mcp__') && !tool.startsWith('mcp__ide__'))
  );
}

/** The sessions of which a command ran at that moment; undefined: that is still to be seen. */
export function whoseAt<S>(
  time: number,
  sessions: ReadonlyMap<S, { readonly windows: ShellWindows }>,
): S[] | undefined {
  const told = [...sessions].map(([session, { windows }]) => ({ session, has: windows.hasRunAt(time) }));
  return told.some(({ has }) => has === undefined)
    ? undefined
    : told.flatMap(({ session, has }) => (has ? [session] : []));
}
