import { tmpdir } from 'node:os';
import * as vscode from 'vscode';
import type { AgentDefinition } from '../agent/agentDefinition.ts';
import { type Cli, findCli, isAsFound } from '../agent/cli.ts';
import type { FolderOffer, TrustFolders } from '../agent/folderTrust.ts';
import type { Item } from '../agent/items.ts';
import type { Initialized } from '../agent/messages.ts';
import { type AgentOptions, permissionModes } from '../agent/options.ts';
import { type ImageSum, noImages } from '../agent/promptImages.ts';
import type { AskPermission, PermissionDecision } from '../agent/permissions.ts';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { firstLine } from '../base/text.ts';
import type { AgentChanges } from '../changes/agentChanges.ts';
import { openAllChanges } from '../changes/openDiffs.ts';
import { Notice } from '../editor/notice.ts';
import type { Reports } from '../editor/reports.ts';
import { setting } from '../editor/settings.ts';
import { workspace } from '../editor/workspaceFolders.ts';
import type { LoadQuestions } from '../notebooks/runQuestions.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import { openCommandSetting } from '../sessions/launch.ts';
import type { McpServers } from '../sessions/launcher.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { attachedImages } from './attachedImages.ts';
import { ChatAgent } from './chatAgent.ts';
import { answerCommand } from './chatCommands.ts';
import { ChatPicks } from './chatPicks.ts';
import { type ChatSession, ChatSessions } from './chatSessions.ts';
import { ChatThread, type ThreadPrompt } from './chatThread.ts';
import { EditsOfAgent } from './editsOfAgent.ts';
import type { FolderAgents } from './folderAgents.ts';
import { type IdePorts, IdeServer } from './ideServer.ts';
import type { AnswerMetadata, NextStep } from './followups.ts';
import { code, plain } from './markdown.ts';
import type { ModelApi } from './modelApi.ts';
import { bringFolder, modelVendor, participantId } from './names.ts';
import type { Put } from './permissionQuestion.ts';
import type { PickName } from './picks.ts';
import { placeOf } from './outputs.ts';
import { promptText } from './promptText.ts';
import { Questions } from './questions.ts';
import { ripgrepFolder } from './ripgrep.ts';
import { StreamSurface } from './streamSurface.ts';
import type { Button, Surface } from './surface.ts';
import { threadKey, ThreadRecords } from './threadRecords.ts';

export interface ChatDependencies extends IdePorts {
  readonly processes: ChildProcesses;
  readonly proposals: Proposals;
  readonly questions: LoadQuestions;
  readonly agentChanges: AgentChanges;
  readonly sharing: Sharing;
  readonly reports: Reports;
  readonly servers: McpServers;
  readonly records: SessionRecords;
  readonly userPlace: Pick<UserPlace, 'wentToChat'>;
  readonly workspaceState: vscode.Memento;
  readonly secrets: vscode.SecretStorage;
}

/** Ms after which a question that nobody has answered is told by a notification. Whether the chat is in view is not known. */
const patience = 4_000;

/** Under which the model sees the tools of other extensions: `mcp__extensions__…`. */
const extensionsServer = 'extensions';

/** Instead of a choice. */
const reviewFiles = 'review files';

/** Offers of folders, as JSON, to which the user has said yes. */
const trustedOffers = 'chat.trustedOffers';

/** Answers `@claude`: each thread of the chat is one session of the engine. */
export class Chat implements vscode.Disposable {
  /** By the ids of the sessions that each has had. */
  private readonly threads = new Map<string, ChatThread>();
  private readonly all: ChatThread[] = [];
  private readonly questions = new Questions();
  private readonly picks: ChatPicks;
  private readonly threadRecords: ThreadRecords;
  readonly sessions: ChatSessions;
  private readonly ide: IdeServer;
  private modelApi: ModelApi | undefined;
  private lastInitialized: Initialized | undefined;
  private folderAgents: FolderAgents | undefined;
  private found: { readonly command: string; readonly cli: Promise<Cli> } | undefined;

