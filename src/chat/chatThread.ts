import type * as vscode from 'vscode';
import { isDeepStrictEqual } from 'node:util';
import { AgentSession, type AgentSurroundings } from '../agent/agentSession.ts';
import type { Cli } from '../agent/cli.ts';
import { withEditReview } from '../agent/editReview.ts';
import type { AgentOptions } from '../agent/options.ts';
import type { AskPermission } from '../agent/permissions.ts';
import { errorMessage } from '../base/errors.ts';
import { Queue } from '../base/queue.ts';
import { absolutePath } from '../tools/paths.ts';
import type { EditsOfAgent } from './editsOfAgent.ts';
import { plain } from './markdown.ts';
import type { Surface } from './surface.ts';
import { type TurnAids, TurnView } from './turnView.ts';

/** Ms without a turn: a process holds some hundred megabytes, and starts in a second. */
const idleTime = 10 * 60_000;

/** One conversation of the chat, and the session of the engine that it is held with. */
export class ChatThread implements vscode.Disposable {
  private readonly session: AgentSession;
  /** Where the turns that have not ended are shown, the oldest first. */
  private readonly surfaces: Surface[] = [];
  private readonly edits = new Queue();
  private wanted: AgentOptions;
  private model: string | undefined;

  /**
   * @param ask puts a question where it is told to; to nowhere where no turn is shown, as for what goes on in the background
   * @param resume the id of the session to go on with
   */
  constructor(
    around: Pick<AgentSurroundings, 'processes' | 'log' | 'trustFolders'>,
    edits: EditsOfAgent,
    ask: (surface: Surface | undefined) => AskPermission,
    cli: Cli,
    options: AgentOptions,
    private readonly aids: TurnAids,
    resume: string | undefined,
  ) {
    const surface = () => this.surface;
    const put: AskPermission = async (question, signal) => {
      await nextUpdate(); // the line of its tool use comes first
      return ask(surface())(question, signal);
    };
    const review = withEditReview(put, edits.reviewer(surface));
    this.wanted = options;
    this.session = new AgentSession(
      {
        ...around,
        hooks: edits.hooks,
        idleTime,
        ask: (question, signal) => {
          const { file_path, notebook_path } = question.input;
          // Another one would be looked for in a place of ours.
          const isAbsolute = absolutePath.safeParse(file_path ?? notebook_path).success;
          return question.group === 'edit' && isAbsolute
            ? this.edits.run(async () => {
                await nextUpdate();
                return review(question, signal);
              })
            : put(question, signal);
        },
      },
      cli,
      options,
      resume,
    );
  }

  /** Of the session, by which it can be resumed; undefined before its first turn. */
  get sessionId(): string | undefined {
    return this.session.conversation.current.sessionId;
  }

  /** Takes other options, which hold from the next turn on. What the user has chosen in the conversation stays. */
  configure(cli: Cli, options: AgentOptions): void {
    if (!isDeepStrictEqual(options, this.wanted)) {
      this.wanted = options;
      this.session.restart(options, cli);
    }
  }

  async useModel(model: string | undefined): Promise<void> {
    if (model !== undefined && model !== this.model) {
      await this.session.setModel(model);
      this.model = model;
    }
  }

  /** Where the turn that runs is shown. */
  get surface(): Surface | undefined {
    return this.surfaces[0];
  }

  get initialized() {
    return this.session.initialized;
  }

  /** Sends a prompt, and shows what comes of it until its turn has ended. Never rejects. */
  async turn(prompt: string, surface: Surface, token: vscode.CancellationToken): Promise<void> {
    const { session, aids } = this;
    const { conversation } = session;
    const { seq } = conversation.snapshot();
    this.surfaces.push(surface);
    const id = session.prompt(prompt);
    const view = new TurnView(surface, id, aids);
    const attached = conversation.attach((update) => view.show(update), seq);
    const cancelling = token.onCancellationRequested(() => {
      if (!session.unqueue(id)) {
        void session.interrupt();
      }
    });
    try {
      await this.ended(id);
      await nextUpdate(); // what was said last is shown
    } catch (error) {
      surface.markdown(`\n\n**${plain(errorMessage(error))}**`);
    } finally {
      cancelling.dispose();
      attached.dispose();
      this.surfaces.splice(this.surfaces.indexOf(surface), 1);
    }
  }

  dispose(): void {
    void this.session.dispose();
  }

  /** The turn of that prompt has ended, or will not come. */
  private ended(id: string): Promise<void> {
    const { session } = this;
    const { conversation } = session;
    return new Promise((resolve) => {
      const look = () => {
        const prompt = conversation.get(id);
        const state = prompt?.kind === 'prompt' ? prompt.state : 'dropped';
        const { state: now } = session;
        const isOver =
          state === 'dropped' || now === 'ended' || now === 'none' || (state === 'sent' && now !== 'running');
        if (isOver) {
          listening.dispose();
          attached.dispose();
          session.unqueue(id); // of a process that did not start: the next prompt would send it, too
          resolve();
        }
      };
      // Later: one process may have ended for the next one to start.
      const listening = session.onDidChangeState(() => queueMicrotask(look));
      const attached = conversation.attach(look, conversation.snapshot().seq); // it may be dropped
    });
  }
}

/** Surfaces are told of what has come a moment later. */
function nextUpdate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
