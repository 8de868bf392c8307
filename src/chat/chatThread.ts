import type * as vscode from 'vscode';
import { isDeepStrictEqual } from 'node:util';
import {
  AgentSession,
  type AgentState,
  type AgentSurroundings,
  type InProcessServer,
} from '../agent/agentSession.ts';
import type { Cli } from '../agent/cli.ts';
import { withEditReview } from '../agent/editReview.ts';
import type { ConversationState, ToolResult } from '../agent/items.ts';
import { parseSettingsModel } from '../agent/messages.ts';
import { type AgentOptions, type PermissionMode, permissionModes, without } from '../agent/options.ts';
import type { AskPermission } from '../agent/permissions.ts';
import { type ImageSum, noImages, type PromptImage, withImages } from '../agent/promptImages.ts';
import { errorMessage } from '../base/errors.ts';
import { Queue } from '../base/queue.ts';
import { absolutePath } from '../tools/paths.ts';
import type { EditsOfAgent } from './editsOfAgent.ts';
import { plain } from './markdown.ts';
import { type HeldWith, heldWithPick, type PickName, type Picks, withPick, withPicks } from './picks.ts';
import type { Button, Surface } from './surface.ts';
import type { NextStep } from './followups.ts';
import type { AdmittedSession } from './modelApi.ts';
import { TurnEdits } from './turnEdits.ts';
import { type TurnAids, TurnView } from './turnView.ts';

/** Ms without a turn: a process holds some hundred megabytes, and starts in a second. */
const idleTime = 10 * 60_000;

/** Commands of the CLI after which it goes on without what was sent before. */
const forgets = /^\/(compact|clear)(\s|$)/;

export interface ThreadAids extends TurnAids {
  /** @returns the button that opens what agents have changed in these files; undefined where all of it is decided */
  review(paths: readonly string[]): Promise<Button | undefined>;
}

export interface ThreadPrompt {
  readonly text: string;
  /** See `AgentSession.prompt`. */
  readonly context?: string;
  readonly images: readonly PromptImage[];
}

type Invocation = vscode.LanguageModelToolInvocationOptions<object>['toolInvocationToken'];

/** A turn that has not ended. */
interface OpenTurn {
  /** Of its prompt. */
  readonly id: string;
  readonly surface: Surface;
  readonly invocation: Invocation;
}

/** One conversation of the chat, and the session of the engine that it is held with. */
export class ChatThread implements vscode.Disposable {
  private readonly session: AgentSession;
  /** The oldest first. */
  private readonly turns: OpenTurn[] = [];
  private readonly edits = new Queue();
  private wanted: AgentOptions;
  /** By which its processes reach the model; undefined where they do so by themselves. */
  proxied: AdmittedSession | undefined;
  /** Of this process, by their names: its next process has them. */
  servers: Readonly<Record<string, InProcessServer>> = {};
  private sentImages = noImages;
  private imagesBefore: Promise<ImageSum> | undefined;
  /** Of the images in results of tools: those before `/clear`. */
  private cleared = noImages;