  /** @param onModels what `initialized` tells is another @param onSessions see `ChatSessions` */
  constructor(
    private readonly dependencies: ChatDependencies,
    private readonly onModels: () => void,
    onSessions: (sessions: readonly ChatSession[]) => void,
  ) {
    this.ide = new IdeServer(dependencies);
    this.picks = new ChatPicks(dependencies.workspaceState);
    this.threadRecords = new ThreadRecords(dependencies.workspaceState);
    this.sessions = new ChatSessions(dependencies.proposals, dependencies.questions, onSessions);
  }

  /** What the CLI of the last turn has said of itself. */
  get initialized(): Initialized | undefined {
    return this.lastInitialized;
  }

  async handle(
    request: vscode.ChatRequest,
    { history }: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    const surface = new StreamSurface(stream, token);
    const key = threadKey(request.toolInvocationToken, firstPrompt(history) ?? request.prompt);
    const resume = this.sessionIn(history, key);
    if (!vscode.workspace.isTrusted) {
      surface.markdown('Claude Code does not run in Restricted Mode. Trust this workspace first.');
      surface.buttons([{ title: 'Manage Workspace Trust', command: 'manageTrust' }]);
      return resultOf(resume);
    }
    if (request.command === 'resume') {
      const chosen = await this.resume(surface, request.prompt);
      if (chosen !== undefined && !this.threadOf(chosen)) {
        this.picks.begin(chosen);
      }
      return resultOf(chosen ?? resume);
    }
    const answered = await answerCommand(request, surface, {
      initialized: this.lastInitialized,
      choose: (name, wanted) => {
        const thread = resume === undefined ? undefined : this.threadOf(resume);
        return this.chooseFor(thread, resume, name, wanted);
      },
    });
    if (answered) {
      return resultOf(resume);
    }
    const editorTools = await this.dependencies.servers.mcpConfig();
    const configs = [this.ide.mcpConfig(), editorTools].filter((file) => file !== undefined);
    const asSet = agentOptions(configs, await this.agents());
    if (!asSet) {
      surface.markdown('Claude Code works in a folder. Open one first.');
      surface.buttons([{ title: 'Open Folder', command: { id: 'vscode.openFolder' } }]);
      return resultOf(resume);
    }
    const holder = resume === undefined ? undefined : await this.holderOf(resume);
    if (holder !== undefined) {
      surface.markdown(
        `This conversation is open in ${holder}. End it there, or choose *Continue in Chat* on its row in *Sessions*.`,
      );
      return resultOf(resume);
    }
    const options = resume === undefined ? asSet : await this.inItsFolder(surface, asSet, resume);
    if (!options) {
      return resultOf(resume);
    }
    let thread: ChatThread;
    try {
      const modelApi = setting('agent.api') === 'cli' ? undefined : await this.loadModelApi();
      const lack = await modelApi?.lack();
      if (lack) {
        surface.markdown(lack.words);
        surface.buttons([lack.button]);
        return resultOf(resume);
      }
      thread = await this.thread(await this.cli(), options, modelApi, resume, request.prompt);
      await thread.useModel(modelOf(request));
    } catch (error) {
      surface.markdown(`**${plain(errorMessage(error), 1_000)}**`);
      surface.buttons([settingsButton]);
      return resultOf(resume);
    }
    const prompt = await this.promptOf(request, surface, () => thread.images());
    this.dependencies.userPlace.wentToChat();
    this.picks.use(thread);
    this.sessions.prompted(thread, request.prompt);
    const following = this.follow(thread, key);
    let next: readonly NextStep[];
    try {
      next = await thread.turn(prompt, surface, token, request.toolInvocationToken);
    } finally {
      following.dispose();
    }
    if (thread.initialized && thread.initialized !== this.lastInitialized) {
      this.lastInitialized = thread.initialized;
      this.onModels();
    }
    return resultOf(thread.sessionId ?? resume, next);
  }

