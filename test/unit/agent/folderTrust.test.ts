import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { untrusted } from '../../../src/agent/folderTrust.ts';

describe('What a folder brings for Claude Code', () => {
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'ide-bridge-trust-')));
    folder = join(root, 'ws');
    mkdirSync(folder);
  });

  afterEach(() => rmSync(root, { recursive: true }));

  function write(name: string, content: object | string = {}): void {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  }

  function answered(project: object, of = folder): void {
    write('config/.claude.json', { projects: { [of]: project } });
  }

  const asked = (...folders: string[]) =>
    untrusted(folders.length > 0 ? folders : [folder], { CLAUDE_CONFIG_DIR: join(root, 'config') }).flatMap(
      ({ files }) => files.map((file) => relative(root, file)),
    );

  it('is asked about, but not what is only words', () => {
    write('ws/CLAUDE.md', 'Run everything.');
    write('ws/src/.claude/settings.json');
    assert.deepEqual(asked(), []);
    const files = [
      ...[
        'settings.json',
        'settings.local.json',
        'agents/a.md',
        'commands/c.md',
        'skills/s/SKILL.md',
        'workflows/w.js',
      ].map((name) => `ws/.claude/${name}`),
      'ws/.mcp.json',
    ];
    files.forEach((name) => write(name));
    assert.deepEqual(
      asked(),
      files.map((name) => name.replace(/(agents|commands|skills|workflows)\/.*/, '$1')),
    );
  });

  it('are agents that the CLI is handed, too, but no prompts that nobody hands it', () => {
    write('ws/.github/agents/a.agent.md', 'x');
    write('ws/.github/prompts/p.prompt.md', 'x');
    const agents = ['a', 'b'].map((name) => ({
      path: join(folder, `.github/agents/${name}.agent.md`),
      isClaude: false,
    }));
    const env = { CLAUDE_CONFIG_DIR: join(root, 'config') };
    assert.deepEqual(untrusted([folder], env, agents), [{ folder, files: [join(folder, '.github/agents')] }]);
    assert.deepEqual(untrusted([folder], env), []);
    answered({ hasTrustDialogAccepted: true });
    assert.deepEqual(untrusted([folder], env, agents), []);
  });

  it('is asked about also where it is a link, broken, or too large', () => {
    mkdirSync(join(folder, '.claude'));
    symlinkSync(join(root, 'nowhere'), join(folder, '.claude', 'settings.json'));
    write('ws/.mcp.json', ' '.repeat(300_000));
    assert.deepEqual(asked(), ['ws/.claude/settings.json', 'ws/.mcp.json']);
    answered({ hasTrustDialogAccepted: true });
    assert.deepEqual(asked(), ['ws/.mcp.json']);
  });

  it('is not asked about again where the CLI has asked, of the folder or one around it, by whatever way it is opened', () => {
    write('ws/.claude/settings.json');
    symlinkSync(folder, join(root, 'link'));
    for (const of of [folder, root]) {
      answered({ hasTrustDialogAccepted: true }, of);
      assert.deepEqual(asked(folder, join(root, 'link')), []);
    }
    answered({ hasTrustDialogAccepted: false });
    assert.deepEqual(asked(), ['ws/.claude/settings.json']);
    answered({ hasTrustDialogAccepted: true }, join(folder, 'inner'));
    assert.deepEqual(asked(), ['ws/.claude/settings.json']);
    write('config/.claude.json', 'broken');
    assert.deepEqual(asked(), ['ws/.claude/settings.json']);
  });

  it('is asked about for each server, be it of a folder around it, until there is an answer', () => {
    write('.mcp.json', { mcpServers: { one: { command: 'one' } } });
    write('ws/.mcp.json', { mcpServers: { two: { command: 'two' } } });
    answered({ hasTrustDialogAccepted: true });
    assert.deepEqual(asked(), ['ws/.mcp.json', '.mcp.json']);
    answered({ hasTrustDialogAccepted: true, enabledMcpjsonServers: ['two'] });
    assert.deepEqual(asked(), ['.mcp.json']);
    write('ws/.claude/settings.local.json', { disabledMcpjsonServers: ['one'] });
    assert.deepEqual(asked(), []);
    answered({ hasTrustDialogAccepted: true });
    write('config/settings.json', { enableAllProjectMcpServers: true });
    assert.deepEqual(asked(), []);
  });

  it('is asked about of the folders around it, as far as the CLI takes it from there', () => {
    for (const name of ['settings.json', 'agents/a.md', 'commands/c.md', 'skills/s/SKILL.md']) {
      write(`.claude/${name}`);
    }
    assert.deepEqual(asked(), ['.claude/agents', '.claude/commands', '.claude/skills']);
    answered({ hasTrustDialogAccepted: true }, root);
    assert.deepEqual(asked(), []);
    symlinkSync(root, `${root}-link`);
    try {
      const env = { CLAUDE_CONFIG_DIR: join(`${root}-link`, '.claude') };
      assert.deepEqual(untrusted([folder], env), [], 'the user’s own, by another name');
    } finally {
      rmSync(`${root}-link`);
    }
  });

  it('answers nothing for itself', () => {
    write('ws/.claude/settings.json', { enableAllProjectMcpServers: true, hasTrustDialogAccepted: true });
    write('ws/.claude/.claude.json', { projects: { [folder]: { hasTrustDialogAccepted: true } } });
    write('ws/.mcp.json', { mcpServers: { one: {} } });
    assert.deepEqual(asked(), ['ws/.claude/settings.json', 'ws/.mcp.json']);
  });

  it('is the user’s own where the CLI keeps its settings', () => {
    write('home/.claude/settings.json');
    assert.deepEqual(untrusted([join(root, 'home')], { CLAUDE_CONFIG_DIR: join(root, 'home/.claude') }), []);
  });

  it('is not asked about again on Windows, whatever slashes and case the CLI has written its folder with', () => {
    write('ws/.claude/settings.json');
    const env = { CLAUDE_CONFIG_DIR: join(root, 'config') };
    const offered = (platform: NodeJS.Platform) => untrusted([folder], env, [], platform).length;
    for (const of of [folder.replaceAll('/', '\\'), folder.toUpperCase()]) {
      answered({ hasTrustDialogAccepted: true }, of);
      assert.deepEqual([offered('win32'), offered('linux')], [0, 1]);
    }
    const own = { CLAUDE_CONFIG_DIR: join(folder, '.claude').toUpperCase() };
    assert.deepEqual(untrusted([folder], own, [], 'win32'), [], 'the user’s own');
    assert.equal(untrusted([folder], own, [], 'linux').length, 1);
  });
});
