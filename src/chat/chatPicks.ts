import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { ChatStatus } from './chatStatus.ts';
import type { ChatThread } from './chatThread.ts';
import type { Picking } from './pickers.ts';
import { type HeldWith, heldWithPick, type PickName, type Picks, picksIn, withPick } from './picks.ts';
import { ThreadPicks } from './threadPicks.ts';

const rememberedPicks = 'chat.picks';

/**
 * Picks go to one thread, that which was used last as a rule, and to those that begin after it; others stay as they are, also
 * over a reload of the window.
 */
export class ChatPicks implements vscode.Disposable {
  private status: ChatStatus | undefined;
  private last: ChatThread | undefined;
  private readonly threads: ThreadPicks;

  constructor(private readonly memento: vscode.Memento) {
    this.threads = new ThreadPicks(memento);
  }

  /** @param resume the session that the thread goes on with: where nothing is known of its picks, it has none */
  of(resume: string | undefined): HeldWith {
    return resume === undefined ? { picks: this.remembered } : (this.threads.find(resume) ?? { picks: {} });
  }

  /** A thread is to begin with that session. */
  begin(sessionId: string): void {
    this.threads.note(sessionId, { ...this.of(sessionId), picks: this.remembered, isModelHeld: false });
  }

  get lastUsed(): ChatThread | undefined {
    return this.last;
  }

  /** Before a thread was used in this extension host. */
  get lastSession(): string | undefined {
    return this.threads.last;
  }

  /** That thread has got a prompt. */
  use(thread: ChatThread): void {
    this.last = thread;
    this.note(thread);
    (this.status ??= new ChatStatus()).follow(thread);
  }

  /** To be called when its session is another, too. */
  note(thread: ChatThread): void {
    this.threads.note(thread.sessionId, thread.heldWith);
  }

  /**
   * @param thread undefined: one that is to begin, or to go on
   * @param resume the session that such a one goes on with
   * @param known initialized: of any thread
   * @param name undefined lets the user choose what to change
   * @returns see `choosePick`
   */
  async choose(
    thread: ChatThread | undefined,
    resume: string | undefined,
    known: Pick<Picking, 'settings' | 'initialized' | 'folderAgents'>,
    name: PickName | undefined,
    wanted?: string,
  ): Promise<string | undefined> {
    const { picks, model, isModelHeld } = thread?.heldWith ?? this.of(resume);
    const { choosePick } = await import('./pickers.ts');
    const picking: Picking = {
      ...known,
      picks: isModelHeld ? withPick(picks, 'model', model) : picks,
      mode: thread?.mode,
      initialized: thread?.initialized ?? known.initialized,
      pick: (picked, value) => this.pick(picked, value, thread, resume),
      showServers: async () => {
        const { showMcpServers } = await import('./mcpServers.ts');
        await showMcpServers(thread);
      },
    };
    return choosePick(name, picking, wanted);
  }

  dispose(): void {
    this.status?.dispose();
  }

  /** With which a thread begins. */
  private get remembered(): Picks {
    return picksIn(this.memento.get(rememberedPicks));
  }

  /** @param value undefined: as the settings and the CLI have it */
  private async pick(
    name: PickName,
    value: Picks[PickName],
    thread: ChatThread | undefined,
    resume: string | undefined,
  ): Promise<void> {
    await this.memento.update(rememberedPicks, withPick(this.remembered, name, value));
    if (!thread) {
      this.threads.note(resume, heldWithPick(this.of(resume), name, value));
      return;
    }
    const told = thread.pick(name, value);
    this.note(thread);
    try {
      await told;
    } catch (error) {
      void vscode.window.showWarningMessage(
        `It holds from the next message on. Claude Code says: ${printable(errorMessage(error), 300)}`,
      );
    }
  }
}
