import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { ChatDependencies } from './chat.ts';
import type { Participant } from './participant.ts';

/** Claude Code in the editor's own chat, where it has one. What answers is loaded with the first request. */
export class ChatFeature implements Disposable {
  private readonly store = new DisposableStore();
  private participant: Participant | undefined;
  /** The editor wants to know who answers before the activation has ended. */
  readonly ready = hasChat() ? this.participate() : undefined;

  constructor(private readonly dependencies: ChatDependencies) {}

  commands() {
    return {
      answerAgent: (...args: unknown[]) => this.participant?.answer(args[0], args[1]),
      showAgentText: (id: unknown) => this.participant?.showText(id),
    };
  }

  dispose(): void {
    this.store.dispose();
  }

  private async participate(): Promise<void> {
    const { Participant } = await import('./participant.ts');
    this.participant = this.store.add(new Participant(this.dependencies));
  }
}

function hasChat(): boolean {
  const { chat } = vscode as { chat?: Partial<typeof vscode.chat> };
  return chat?.createChatParticipant !== undefined;
}
