import * as z from 'zod/mini';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { programOf } from '../sessions/isOnPath.ts';
import type { Bridge } from '../server/bridge.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import { configDir, lockDir } from '../server/configDir.ts';
import { isAt } from '../server/isAt.ts';
import { isPrivate } from '../server/privateDir.ts';
import { isAlive, isListening } from '../server/processes.ts';
import { readSmallFile } from '../server/smallFile.ts';
import { readLock, readLockFiles } from '../server/sweep.ts';

/** One answer to "what can keep a CLI from connecting?" */
export interface Finding {
  /** note = works, but the user should know */
  level: 'ok' | 'note' | 'problem';
  what: string;
  remedy?: string;
  fix?: 'restart' | 'reconnect' | 'trust' | 'command';
  /** Process id of the CLI that the fix is for. */
  pid?: number;
}

const ok = (what: string): Finding => ({ level: 'ok', what });
/** A new start of the bridge mends it. */
const broken = (what: string): Finding => ({ level: 'problem', what, fix: 'restart' });

/** Bridge, lock file and port of this window. */
export async function checkBridge({ state, lockFilePath, sessions }: Bridge): Promise<Finding[]> {
  if (state.kind !== 'listening' || lockFilePath === undefined) {
    const why = state.kind === 'failed' ? state.error.problem : `It is ${state.kind}.`;
    const remedy = state.kind === 'failed' ? state.error.remedy : 'Restart it.';
    return [{ ...broken(`The bridge does not run. ${why}`), remedy }];
  }
  return [
    (await isListening(state.port))
      ? ok(`The bridge listens on 127.0.0.1:${state.port}, ${sessions.size} connected.`)
      : broken(`Nothing listens on port ${state.port}.`),
    checkLockFile(lockFilePath),
  ];
}

function checkLockFile(path: string): Finding {
  const found = readSmallFile(path);
  if (!found) {
    return broken(`The lock file ${path} cannot be read.`);
  }
  if (!isPrivate(found.stat)) {
    return broken(`Other users can read the lock file ${path}, or own it.`);
  }
  if (!readLock(path)) {
    return broken(`${path} is not what a lock file has to be.`);
  }
  return ok(`The lock file ${path} is there, and only you can read it.`);
}

/** The lock files of other windows and editors. */
export async function checkOtherLocks(
  dir: string,
  own: string | undefined,
  folders: readonly string[],
): Promise<Finding[]> {
  const others = readLockFiles(dir).filter(({ path }) => path !== own);
  const findings = others.map(async ({ path, port, content }): Promise<Finding | undefined> => {
    if (!isAlive(content.pid) || !(await isListening(port))) {
      return {
        ...broken(`${path} is a ghost: its editor is gone. “claude --ide” counts it and may choose none.`),
        remedy: 'Restart the bridge. If the file is still there then, delete it.',
      };
    }
    // Where one window has a folder in another's, both fit a CLI in the inner one.
    const both = content.workspaceFolders.flatMap((its) => [
      ...folders.filter((own) => isAt(own, its)),
      ...(folders.some((own) => isAt(its, own)) ? [its] : []),
    ]);
    const shared = [...new Set(both)];
    return shared.length === 0
      ? undefined
      : {
          level: 'note',
          what: `${printable(content.ideName)} serves ${shared.map((folder) => printable(folder)).join(', ')} too (port ${port}). Outside of an editor’s terminal “claude --ide” connects to neither.`,
          remedy: 'Start claude in a terminal of this window, or choose with /ide.',
        };
  });
  return (await Promise.all(findings)).filter((finding) => finding !== undefined);
}

export function checkFolders(folders: readonly string[]): Finding {
  return folders.length === 0
    ? {
        level: 'note',
        what: 'No folder is open, so a CLI finds this window from its own terminals only.',
        remedy: 'Open the folder in which you work with claude.',
      }
    : ok(`A CLI that is started in or below ${folders.join(' or ')} finds this window.`);
}

