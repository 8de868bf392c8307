import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { errorMessage } from '../base/errors.ts';
import { counted } from '../base/text.ts';
import { setting } from '../editor/settings.ts';
import type { KnownBy, SessionRecords } from '../sessions/sessionRecords.ts';
import type { AbsentCli, SessionStates } from '../sessions/sessionStates.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
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
import { lockDir } from '../server/configDir.ts';
import { commandIds } from '../editor/commandIds.ts';
import { openCommandSetting } from '../sessions/launch.ts';
import { escaped, withoutHome } from '../editor/reportText.ts';

/** What was found, as plain text. */
export interface Checkup {
  title: string;
  /** What is still looked at. */
  pending: string[];
  sections: { heading: string; entries: Entry[] }[];
}

interface Entry {
  what: string;
  remedy?: string | undefined;
  fix?: vscode.Command | undefined;
}

const ownName = 'ide-bridge-for-claude-code';

/** What is looked at. */
export interface Examined {
  bridge: Bridge;
  processes: ChildProcesses;
  records: SessionRecords;
  states: SessionStates;
  sessionTerminals: SessionTerminals;
  /** Of this extension. */
  version: string;
}

/** Everything that can keep a CLI from connecting, by the name of what is looked at. */
const checks: Record<string, (examined: Examined) => Finding[] | Promise<Finding[]>> = {
  'the bridge': ({ bridge }) => (vscode.workspace.isTrusted ? checkBridge(bridge) : [untrusted]),
  'the folders': ({ bridge }) => (bridge.port === undefined ? [] : [checkFolders(workspaceFolderPaths())]),
  'CLIs without a connection': async ({ states, sessionTerminals }) => {
    await states.lookForAbsent();
    return [
      ...states.absent.map(checkAbsent),
      ...sessionTerminals.absent
        .filter(({ pid }) => states.absent.every((shown) => shown.pid !== pid))
        .map(checkElsewhere),
    ];
  },
  'the terminals': ({ bridge }) => checkTerminals(bridge),
  'other windows': ({ bridge }) => checkOtherLocks(lockDir(), bridge.lockFilePath, workspaceFolderPaths()),
  'the environment': () => checkEnvironment(process.env, terminalEnvironment()),
  'the Claude Code command': ({ processes }) =>
    vscode.workspace.isTrusted ? checkCli(setting('command'), processes).then((finding) => [finding]) : [],
  'other extensions': checkOtherBridges,
  'the permission mode': ({ records }) => [
    checkPermissionMode(
      [
        ...(vscode.workspace.isTrusted ? workspaceFolderPaths() : []).flatMap((folder) =>
          ['settings.local.json', 'settings.json'].map((name) => join(folder, '.claude', name)),
        ),
        join(records.configDir, 'settings.json'),
      ],
      setting('permissionMode'),
    ),
  ],
};

/**
 * One look at everything after the other, without token, name of user or text of files. What a check has found last is
 * known while it is made anew: that may take seconds.
 */
export class Examination {
  private looks = 0;
  /** By the check; and in which look. */
  private readonly found = new Map<string, { look: number; findings: Finding[] }>();

  constructor(private readonly examined: Examined) {}

  /** @param tell whenever more is known; that everything is, by the promise */
  async look(tell = () => {}): Promise<void> {
    const look = ++this.looks;
    const each = Object.entries(checks).map(async ([name, check]) => {
      const findings = await Promise.resolve(this.examined)
        .then(check)
        .catch((error: unknown): Finding[] => [
          { level: 'note', what: `It is not known whether ${name} is in order: ${errorMessage(error)}` },
        ]);
      // Those of an earlier look may take longer.
      if (look > (this.found.get(name)?.look ?? 0)) {
        this.found.set(name, { look, findings });
        tell();
      }
    });
    await Promise.all(each);
  }

  get checkup(): Checkup {
    const { bridge, records, version } = this.examined;
    const names = Object.keys(checks);
    const findings = names.flatMap((name) => this.found.get(name)?.findings ?? []);
    const facts = [
      `IDE Bridge ${version}, ${vscode.env.appName} ${vscode.version}, ${process.platform} ${process.arch}`,
      ...[...bridge.sessions].map(
        (session) =>
          `Session ${session.id}: ${session.clientInfo?.name ?? '?'} ${session.clientInfo?.version ?? ''}. ${knownBy(records.sourceOf(session))}`,
      ),
    ];
    return {
      title: titleOf(findings, this.found.size === names.length),
      pending: names.filter((name) => this.found.get(name)?.look !== this.looks),
      sections: sectionsOf(findings, facts),
    };
  }
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

type Cli = Pick<AbsentCli, 'label' | 'pid'>;

function named({ label, pid }: Cli): string {
  return `“${printable(label, 40)}” (process ${pid})`;
}

function checkAbsent(cli: AbsentCli): Finding {
  const { isLost, pid } = cli;
  const name = named(cli);
  return isLost
    ? {
        level: 'problem',
        what: `${name} is not connected any more.`,
        remedy: 'Type /ide in its terminal, and choose this window.',
        fix: 'reconnect',
        pid,
      }
    : { level: 'note', what: `${name} has lost the bridge. It comes back by itself.` };
}

/** In tmux, in a terminal outside of the editor: no view leads there once it has given up. */
function checkElsewhere(cli: Cli): Finding {
  return {
    level: 'note',
    what: `${named(cli)}, which runs outside of the terminals of this window, is not connected any more.`,
    remedy: 'If it is to work with this window, type /ide in it, and choose this window.',
  };
}

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

function titleOf(findings: Finding[], isComplete: boolean): string {
  const problems = findings.filter(({ level }) => level === 'problem').length;
  if (problems > 0) {
    return `${counted(problems, 'thing keeps', 'things may keep')} a CLI from connecting`;
  }
  return isComplete ? 'Nothing keeps a CLI from connecting' : 'Checking…';
}

function sectionsOf(findings: Finding[], facts: string[]): Checkup['sections'] {
  const tell = (text: string) => withoutHome(text, homedir(), process.platform);
  const sections = (['problem', 'note', 'ok'] as const).map((level) => ({
    heading: headings[level],
    entries: findings
      .filter((finding) => finding.level === level)
      .map(({ what, remedy, fix, pid }) => ({
        what: tell(what),
        remedy: remedy && tell(remedy),
        fix: fix && { ...fixes[fix], ...(pid !== undefined && { arguments: [pid] }) },
      })),
  }));
  return [
    ...sections.filter(({ entries }) => entries.length > 0),
    { heading: 'Versions', entries: facts.map((fact) => ({ what: tell(fact) })) },
  ];
}

/** For an issue, as Markdown. */
export async function copyReport(examined: Examined): Promise<void> {
  const examination = new Examination(examined);
  await examination.look();
  await vscode.env.clipboard.writeText(toMarkdown(examination.checkup));
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
