import * as vscode from 'vscode';
import type { Initialized } from '../agent/messages.ts';
import type { AgentOptions } from '../agent/options.ts';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { ChatStatus } from './chatStatus.ts';
import type { ChatThread } from './chatThread.ts';
import type { Picking } from './pickers.ts';
import { type PickName, type Picks, picksIn, withPick } from './picks.ts';

const rememberedPicks = 'chat.picks';

/** Picks go to the thread that was used last, and to those that begin after it; others stay as they are. */
export class ChatPicks implements vscode.Disposable {
  private status: ChatStatus | undefined;
  private last: ChatThread | undefined;

  constructor(private readonly memento: vscode.Memento) {}

  /** With which a thread begins. */
  get remembered(): Picks {
    return picksIn(this.memento.get(rememberedPicks));
  }

  /** Of the thread that was used last, or of the next. */
  get current(): Picks {
    return this.last?.picks ?? this.remembered;
  }

  /** That thread has got a prompt. */
  use(thread: ChatThread): void {
    this.last = thread;
    (this.status ??= new ChatStatus()).follow(thread);
  }

  /** @param value undefined: as the settings and the CLI have it */
  async pick(name: PickName, value: Picks[PickName]): Promise<void> {
    await this.memento.update(rememberedPicks, withPick(this.remembered, name, value));
    try {
      await this.last?.pick(name, value);
    } catch (error) {
      void vscode.window.showWarningMessage(
        `It holds from the next message on. Claude Code says: ${printable(errorMessage(error), 300)}`,
      );
    }
  }

  /** @param name undefined lets the user choose what to change */
  async choose(
    name: PickName | undefined,
    settings: Pick<AgentOptions, 'mode' | 'model' | 'mayBypass'>,
    initialized: Initialized | undefined,
    folderAgents: Picking['folderAgents'],
  ): Promise<void> {
    const { choosePick } = await import('./pickers.ts');
    await choosePick(name, {
      picks: this.current,
      mode: this.last?.mode,
      settings,
      initialized: this.last?.initialized ?? initialized,
      folderAgents,
      pick: (picked, value) => this.pick(picked, value),
      showServers: async () => {
        const { showMcpServers } = await import('./mcpServers.ts');
        await showMcpServers(this.last);
      },
    });
  }

  dispose(): void {
    this.status?.dispose();
  }
}
