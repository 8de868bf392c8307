import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { errorMessage } from '../base/errors.ts';
import { Emitter } from '../base/emitter.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import type { Cli } from './cli.ts';
import { CliConversation, maxResults, saysGone } from './cliConversation.ts';
import { CliProcess, type Ending } from './cliProcess.ts';
import { ControlError, type ControlHandler } from './control.ts';
import { Conversation } from './conversation.ts';
import { type TrustFolders, untrusted } from './folderTrust.ts';
import type { Hooks } from './hooks.ts';
import {
  type CliMessage,
  type Initialized,
  parseCanUseTool,
  parseHookCallback,
  parseInitialized,
  parseMcpMessage,
} from './messages.ts';
import {
  type AgentOptions,
  cliArguments,
  cliEnvironment,
  type PermissionMode,
  permissionModes,
  thinkingTokens,
  without,
  withoutFolderOffers,
} from './options.ts';
import { answerOf, type AskPermission, questionOf } from './permissions.ts';
import { imageBlock, type PromptImage } from './promptImages.ts';

/** An MCP server in this process, that the CLI talks to over its own pipe. */
export interface InProcessServer {
  /** @param signal nobody waits for the answer any more @returns the JSON-RPC answer; for a notification anything */
  handle(message: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<object>;
}

export interface AgentSurroundings {
  readonly processes: ChildProcesses;
  readonly log: Logger;
  readonly ask: AskPermission;
  readonly hooks?: Hooks;
  /** Without it, or after a no, nothing that folders bring for the CLI is used. Asked before each process. */
  readonly trustFolders?: TrustFolders;
  /** By the name under which the agent sees their tools. */
  readonly servers?: Readonly<Record<string, InProcessServer>>;
  /** Ms without a turn after which the process is ended; the next prompt resumes the session. */
  readonly idleTime?: number;
}

/** `none`: no process, the next prompt starts one. `ended`: disposed of. */
export type AgentState = 'none' | 'starting' | 'idle' | 'running' | 'ending' | 'ended';

interface Prompt {
  readonly id: string;
  readonly text: string;
  readonly images: readonly PromptImage[];
  readonly context: string;
  readonly onWillSend: () => void;
}

const defaultIdleTime = 30 * 60_000;

/** Lines of one process, as of a program around it that tells how far it is: with all of them nothing else would be seen. */
const toldUnreadable = 5;

/** Ms that an interrupted turn has to end; then its process is ended, and the session goes on in the next. */
const interruptTime = 10_000;

/** One conversation with Claude Code, whatever becomes of the processes that it runs in. */
export class AgentSession {
  readonly conversation = new Conversation();
  private readonly cliConversation = new CliConversation(this.conversation, maxResults);
  private readonly changed = new Emitter<AgentState>();
  readonly onDidChangeState = this.changed.event;

  private current: AgentState = 'none';
  private process: CliProcess | undefined;
  private readonly waiting: Prompt[] = [];
  /** Steps that begin or end a process, one after the other. */
  private readonly steps = new Queue();
  /** Questions by the tool use's agent: '' for the session itself. */
  private readonly open = new Map<AbortController, string>();
  /** What the process that runs was started with, or has been told since. */
  private startedWith: { options: AgentOptions; readonly cli: Cli } | undefined;
  private readonly ending = new AbortController();
  /** Of the process that starts. */
  private starting = new AbortController();
  private idleTimer: NodeJS.Timeout | undefined;
  private said: Initialized | undefined;
  /** The session that the next process goes on with. */
  private toResume: string | undefined;
  /** Why the CLI could not write the conversation down, until the user is told. */
  private notKept: string | undefined;

  /** @param resume the id of a past session to go on with */
  constructor(
    private readonly around: AgentSurroundings,
    private cli: Cli,
    private options: AgentOptions,
    resume?: string,
  ) {
    if (resume !== undefined) {
      this.toResume = resume;
      this.cliConversation.setState({ sessionId: resume });
    }
  }

  get state(): AgentState {
    return this.current;
  }

  /** What holds now, by whoever has said so last. */
  get currentOptions(): AgentOptions {
    return this.options;
  }