  /** What the page of that address says. */
  async output(uri: vscode.Uri): Promise<string> {
    const place = placeOf(uri);
    let result = place && this.threads.get(place.sessionId)?.output(place.toolUseId);
    if (place && (!result || result.leftOut !== undefined)) {
      const { pastOutput } = await import('./pastOutput.ts');
      result = (await pastOutput(this.dependencies.records, place)) ?? result;
    }
    const { text = 'This is no longer there.', leftOut } = result ?? {};
    return leftOut === undefined ? text : `${text}\n\n${leftOut} more characters were not kept.`;
  }

  /** A button: answers the question of that id, or opens a review. Says so where the question is over. */
  async press(id: unknown, choice: unknown): Promise<void> {
    if (choice === reviewFiles && Array.isArray(id)) {
      await this.review(new Set(id));
    } else if (choice === bringFolder && typeof id === 'string') {
      const { bring } = await import('./itsFolder.ts');
      await bring(id);
    } else if (!(await this.questions.choose(id, choice))) {
      void vscode.window.showInformationMessage('Nothing was done: this question is over.');
    }
  }

  /** @param name what; undefined lets the user choose that, too */
  async choose(name: PickName | undefined): Promise<void> {
    if (vscode.workspace.isTrusted) {
      await this.chooseFor(this.picks.lastUsed, this.picks.lastSession, name);
    } else {
      const { tellUntrusted } = await import('../editor/tell.ts');
      await tellUntrusted('run');
    }
  }

  dispose(): void {
    this.picks.dispose();
    this.sessions.dispose();
    this.all.forEach((thread) => thread.dispose());
    this.ide.dispose();
    this.modelApi?.dispose();
  }

  /** The session that the thread goes on with: as its last answer has it, which has nothing where it was cut off. */
  private sessionIn(history: vscode.ChatContext['history'], key: string | undefined): string | undefined {
    const known = history
      .filter((turn) => turn instanceof vscode.ChatResponseTurn && turn.participant === participantId)
      .map(
        (turn) =>
          ((turn as vscode.ChatResponseTurn).result.metadata as AnswerMetadata | undefined)?.sessionId,
      );
    return known.length === 0
      ? undefined
      : (known.at(-1) ?? this.threadRecords.find(key) ?? known.findLast((id) => id !== undefined));
  }

  /** From the moment on in which it is known: the end of the turn may not come. */
  private follow(thread: ChatThread, key: string | undefined): vscode.Disposable {
    this.threadRecords.note(key, thread.sessionId);
    return thread.onState(({ sessionId }) => {
      if (sessionId !== undefined && this.threads.get(sessionId) !== thread) {
        this.threads.set(sessionId, thread);
        this.threadRecords.note(key, sessionId);
        this.picks.note(thread);
      }
    });
  }

  private async promptOf(
    request: vscode.ChatRequest,
    surface: Surface,
    before: () => Promise<ImageSum>,
  ): Promise<ThreadPrompt> {
    const { sharing } = this.dependencies;
    const { images, refusals } = await attachedImages(request.references, sharing, before);
    refusals.forEach((words) => surface.markdown(`${plain(words, 1_000)}\n\n`));
    return { ...promptText(request, (uri) => sharing.allows(uri)), images };
  }

  /** @returns the id of the session that the thread goes on with */
  private async resume(surface: Surface, asked: string): Promise<string | undefined> {
    const { resumePast } = await import('./resumePast.ts');
    const { records } = this.dependencies;
    return resumePast(records, folderPaths(), surface, asked, (id) => this.holderOf(id));
  }

  /** @returns undefined where the conversation is not of this window, which was said */
  private async inItsFolder(
    surface: Surface,
    options: AgentOptions,
    sessionId: string,
  ): Promise<AgentOptions | undefined> {
    const { inItsFolder } = await import('./itsFolder.ts');
    const { records } = this.dependencies;
    return inItsFolder(records, surface, options, sessionId, this.threadOf(sessionId)?.folder);
  }

