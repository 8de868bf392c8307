import * as vscode from 'vscode';
import type { IdeBridgeExports } from '../api/ideBridge.d.ts';
import { apiFeature } from './api/feature.ts';
import { oneLine } from './base/logger.ts';
import { AgentChanges } from './changes/agentChanges.ts';
import { ChatFeature } from './chat/feature.ts';
import { CommentsFeature } from './comments/feature.ts';
import { DoctorFeature } from './doctor/feature.ts';
import { DocumentsFeature } from './documents/feature.ts';
import { EditorToolsFeature } from './editorTools/feature.ts';
import { Reports } from './editor/reports.ts';
import { ReviewTree } from './editor/reviewTree.ts';
import { onDidChangeSetting, setting } from './editor/settings.ts';
import { UserPlace } from './editor/userPlace.ts';
import { workspace, workspaceFolderPaths } from './editor/workspaceFolders.ts';
import { MentionsFeature } from './mentions/feature.ts';
import { NotebooksFeature } from './notebooks/feature.ts';
import { PastFeature } from './past/feature.ts';
import { ProposalsFeature } from './proposals/feature.ts';
import { showsProposal } from './proposals/proposalTabs.ts';
import { Bridge } from './server/bridge.ts';
import { ChildProcesses } from './server/childProcesses.ts';
import { lockDir } from './server/configDir.ts';
import { Git } from './server/git.ts';
import { SessionsFeature } from './sessions/feature.ts';
import { SessionTerminals } from './sessions/sessionTerminals.ts';
import { SharingFeature } from './sharing/feature.ts';
import { createTools } from './tools/index.ts';
import { ToolRegistry } from './tools/registry.ts';
import { bridgeCommands } from './ui/bridgeCommands.ts';
import { registerCommands } from './ui/commands.ts';
import { reviewKeys } from './ui/reviewKeys.ts';
import { SessionsView } from './ui/sessionsView.ts';
import { StatusBar } from './ui/statusBar.ts';

let stop: (() => Promise<void>) | undefined;

/**
 * Builds the features, hands each what it needs, and starts the bridge where the workspace is trusted.
 * @returns what other extensions may use
 */
