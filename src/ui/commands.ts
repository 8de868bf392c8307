import * as vscode from 'vscode';
import type { Hunks } from '../proposals/hunks.ts';
import type { Launcher } from '../sessions/launcher.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { RunQuestions } from '../notebooks/runQuestions.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Report, Reports } from '../editor/reports.ts';
import type { Bridge } from '../server/bridge.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import type { AgentChanges } from '../changes/agentChanges.ts';
import { changeCommands } from '../changes/changeCommands.ts';
import { byKey, commandIds } from '../editor/commandIds.ts';
import { examine } from '../doctor/doctor.ts';
import { HeldKey } from './heldKey.ts';
import { describeMessages } from '../doctor/inspector.ts';
import type { LastShared } from '../sharing/lastShared.ts';
import { launch, run } from '../sessions/launch.ts';
import { type MentionDependencies, mentionFiles, mentionSelection } from '../mentions/mentionCommands.ts';
import { copyConnectionInfo, showMenu } from './menu.ts';
import { type CommandHandler, proposalCommands } from '../proposals/proposalCommands.ts';
import { reconnect } from '../sessions/reconnect.ts';
import { renameSession, showSession } from '../sessions/sessionCommands.ts';
import { chooseSharing } from '../sharing/sharingStatus.ts';

interface CommandDependencies extends MentionDependencies {
  bridge: Bridge;
  proposals: Proposals;
  hunks: Hunks;
  runQuestions: RunQuestions;
  agentChanges: AgentChanges;
  userPlace: UserPlace;
  launcher: Launcher;
  lastShared: LastShared;
  processes: ChildProcesses;
  reports: Reports;
  log: vscode.LogOutputChannel;
  /** Of this extension. */
  version: string;
}

/** The commands exist from the start, whatever the bridge's state, and say why when they cannot act. */
export function registerCommands(dependencies: CommandDependencies): vscode.Disposable {
  const { bridge, proposals, hunks, agentChanges, sessionTerminals, launcher, sharing } = dependencies;
  const { runQuestions, userPlace, lastShared, processes, reports, log, version } = dependencies;
  const handlers: Record<keyof typeof commandIds, CommandHandler> = {
    run: () => run(launcher),
    newSession: () => launch(launcher),
    newSessionInPanel: () => launch(launcher, [], 'panel'),
    newSessionInEditor: () => launch(launcher, [], 'editor'),
    newSessionBeside: () => launch(launcher, [], 'beside'),
    continueSession: () => launch(launcher, ['--continue']),
    resumeSession: () => launch(launcher, ['--resume']),
    showSession: (argument) => showSession(sessionTerminals, userPlace, argument),
    renameSession: (argument) => renameSession(sessionTerminals, argument),
    mention: () => mentionSelection(dependencies),
    mentionFiles: (...args) => mentionFiles(dependencies, args),
    chooseSharing: () => chooseSharing(sharing),
    showShared: () => reports.show('What Is Shared Now.md', lastShared.report()),
    ...proposalCommands(proposals, hunks, sessionTerminals, userPlace),
    ...changeCommands(agentChanges),
    runCode: (argument) => runCode(runQuestions, argument === byKey),
    refuseCode: () => runQuestions.refuse() || sayThatNoCodeWaits(),
    swallowKey: () => {}, // what it has decided is gone
    showMenu: () => showMenu(bridge, dependencies.mentions),
    showLog: () => log.show(),
    copyConnectionInfo: () => copyConnectionInfo(bridge),
    restart: () => restart(bridge),
    reconnect: () => (bridge.state.kind === 'listening' ? reconnect(bridge.state.port) : restart(bridge)),
    doctor: async () => reports.show('Claude Code Doctor.md', await examine(bridge, processes, version)),
    copyReport: async () => copyReport(await examine(bridge, processes, version)),
    showMessages: () => reports.show('Claude Code Messages.log', describeMessages(bridge.messages.all)),
  };
  const heldKey = new HeldKey();
  const names = Object.keys(commandIds) as (keyof typeof commandIds)[];
  return vscode.Disposable.from(
    heldKey,
    ...names.map((name) =>
      vscode.commands.registerCommand(commandIds[name], (...args: unknown[]) => {
        if (args[0] === byKey) {
          heldKey.press();
        }
        return handlers[name](...args);
      }),
    ),
  );
}

async function restart(bridge: Bridge): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void vscode.window.showWarningMessage(
      'The bridge stays off in Restricted Mode. Trust this workspace first.',
    );
    return;
  }
  await bridge.restart();
}

function runCode(questions: RunQuestions, isByKey: boolean): void {
  const agreement = questions.agree(isByKey);
  if (agreement === 'nothing waits') {
    sayThatNoCodeWaits();
  } else if (agreement === 'too soon') {
    vscode.window.setStatusBarMessage(
      'Not run: the code came to the front only just now. Wait a moment, then press again.',
      5_000,
    );
  }
}

function sayThatNoCodeWaits(): void {
  void vscode.window.showInformationMessage('No code waits for your consent.');
}

async function copyReport({ text }: Report): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage('Report copied, without the token.', 3_000);
}
