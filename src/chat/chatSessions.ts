import type * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { forShow } from '../editor/commandIds.ts';
import type { LoadQuestions, RunQuestions } from '../notebooks/runQuestions.ts';
import type { Proposals } from '../proposals/proposals.ts';
import { type StateWords, stateWords } from '../sessions/sessionStates.ts';
import { promptText, proposalsText } from '../sessions/stateText.ts';
import type { ChatAgent } from './chatAgent.ts';
import type { ChatThread } from './chatThread.ts';
import { plain } from './markdown.ts';

/** A conversation of the chat, as it stands among the sessions. */
export interface ChatSession {
  /** Of its agent. */
  readonly chatId: number;
  readonly label: string;
  /** When it began, in ms since the epoch. */
  readonly since: number;
  /** By which it can be resumed; undefined before its first turn. */
  readonly sessionId: string | undefined;
  /** In which it is held. */
  readonly folder: string | undefined;
  readonly state: StateWords;
  /** The first line of what it was asked last. */
  readonly prompt: string;
  /** Whether that was its first: the label begins with it. */
  readonly isFirst: boolean;
}

interface Known {
  readonly agent: ChatAgent;
  readonly thread: ChatThread;
  readonly since: number;
  prompt: string;
  prompts: number;
  /** Of its questions in the chat, those that are open. */
  asked: number;
}

/** The conversations of this window's chat that have a process: one that is idle for long has none until its next prompt. */
export class ChatSessions implements vscode.Disposable {
  private readonly known: Known[] = [];
  private code: RunQuestions | undefined;
  private told = '';
  /** Uses of tools whose code waits for the user in a tab of its own, as their answers say. */
  private readonly toldWaiting = new Map<string, ChatThread>();
  private readonly store = new DisposableStore();

  /** @param questions about code in tabs of their own @param tell all of them, whenever one of them looks otherwise */
  constructor(
    private readonly proposals: Proposals,
    questions: LoadQuestions,
    private readonly tell: (sessions: readonly ChatSession[]) => void,
  ) {
    this.store.add(proposals.onDidChange(() => this.update()));
    void questions().then((code) => {
      this.code = code;
      this.store.add(
        code.onDidChangeQuestion(() => {
          this.update();
          this.tellWaiting(code);
        }),
      );
    });
  }

  add(agent: ChatAgent, thread: ChatThread): void {
    this.known.push({ agent, thread, since: Date.now(), prompt: '', prompts: 0, asked: 0 });
    this.store.add(thread.onDidChangeState(() => this.update()));
  }

  prompted(thread: ChatThread, prompt: string): void {
    const known = this.find(thread);
    if (known) {
      known.prompt = promptText(prompt);
      known.prompts++;
      this.update();
    }
  }

  /** @param answer settles when the question is over */
  async asks<T>(thread: ChatThread, answer: Promise<T>): Promise<T> {
    const known = this.find(thread);
    this.count(known, 1);
    try {
      return await answer;
    } finally {
      this.count(known, -1);
    }
  }

  /**
   * See `AgentSession`.
   * @param session undefined: all that are idle, which stops no turn
   * @param isWhole with its process; settles when that is gone
   */
  async stop(session: ChatSession | undefined, isWhole?: boolean): Promise<void> {
    for (const { agent, thread } of this.known) {
      if (session ? agent.id === session.chatId : thread.state === 'idle') {
        await (isWhole === true ? thread.leave() : thread.stop());
      }
    }
  }

  dispose(): void {
    this.store.dispose();
  }

  private find(thread: ChatThread): Known | undefined {
    return this.known.find((known) => known.thread === thread);
  }

  private count(known: Known | undefined, step: number): void {
    if (known) {
      known.asked += step;
      this.update();
    }
  }

  private update(): void {
    const sessions = this.known
      .filter(({ thread, asked }) => asked > 0 || ['starting', 'idle', 'running'].includes(thread.state))
      .map((known) => this.describe(known));
    const told = JSON.stringify(sessions);
    if (told !== this.told) {
      this.told = told;
      this.tell(sessions);
    }
  }

  /** The tab is elsewhere, and may be covered by others: the answer says what it waits for. */
  private tellWaiting({ waitingUses }: RunQuestions): void {
    for (const [id, title] of waitingUses) {
      const thread = this.known.find(({ thread }) => thread.hasUse(id))?.thread;
      if (thread && !this.toldWaiting.has(id)) {
        this.toldWaiting.set(id, thread);
        const { surface } = thread;
        surface?.buttons([{ title: 'Show the Question', command: 'runCode', args: [forShow] }]);
        surface?.progress(`Waits for your answer in the tab "${plain(title)}"`);
      }
    }
    for (const [id, { surface }] of this.toldWaiting) {
      if (!waitingUses.has(id)) {
        this.toldWaiting.delete(id);
        surface?.progress('Working');
      }
    }
  }

  private describe({ agent, thread, since, prompt, prompts, asked }: Known): ChatSession {
    const proposed = this.proposals.all.filter(({ session }) => session === agent).length;
    const state =
      asked > 0
        ? stateWords('asks', 'Asks in the chat')
        : [...(this.code?.waitingUses.keys() ?? [])].some((id) => thread.hasUse(id))
          ? stateWords('asks', 'Asks to run code')
          : proposed > 0
            ? stateWords('proposes', proposalsText(proposed))
            : thread.state !== 'idle'
              ? stateWords('working', 'Working')
              : stateWords('idle', 'Idle');
    const { sessionId, folder } = thread;
    return {
      chatId: agent.id,
      label: agent.label,
      since,
      sessionId,
      folder,
      state,
      prompt,
      isFirst: prompts <= 1,
    };
  }
}