  /** Of the process that it runs in now, if there is one. */
  get pid(): number | undefined {
    return this.process?.pid;
  }

  /** Commands, agents and models; undefined before the first process. */
  get initialized(): Initialized | undefined {
    return this.said;
  }

  /** Prompts that wait for the turn before them. */
  get queued(): readonly string[] {
    return this.waiting.map(({ id }) => id);
  }

  /**
   * @param context for the model alone: text that others may have written, of which nothing is taken for the user's word
   * @param onWillSend its turn begins; until then the one before it may run
   * @returns the id of its item
   */
  prompt(text: string, images: readonly PromptImage[] = [], context = '', onWillSend = () => {}): string {
    if (this.isEnded()) {
      throw new Error('This agent session has ended.');
    }
    const id = this.cliConversation.addPrompt(text, 'queued');
    this.waiting.push({ id, text, images, context, onWillSend });
    this.tellNotKept();
    this.goOn();
    return id;
  }

  /** Takes a prompt out that has not been sent. @returns whether it was still there */
  unqueue(id: string): boolean {
    const index = this.waiting.findIndex((prompt) => prompt.id === id);
    if (index < 0) {
      return false;
    }
    this.waiting.splice(index, 1);
    this.cliConversation.change(id, { state: 'dropped' });
    return true;
  }

  /** Ends the turn; prompts that wait stay, and come next. */
  async interrupt(): Promise<void> {
    const { process } = this;
    if (this.current !== 'running' || !process) {
      return;
    }
    const ended = new Promise<void>((resolve) => {
      const listening = this.onDidChangeState((state) => {
        if (state !== 'running') {
          listening.dispose();
          resolve();
        }
      });
    });
    try {
      await process.control.request('interrupt', {}, interruptTime);
    } catch (error) {
      this.around.log.warn(`The turn could not be interrupted: ${errorMessage(error)}`);
    }
    const timer = setTimeout(() => this.endAndGoOn(), interruptTime);
    await ended;
    clearTimeout(timer);
  }

  /** Takes effect at once, in the middle of a turn too. @throws {ControlError} */
  async setMode(mode: PermissionMode): Promise<void> {
    if (mode === 'bypassPermissions' && !this.options.mayBypass) {
      throw new ControlError('refused', 'The mode "bypassPermissions" is not allowed here.');
    }
    await this.process?.control.request('set_permission_mode', { mode });
    this.told({ mode });
    this.cliConversation.setState({ mode });
  }

  /** From the next request to the model on; before 2.1 from the next turn on. @throws {ControlError} */
  async setModel(model: string): Promise<void> {
    await this.process?.control.request('set_model', { model });
    this.told({ model });
    this.cliConversation.setState({ model });
  }

  /** From the next request to the model on; not 1.0. @param effort undefined: as the CLI is set up @throws {ControlError} */
  async setEffort(effort: string | undefined): Promise<void> {
    const { cli, process } = this;
    if (cli.flags.has('--effort')) {
      const settings = { effortLevel: effort ?? null };
      await process?.control.request('apply_flag_settings', { settings }, 3_000);
    } else if (process) {
      const max_thinking_tokens = thinkingTokens(cli, effort);
      if (max_thinking_tokens === undefined) {
        throw new ControlError('unsupported', 'It would go back to what its process was started with.');
      }
      await process.control.request('set_max_thinking_tokens', { max_thinking_tokens }, 3_000);
    }
    this.has((options) => (effort === undefined ? without(options, 'effort') : { ...options, effort }));
  }

  /** Of this session's process, which must run. @throws {ControlError} for a version that does not know it, too */
  request(subtype: string, fields: object = {}): Promise<unknown> {
    return this.process
      ? this.process.control.request(subtype, fields)
      : Promise.reject(new ControlError('ended', 'Claude Code does not run.'));
  }

  /** Goes on with other options, once the turn that runs has ended; nothing is lost. */
  restart(options: AgentOptions, cli = this.cli): void {
    this.options = options;
    this.cli = cli;
    this.goOn();
  }