  /**
   * @param ask puts a question where it is told to; to nowhere where no turn is shown, as for what goes on in the background
   * @param options as the settings have it
   * @param held with which it begins
   * @param resume the id of the session to go on with
   * @param readImages counts what that has had before this thread
   */
  constructor(
    around: Pick<AgentSurroundings, 'processes' | 'log' | 'trustFolders'>,
    private readonly editsOfAgent: EditsOfAgent,
    ask: (surface: Surface | undefined) => AskPermission,
    private cli: Cli,
    options: AgentOptions,
    private held: HeldWith,
    private readonly aids: ThreadAids,
    resume: string | undefined,
    private readonly readImages: () => Promise<ImageSum>,
  ) {
    this.wanted = options;
    const servers = () => this.servers;
    this.session = new AgentSession(
      {
        ...around,
        get servers() {
          return servers();
        },
        hooks: editsOfAgent.hooks,
        idleTime,
        ask: (question, signal) => {
          // The end of a process is told last: the editor folds what comes before the last words of an answer.
          const turn = this.state === 'running' ? this.shown : undefined;
          const surface = () =>
            turn && this.state === 'running' && this.turns.includes(turn) ? turn.surface : undefined;
          const put: AskPermission = async (...asked) => {
            await nextUpdate(); // the line of its tool use comes first
            return ask(surface())(...asked);
          };
          const { file_path, notebook_path } = question.input;
          // Another one would be looked for in a place of ours.
          const isAbsolute = absolutePath.safeParse(file_path ?? notebook_path).success;
          return question.group === 'edit' && isAbsolute
            ? this.edits.run(async () => {
                await nextUpdate();
                const review = withEditReview(put, editsOfAgent.reviewer(surface));
                const decision = await review(question, signal);
                editsOfAgent.decided(question, decision, surface());
                return decision;
              })
            : put(question, signal);
        },
      },
      cli,
      this.optionsWith(held.picks),
      resume,
    );
    this.keepOwn(this.optionsWith(held.picks));
  }

  get heldWith(): HeldWith {
    return this.held;
  }

  /** Of the session, by which it can be resumed; undefined before its first turn. */
  get sessionId(): string | undefined {
    return this.session.conversation.current.sessionId;
  }

  /** Of the window, in which it is held. */
  get folder(): string | undefined {
    return this.wanted.folders[0];
  }

  /** What the CLI sends anew with each request. */
  async images(): Promise<ImageSum> {
    const before = await (this.imagesBefore ??= this.readImages());
    const { resultImages = noImages } = this.session.conversation.current;
    const { count, bytes } = this.sentImages;
    return {
      count: before.count + count + resultImages.count - this.cleared.count,
      bytes: before.bytes + bytes + resultImages.bytes - this.cleared.bytes,
    };
  }

  /** Of its process; it runs while a turn does. */
  get state(): AgentState {
    return this.session.state;
  }

  get onDidChangeState() {
    return this.session.onDidChangeState;
  }

  /** See `AgentSession`. */
  stop(): void {
    void this.session.stop();
  }

  /** See `AgentSession`. */
  leave(): Promise<void> {
    return this.session.leave();
  }

  /** Takes other options, which hold from the next turn on. What the user has chosen in the conversation stays. */
  configure(cli: Cli, options: AgentOptions): void {
    if (cli !== this.cli || !isDeepStrictEqual(options, this.wanted)) {
      const { picks } = this.held;
      const isSet = options.mode !== this.wanted.mode;
      this.cli = cli;
      this.wanted = options;
      this.keepOwn(options);
      const { mode = picks.mode } = this;
      // One that the CLI has changed to, as when a plan was approved, is newer than what was picked.
      const isModeSet = isSet && picks.mode === undefined;
      this.session.restart(this.optionsWith(isModeSet ? picks : withPick(picks, 'mode', mode)), cli);
    }
  }

  /** @param model of the editor's picker; `default` after another one: that is over */
  async useModel(model: string | undefined): Promise<void> {
    const { held } = this;
    if (model === 'default') {
      if (held.isModelHeld) {
        this.held = { ...held, model: undefined, isModelHeld: false };
        await this.tellModel();
      }
    } else if (model !== undefined && model !== held.model) {
      this.keepOwn({ model });
      await this.session.setModel(model);
      this.held = { ...this.held, model, isModelHeld: true };
    }
  }

  /** At once, where the CLI can be told so in the middle of a turn. @throws {ControlError} as it was not told; then from the next on */
  async pick(name: PickName, value: Picks[PickName]): Promise<void> {
    const { session, wanted } = this;
    this.held = heldWithPick(this.held, name, value);
    this.keepOwn(this.held.picks);
    const options = this.optionsWith(this.held.picks);
    const { mode } = options;
    switch (name) {
      case 'mode':
        await session.setMode(mode).catch((error: unknown) => {
          session.restart({ ...session.currentOptions, mode, mayBypass: wanted.mayBypass });
          throw error;
        });
        break;
      case 'model':
        await this.tellModel();
        break;
      case 'effort':
        await session.setEffort(options.effort).catch(() => this.restart(name, options.effort));
        break;
      case 'agent':
        this.restart(name, options.agent);
    }
  }

