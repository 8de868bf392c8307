import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { agentsForCli } from '../../../src/agent/agentDefinition.ts';
import { readAgents, watchAgents } from '../../../src/agent/agentDefinitions.ts';
import { until } from '../../support/until.ts';

describe('The agents that a folder defines', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ide-bridge-agents-'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function write(path: string, ...lines: string[]): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.join('\n'));
    return file;
  }

  it('are read with all that they say, of both places', () => {
    const reviewer = write(
      '.claude/agents/reviewer.md',
      '---',
      'name: code-reviewer',
      'description: Reviews',
      'tools: Read, Grep',
      'model: sonnet',
      '---',
      '',
      'Be strict.',
    );
    const planner = write(
      '.github/agents/planner.agent.md',
      '---',
      "description: 'Plans'",
      "tools: ['search', 'edit', 'github/create_issue', 'docs/*', search]",
      'argument-hint: what to plan',
      '---',
      'Plan it.',
    );
    write('.github/agents/only.prompt.md', '---', 'description: no agent', '---', 'Say hello.');
    const prompt = write('.github/agents/helper.prompt.md', '---', 'agent: agent', '---', 'Help.');
    const { agents, problems } = readAgents([folder]);
    assert.deepEqual(problems, []);
    assert.deepEqual(agents, [
      {
        name: 'code-reviewer',
        description: 'Reviews',
        prompt: 'Be strict.',
        tools: ['Read', 'Grep'],
        model: 'sonnet',
        path: reviewer,
        isClaude: true,
      },
      { name: 'helper', description: 'helper', prompt: 'Help.', path: prompt, isClaude: false },
      {
        name: 'planner',
        description: 'Plans',
        prompt: 'Plan it.',
        tools: [
          'Glob',
          'Grep',
          'Edit',
          'MultiEdit',
          'Write',
          'NotebookEdit',
          'mcp__github__create_issue',
          'mcp__docs',
        ],
        argumentHint: 'what to plan',
        path: planner,
        isClaude: false,
      },
    ]);
    assert.deepEqual(Object.keys(agentsForCli(agents)), ['helper', 'planner']);
    assert.deepEqual(agentsForCli(agents)['helper'], { description: 'helper', prompt: 'Help.' });
  });

  it('may have front matter that is no YAML, none, or another system’s line ends', () => {
    write(
      '.claude/agents/a.md',
      '---\r\nname: a\r\ndescription: Use it: when? <example> user: "hi" </example>\r\ntools: "Read, Bash"\r\n---\r\nDo.\r\n',
    );
    write('.claude/agents/b.md', 'Only words.');
    write(
      '.claude/agents/c.md',
      '\ufeff---',
      'name: 12',
      'description: true',
      'tools:',
      '  deep: 1',
      '---',
      'C.',
    );
    const [a, c] = readAgents([folder]).agents;
    assert.deepEqual(
      [a?.description, a?.tools, a?.prompt],
      ['Use it: when? <example> user: "hi" </example>', ['Read', 'Bash'], 'Do.'],
    );
    assert.deepEqual([c?.name, c?.description, c?.tools], ['12', 'true', undefined]);
    assert.match(readAgents([folder]).problems[0]?.message ?? '', /nothing below its front matter/);
  });

  it('are left out with the reason if they cannot be used', () => {
    write('elsewhere.md', '---', 'name: secret', '---', 'Secret.');
    write('.claude/agents/good.md', '---', 'name: good', '---', 'Good.');
    symlinkSync(join(folder, 'elsewhere.md'), join(folder, '.claude/agents/link.md'));
    mkdirSync(join(folder, '.claude/agents/folder.md'));
    write('.claude/agents/name.md', '---', 'name: "a b/../c"', '---', 'x');
    write('.claude/agents/large.md', '---', 'name: large', '---', 'x'.repeat(300_000));
    const { agents, problems } = readAgents([folder]);
    assert.deepEqual(
      agents.map(({ name }) => name),
      ['good'],
    );
    assert.equal(problems.length, 4);
    assert.match(problems.map(({ message }) => message).join(), /"a b\/\.\.\/c" cannot be the name/);
    rmSync(join(folder, '.claude'), { recursive: true });
    mkdirSync(join(folder, 'real/agents'), { recursive: true });
    symlinkSync(join(folder, 'real'), join(folder, '.claude'));
    write('real/agents/x.md', '---', 'name: x', '---', 'x');
    assert.deepEqual(readAgents([folder]).agents, []);
  });

  it('are read of prompt files, too, where the editor has these, with the models and tools that the CLI has', () => {
    const header = (model: string) => [
      '---',
      'agent: agent',
      `model: ${model}`,
      'tools: [search/codebase, read/problems]',
      '---',
    ];
    write('.github/prompts/titled.prompt.md', ...header('Claude Sonnet 4.5 (copilot)'), 'a');
    write('.github/prompts/named.prompt.md', ...header('claude-opus-4-1'), 'a');
    write('.github/prompts/others.prompt.md', ...header('GPT-5 (copilot)'), 'a');
    write('.github/prompts/words.prompt.md', 'Only words.');
    write('.github/prompts/README.md', ...header('x'), 'a');
    const { agents } = readAgents([folder]);
    assert.deepEqual(
      agents.map(({ name, model, tools }) => [name, model, tools]),
      [
        ['named', 'claude-opus-4-1', ['Glob', 'Grep', 'Read']],
        ['others', undefined, ['Glob', 'Grep', 'Read']],
        ['titled', 'sonnet', ['Glob', 'Grep', 'Read']],
      ],
    );
  });

  it('have one name each: the nearest wins, and the others are told of', () => {
    const agent = (name: string, prompt: string) => ['---', `name: ${name}`, '---', prompt];
    const near = write('a/.claude/agents/x.md', ...agent('x', 'near'));
    const far = write('a/.github/agents/x.agent.md', ...agent('x', 'far'));
    const farther = write('b/.github/agents/x.agent.md', ...agent('x', 'farther'));
    const other = write('b/.github/agents/y.agent.md', ...agent('y', 'other'));
    const { agents, problems } = readAgents([join(folder, 'a'), join(folder, 'b')]);
    assert.deepEqual(
      agents.map(({ path }) => path),
      [near, other],
    );
    assert.deepEqual(
      problems.map(({ path }) => path),
      [far, farther],
    );
    assert.ok(problems.every(({ message }) => message.includes(near)));
    assert.deepEqual(Object.keys(agentsForCli(agents)), ['y']);
  });

  it('are no more than an argument of a process can hold', () => {
    for (let i = 10; i < 30; i++) {
      write(`.github/agents/a${i}.agent.md`, '---', 'description: x', '---', 'ü'.repeat(10_000));
    }
    const { agents, problems } = readAgents([folder]);
    assert.ok(agents.length > 0 && Buffer.byteLength(JSON.stringify(agentsForCli(agents))) < 128 * 1024);
    assert.equal(agents.length + problems.length, 20);
    assert.match(problems[0]?.message ?? '', /no room/);
  });

  it('survive a bomb of references', () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (let i = 0; i < 9; i++) {
      const [from, to] = [String.fromCharCode(97 + i), String.fromCharCode(98 + i)];
      bomb.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(',')}]`);
    }
    write('.claude/agents/bomb.md', '---', ...bomb, 'tools: *j', 'name: bomb', '---', 'Boom.');
    const started = process.cpuUsage().user;
    const { agents } = readAgents([folder]);
    assert.deepEqual(
      agents.map(({ name, tools }) => [name, tools]),
      [['bomb', undefined]],
    );
    assert.ok(process.cpuUsage().user - started < 2_000_000);
  });

  it('are told of when they come, change and go', async () => {
    let changes = 0;
    const watch = watchAgents(folder, () => changes++);
    try {
      const file = write('.claude/agents/a.md', '---', 'name: a', '---', 'A.');
      await until('it came', () => changes > 0);
      changes = 0;
      await until('it changed', () => {
        writeFileSync(file, `---\nname: a\n---\n${Date.now()}`);
        return changes > 0;
      });
      await new Promise((resolve) => setTimeout(resolve, 300));
      changes = 0;
      rmSync(file);
      await until('it went', () => changes > 0);
    } finally {
      watch.dispose();
    }
  });

  it('are read in no time also where one names a long tool thousands of times', () => {
    const started = process.cpuUsage().user;
    for (let i = 0; i < 10; i++) {
      const many = Array.from({ length: 8_000 }, () => '*t').join(',');
      write(`.claude/agents/a${i}.md`, '---', `x: &t ${'t'.repeat(30_000)}`, `tools: [${many}]`, '---', 'A.');
    }
    readAgents([folder]);
    assert.ok(process.cpuUsage().user - started < 1_000_000);
  });
});
