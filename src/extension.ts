import * as vscode from 'vscode';
import { oneLine } from './base/logger.ts';
import { publishActiveEditor } from './context/activeEditorChanged.ts';
import { publishDiagnostics } from './context/diagnosticsChanged.ts';
import { Mentions } from './mentions/mentions.ts';
import { publishSelection } from './context/selectionChanged.ts';
import { keepAcceptedFilesOpen } from './proposals/acceptedFiles.ts';
import { Diagnostics } from './documents/diagnostics.ts';
import { Files } from './documents/files.ts';
import { GitIgnored } from './sharing/gitIgnored.ts';
import { Launcher } from './sessions/launcher.ts';
import { returnFocus } from './proposals/focusReturn.ts';
import { Hunks } from './proposals/hunks.ts';
import { Notebooks } from './notebooks/notebooks.ts';
import { Proposals } from './proposals/proposals.ts';
import { showsProposal } from './proposals/proposalTabs.ts';
import { RunQuestions } from './notebooks/runQuestions.ts';
import { Reports } from './editor/reports.ts';
import { Selections } from './sharing/selections.ts';
import { SessionTerminals } from './sessions/sessionTerminals.ts';
import { setting } from './editor/settings.ts';
import { Sharing } from './sharing/sharing.ts';
import { Tabs } from './documents/tabs.ts';
import { registerTerminalLinks } from './sessions/terminalLinks.ts';
import { TerminalSigns } from './sessions/terminalSigns.ts';
import { injectEnvironment } from './sessions/terminals.ts';
import { TypedTexts } from './proposals/typedTexts.ts';
import { typedTextsDir } from './proposals/typedTextsDir.ts';
import { UserPlace } from './editor/userPlace.ts';
import { watchIgnoreRules } from './sharing/watchIgnoreRules.ts';
import { isInWorkspace, workspace, workspaceFolderPaths } from './editor/workspaceFolders.ts';
import { Bridge } from './server/bridge.ts';
import { ChildProcesses } from './server/childProcesses.ts';
import { lockDir } from './server/configDir.ts';
import { Git } from './server/git.ts';
import { createTools } from './tools/index.ts';
import { ToolRegistry } from './tools/registry.ts';
import { AgentChanges } from './changes/agentChanges.ts';
import { Attention } from './sessions/attention.ts';
import { registerCommands } from './ui/commands.ts';
import { reportFailedStart } from './doctor/failedStart.ts';
import { LastShared } from './sharing/lastShared.ts';
import { reportMissingCommand } from './sessions/launch.ts';
import { registerProblemActions } from './mentions/problemActions.ts';
import { SessionsView } from './ui/sessionsView.ts';
import { SharingStatus } from './sharing/sharingStatus.ts';
import { HunkLenses } from './proposals/hunkLenses.ts';
import { ProposalStatus } from './proposals/proposalStatus.ts';
import { ProposalsView } from './proposals/proposalsView.ts';
import { RunLenses } from './notebooks/runLenses.ts';
import { offerReconnect } from './sessions/reconnect.ts';
import { StatusBar } from './ui/statusBar.ts';

let stop: (() => Promise<void>) | undefined;