  /**
   * What is under way ends: a turn is interrupted; a process that starts, with the prompts that wait for it, or is idle, is
   * ended. The next prompt starts another.
   */
  async stop(): Promise<void> {
    switch (this.current) {
      case 'starting':
        this.dropWaiting();
        this.starting.abort();
        return this.endProcess();
      case 'idle':
        return this.endAndGoOn();
      default:
        return this.interrupt();
    }
  }

  /** Drops the prompts that wait, and ends the turn that runs and the process; settles when it is gone. The next prompt starts another. */
  async leave(): Promise<void> {
    this.dropWaiting();
    await this.interrupt();
    await this.stop();
    await this.steps.run(() => Promise.resolve());
  }

  /** Ends process and conversation. */
  async dispose(): Promise<void> {
    this.set('ended');
    this.ending.abort();
    clearTimeout(this.idleTimer);
    this.dropWaiting();
    await this.endProcess(); // also one that does not get ready
    await this.steps.run(() => this.endProcess());
    this.changed.dispose();
  }

  private dropWaiting(): void {
    this.waiting.splice(0).forEach(({ id }) => this.cliConversation.change(id, { state: 'dropped' }));
  }

  /** The process has it already. */
  private told(fields: Partial<AgentOptions>): void {
    this.has((options) => ({ ...options, ...fields }));
  }

  private has(change: (options: AgentOptions) => AgentOptions): void {
    this.options = change(this.options);
    if (this.startedWith) {
      this.startedWith.options = change(this.startedWith.options);
    }
  }

  private get mustRestart(): boolean {
    const { startedWith } = this;
    return (
      startedWith !== undefined &&
      (startedWith.cli !== this.cli || !isDeepStrictEqual(startedWith.options, this.options))
    );
  }

  private isEnded(): boolean {
    return this.current === 'ended';
  }

  private set(state: AgentState): void {
    if (this.current !== state && this.current !== 'ended') {
      this.current = state;
      this.changed.fire(state);
    }
  }

  /** Does what is to be done next, if nothing is under way. */
  private goOn(): void {
    clearTimeout(this.idleTimer);
    if (this.current === 'none' && this.waiting.length > 0) {
      this.set('starting');
      this.starting = new AbortController();
      void this.steps.run(() => this.startProcess());
    } else if (this.current === 'idle' && this.mustRestart) {
      this.endAndGoOn();
    } else if (this.current === 'idle' && this.waiting.length > 0) {
      this.sendNext();
    } else if (this.current === 'idle') {
      this.idleTimer = setTimeout(() => this.endAndGoOn(), this.around.idleTime ?? defaultIdleTime);
      this.idleTimer.unref();
    }
  }

  /** Takes no prompt from now on, whatever the process still says; those that wait are for the next one. */
  private endAndGoOn(): void {
    this.set('ending');
    void this.steps.run(async () => {
      await this.endProcess();
      this.set('none');
      this.goOn();
    });
  }

  private sendNext(): void {
    const { process } = this;
    const prompt = process && this.waiting.shift();
    if (!prompt) {
      return;
    }
    this.set('running');
    this.cliConversation.setState({ isRunning: true });
    this.cliConversation.change(prompt.id, { state: 'sent' });
    prompt.onWillSend();
    // The text comes last: there alone the CLI looks for a command, and for files that are named with `@`.
    const texts = [...(prompt.context === '' ? [] : [prompt.context]), prompt.text];
    const content = [...prompt.images.map(imageBlock), ...texts.map((text) => ({ type: 'text', text }))];
    process.send({
      type: 'user',
      message: { role: 'user', content },
      parent_tool_use_id: null,
      session_id: this.conversation.current.sessionId ?? '',
    });
  }

