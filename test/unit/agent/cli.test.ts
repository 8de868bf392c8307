import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findCli, type Surroundings } from '../../../src/agent/cli.ts';
import { type AgentOptions, cliArguments, cliEnvironment } from '../../../src/agent/options.ts';
import { ChildProcesses } from '../../../src/server/childProcesses.ts';

const help = ['--model <model>  Model', '--add-dir <directories...>  More', '-r, --resume [id]  Resume'];

describe('Claude Code is found', () => {
  const processes = new ChildProcesses(() => true);
  let root: string;

  beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'ide-bridge-cli-'))));
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function cli(file: string, version = '2.1.330 (Claude Code)'): string {
    const full = path.join(root, file);
    mkdirSync(path.dirname(full), { recursive: true });
    const says = [
      `if [ "$1" = --version ]; then echo '${version}'; else`,
      ...help.map((line) => `echo '  ${line}'`),
      'fi',
    ];
    writeFileSync(full, ['#!/bin/sh', ...says, ''].join('\n'));
    chmodSync(full, 0o755);
    return full;
  }

  const around = (PATH = ''): Surroundings => ({
    env: { PATH },
    home: path.join(root, 'home'),
    platform: 'linux',
  });

  it('on PATH, with its version and its flags', async () => {
    const file = cli('bin/claude');
    const found = await findCli(processes, 'claude', around(`/nowhere:${path.dirname(file)}`));
    assert.equal(found.path, file);
    assert.equal(found.version, '2.1.330');
    assert.deepEqual([...found.flags].sort(), ['--add-dir', '--model', '--resume']);
  });

  it('where installers put it, the newest Node first', async () => {
    cli('home/.nvm/versions/node/v9.9.0/bin/claude', '2.0.1');
    const newest = cli('home/.nvm/versions/node/v20.1.0/bin/claude');
    assert.equal((await findCli(processes, 'claude', around())).path, newest);
    const local = cli('home/.claude/local/claude');
    assert.equal((await findCli(processes, 'claude', around())).path, local);
  });

  it('where the user says, and nowhere else', async () => {
    const file = cli('my tools/agent');
    cli('home/.local/bin/claude');
    assert.equal((await findCli(processes, file, around())).path, file);
    await assert.rejects(findCli(processes, path.join(root, 'gone'), around()), /was not found as .*gone/);
    await assert.rejects(findCli(processes, 'other', around()), /was not found as "other"/);
  });

  it('by no entry of PATH that names a folder of the repository', async () => {
    cli('bin/claude');
    const before = process.cwd();
    process.chdir(root);
    try {
      await assert.rejects(findCli(processes, 'claude', around('bin:.:')), /not found/);
    } finally {
      process.chdir(before);
    }
  });

  it('but is not used when it is too old, or something else', async () => {
    const use = (version: string) => findCli(processes, cli('x/claude', version), around());
    await assert.rejects(use('1.0.99 (Claude Code)'), /1\.0\.99 is too old: 1\.0\.100/);
    await assert.rejects(use('hello'), /does not say the version/);
    const broken = cli('broken');
    writeFileSync(broken, '#!/bin/sh\necho no library >&2\nexit 3\n');
    await assert.rejects(findCli(processes, broken, around()), /did not start: no library/);
    await assert.rejects(findCli(new ChildProcesses(() => false), cli('y'), around()), /Restricted Mode/);
  });

  it('by the command as it is typed into a terminal', async () => {
    const file = cli('my tools/claude');
    const PATH = path.dirname(file);
    for (const typed of [`"${file}"`, `'${file}'`, `& "${file}"`, ` ${file} `, '"claude"', '& claude']) {
      assert.equal((await findCli(processes, typed, around(PATH))).path, file, typed);
    }
    await assert.rejects(findCli(processes, `"${file}" --x`, around()), /was not found as/);
    await assert.rejects(findCli(processes, '"npx" claude', around()), /was not found as/);
  });

  it('on Windows as what its .cmd would start, in whatever case that is written', async () => {
    const script = path.join(root, 'npm/node_modules/claude/cli.js');
    mkdirSync(path.dirname(script), { recursive: true });
    writeFileSync(script, "console.log(process.argv[2] === '--version' ? '2.1.330 (Claude Code)' : '');");
    const file = path.join(root, 'npm/claude.CMD');
    writeFileSync(file, '@"%_prog%" "%dp0%\\node_modules\\claude\\cli.js" %*\r\n');
    const found = await findCli(processes, file, { ...around(), platform: 'win32' });
    assert.deepEqual([found.path, found.programArgs, found.version], [file, [script], '2.1.330']);
  });
});