/** Builds every part once, tells each what it needs, and starts the bridge where the workspace is trusted. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const channel = vscode.window.createOutputChannel('IDE Bridge for Claude Code', { log: true });
  const log = oneLine(channel);
  const proposals: Proposals = new Proposals(
    log,
    new TypedTexts(typedTextsDir(context.globalStorageUri)),
    () => bridge.sessions.size > 1,
    () => userPlace.isInEditor,
  );
  const hunks = new Hunks(proposals);
  const processes = new ChildProcesses(() => vscode.workspace.isTrusted);
  const git = new Git(processes);
  const gitIgnored = new GitIgnored(git, isInWorkspace);
  const sharing = new Sharing(gitIgnored, context.workspaceState);
  const selections = new Selections(sharing);
  const diagnostics = new Diagnostics(sharing);
  const reports = new Reports();
  const info = serverInfo(context.extension);
  const runQuestions = new RunQuestions();
  const notebooks = new Notebooks(context.workspaceState, runQuestions);
  const agentChanges = new AgentChanges(context.storageUri, git, log);
  const tools = createTools({
    proposals,
    tabs: new Tabs(proposals, sharing),
    diagnostics,
    edits: agentChanges.edits,
    files: new Files(),
    selections,
    workspace,
    notebooks,
  });
  const bridge = new Bridge({
    lockDir: lockDir(),
    identityFile: context.storageUri && vscode.Uri.joinPath(context.storageUri, 'bridge.json').fsPath,
    // The extension host's parent is an ancestor of the terminals' shells; the host itself is not.
    editorPid: process.ppid,
    ideName: vscode.env.appName,
    workspaceFolders: workspaceFolderPaths,
    serverInfo: info,
    tools: new ToolRegistry(tools, log, () => setting('tools.disabled')),
    log,
  });
  stop = async () => {
    await bridge.stop();
    channel.dispose(); // not with the others, who still write to it
  };
  const memento = context.workspaceState;
  const sessionTerminals = new SessionTerminals(bridge, memento, processes, log);
  const userPlace = new UserPlace(proposals.onDidPrompt, sessionTerminals, showsProposal);
  const launcher = new Launcher(() => bridge.port, sessionTerminals, userPlace, memento);
  const signs = new TerminalSigns();
  const mentions = new Mentions(bridge, memento);
  const lastShared = new LastShared(bridge, sharing);
  const attention = new Attention({ bridge, proposals, sessionTerminals, userPlace, signs });

  /** Not before the user trusts the workspace: Agent Changes reads files of it, too. */
  const begin = async () => {
    await bridge.start();
    agentChanges.start(bridge, proposals.onDidPrompt, sessionTerminals);
  };

  context.subscriptions.push(
    proposals,
    gitIgnored,
    watchIgnoreRules(gitIgnored),
    sharing,
    hunks,
    agentChanges,
    reports,
    selections,
    sessionTerminals,
    userPlace,
    runQuestions,
    notebooks,
    launcher,
    signs,
    attention,
    new SessionsView({ bridge, proposals, agentChanges, sessionTerminals, attention, signs }),
    mentions,
    lastShared,
    new StatusBar(bridge, attention, mentions),
    new SharingStatus(sharing),
    registerProblemActions(),
    registerTerminalLinks(sessionTerminals),
    reportMissingCommand(launcher),
    registerCommands({
      bridge,
      proposals,
      hunks,
      runQuestions,
      agentChanges,
      mentions,
      selections,
      sessionTerminals,
      userPlace,
      launcher,
      sharing,
      lastShared,
      processes,
      reports,
      log: channel,
      version: info.version,
    }),
    new ProposalStatus(proposals),
    new ProposalsView(proposals, hunks, sessionTerminals),
    new HunkLenses(proposals, hunks),
    new RunLenses(runQuestions),
    returnFocus(proposals, userPlace),
    keepAcceptedFilesOpen(proposals),
    reportFailedStart(bridge),
    sessionTerminals.onDidChange((session) => agentChanges.sets.relabel(session)),
    publishSelection(selections, bridge, () => setting('share.selectionWithEachPrompt')),
    publishActiveEditor(selections.onDidChangeActiveEditor, bridge),
    publishDiagnostics(diagnostics.onDidChange, bridge),
    bridge.onDidChangeState((state) => {
      if (state.kind === 'listening') {
        const isNewPort = injectEnvironment(context.environmentVariableCollection, state.port);
        if (isNewPort) {
          void offerReconnect(state.port);
        }
      }
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('ideBridge.tools.disabled')) {
        bridge.broadcast('notifications/tools/list_changed', {});
      }
    }),
    vscode.workspace.onDidChangeWorkspaceFolders(() => bridge.updateLockFile()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => begin()),
  );

  if (vscode.workspace.isTrusted) {
    await begin();
  }
  // Not awaited: the editor asks our file systems for nothing before this function has ended.
  void proposals.closeOrphans();
}

export async function deactivate(): Promise<void> {
  await stop?.();
}

function serverInfo({ packageJSON }: vscode.Extension<unknown>): {
  name: string;
  title: string;
  version: string;
} {
  const { name, displayName, version } = packageJSON as {
    name: string;
    displayName: string;
    version: string;
  };
  return { name, title: displayName, version };
}