  /** The one that is held with it by now: `/clear` goes on in another session. */
  private threadOf(sessionId: string): ChatThread | undefined {
    const thread = this.threads.get(sessionId);
    return thread?.sessionId === sessionId ? thread : undefined;
  }

  /** Whether a process of this chat has the conversation open, or is about to be gone. */
  private holds(sessionId: string): boolean {
    const { state = 'none' } = this.threadOf(sessionId) ?? {};
    return state !== 'none';
  }

  /** What has it open outside of the chat, in words: two in one conversation would not know of each other. */
  private async holderOf(sessionId: string): Promise<string | undefined> {
    const { records } = this.dependencies;
    await records.open();
    if (this.holds(sessionId)) {
      return undefined;
    }
    const pid = records.running.get(sessionId);
    if (pid !== undefined) {
      return `another Claude Code (process ${pid})`;
    }
    return records.isStarting(sessionId) ? 'a terminal that was started a moment ago' : undefined;
  }

  private async cli(): Promise<Cli> {
    const command = setting('command');
    let { found } = this;
    try {
      if (found?.command !== command || !isAsFound(await found.cli)) {
        found = this.found = { command, cli: findCli(this.dependencies.processes, command) };
      }
      return await found.cli;
    } catch (error) {
      this.found = undefined; // it may be installed meanwhile
      throw error;
    }
  }

  private async chooseFor(
    thread: ChatThread | undefined,
    resume: string | undefined,
    name: PickName | undefined,
    wanted?: string,
  ) {
    const known = {
      settings: settingOptions(),
      initialized: this.lastInitialized,
      folderAgents: await this.agents(),
    };
    return this.picks.choose(thread, resume, known, name, wanted);
  }

  private async agents(): Promise<readonly AgentDefinition[]> {
    const { FolderAgents } = await import('./folderAgents.ts');
    this.folderAgents ??= new FolderAgents(this.dependencies.log);
    return this.folderAgents.read(folderPaths());
  }

  private async loadModelApi(): Promise<ModelApi> {
    const { ModelApi } = await import('./modelApi.ts');
    const { storageUri, secrets, log } = this.dependencies;
    return (this.modelApi ??= new ModelApi(storageUri?.fsPath ?? tmpdir(), secrets, log));
  }

  /** @param modelApi undefined where the CLI asks the model by itself */
  private async thread(
    cli: Cli,
    asSet: AgentOptions,
    modelApi: ModelApi | undefined,
    resume: string | undefined,
    prompt: string,
  ): Promise<ChatThread> {
    const known = resume === undefined ? undefined : this.threadOf(resume);
    const proxied = modelApi && (known?.proxied ?? (await modelApi.admit()));
    const options = proxied
      ? { ...asSet, env: proxied.envWith(asSet.env ?? {}), settings: proxied.settingsFile }
      : asSet;
    if (known) {
      known.proxied ??= proxied;
      await this.offerTools(known, options);
      known.configure(cli, options);
      return known;
    }
    const { processes, log, proposals, agentChanges } = this.dependencies;
    const label = `Chat · ${printable(firstLine(prompt), 30)}`;
    const agent = new ChatAgent(-1 - this.all.length, label);
    const thread: ChatThread = new ChatThread(
      { processes, log, trustFolders: (offers, signal) => this.trust(offers, thread, label, signal) },
      new EditsOfAgent(agent, proposals, agentChanges),
      (surface) => this.ask(thread, surface, label),
      cli,
      options,
      this.picks.of(resume),
      {
        remedies,
        review: async (paths) => {
          await agentChanges.changes.refresh();
          return this.undecided(new Set(paths)).length === 0
            ? undefined
            : { title: 'Review These Files', command: 'chatButton', args: [paths, reviewFiles] };
        },
      },
      resume,
      this.imagesOf(resume),
    );
    thread.proxied = proxied;
    await this.offerTools(thread, options);
    this.all.push(thread);
    this.sessions.add(agent, thread);
    return thread;
  }

