// What the tests use of the system, besides Node and git: the only list of it.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { python } from '../support/python.ts';
import { findChromium, findOnPath } from './findChromium.ts';

interface SystemPackage {
  use: string;
  isThere: () => boolean;
  /** Packages that bring it, the best first; by default the one of its name. */
  from?: readonly string[];
  /** Where there is no package of this name. */
  otherwise?: string;
}

/** By their names in Debian and Ubuntu. */
const packages = {
  chromium: {
    use: 'a browser for the workbench',
    isThere: () => findChromium() !== undefined,
    from: ['chromium-headless-shell', 'chromium'],
    otherwise: 'set IDE_BRIDGE_CHROMIUM to the path of a Chrome or Chromium',
  },
  'fonts-dejavu-core': {
    use: 'a font, without which nothing in the workbench can be measured or read',
    isThere: () => process.platform !== 'linux' || fontFolders().some(hasFont),
  },
  'python3-ipykernel': {
    use: 'a kernel for notebooks',
    isThere: () => spawnSync(python, ['-c', 'import ipykernel_launcher']).status === 0,
    otherwise: 'set IDE_BRIDGE_PYTHON to the path of a Python that has ipykernel',
  },
  vim: terminalProgram('vim'),
  fzf: terminalProgram('fzf'),
  less: terminalProgram('less'),
  tmux: terminalProgram('tmux'),
} satisfies Record<string, SystemPackage>;

export type PackageName = keyof typeof packages;

/** Without them there is no window of the VS Code from npm. */
export const forWindow: readonly PackageName[] = ['chromium', 'fonts-dejavu-core'];
export const forNotebooks: readonly PackageName[] = ['python3-ipykernel'];
export const forTerminals: readonly PackageName[] = ['vim', 'fzf', 'less', 'tmux'];

export const isInstalled = (name: PackageName): boolean => packages[name].isThere();

/** What decides how to get them. */
export interface Machine {
  isThere(name: PackageName): boolean;
  /** Whether packages can be installed without a question. */
  mayInstall: boolean;
  /** Each for itself: what cannot be had does not keep the others away. */
  install(names: readonly PackageName[]): void;
  /** Whether nobody reads that something was skipped. */
  isCi: boolean;
  say(line: string): void;
}

/**
 * Installs those of `wanted` that are missing, where that is allowed, and says what could not be got and how to get it.
 * @returns what is missing still. @throws if something is, in CI: it would go green by skipping
 */
export function provide(wanted: readonly PackageName[], machine: Machine = thisMachine): PackageName[] {
  const isMissing = (name: PackageName) => !machine.isThere(name);
  const found = wanted.filter(isMissing);
  if (found.length === 0) return [];
  if (machine.mayInstall) {
    machine.say(`Installing ${found.join(', ')} ...`);
    machine.install(found);
  }
  const lacking = found.filter(isMissing);
  if (lacking.length === 0) return [];
  for (const name of lacking) {
    const { use, otherwise }: SystemPackage = packages[name];
    machine.say(`Missing: ${name}, ${use}${otherwise === undefined ? '' : ` (or ${otherwise})`}.`);
  }
  machine.say(`Debian, Ubuntu: sudo apt-get install ${lacking.join(' ')}`);
  if (machine.isCi) throw new Error('In CI nothing is skipped: all of them have to be there.');
  machine.say('What needs them is skipped.');
  return lacking;
}

const thisMachine: Machine = {
  isThere: isInstalled,
  mayInstall: process.getuid?.() === 0 && findOnPath(['apt-get']) !== undefined,
  install: (names) => {
    aptGet('update');
    for (const name of names) {
      const { isThere, from = [name] }: SystemPackage = packages[name];
      for (const each of from) if (!isThere()) aptGet('install', '-y', each);
    }
  },
  isCi: process.env.CI === 'true',
  say: (line) => console.error(line),
};

function aptGet(...args: string[]): void {
  spawnSync('apt-get', ['-qq', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function terminalProgram(name: string): SystemPackage {
  return { use: 'a program to meet in a terminal', isThere: () => findOnPath([name]) !== undefined };
}

function fontFolders(): string[] {
  return ['/usr/share/fonts', '/usr/local/share/fonts', path.join(homedir(), '.local/share/fonts')];
}

function hasFont(folder: string): boolean {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).some((name) =>
      /\.(ttf|otf|ttc)$/i.test(name),
    );
  } catch {
    return false; // there is no such folder
  }
}