export async function activate(context: vscode.ExtensionContext): Promise<IdeBridgeExports> {
  const { workspaceState, storageUri, globalStorageUri } = context;
  const channel = vscode.window.createOutputChannel('IDE Bridge for Claude Code', { log: true });
  const log = oneLine(channel);
  const info = serverInfo(context.extension);
  const processes = new ChildProcesses(() => vscode.workspace.isTrusted);
  const git = new Git(processes);
  const reports = new Reports();
  const tools = new ToolRegistry([], log, () => setting('tools.disabled'));
  const bridge = new Bridge({
    lockDir: lockDir(),
    identityFile: storageUri && vscode.Uri.joinPath(storageUri, 'bridge.json').fsPath,
    // The extension host's parent is an ancestor of the terminals' shells; the host itself is not.
    editorPid: process.ppid,
    ideName: vscode.env.appName,
    workspaceFolders: workspaceFolderPaths,
    serverInfo: info,
    tools,
    log,
  });
  stop = async () => {
    await bridge.stop();
    channel.dispose(); // not with the others, who still write to it
  };

  const sessionTerminals = new SessionTerminals(bridge, workspaceState, processes, log);
  const userPlace = new UserPlace(sessionTerminals, showsProposal);
  const review = new ReviewTree(); // what is built first is above in it
  const proposing = new ProposalsFeature(bridge, globalStorageUri, sessionTerminals, userPlace, review, log);
  const { proposals } = proposing;
  const sharing = new SharingFeature(bridge, git, workspaceState, reports);
  const notebooks = new NotebooksFeature(workspaceState);
  const documents = new DocumentsFeature(bridge, proposals, sharing.sharing);
  const agentChanges = new AgentChanges(storageUri, git, review, log);
  sessionTerminals.otherNames = (own) =>
    agentChanges.changes.all.flatMap(({ set: { pid, label } }) => (pid === own ? [] : label));
  const editorTools = new EditorToolsFeature({
    bridge,
    sharing: sharing.sharing,
    diagnostics: documents.diagnostics,
    tabs: documents.tabs,
    selections: sharing.selections,
    proposals,
    agentChanges,
    context,
    questions: notebooks.questions,
    reports,
    workspaceState,
    isOfSession: (terminal) => sessionTerminals.sessionsIn(terminal).length > 0,
    version: info.version,
    log,
  });
  const sessions = new SessionsFeature(
    bridge,
    proposals,
    sessionTerminals,
    userPlace,
    context,
    editorTools,
    ({ pid }) => agentChanges.changes.ofProcess(pid).length,
    log,
  );
  const { attention, states, records } = sessions;
  const mentioning = new MentionsFeature(
    { bridge, proposals, proposing, sharing, sessionTerminals, records, userPlace, log },
    workspaceState,
  );
  const comments = new CommentsFeature({
    bridge,
    proposals,
    changes: agentChanges.changes,
    records,
    sessionTerminals,
    memory: workspaceState,
    waiting: mentioning.waitingReasons,
    reasons: () => mentioning.loadReasons(),
  });
  const doctor = new DoctorFeature(
    { bridge, processes, records, states, sessionTerminals, version: info.version },
    reports,
  );
  const chat = new ChatFeature({
    bridge,
    diagnostics: documents.diagnostics,
    notebooks: notebooks.notebooks,
    questions: notebooks.questions,
    storageUri,
    processes,
    proposals,
    agentChanges,
    sharing: sharing.sharing,
    reports,
    servers: editorTools,
    records,
    userPlace,
    workspaceState,
    secrets: context.secrets,
    log,
  });
  const past = new PastFeature({
    launcher: sessions.launcher,
    records,
    sessionTerminals,
    userPlace,
    chat,
    reports,
    globalState: context.globalState,
  });
  const { mentions, waitingReasons } = mentioning;

  const api = apiFeature({
    bridge,
    states,
    sessionTerminals,
    chat,
    mentions,
    sharing: sharing.sharing,
    editorTools,
    proposals,
    agentChanges,
    log,
  });

  tools.add(
    createTools({
      proposals,
      tabs: documents.tabs,
      diagnostics: documents.diagnostics,
      edits: agentChanges.edits,
      files: documents.files,
      selections: sharing.selections,
      workspace,
      notebooks: notebooks.notebooks,
    }),
  );

  /** Not before the user trusts the workspace: Agent Changes reads files of it, too. */
  const begin = async () => {
    await bridge.start();
    agentChanges.start(bridge, proposals, sessionTerminals, records);
  };

  const sessionsView = new SessionsView({
    bridge,
    agentChanges,
    sessionTerminals,
    attention,
    states,
    records,
    waitingReasons,
    chat,
    editorTools,
    past,
  });

  const ofProposals = proposing.commands();
  const ofChanges = agentChanges.commands();

  context.subscriptions.push(
    reports,
    sessionTerminals,
    userPlace,
    proposing,
    sharing,
    notebooks,
    documents,
    editorTools,
    agentChanges,
    sessions,
    mentioning,
    comments,
    doctor,
    chat,
    past,
    review,
    sessionsView,
    api,
    new StatusBar(bridge, attention, states, mentions, waitingReasons),
    registerCommands(context.extension, {
      ...sessions.commands(sessionsView, past),
      ...mentioning.commands(),
      ...comments.commands(),
      ...sharing.commands(),
      ...ofProposals,
      ...editorTools.commands(),
      ...ofChanges,
      ...reviewKeys(review, { ...ofProposals, ...ofChanges }),
      ...notebooks.commands(),
      ...doctor.commands(),
      ...chat.commands(sessionsView),
      ...past.commands(),
      ...bridgeCommands(bridge, states, userPlace, mentions, waitingReasons, channel),
      swallowKey: () => {}, // what it has decided is gone
    }),
    onDidChangeSetting('tools.disabled', () => bridge.toolsChanged()),
    onDidChangeSetting('editorTools', () => bridge.toolsChanged()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => bridge.updateLockFile()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => begin()),
  );

  if (vscode.workspace.isTrusted) {
    await begin();
  }
  await chat.ready;
  // Not awaited: the editor asks our file systems for nothing before this function has ended.
  void proposals.closeOrphans();
  return api.exports;
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