  private async startProcess(): Promise<void> {
    const { around, cli, options } = this;
    if (this.isEnded()) {
      return;
    }
    try {
      const env = cliEnvironment(cli, options);
      const isTrusted = await this.mayUseFolders(env);
      this.mustStart();
      const { args, initialize, lacking } = cliArguments(
        cli,
        isTrusted ? options : withoutFolderOffers(options),
        this.toResume,
      );
      if (!isTrusted && lacking.includes('--setting-sources')) {
        throw new Error(
          `Claude Code ${cli.version} would use what this folder brings for it, unasked. Update Claude Code.`,
        );
      }
      if (lacking.length > 0) {
        around.log.info(`Claude Code ${cli.version} lacks ${lacking.join(', ')}.`);
      }
      const [cwd = '.'] = options.folders;
      if (!existsSync(cwd)) {
        throw new Error(`${cwd} is no longer there.`); // else it would be the program that is not found
      }
      let unreadable = 0;
      this.cliConversation.beginProcess();
      const process = await CliProcess.start(
        around.processes,
        {
          program: cli.program,
          args: [...cli.programArgs, ...args],
          cwd,
          env,
        },
        this.handlers(),
        {
          onMessage: (message, json) => this.take(message, json),
          onOther: (json) => this.cliConversation.takeOther(json),
          onUnreadable: (text, bytes) => {
            if (++unreadable > toldUnreadable) {
              return;
            }
            around.log.warn(`Claude Code printed ${bytes} bytes that are no message.`);
            this.cliConversation.addError(
              'unreadable',
              'Claude Code printed something that is no message.',
              text,
            );
          },
          onEnd: (ending) => this.processEnded(process, ending),
        },
      );
      this.process = process;
      this.startedWith = { options, cli };
      this.mustStart();
      const { hooks, servers = {} } = around;
      this.said = parseInitialized(
        await process.control.request(
          'initialize',
          {
            ...initialize,
            ...(hooks ? { hooks: hooks.forInitialize } : {}),
            ...(Object.keys(servers).length > 0 ? { sdkMcpServers: Object.keys(servers) } : {}),
          },
          60_000,
        ),
      );
      this.set('idle');
      this.goOn();
    } catch (error) {
      await this.endProcess();
      // A process that has ended has told why.
      if (!(error instanceof ControlError && error.kind === 'ended')) {
        this.cliConversation.addError('notStarted', 'Claude Code did not start.', errorMessage(error));
      }
      this.set('none');
      if (this.starting.signal.aborted) {
        this.goOn(); // with what was asked since it was stopped
      }
    }
  }

  /** @throws {ControlError} when nobody wants the process any more */
  private mustStart(): void {
    if (this.isEnded() || this.starting.signal.aborted) {
      throw new ControlError('ended', 'This agent session has ended.');
    }
  }

  /** @returns whether the CLI may use what they bring for it */
  private async mayUseFolders(env: NodeJS.ProcessEnv): Promise<boolean> {
    const { trustFolders, log } = this.around;
    const { folders, agents } = this.options;
    const offers = untrusted(folders, env, agents);
    if (offers.length === 0) {
      return true;
    }
    const over = AbortSignal.any([this.ending.signal, this.starting.signal]);
    const isTrusted = trustFolders && (await Promise.race([trustFolders(offers, over), aborted(over)]));
    if (isTrusted !== true) {
      log.info(`Not used: ${offers.flatMap(({ files }) => files).join(', ')}.`);
    }
    return isTrusted === true;
  }

  private handlers(): Record<string, ControlHandler> {
    const { hooks, servers = {} } = this.around;
    return {
      can_use_tool: (request, signal) => this.mayUse(request, signal),
      hook_callback: async (request, signal) => {
        const callback = parseHookCallback(request);
        if (callback) {
          await hooks?.call(callback, signal);
        }
        return { continue: true };
      },
      mcp_message: async (request, signal) => {
        const found = parseMcpMessage(request);
        const server =
          found && Object.hasOwn(servers, found.server_name) ? servers[found.server_name] : undefined;
        if (!found || !server) {
          throw new Error('There is no such server.');
        }
        return { mcp_response: await server.handle(found.message, signal) };
      },
    };
  }