  /** The only place that knows what holds: what the user has chosen, else the settings, else what the CLI has by itself. */
  private optionsWith(picks: Picks): AgentOptions {
    const { own, model, isModelHeld } = this.held;
    const options = { ...own, ...withPicks(this.wanted, picks) };
    return isModelHeld && model !== undefined ? { ...options, model } : options;
  }

  /**
   * By its name, what the CLI has by itself: resumed, 2.1 goes on with the model and the agent of before where it is told none.
   * `default` is the model of the account, which goes after the user's own settings; `claude` the agent that is as none.
   * @param named of which it is about to get what is there
   */
  private keepOwn({ model, agent }: Pick<Picks, 'model' | 'agent'>): void {
    const { conversation, currentOptions } = this.session;
    const { own } = this.held;
    const seen = currentOptions.model === undefined ? conversation.current.model : undefined;
    this.held = {
      ...this.held,
      own: {
        ...(model === undefined ? {} : { model: seen ?? 'default' }),
        ...(agent === undefined || !this.cli.flags.has('--agent') ? {} : { agent: 'claude' }),
        ...own,
      },
    };
  }

  private async tellModel(): Promise<void> {
    if (this.held.own?.model === 'default') {
      const model = await this.settingsModel();
      this.held = { ...this.held, own: { ...this.held.own, ...(model === undefined ? {} : { model }) } };
    }
    const { model } = this.optionsWith(this.held.picks);
    if (model !== undefined) {
      await this.session.setModel(model).catch((error: unknown) => {
        this.restart('model', model);
        throw error;
      });
    }
  }

  /** For a conversation that has had no turn without a model of ours; known while 2.1 runs, whose flag that is. */
  private async settingsModel(): Promise<string | undefined> {
    if (!this.cli.flags.has('--effort')) {
      return undefined; // older ones do not answer
    }
    const settings = await this.session.request('get_settings').catch(() => undefined);
    return parseSettingsModel(settings, { ...process.env, ...this.wanted.env });
  }

  /** See `AgentSession`. */
  request(subtype: string, fields?: object): Promise<unknown> {
    return this.session.request(subtype, fields);
  }

  /** The mode that holds now; undefined before the first process. */
  get mode(): PermissionMode | undefined {
    return permissionModes.find((mode) => mode === this.session.currentOptions.mode);
  }

  /** Tells at once, and whenever it may have changed. */
  onState(tell: (state: ConversationState) => void): vscode.Disposable {
    const { conversation } = this.session;
    return conversation.attach(() => tell(conversation.current));
  }

  /** What a tool has said; undefined where this process does not have it. */
  output(toolUseId: string): ToolResult | undefined {
    const item = this.session.conversation.get(toolUseId);
    return item?.kind === 'toolUse' ? item.result : undefined;
  }

  /** Whether it is this conversation's. */
  hasUse(toolUseId: string): boolean {
    return this.session.conversation.get(toolUseId)?.kind === 'toolUse';
  }

  /** Where the turn that runs is shown; that of the next one, while none does. */
  get surface(): Surface | undefined {
    return this.shown?.surface;
  }

  private get shown(): OpenTurn | undefined {
    return this.running ?? this.turns[0];
  }

  /** Of the request whose turn runs: what runs on after it must not ask in an answer that has ended, nor in one that waits. */
  get invocation(): Invocation {
    return this.running?.invocation;
  }

  get initialized() {
    return this.session.initialized;
  }

