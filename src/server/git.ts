import type { ChildProcesses, Ended } from './childProcesses.ts';

/** Instead of what the repository configures. */
const overrides = [
  'core.fsmonitor=', // "false" is a program to git before 2.36
  'core.hooksPath=/dev/null',
  'safe.bareRepository=explicit', // one that lies among the files; git before 2.38 reads it, but runs nothing of it
];
const environment = {
  // A partial clone would have git fetch what it lacks, by any program.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/** Those that say which git and which of the user's configuration, not which repository. */
const keptVariables = /^GIT_(EXEC_PATH|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|CEILING_DIRECTORIES)$/i;

export interface GitOptions {
  input?: string;
  /** As `Git.filters` names them. */
  filters?: readonly string[];
  /** Absolute; by default that of the work tree. */
  index?: string;
}

/** Asks git, and lets it run no program: neither one that the repository names, nor a filter of the user's. */
export class Git {
  constructor(private readonly processes: ChildProcesses) {}

  /** @param folder in which git starts. @throws as `ChildProcesses.run` */
  run(folder: string, args: readonly string[], options: GitOptions = {}): Promise<Ended> {
    const { input, filters = [], index } = options;
    const env = { ...inherited(), ...environment, ...(index !== undefined && { GIT_INDEX_FILE: index }) };
    const config = [
      ...overrides,
      ...filters.flatMap((name) => [
        ...['clean', 'smudge', 'process'].map((kind) => `filter.${name}.${kind}=`),
        `filter.${name}.required=false`, // else git gives up at the first file that has it
      ]),
    ];
    return this.processes.run(
      'git',
      ['-C', folder, '--no-pager', ...config.flatMap((entry) => ['-c', entry]), ...args],
      { env, ...(input !== undefined && { input }) },
    );
  }

  /**
   * Names of all filters that the repository or the user has configured, to be given to every command that may look
   * into files. @throws when one cannot be overridden, or git fails
   */
  async filters(folder: string): Promise<string[]> {
    const { code, stdout } = await this.run(folder, [
      'config',
      '--null',
      '--name-only',
      '--get-regexp',
      '^filter\\.',
    ]);
    if (code > 1) {
      throw new Error('The configuration of git cannot be read.');
    }
    const keys = stdout.toString().split('\0');
    const names = new Set(keys.flatMap((key) => /^filter\.(.*)\.[^.]+$/s.exec(key)?.[1] ?? []));
    if ([...names].some((name) => /[=\n\uFFFD]/.test(name))) {
      throw new Error('A filter has a name that git takes from no command line.');
    }
    return [...names];
  }
}

function inherited(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^GIT_/i.test(name) || keptVariables.test(name)),
  );
}
