import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { ChatDependencies } from './chat.ts';
import type { ChatSession } from './chatSessions.ts';
import type { PickName } from './picks.ts';
import type { Participant } from './participant.ts';

/** Claude Code in the editor's own chat, where it has one. What answers is loaded with the first request. */
export class ChatFeature implements Disposable {
  private readonly store = new DisposableStore();
  /** Undefined where the editor has no chat. */
  participant: Participant | undefined;
  private readonly sessionsChanged = this.store.add(new vscode.EventEmitter<void>());
  readonly onDidChangeSessions = this.sessionsChanged.event;
  /** See `ChatSessions`. */
  sessions: readonly ChatSession[] = [];
  /** The editor wants to know who answers before the activation has ended. */
  readonly ready: Promise<void> | undefined;

  constructor(private readonly dependencies: ChatDependencies) {
    const { createChatParticipant } = (vscode.chat ?? {}) as Partial<typeof vscode.chat>;
    this.ready =
      createChatParticipant &&
      import('./participant.ts').then(({ Participant }) => {
        this.participant = this.store.add(
          new Participant(dependencies, (sessions) => {
            this.sessions = sessions;
            this.sessionsChanged.fire();
          }),
        );
      });
  }

  /** @param rows in which conversations stand */
  commands(rows: { refuseClick(session: ChatSession): boolean }) {
    const choose = (name?: PickName) => () =>
      this.participant?.choose(name) ??
      vscode.window.showInformationMessage('This editor has no chat for extensions.');
    const { secrets } = this.dependencies;
    return {
      setApiKey: async () => (await import('./apiKey.ts')).setApiKey(secrets),
      removeApiKey: async () => (await import('./apiKey.ts')).removeApiKey(secrets),
      chatButton: (...args: unknown[]) => this.participant?.press(args[0], args[1]),
      chatOptions: choose(),
      chatMode: choose('mode'),
      chatModel: choose('model'),
      chatAgent: choose('agent'),
      chatThinking: choose('effort'),
      stopChatSession: (argument: unknown) => {
        const session = argument as ChatSession | undefined;
        if (!session || !rows.refuseClick(session)) {
          void this.participant?.stop(session);
        }
      },
    };
  }

  dispose(): void {
    this.store.dispose();
  }
}