  /** Before now; read only when it is asked for, which few conversations do. */
  private imagesOf(resume: string | undefined): () => Promise<ImageSum> {
    const until = Date.now();
    return async () => {
      if (resume === undefined) {
        return noImages;
      }
      const { pastImages } = await import('./pastImages.ts');
      return pastImages(this.dependencies.records, resume, until);
    };
  }

  private async offerTools(thread: ChatThread, { hostTools = [] }: AgentOptions): Promise<void> {
    if (hostTools.length === 0) {
      thread.servers = {};
    } else if (!thread.servers[extensionsServer]) {
      const { toolsOfExtensions } = await import('./toolsOfExtensions.ts');
      const server = toolsOfExtensions(this.dependencies.sharing, () => thread.invocation);
      thread.servers = { [extensionsServer]: server };
    }
  }

  private ask(thread: ChatThread, surface: Surface | undefined, label: string): AskPermission {
    return async (question, signal): Promise<PermissionDecision> => {
      if (!surface) {
        return { kind: 'deny', reason: 'Nobody can be asked: the chat shows no turn of this session.' };
      }
      if (
        question.isOfOurServer === true &&
        question.isDemanded !== true &&
        this.ide.isUsedUnasked(question.tool)
      ) {
        return { kind: 'allow' };
      }
      const { putQuestion } = await import('./permissionQuestion.ts');
      const put = putQuestion(question, this.dependencies.reports);
      const answer = await this.put(put, thread, surface, label, signal);
      if (answer || thread.state === 'running') {
        surface.markdown(`\n\n${answer ? put.outcome(answer) : 'The question is over.'}\n\n`);
      }
      return answer ?? { kind: 'deny', reason: 'The question was withdrawn.' };
    };
  }

  /** What folders bring for the CLI runs programs: asked once for each, with the files named. */
  private async trust(
    offers: readonly FolderOffer[],
    thread: ChatThread,
    label: string,
    signal: AbortSignal,
  ): ReturnType<TrustFolders> {
    const { surface } = thread;
    const { workspaceState } = this.dependencies;
    const known = () => workspaceState.get<string[]>(trustedOffers, []);
    const all = offers.map((offer) => JSON.stringify(offer));
    if (all.every((offer) => known().includes(offer))) {
      return true;
    }
    if (!surface) {
      return false;
    }
    const put: Put<boolean> = {
      words: 'May Claude Code use what this folder brings?',
      titles: { use: 'Use Them', leave: 'Go on without Them' },
      choices: { use: () => true, leave: () => false },
      show() {
        surface.markdown(
          '\n\n**May Claude Code use what this folder brings for it?** Settings, hooks, commands, agents and MCP servers can run programs:\n\n',
        );
        for (const file of offers.flatMap(({ files }) => files)) {
          surface.markdown(`- ${code(file, 1_000)}\n`);
        }
      },
      outcome: (isYes) => (isYes ? 'They are used.' : 'They are left out.'),
    };
    const answer = await this.put(put, thread, surface, label, signal);
    surface.markdown(`\n\n${answer === undefined ? 'The question is over.' : put.outcome(answer)}\n\n`);
    if (answer === true) {
      // Another conversation may have got a yes meanwhile.
      await workspaceState.update(trustedOffers, [...new Set([...known(), ...all])]);
    }
    return answer === true;
  }

  private undecided(paths: ReadonlySet<unknown>) {
    return this.dependencies.agentChanges.changes.all.filter(({ snapshot }) => paths.has(snapshot.path));
  }

  private async review(paths: ReadonlySet<unknown>): Promise<void> {
    const changes = this.undecided(paths);
    if (changes.length > 0) {
      await openAllChanges(changes, 'Changes of a Turn');
    } else {
      void vscode.window.showInformationMessage('These changes have been decided, or undone.');
    }
  }

