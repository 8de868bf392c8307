import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import { outputScheme } from '../editor/schemes.ts';
import type { Chat, ChatDependencies } from './chat.ts';
import type { ChatSession } from './chatSessions.ts';
import type { EditorAgents } from './editorAgents.ts';
import type { PickName } from './picks.ts';
import { followupsOf } from './followups.ts';
import { estimateTokens, modelInformation, refuseRequest } from './modelProvider.ts';
import { modelVendor, participantId } from './names.ts';

/** Of the editor's API since 1.104; the types that we build with are older. */
interface ModelApi {
  registerLanguageModelChatProvider?(vendor: string, provider: object): vscode.Disposable;
}

/** Proposed API: it is there in editors, too, that refuse it to us. */
interface AgentApi {
  registerCustomAgentProvider?(provider: object): vscode.Disposable;
}

/** `@claude`, and the models without which the chat of an editor that has no others takes no request. */
export class Participant implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly modelsChanged = this.store.add(new vscode.EventEmitter<void>());
  private chat: Chat | undefined;
  private agents: EditorAgents | undefined;

  /** @param onSessions see `ChatSessions` */
  constructor(
    private readonly dependencies: ChatDependencies,
    private readonly onSessions: (sessions: readonly ChatSession[]) => void,
  ) {
    const participant = this.store.add(
      vscode.chat.createChatParticipant(participantId, async (request, context, stream, token) => {
        const chat = await this.loaded();
        return chat.handle(request, context, stream, token);
      }),
    );
    participant.iconPath = new vscode.ThemeIcon('sparkle');
    participant.followupProvider = { provideFollowups: followupsOf };
    this.store.add(
      vscode.workspace.registerTextDocumentContentProvider(outputScheme, {
        provideTextDocumentContent: async (uri) => (await this.loaded()).output(uri),
      }),
    );
    this.offerModels();
    this.offerAgents();
  }

  /** See `Chat`. */
  async press(id: unknown, choice: unknown): Promise<void> {
    await (await this.loaded()).press(id, choice);
  }

  /** See `Chat`. */
  async choose(name: PickName | undefined): Promise<void> {
    await (await this.loaded()).choose(name);
  }

  /** See `ChatSessions`. */
  async stop(session: ChatSession | undefined, isWhole?: boolean): Promise<void> {
    await this.chat?.sessions.stop(session, isWhole);
  }

  dispose(): void {
    this.chat?.dispose();
    this.store.dispose();
  }

  private offerModels(): void {
    const models = vscode.lm as ModelApi;
    if (!models.registerLanguageModelChatProvider) {
      return;
    }
    this.store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.modelsChanged.fire()));
    this.store.add(
      models.registerLanguageModelChatProvider(modelVendor, {
        onDidChangeLanguageModelChatInformation: this.modelsChanged.event,
        provideLanguageModelChatInformation: () =>
          vscode.workspace.isTrusted ? modelInformation(this.chat?.initialized) : [],
        provideLanguageModelChatResponse: refuseRequest,
        provideTokenCount: async (_model: unknown, text: unknown) => estimateTokens(text),
      }),
    );
    // Else VS Code 1.139 fails the first request of a window that has no other models.
    vscode.lm.selectChatModels({ vendor: modelVendor }).then(undefined, () => {});
  }

  private offerAgents(): void {
    const chat = vscode.chat as AgentApi;
    if (typeof chat.registerCustomAgentProvider !== 'function') {
      return;
    }
    const { store, dependencies } = this;
    const changed = store.add(new vscode.EventEmitter<void>());
    const load = async () => {
      const { EditorAgents } = await import('./editorAgents.ts');
      return (this.agents ??= store.add(new EditorAgents(() => changed.fire())));
    };
    try {
      store.add(
        chat.registerCustomAgentProvider({
          label: 'Claude Code',
          onDidChangeCustomAgents: changed.event,
          provideCustomAgents: async () => (await load()).provide(),
        }),
      );
      store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => changed.fire()));
      store.add(vscode.workspace.onDidChangeWorkspaceFolders(() => changed.fire()));
    } catch (error) {
      dependencies.log.trace(`Agents are not offered to the editor's own chat: ${errorMessage(error)}`);
    }
  }

  private async loaded(): Promise<Chat> {
    const { Chat } = await import('./chat.ts');
    return (this.chat ??= new Chat(this.dependencies, () => this.modelsChanged.fire(), this.onSessions));
  }
}