describe('Claude Code is started', () => {
  const options: AgentOptions = { folders: ['/a'], mode: 'plan', mayBypass: false };
  const all = new Set(
    ['permission-mode', 'model', 'add-dir', 'append-system-prompt', 'agents', 'mcp-config', 'resume'].map(
      (name) => `--${name}`,
    ),
  );

  it('with what its version has, each value bound to its flag', () => {
    const { args, lacking } = cliArguments(
      { flags: all, version: '1.0.128' },
      {
        ...options,
        folders: ['/a', '/b', '/c d'],
        systemPrompt: '--model evil',
        agents: [],
        mcpConfigFiles: ['/home/me/servers.json', '/home/me/more.json'],
        settingSources: ['user'],
      },
      'session',
    );
    assert.deepEqual(args.slice(5), [
      '--permission-mode=plan',
      '--append-system-prompt=--model evil',
      '--mcp-config=/home/me/servers.json',
      '--mcp-config=/home/me/more.json',
      '--add-dir=/b',
      '--add-dir=/c d',
      '--resume=session',
    ]);
    assert.deepEqual(lacking, ['--setting-sources']);
  });

  it('and told nothing in arguments that it takes over its pipe', () => {
    const agent = { name: 'a', description: 'b', prompt: 'c', path: '/a/a.md', isClaude: false };
    const withSecrets = { ...options, systemPrompt: 'secret', agents: [agent] };
    const { args, initialize } = cliArguments({ flags: all, version: '2.0.77' }, withSecrets);
    assert.deepEqual(args.slice(5), ['--permission-mode=plan']);
    assert.deepEqual(initialize, {
      appendSystemPrompt: 'secret',
      agents: { a: { description: 'b', prompt: 'c' } },
    });
  });

  it('with no model to fall back to that is its model already', () => {
    const flags = new Set(['--permission-mode', '--model', '--fallback-model']);
    const fallbackOf = (model: string) =>
      cliArguments({ flags, version: '2.1.330' }, { ...options, model, fallbackModel: 'haiku' }).args.slice(
        -1,
      );
    assert.deepEqual(fallbackOf('opus'), ['--fallback-model=haiku']);
    assert.deepEqual(fallbackOf('haiku'), ['--model=haiku']);
  });

  it('without asking anybody only if the user has allowed that', () => {
    const bypass = { ...options, mode: 'bypassPermissions' } as const;
    const cli = { flags: all, version: '2.1.330' };
    assert.throws(() => cliArguments(cli, bypass), /not allowed/);
    assert.ok(
      cliArguments(cli, { ...bypass, mayBypass: true }).args.includes('--permission-mode=bypassPermissions'),
    );
  });

  it('in an environment that is the editor’s, without what would mislead it', () => {
    const env = cliEnvironment(
      { programEnv: {}, flags: new Set() },
      { ...options, env: { KEEP: undefined, NEW: '1' }, ripgrep: '/rg' },
      { Path: '/bin', CLAUDECODE: '1', CLAUDE_CODE_SSE_PORT: '5', KEEP: 'x', HOME: '/h' },
    );
    assert.deepEqual(env, {
      Path: `/rg${path.delimiter}/bin`,
      HOME: '/h',
      NEW: '1',
      USE_BUILTIN_RIPGREP: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      NO_PROXY: '127.0.0.1',
      no_proxy: '127.0.0.1',
    });
  });

  it('with no proxy before this machine', () => {
    const noProxy = (added: Record<string, string | undefined>, base: NodeJS.ProcessEnv = {}) => {
      const { NO_PROXY: upper, no_proxy: lower } = cliEnvironment(
        { programEnv: {}, flags: new Set() },
        { ...options, env: added },
        base,
      );
      assert.equal(upper, lower);
      return upper;
    };
    assert.equal(noProxy({}), '127.0.0.1');
    assert.equal(noProxy({}, { NO_PROXY: 'a.example, b.example' }), 'a.example,b.example,127.0.0.1');
    assert.equal(
      noProxy({ no_proxy: 'b.example,127.0.0.1' }, { NO_PROXY: 'a.example' }),
      'a.example,b.example,127.0.0.1',
    );
    assert.equal(noProxy({ NO_PROXY: undefined }, { NO_PROXY: 'a.example' }), '127.0.0.1');
    assert.equal(noProxy({ no_proxy: '*' }), '*');
  });

  it('with the tokens that an effort stands for where it takes none, whatever is set', () => {
    const tokens = (effort: string | undefined, flags: string[]) =>
      cliEnvironment(
        { programEnv: {}, flags: new Set(flags) },
        { ...options, ...(effort === undefined ? {} : { effort }), env: { MAX_THINKING_TOKENS: '5' } },
        {},
      )['MAX_THINKING_TOKENS'];
    assert.deepEqual(
      ['low', 'medium', 'high', 'max', 'unheard-of', undefined].map((effort) => tokens(effort, [])),
      ['1024', '4000', '10000', '31999', '5', '5'],
    );
    assert.equal(tokens('low', ['--effort']), '5');
  });
});