  /**
   * Sends a prompt, and shows what comes of it until its turn has ended. Never rejects.
   * @param invocation of the request, for the tools that are called in its turn
   * @returns what the user may want next
   */
  async turn(
    prompt: ThreadPrompt,
    surface: Surface,
    token: vscode.CancellationToken,
    invocation: Invocation,
  ): Promise<readonly NextStep[]> {
    try {
      return token.isCancellationRequested ? [] : await this.run(prompt, surface, token, invocation);
    } catch (error) {
      surface.markdown(`**The prompt was not sent: ${plain(errorMessage(error), 1_000)}**`);
      return [];
    }
  }

  dispose(): void {
    this.proxied?.dispose();
    void this.session.dispose();
  }

  /** @throws when it could not be sent */
  private async run(
    { text, images, context }: ThreadPrompt,
    surface: Surface,
    token: vscode.CancellationToken,
    invocation: Invocation,
  ): Promise<readonly NextStep[]> {
    const { session, aids } = this;
    const { conversation } = session;
    const { seq, state } = conversation.snapshot();
    const edits = new TurnEdits();
    const id = session.prompt(text, images, context, () => this.editsOfAgent.beginTurn(text, edits));
    const turn = { id, surface, invocation };
    this.turns.push(turn);
    const view = new TurnView(surface, id, aids, state);
    const next: NextStep[] = [];
    const attached = conversation.attach((update) => view.show(update), seq);
    const cancelling = token.onCancellationRequested(() => {
      if (!session.unqueue(id)) {
        // Its turn may have ended, and another's run.
        if (this.running?.id === id) {
          void session.interrupt();
        }
      } else if (session.state === 'starting' && session.queued.length === 0) {
        void session.stop(); // what it asks about the folder is asked in the next answer
      }
    });
    try {
      await this.ended(id);
      await nextUpdate(); // what was said last is shown
      const { words, paths } = edits;
      if (words !== undefined) {
        surface.markdown(`\n\n${words}\n\n`);
        const review = await aids.review(paths);
        if (review) {
          surface.buttons([review]);
          next.push('review');
        }
      }
    } catch (error) {
      surface.markdown(`\n\n**${plain(errorMessage(error))}**`);
    } finally {
      cancelling.dispose();
      attached.dispose();
      if (this.promptState(id) === 'sent') {
        const isCompacted = conversation.snapshot().state.compactions !== state.compactions;
        if (isCompacted || (forgets.test(text) && view.outcome === 'done')) {
          this.sentImages = noImages;
          this.imagesBefore = Promise.resolve(noImages);
          this.cleared = isCompacted ? noImages : (conversation.current.resultImages ?? noImages);
        }
        this.sentImages = withImages(this.sentImages, images);
      }
      this.turns.splice(this.turns.indexOf(turn), 1);
    }
    return view.isBrokenOff ? ['goOn', ...next] : next;
  }

  /** The newest that was sent: one before it may not have been taken out yet. */
  private get running(): OpenTurn | undefined {
    return this.turns.findLast(({ id }) => this.promptState(id) === 'sent');
  }

  private promptState(id: string) {
    const prompt = this.session.conversation.get(id);
    return prompt?.kind === 'prompt' ? prompt.state : 'dropped';
  }

  /** All else stays as it is by now, as the mode after a plan. */
  private restart(name: 'model' | 'agent' | 'effort', value: string | undefined): void {
    const { currentOptions } = this.session;
    this.session.restart(
      value === undefined ? without(currentOptions, name) : { ...currentOptions, [name]: value },
    );
  }

  /** The turn of that prompt has ended, or will not come. */
  private ended(id: string): Promise<void> {
    const { session } = this;
    const { conversation } = session;
    return new Promise((resolve) => {
      const look = () => {
        const state = this.promptState(id);
        const { state: now } = session;
        const isRunning = now === 'running' && this.running?.id === id; // a next one is sent at once
        const isOver =
          state === 'dropped' || now === 'ended' || now === 'none' || (state === 'sent' && !isRunning);
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