/**
 * What the environment of the editor, and so of its terminals, changes.
 * @param added what a setting adds to that of the terminals; null removes
 */
export function checkEnvironment(
  editor: NodeJS.ProcessEnv,
  added: Record<string, string | null> = {},
): Finding[] {
  const findings: Finding[] = [];
  if (editor.CLAUDE_CONFIG_DIR) {
    findings.push({
      level: 'note',
      what: `The editor was started with CLAUDE_CONFIG_DIR, so lock files go to ${lockDir(editor)}.`,
      remedy: 'A terminal outside of the editor needs the same CLAUDE_CONFIG_DIR to find this window.',
    });
  }
  const env: NodeJS.ProcessEnv = { ...editor };
  for (const [name, value] of Object.entries(added)) {
    env[name] = value ?? undefined;
  }
  if (configDir(env) !== configDir(editor)) {
    findings.push({
      level: 'problem',
      what: `Terminals have another CLAUDE_CONFIG_DIR (${printable(configDir(env))}) than the editor, by the setting terminal.integrated.env.`,
      remedy: 'Set it where the editor is started instead: a CLI finds no lock file there.',
    });
  }
  if (/^(0|false)$/i.test(env.CLAUDE_CODE_AUTO_CONNECT_IDE ?? '')) {
    findings.push({
      level: 'problem',
      what: 'CLAUDE_CODE_AUTO_CONNECT_IDE switches connecting off.',
      remedy: 'Remove it from the environment, then start the editor again.',
    });
  }
  const proxies = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].filter(
    (name) => env[name] ?? env[name.toLowerCase()],
  );
  if (proxies.length > 0) {
    findings.push({
      level: 'note',
      what: `A proxy is set (${proxies.join(', ')}). Terminals of this window are told to go round it for loopback.`,
      remedy: 'Elsewhere add 127.0.0.1 to NO_PROXY.',
    });
  }
  return findings;
}

/** @param command what "Run Claude Code" types; only its first word, which may be quoted, is run, with `--version` */
export async function checkCli(command: string, processes: ChildProcesses): Promise<Finding> {
  const program = programOf(command);
  try {
    // By the shell, as when it is typed. The setting is the user's own, never the workspace's.
    const { code, stdout, stderr } = await processes.run(`${program} --version`, [], { shell: true });
    return code === 0
      ? ok(`${printable(program)} is installed: ${printable(stdout.toString().trim())}.`)
      : noCli(program, stderr || `it ended with ${code}.`);
  } catch (error) {
    return noCli(program, errorMessage(error));
  }
}

function noCli(program: string, why: string): Finding {
  return {
    level: 'problem',
    what: `“${printable(program)} --version” does not run: ${printable(why.trim().replace(/\s+/g, ' '))}`,
    remedy: 'Install the Claude Code CLI, or set ideBridge.command to where it is.',
    fix: 'command',
  };
}

/**
 * In some permission modes the CLI writes without asking, and so sends no diffs.
 * @param settings paths of the CLI's settings files, the one that wins first
 * @param launched the mode in which we start it; empty: its own
 */
export function checkPermissionMode(settings: readonly string[], launched = ''): Finding {
  const mode = launched || settings.map(defaultMode).find((found) => found !== undefined);
  return mode === 'default' || mode === 'manual'
    ? ok('The CLI starts in manual mode: it shows a diff for every edit.')
    : {
        level: 'note',
        what:
          mode === undefined
            ? 'The CLI shows diffs in manual mode only; newer ones start in auto mode.'
            : `The CLI starts in mode “${printable(mode)}”, in which it sends no diffs.`,
        remedy: 'Press Shift+Tab in the CLI until it says “manual mode” to get a diff for every edit.',
      };
}

const cliSettings = z.object({ permissions: z.object({ defaultMode: z.string() }) });

function defaultMode(path: string): string | undefined {
  try {
    const text = readSmallFile(path, { followLinks: true })?.text ?? '';
    return cliSettings.parse(JSON.parse(text)).permissions.defaultMode;
  } catch {
    return undefined; // no settings, no mode
  }
}
