import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { counted } from '../base/text.ts';
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

/** What was found, as plain text. */
export interface Checkup {
  title: string;
  sections: { heading: string; entries: Entry[] }[];
}

interface Entry {
  what: string;
  remedy?: string | undefined;
  fix?: vscode.Command | undefined;
}

const ownName = 'ide-bridge-for-claude-code';

/** Everything that can keep a CLI from connecting, and what to do about it; without token, name of user or text of files. */
export async function examine(
  bridge: Bridge,
  processes: ChildProcesses,
  records: SessionRecords,
  version: string,
): Promise<Checkup> {
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
  return toCheckup(findings, [
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
  restart: { title: 'Restart Bridge', command: commandIds.restart },
  reconnect: { title: 'Reconnect…', command: commandIds.reconnect },
  trust: { title: 'Manage Workspace Trust', command: commandIds.manageTrust },
  command: openCommandSetting,
};

/** What the page may run: its links are these, whatever else is in it. */
export const pageCommands = {
  always: [
    { title: 'Check Again', command: commandIds.doctor },
    { title: 'Copy Report', command: commandIds.copyReport },
    { title: 'Show Messages', command: commandIds.showMessages },
  ],
  fixes: Object.values(fixes),
};

const headings = { problem: 'To mend', note: 'Good to know', ok: 'In order' } as const;

function toCheckup(findings: Finding[], facts: string[]): Checkup {
  const problems = findings.filter(({ level }) => level === 'problem').length;
  const tell = (text: string) => withoutHome(text, homedir(), process.platform);
  const sections = (['problem', 'note', 'ok'] as const).map((level) => ({
    heading: headings[level],
    entries: findings
      .filter((finding) => finding.level === level)
      .map(({ what, remedy, fix }) => ({
        what: tell(what),
        remedy: remedy && tell(remedy),
        fix: fix && fixes[fix],
      })),
  }));
  return {
    title:
      problems === 0
        ? 'Nothing keeps a CLI from connecting'
        : `${counted(problems, 'thing keeps', 'things may keep')} a CLI from connecting`,
    sections: [
      ...sections.filter(({ entries }) => entries.length > 0),
      { heading: 'Versions', entries: facts.map((fact) => ({ what: tell(fact) })) },
    ],
  };
}

/** For an issue, as Markdown. */
export async function copyReport(checkup: Checkup): Promise<void> {
  await vscode.env.clipboard.writeText(toMarkdown(checkup));
  vscode.window.setStatusBarMessage('Report copied, without the token.', 3_000);
}

function toMarkdown({ title, sections }: Checkup): string {
  const lines = sections.flatMap(({ heading, entries }) => [
    `## ${heading}`,
    '',
    ...entries.flatMap(({ what, remedy }) => [
      `- ${escaped(what)}`,
      ...(remedy ? [`  **${escaped(remedy)}**`] : []),
    ]),
    '',
  ]);
  return [`# ${title}`, '', ...lines].join('\n');
}
