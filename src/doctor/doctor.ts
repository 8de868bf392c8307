import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
import type { Report } from '../editor/reports.ts';
import { setting } from '../editor/settings.ts';
import type { KnownBy, SessionRecords } from '../sessions/sessionRecords.ts';
import { terminalsWithOtherPort } from '../sessions/terminalPorts.ts';
import { workspaceFolderPaths } from '../editor/workspaceFolders.ts';
import type { Bridge } from '../server/bridge.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import {
  checkBridge,
  checkCli,
  checkEnvironment,
  checkFolders,
  checkOtherLocks,
  checkPermissionMode,
  type Finding,
} from './checkup.ts';
import { configDir, lockDir } from '../server/configDir.ts';
import { commandIds } from '../editor/commandIds.ts';
import { openCommandSetting } from '../sessions/launch.ts';
import { escaped, withoutHome } from '../editor/reportText.ts';

const ownName = 'ide-bridge-for-claude-code';

/** Everything that can keep a CLI from connecting, and what to do about it; without token, name of user or text of files. */
export async function examine(
  bridge: Bridge,
  processes: ChildProcesses,
  records: SessionRecords,
  version: string,
): Promise<Report> {
  const folders = workspaceFolderPaths();
  const isTrusted = vscode.workspace.isTrusted;
  const findings = [
    ...(isTrusted ? await checkBridge(bridge) : [untrusted]),
    checkFolders(folders),
    ...(await checkTerminals(bridge)),
    ...(await checkOtherLocks(lockDir(), bridge.lockFilePath, folders)),
    ...checkEnvironment(process.env, terminalEnvironment()),
    ...(isTrusted ? [await checkCli(setting('command'), processes)] : []),
    ...checkOtherBridges(),
    checkPermissionMode(
      [
        ...(isTrusted ? folders : []).flatMap((folder) =>
          ['settings.local.json', 'settings.json'].map((name) => join(folder, '.claude', name)),
        ),
        join(configDir(), 'settings.json'),
      ],
      setting('permissionMode'),
    ),
  ];
  return toReport(findings, [
    `IDE Bridge ${version}, ${vscode.env.appName} ${vscode.version}, ${process.platform} ${process.arch}`,
    ...[...bridge.sessions].map(
      (session) =>
        `Session ${session.id}: ${session.clientInfo?.name ?? '?'} ${session.clientInfo?.version ?? ''}. ${knownBy(records.sourceOf(session))}`,
    ),
  ]);
}

/** From where it is known what a session is at, and why not better. */
function knownBy(source: KnownBy | undefined): string {
  const signs = 'What it is at is told by signs in its terminal alone';
  if (source === 'off') {
    return `${signs}: ideBridge.records.enabled is off.`;
  }
  if (!source) {
    return `${signs}: it has not said which process it is.`;
  }
  const { known } = source;
  // The name of a project's folder in there is its whole path, with the user's name in it.
  const reasons = source.reasons.map((reason) => reason.replace(/([\\/]projects[\\/])[^\\/\s]+/g, '$1…'));
  const why = reasons.length === 0 ? '' : ` (${printable([...new Set(reasons)].join('; '), 2_000)})`;
  return known.startsWith('session file')
    ? `What it is at is known by its ${known}${why}.`
    : `${signs}${known === 'transcript' ? ', its turns by its transcript' : ''}${why}.`;
}

const untrusted: Finding = {
  level: 'problem',
  what: 'This workspace is in Restricted Mode, so the bridge is off.',
  remedy: 'Trust the workspace.',
  fix: 'trust',
};

async function checkTerminals({ state }: Bridge): Promise<Finding[]> {
  if (state.kind !== 'listening' || vscode.window.terminals.length === 0) {
    return [];
  }
  const stale = await terminalsWithOtherPort(state.port);
  const names = stale.map(({ name }) => `“${printable(name, 40)}”`).join(', ');
  return stale.length === 0
    ? [{ level: 'ok', what: 'Every open terminal knows the port of this window.' }]
    : [
        {
          level: 'note',
          what: `These terminals may not know the port of this window: ${names}.`,
          remedy: 'Type /ide in a CLI that runs there, and open a new terminal for the next.',
          fix: 'reconnect',
        },
      ];
}

/** What a setting changes in the environment of terminals. */
function terminalEnvironment(): Record<string, string | null> | undefined {
  const platform = { win32: 'windows', darwin: 'osx' }[process.platform as string] ?? 'linux';
  return vscode.workspace.getConfiguration('terminal.integrated.env').get(platform);
}

/** The official extension, and others that are called after the CLI. */
function checkOtherBridges(): Finding[] {
  return vscode.extensions.all
    .filter(({ id }) => id.includes('claude') && !id.endsWith(ownName))
    .map(({ id, isActive }) => ({
      level: 'note',
      what: `The extension ${id} is ${isActive ? 'active' : 'installed'} too. It may have a bridge of its own.`,
      remedy: 'If so, disable one of the two: else “claude --ide” finds two editors and chooses neither.',
    }));
}

const fixes: Record<NonNullable<Finding['fix']>, vscode.Command> = {
  restart: { title: '$(debug-restart) Restart Bridge', command: commandIds.restart },
  reconnect: { title: '$(plug) Reconnect…', command: commandIds.reconnect },
  trust: { title: '$(shield) Manage Workspace Trust', command: commandIds.manageTrust },
  command: { ...openCommandSetting, title: '$(gear) Open Settings' },
};

const headings = { problem: 'To mend', note: 'Good to know', ok: 'In order' } as const;

function toReport(findings: Finding[], facts: string[]): Report {
  const lines: string[] = [];
  const actions: Report['actions'] = [
    { line: 0, title: '$(refresh) Check again', command: commandIds.doctor },
    { line: 0, title: '$(copy) Copy for an issue', command: commandIds.copyReport },
    { line: 0, title: '$(list-ordered) Show Messages', command: commandIds.showMessages },
  ];
  const problems = findings.filter(({ level }) => level === 'problem').length;
  lines.push(
    problems === 0
      ? '# Nothing keeps a CLI from connecting'
      : `# ${counted(problems, 'thing keeps', 'things may keep')} a CLI from connecting`,
  );
  for (const level of ['problem', 'note', 'ok'] as const) {
    const found = findings.filter((finding) => finding.level === level);
    if (found.length > 0) {
      lines.push('', `## ${headings[level]}`, '');
    }
    for (const { what, remedy, fix } of found) {
      if (fix) {
        actions.push({ line: lines.length, ...fixes[fix] });
      }
      lines.push(`- ${escaped(what)}`, ...(remedy === undefined ? [] : [`  **${escaped(remedy)}**`]));
    }
  }
  lines.push('', '## Versions', '', ...facts.map((fact) => `- ${escaped(fact)}`), '');
  return { text: withoutHome(lines.join('\n'), homedir(), process.platform), actions };
}