  /** @returns undefined once nobody waits for the answer any more */
  private async put<T>(
    put: Put<T>,
    thread: ChatThread,
    surface: Surface,
    label: string,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    const { id, answer } = this.questions.put(put.choices, signal);
    put.show(surface);
    surface.buttons(Object.entries(put.titles).map(([choice, title]) => button(title, id, choice)));
    let notice: Notice | undefined;
    const timer = setTimeout(
      () => {
        if (setting('attention.notify')) {
          notice = new Notice();
          const show = { title: 'Show the Chat', command: 'workbench.action.chat.open' };
          notice.say(`${printable(label)} waits for you`, show, put.words);
        }
      },
      vscode.window.state.focused ? patience : 0,
    );
    try {
      return await this.sessions.asks(thread, answer);
    } finally {
      clearTimeout(timer);
      notice?.end();
    }
  }
}

const settingsButton: Button = {
  title: openCommandSetting.title,
  command: { id: openCommandSetting.command },
  args: openCommandSetting.arguments,
};

function button(title: string, id: string, choice: string): Button {
  return { title, command: 'chatButton', args: [id, choice] };
}

function remedies({ cause }: Extract<Item, { kind: 'error' }>): readonly Button[] {
  switch (cause) {
    case 'notLoggedIn':
      return [{ title: 'Log In in a Terminal', command: 'newSession' }];
    case 'notStarted':
      return [settingsButton, { title: 'Show Log', command: 'showLog' }];
    case 'ended':
    case 'unreadable':
      return [{ title: 'Show Log', command: 'showLog' }];
    case 'failed':
    case 'notResumed':
    case 'notKept':
      return [];
  }
}

/** What goes with each prompt, if it is set. */
function besides(): Pick<AgentOptions, 'fallbackModel' | 'systemPrompt'> {
  const fallbackModel = setting('agent.fallbackModel').trim();
  const systemPrompt = setting('agent.systemPrompt').trim();
  return {
    ...(fallbackModel === '' ? {} : { fallbackModel }),
    ...(systemPrompt === '' ? {} : { systemPrompt }),
  };
}

function settingOptions(): Pick<AgentOptions, 'mode' | 'mayBypass' | 'model'> {
  const model = setting('agent.model');
  const mode = permissionModes.find((name) => name === setting('agent.permissionMode')) ?? 'default';
  return { mode, mayBypass: mode === 'bypassPermissions', ...(model === '' ? {} : { model }) };
}

/**
 * An answer that has ended can neither ask nor tell any more, and 2.1 leaves sub-agents to the background unless it may not:
 * nobody would hear of what they find, and whatever they need permission for would be denied.
 */
const noBackground = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1' };

function folderPaths(): string[] {
  return workspace.folders.map(({ path }) => path);
}

/** As the settings have it; undefined where no folder is open. */
function agentOptions(
  mcpConfigFiles: readonly string[],
  agents: readonly AgentDefinition[],
): AgentOptions | undefined {
  const folders = folderPaths();
  const hostTools = setting('agent.languageModelTools');
  const ripgrep = ripgrepFolder(vscode.env.appRoot);
  return folders.length === 0
    ? undefined
    : {
        folders,
        ...settingOptions(),
        ...besides(),
        env: { ...noBackground, ...setting('environment') },
        ...(agents.length === 0 ? {} : { agents }),
        ...(hostTools.length === 0 ? {} : { hostTools }),
        ...(ripgrep === undefined ? {} : { ripgrep }),
        mcpConfigFiles,
      };
}

/** The one that was chosen in the chat, if it is one of the CLI's. */
function modelOf({ model }: vscode.ChatRequest): string | undefined {
  return model.vendor === modelVendor ? model.id : undefined;
}

function firstPrompt(history: vscode.ChatContext['history']): string | undefined {
  return history.find((turn) => turn instanceof vscode.ChatRequestTurn)?.prompt;
}

function resultOf(sessionId: string | undefined, next: readonly NextStep[] = []): vscode.ChatResult {
  const metadata: AnswerMetadata = {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(next.length === 0 ? {} : { next }),
  };
  return { metadata };
}