  private async mayUse(request: Record<string, unknown>, withdrawn: AbortSignal): Promise<object> {
    const asked = parseCanUseTool(request);
    if (!asked) {
      throw new Error('A question that is not understood.');
    }
    const id = this.cliConversation.addQuestion(asked.tool_name, asked.tool_use_id);
    const open = new AbortController();
    this.open.set(open, asked.agent_id ?? '');
    const over = AbortSignal.any([withdrawn, open.signal]);
    try {
      const decision = await Promise.race([this.around.ask(questionOf(id, asked), over), aborted(over)]);
      if (!decision || over.aborted) {
        this.cliConversation.change(id, { state: 'withdrawn' });
        return answerOf(asked, { kind: 'deny', reason: 'The question was withdrawn.' });
      }
      this.cliConversation.change(id, { state: decision.kind === 'allow' ? 'allowed' : 'denied' });
      if (decision.kind === 'allow') {
        decision.rules?.filter(({ type }) => type === 'setMode').forEach(({ mode }) => this.followMode(mode));
      }
      return answerOf(asked, decision);
    } catch (error) {
      this.cliConversation.change(id, { state: 'denied' });
      return answerOf(asked, { kind: 'deny', reason: `The editor could not ask: ${errorMessage(error)}` });
    } finally {
      this.open.delete(open);
    }
  }

  /** The CLI may say it as it ends, when no turn shows it: then it goes with the next. */
  private tellNotKept(): void {
    if (this.notKept !== undefined && (this.current === 'running' || this.waiting.length > 0)) {
      const message =
        'Claude Code could not write all of this conversation down, and does not know that part when it starts anew.';
      this.cliConversation.addError('notKept', message, this.notKept);
      this.notKept = undefined;
    }
  }

  /** Told by a result (2.1), and then by the end of the process: whichever comes first. */
  private noteGone(words: string): void {
    if (this.toResume !== undefined) {
      this.toResume = undefined; // else no prompt would ever get through
      const message =
        'Claude Code no longer has this session. The next prompt begins a new one, which knows nothing of it.';
      this.cliConversation.addError('notResumed', message, words);
    }
  }

  private take(message: CliMessage, json: unknown): void {
    const gone = message.type === 'result' ? message.errors?.find(saysGone) : undefined;
    if (gone !== undefined) {
      this.noteGone(gone);
    }
    this.cliConversation.take(message, json);
    if (message.type === 'system' && 'lost' in message && message.lost.includes('transcript')) {
      const { error_code: code = 'No reason was told.' } = message;
      this.notKept = code === 'ENOSPC' ? 'The disk is full (ENOSPC).' : code;
      this.tellNotKept();
    }
    if (message.type === 'system' && 'permissionMode' in message) {
      this.followMode(message.permissionMode);
    }
    if (message.type === 'system' && 'session_id' in message) {
      this.toResume = message.session_id;
      if (this.options.isFork === true) {
        this.told({ isFork: false }); // it has an id of its own now
      }
      if (this.current === 'idle') {
        clearTimeout(this.idleTimer);
        this.set('running'); // a turn that the CLI begins by itself
      }
    } else if (message.type === 'result') {
      this.withdrawQuestions('');
      if (this.current === 'running' || this.current === 'idle') {
        this.set('idle'); // one that is being ended takes no prompt
        this.goOn();
      }
    }
  }

  /** The CLI changes it by itself, too, as when a plan was approved: the next process shall go on so. */
  private followMode(said: unknown): void {
    const mode = permissionModes.find((each) => each === said);
    if (mode && (mode !== 'bypassPermissions' || this.options.mayBypass)) {
      this.told({ mode });
    }
  }

  /** What asks in the background asks on when the turn has ended. @param agent undefined for all */
  private withdrawQuestions(agent?: string): void {
    for (const [question, by] of this.open) {
      if (agent === undefined || by === agent) {
        question.abort();
      }
    }
  }

  private processEnded(process: CliProcess, ending: Ending): void {
    if (this.process === process) {
      this.process = undefined;
    }
    this.withdrawQuestions();
    this.cliConversation.stopAll();
    if (saysGone(ending.stderr)) {
      this.noteGone(ending.stderr);
    } else if (!ending.isOurs) {
      this.cliConversation.addError('ended', ending.message, ending.stderr);
    }
    // In other states somebody waits for this end, and goes on.
    if (this.current === 'running' || this.current === 'idle') {
      this.set('none'); // and not on: what has crashed would crash again
    }
  }

  private async endProcess(): Promise<void> {
    const { process } = this;
    this.process = undefined;
    await process?.end();
  }
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined));
    if (signal.aborted) {
      resolve(undefined);
    }
  });
}
