import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { ChatStatus } from './chatStatus.ts';
import type { ChatThread } from './chatThread.ts';
import type { Picking } from './pickers.ts';
import { type PickName, type Picks, picksIn, withPick } from './picks.ts';

const rememberedPicks = 'chat.picks';

/** Picks go to one thread, that which was used last as a rule, and to those that begin after it; others stay as they are. */
export class ChatPicks implements vscode.Disposable {
  private status: ChatStatus | undefined;
  private last: ChatThread | undefined;

  constructor(private readonly memento: vscode.Memento) {}

  /** With which a thread begins. */
  get remembered(): Picks {
    return picksIn(this.memento.get(rememberedPicks));
  }

  get lastUsed(): ChatThread | undefined {
    return this.last;
  }

  /** That thread has got a prompt. */
  use(thread: ChatThread): void {
    this.last = thread;
    (this.status ??= new ChatStatus()).follow(thread);
  }

  /**
   * @param thread undefined: one that is to begin
   * @param known initialized: of any thread
   * @param name undefined lets the user choose what to change
   * @returns see `choosePick`
   */
  async choose(
    thread: ChatThread | undefined,
    known: Pick<Picking, 'settings' | 'initialized' | 'folderAgents'>,
    name: PickName | undefined,
    wanted?: string,
  ): Promise<string | undefined> {
    const { choosePick } = await import('./pickers.ts');
    const picking: Picking = {
      ...known,
      picks: thread?.picks ?? this.remembered,
      mode: thread?.mode,
      initialized: thread?.initialized ?? known.initialized,
      pick: (picked, value) => this.pick(picked, value, thread),
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

  /** @param value undefined: as the settings and the CLI have it */
  private async pick(name: PickName, value: Picks[PickName], thread: ChatThread | undefined): Promise<void> {
    await this.memento.update(rememberedPicks, withPick(this.remembered, name, value));
    try {
      await thread?.pick(name, value);
    } catch (error) {
      void vscode.window.showWarningMessage(
        `It holds from the next message on. Claude Code says: ${printable(errorMessage(error), 300)}`,
      );
    }
  }
}
