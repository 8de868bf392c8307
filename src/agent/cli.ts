import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { errorMessage, UserError } from '../base/errors.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';

/** A Claude Code CLI that can be started, and what this version of it has. */
export interface Cli {
  /** Absolute. */
  readonly path: string;
  /** What starts it, and the arguments that come before ours. */
  readonly program: string;
  readonly programArgs: readonly string[];
  /** What must be in its environment to start it. */
  readonly programEnv: Readonly<Record<string, string>>;
  /** Such as `2.1.330`. */
  readonly version: string;
  /** Of its `--help`, with their dashes. */
  readonly flags: ReadonlySet<string>;
  /** Of its file: with another one it may be another version. */
  readonly stamp: string;
}

type Start = Pick<Cli, 'program' | 'programArgs' | 'programEnv'>;

/** Older ones do not speak stream-json as it was seen. */
const oldest = '1.0.100';

const install = 'Install it (https://code.claude.com/docs/en/setup), or set its path.';

/** Where to look, apart from what the user has set. */
export interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

const here: Surroundings = { env: process.env, home: homedir(), platform: process.platform };

/**
 * Finds the CLI: what the user has set, else on PATH, else where installers put it.
 * @param typed an absolute path, or a name to be found on PATH; in quotes as a shell wants them
 * @throws {UserError} when it is not there, does not start, or is too old
 */
export async function findCli(
  processes: ChildProcesses,
  typed = 'claude',
  around: Surroundings = here,
): Promise<Cli> {
  const command = unquoted(typed);
  const found = path.isAbsolute(command)
    ? existing([command], around)
    : existing([...onPath(command, around), ...(command === 'claude' ? usualPlaces(around) : [])], around);
  if (found === undefined) {
    throw new UserError(`Claude Code was not found as "${command}".`, install);
  }
  const stamp = stampOf(found);
  const start = startOf(found, around);
  const version = await say(processes, start, '--version');
  const number = /\d+\.\d+\.\d+/.exec(version)?.[0];
  if (number === undefined) {
    throw new UserError(`${found} does not say the version of Claude Code.`, install);
  }
  if (isOlder(number, oldest)) {
    throw new UserError(
      `Claude Code ${number} is too old: ${oldest} is the oldest that can be used.`,
      install,
    );
  }
  const help = await say(processes, start, '--help');
  const flags = new Set([...help.matchAll(/^\s+(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = '']) => flag));
  return { path: found, ...start, version: number, flags, stamp };
}

/** PowerShell wants a `&` before a path in quotes. What has more words, such as `npx claude`, stays as it is. */
function unquoted(command: string): string {
  const [, double, single, plain] = /^\s*(?:&\s*)?(?:"([^"]*)"|'([^']*)'|(.*?))\s*$/s.exec(command) ?? [];
  return double ?? single ?? plain ?? command;
}

/** Whether an update has put nothing in its place since it was found. */
export function isAsFound({ path, stamp }: Cli): boolean {
  return stampOf(path) === stamp;
}

function stampOf(file: string): string {
  const time = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
  return time === undefined ? '' : `${realpathSync(file)} ${time}`;
}

function existing(candidates: readonly string[], { platform }: Surroundings): string | undefined {
  const endings = platform === 'win32' ? ['.exe', '.cmd', ''] : [''];
  return candidates
    .flatMap((candidate) => endings.map((ending) => candidate + ending))
    .find((file) => statSync(file, { throwIfNoEntry: false })?.isFile());
}

function onPath(name: string, { env, platform }: Surroundings): string[] {
  const isWindows = platform === 'win32';
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(isWindows ? ';' : ':');
  // Relative entries would name a file of the repository.
  return folders.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, name));
}

/** Of the native and the local installer, npm with a prefix, Homebrew, Volta, Bun and nvm (its newest Node first). */
function usualPlaces({ env, home, platform }: Surroundings): string[] {
  const folders =
    platform === 'win32'
      ? [
          path.join(home, '.local/bin'),
          ...(env['APPDATA'] === undefined ? [] : [path.join(env['APPDATA'], 'npm')]),
        ]
      : [
          ...['.local/bin', '.claude/local', '.npm-global/bin', '.volta/bin', '.bun/bin'].map((folder) =>
            path.join(home, folder),
          ),
          '/usr/local/bin',
          '/opt/homebrew/bin',
          ...nvm(path.join(home, '.nvm/versions/node')),
        ];
  return folders.map((folder) => path.join(folder, 'claude'));
}

function nvm(folder: string): string[] {
  if (!existsSync(folder)) {
    return [];
  }
  const versions = readdirSync(folder).sort((a, b) => (isOlder(a, b) ? 1 : -1));
  return versions.map((version) => path.join(folder, version, 'bin'));
}

/**
 * What npm leaves on Windows is a `.cmd`, which only a shell can start, for which no argument can be quoted safely: what
 * it would start is started instead.
 */
function startOf(file: string, around: Surroundings): Start {
  if (around.platform === 'win32' && /\.cmd$/i.test(file)) {
    const target = /"%(?:~dp0|dp0%)\\([^"]+\.(?:exe|js))"/.exec(readFileSync(file, 'utf8'))?.[1];
    const script =
      target === undefined ? undefined : path.join(path.dirname(file), target.replaceAll('\\', path.sep));
    if (script === undefined || !existsSync(script)) {
      throw new UserError(`${file} does not name what it starts.`, 'Set the path of claude.exe instead.');
    }
    return script.endsWith('.js') ? byNode(script, around) : bare(script);
  }
  const target = realpathSync(file);
  return /\.[cm]?js$/.test(target) ? byNode(target, around) : bare(file);
}

function bare(program: string): Start {
  return { program, programArgs: [], programEnv: {} };
}

/** An editor that was started from a desktop may have no Node on its PATH: its own runs scripts, if it is told to. */
function byNode(script: string, around: Surroundings): Start {
  const node = existing(onPath('node', around), around);
  return node === undefined
    ? { program: process.execPath, programArgs: [script], programEnv: { ELECTRON_RUN_AS_NODE: '1' } }
    : { program: node, programArgs: [script], programEnv: {} };
}

async function say(
  processes: ChildProcesses,
  { program, programArgs, programEnv }: Start,
  flag: string,
): Promise<string> {
  try {
    const env = { ...process.env, ...programEnv, DISABLE_AUTOUPDATER: '1' };
    const { code, stdout, stderr } = await processes.run(program, [...programArgs, flag], { env });
    if (code !== 0) {
      throw new Error(stderr.trim().slice(-500) || `it ended with ${code}`);
    }
    return stdout.toString();
  } catch (error) {
    throw new UserError(`Claude Code did not start: ${errorMessage(error)}.`, install, { cause: error });
  }
}

/** Compares the numbers in them, in order. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((version) => (version.match(/\d+/g) ?? []).map(Number));
  for (let i = 0; i < Math.max(left?.length ?? 0, right?.length ?? 0); i++) {
    const difference = (left?.[i] ?? 0) - (right?.[i] ?? 0);
    if (difference !== 0) {
      return difference < 0;
    }
  }
  return false;
}
