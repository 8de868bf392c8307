import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Chat, type ChatDependencies } from '../../../src/chat/chat.ts';
import { modelVendor, participantId } from '../../../src/chat/names.ts';
import { type AgentDesk, cliOf } from '../../e2e/agent/agentDesk.ts';
import { workspace } from '../../../src/editor/workspaceFolders.ts';
import { PastSessions } from '../../../src/records/pastSessions.ts';
import { text, toolUse } from '../../e2e/mockApi.ts';
import { cliVersions } from '../../e2e/provisionCli.ts';
import { useDesk } from '../bridge.ts';
import { useAgent } from './useChat.ts';

/** Another extension host knows of a thread what its answers remember. */
describe('a thread of the chat after a reload of the window', () => {
  const desk = useDesk();
  let agent: AgentDesk;
  let links: vscode.Uri[];
  let buttons: vscode.Command[];
  let remembered: Map<string, unknown>;

  useAgent(desk, (opened) => (agent = opened));
  beforeEach(() => (remembered = new Map()));

  async function ask(
    prompt: string,
    history: object[],
    apiKey?: string,
    page?: (chat: Chat) => Promise<void>,
    references: object[] = [],
    command?: string,
  ): Promise<{ said: string; result: vscode.ChatResult }> {
    const chat = begin(apiKey);
    const answer = await handle(chat, prompt, history, references, command);
    await page?.(chat);
    chat.dispose();
    return answer;
  }

  function begin(apiKey?: string): Chat {
    const quiet = () => {};
    // What a turn of words alone does not come by is not there.
    return new Chat(
      {
        processes: agent.processes,
        log: { trace: quiet, info: quiet, warn: quiet, error: quiet },
        questions: () => new Promise(() => {}),
        proposals: { all: [], onDidChange: () => ({ dispose: quiet }) },
        agentChanges: { beginTurn: () => Promise.resolve() },
        records: {
          open: () => Promise.resolve({ past: new PastSessions(join(agent.root, '.claude', 'projects')) }),
          running: new Map(),
          isAllowed: true,
          isStarting: () => false,
        },
        sharing: { learn: () => Promise.resolve(), exclusion: quiet, allows: () => true },
        servers: { mcpConfig: () => Promise.resolve(undefined) },
        workspaceState: {
          get: (key: string, otherwise?: unknown) => remembered.get(key) ?? otherwise,
          update: (key: string, value: unknown) => Promise.resolve(void remembered.set(key, value)),
        },
        secrets: { get: () => Promise.resolve(apiKey) },
        userPlace: { wentToChat: quiet },
        bridge: { endpoints: new Map(), onDidChangeState: () => ({ dispose: quiet }) },
      } as unknown as ChatDependencies,
      quiet,
      quiet,
    );
  }

  async function handle(
    chat: Chat,
    prompt: string,
    history: object[],
    references: object[] = [],
    command?: string,
    model = { vendor: 'another', id: 'x' },
  ): Promise<{ said: string; result: vscode.ChatResult }> {
    links = [];
    buttons = [];
    let said = '';
    const result = await chat.handle(
      { prompt, command, references, model } as unknown as vscode.ChatRequest,
      { history } as unknown as vscode.ChatContext,
      {
        anchor: (to: vscode.Uri) => links.push(to),
        button: (button: vscode.Command) => {
          buttons.push(button);
          if (button.title === 'Deny') {
            const [id, choice] = (button.arguments ?? []) as unknown[];
            void chat.press(id, choice);
          }
        },
        markdown: (words: string | vscode.MarkdownString) =>
          (said += typeof words === 'string' ? words : words.value),
      } as unknown as vscode.ChatResponseStream,
      new vscode.CancellationTokenSource().token,
    );
    return { said, result };
  }

  function answered(result: vscode.ChatResult): object {
    const turn = Object.create(vscode.ChatResponseTurn.prototype) as object;
    return Object.assign(turn, { participant: participantId, result });
  }

  it('goes on with its session', async () => {
    agent.api.script([text('One.'), text('Two.')]);
    const { said, result } = await ask('first', []);
    assert.match(said, /One\./);
    const next = await ask('second', [answered(result)]);
    assert.match(next.said, /Two\./);
    assert.deepEqual(next.result, result);
    const { messages } = await agent.api.nextRequest('both prompts', ({ messages }) => messages.length > 2);
    assert.match(JSON.stringify(messages), /first.*One\..*second/);
  }).timeout(60_000);

  it('goes on with its session by the key that the editor keeps, and not without', async () => {
    const { env } = agent.options();
    await desk.configure('ideBridge.environment', { ...env, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' });
    await desk.configure('ideBridge.agent.api', 'key');
    await desk.configure('ideBridge.agent.apiUrl', agent.api.url);
    agent.api.script([text('One.'), text('Two.')]);
    const { result } = await ask('first', [], 'sk-of-the-editor');
    const without = await ask('second', [answered(result)]);
    assert.match(without.said, /No API key is stored/);
    assert.deepEqual(without.result, result);
    const next = await ask('third', [answered(result), answered(without.result)], 'sk-of-the-editor');
    assert.match(next.said, /Two\./);
    assert.deepEqual([...new Set(agent.api.keys)], ['sk-of-the-editor']);
    const { messages } = await agent.api.nextRequest('both prompts', ({ messages }) => messages.length > 2);
    assert.match(JSON.stringify(messages), /first.*One\..*third/);
  }).timeout(60_000);

  it('has what its tools have said, as the CLI has written it down', async () => {
    const path = join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', 'tsconfig.json');
    agent.api.script([toolUse('Read', { file_path: path }), text('Read.'), text('Two.')]);
    await ask('first', []);
    const page = links.at(-1) ?? assert.fail();
    let [said, ofNone] = ['', ''];
    await ask('second', [], undefined, async (chat) => {
      said = await chat.output(page);
      const query = page.query.replace(/"toolUseId":"\w+"/, '"toolUseId":"another"');
      ofNone = await chat.output(page.with({ query }));
    });
    assert.match(said, /^ *1\t\{/);
    assert.equal(ofNone, 'This is no longer there.');
  }).timeout(60_000);

  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const data = () => Promise.resolve(Buffer.from(pixel, 'base64'));
  const pictures = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: `picture ${index}`,
      value: { mimeType: 'image/png', reference: vscode.Uri.file(`/${index}.png`), data },
    }));

  it('counts the images of before, as the CLI has written them down', async () => {
    agent.api.script([text('One.'), text('Two.'), text('Three.')]);
    const { said, result } = await ask('first', [], undefined, undefined, pictures(60));
    assert.doesNotMatch(said, /Left out/);
    const next = await ask('second', [answered(result)], undefined, undefined, pictures(42));
    assert.match(next.said, /^Left out.*\\: 40\\\.png\\, 41\\\.png\\\.\n/);
    assert.match(next.said, /Two\./);
  }).timeout(60_000);

  describe('whose window has other folders now', () => {
    const folders = Object.getOwnPropertyDescriptor(workspace, 'folders') ?? assert.fail();
    let one: string;
    let two: string;

    beforeEach(() => {
      [one, two] = ['one', 'two'].map((name) => {
        const folder = join(agent.root, name);
        mkdirSync(folder);
        writeFileSync(join(folder, 'fruit.txt'), `plum ${name}\n`);
        return folder;
      }) as [string, string];
    });
    afterEach(() => Object.defineProperty(workspace, 'folders', folders));

    /** Another first folder of the window itself would end the tests with their extension host. */
    function open(...paths: string[]): void {
      const all = paths.map((path, index) => ({ name: path, uri: `file://${path}`, path, index }));
      Object.defineProperty(workspace, 'folders', { ...folders, get: () => all });
    }

    /** Where the CLIs of its conversations have worked, as they have written it down. */
    function workedIn(): string[] {
      const projects = join(agent.root, '.claude', 'projects');
      const transcripts = readdirSync(projects, { recursive: true, encoding: 'utf8' });
      const lines = transcripts
        .filter((name) => name.endsWith('.jsonl'))
        .flatMap((name) => readFileSync(join(projects, name), 'utf8').match(/"cwd":"[^"]*"/g) ?? []);
      return [...new Set(lines)].map((line) => line.slice('"cwd":"'.length, -1));
    }

    for (const version of [cliVersions.newest, cliVersions.two]) {
      it(`goes on where it was begun, with ${version}`, async () => {
        await desk.configure('ideBridge.command', (await cliOf(version)).path);
        agent.api.script([text('One.'), text('Two.')]);
        open(one, two);
        const { result } = await ask('first', []);
        open(two, one);
        const next = await ask('second', [answered(result)]);
        assert.match(next.said, /Two\./);
        const { messages } = await agent.api.nextRequest('both', ({ messages }) => messages.length > 2);
        assert.match(JSON.stringify(messages), /first.*One\..*second/);
        assert.deepEqual(workedIn(), [one]);
      }).timeout(90_000);
    }

    it('says so where that is none of them, and sends nothing', async () => {
      agent.api.script([text('One.'), text('Three.')]);
      open(one, two);
      const { result } = await ask('first', []);
      const { turnCount } = agent.api;
      open(two);
      const next = await ask('second', [answered(result)]);
      assert.ok(
        next.said.startsWith(`Nothing was sent: this conversation was held in \` ${one} \`, which is not`),
      );
      assert.deepEqual(next.result, result);
      assert.equal(agent.api.turnCount, turnCount);
      assert.deepEqual(
        buttons.map(({ title }) => title),
        ['Open the Folder in Another Window', 'Begin Anew'],
      );
      assert.equal(buttons[0]?.arguments?.[0], one);
      open(two, one);
      const last = await ask('third', [answered(result), answered(next.result)]);
      assert.match(last.said, /Three\./);
      assert.deepEqual(workedIn(), [one]);
    }).timeout(90_000);

    it('is offered by /resume, whichever folder it was held in, and goes on there', async () => {
      agent.api.script([text('One.'), text('Two.')]);
      open(two);
      await ask('remember the plum', []);
      open(one, two);
      const resuming = ask('', [], undefined, undefined, [], 'resume');
      const row = desk.ui.page.locator('.quick-input-list .monaco-list-row', { hasText: 'the plum' });
      await row.first().click({ timeout: 30_000 });
      const { said, result } = await resuming;
      assert.match(said, /remember the plum[^]*One\.[^]*Your next message goes on with it/);
      const next = await ask('second', [answered(result)]);
      assert.match(next.said, /Two\./);
      assert.deepEqual(workedIn(), [two]);
    }).timeout(90_000);

    it('has what its tools have said, and counts its images', async () => {
      const path = join(two, 'fruit.txt');
      agent.api.script([toolUse('Read', { file_path: path }), text('Read.'), text('Two.')]);
      open(two, one);
      const { result } = await ask('first', [], undefined, undefined, pictures(60));
      const page = links.at(-1) ?? assert.fail();
      open(one, two);
      let said = '';
      const next = await ask(
        'second',
        [answered(result)],
        undefined,
        async (chat) => {
          said = await chat.output(page);
        },
        pictures(42),
      );
      assert.match(next.said, /^Left out.*\\: 40\\\.png\\, 41\\\.png\\\.\n/);
      assert.match(said, /plum two/);
    }).timeout(90_000);
  });

  describe('with picks of its own', () => {
    /** @returns whether the user was asked before a file was touched */
    async function isAsked(history: object[], chat = begin()): Promise<[boolean, vscode.ChatResult]> {
      agent.api.script([toolUse('Bash', { command: 'touch plum.txt' }), text('Tried.')]);
      const { said, result } = await handle(chat, 'touch it', history);
      chat.dispose();
      assert.match(said, /Tried\./);
      return [said.includes('May Claude use'), result];
    }

    it('has the permission mode that was picked for it, and none that was picked for another', async () => {
      agent.api.script([text('One.'), text('Two.')]);
      const one = answered((await ask('first', [])).result);
      const chat = begin();
      const two = answered((await handle(chat, 'another', [])).result);
      const { said } = await handle(chat, 'acceptEdits', [two], [], 'mode');
      assert.match(said, /Accept Edits/);
      chat.dispose();
      const [wasAsked, result] = await isAsked([one]);
      assert.equal(wasAsked, true, 'the other thread');
      assert.equal((await isAsked([two]))[0], false, 'the thread that it was picked for');
      assert.equal((await isAsked([]))[0], false, 'a thread that begins');
      const { sessionId = '' } = (result.metadata ?? {}) as { sessionId?: string };
      const resumed = answered((await ask(sessionId, [], undefined, undefined, [], 'resume')).result);
      assert.equal((await isAsked([resumed]))[0], false, 'a thread that begins with a past session');
      remembered.delete('chat.threadPicks');
      assert.equal((await isAsked([two]))[0], true, 'a thread of which nothing is known');
    }).timeout(120_000);

    it('has the mode that is picked before its first message after the reload', async () => {
      agent.api.script([text('One.')]);
      const one = answered((await ask('first', [])).result);
      await ask('acceptEdits', [one], undefined, undefined, [], 'mode');
      assert.equal((await isAsked([one]))[0], false);
      await ask('default', [one], undefined, undefined, [], 'mode');
      assert.equal((await isAsked([one]))[0], true);
    }).timeout(90_000);
  });

  describe('whose user has a model in the settings of Claude Code', () => {
    let chat: Chat;
    let count: number;

    beforeEach(() => {
      writeFileSync(join(agent.root, '.claude', 'settings.json'), '{ "model": "sonnet" }');
      count = 0;
      chat = begin();
    });
    afterEach(() => chat.dispose());

    const picker = (id: string) => ({ vendor: modelVendor, id });

    function reload(): void {
      chat.dispose();
      chat = begin();
    }

    /** @returns the turn, and the model that was asked */
    async function ask(history: object[], model?: { vendor: string; id: string }): Promise<[object, string]> {
      const prompt = `prompt ${++count}`;
      agent.api.script([text('Yes.')]);
      const { said, result } = await handle(chat, prompt, history, [], undefined, model);
      assert.match(said, /Yes\./);
      const request = await agent.api.nextRequest(prompt, ({ messages }) =>
        JSON.stringify(messages).includes(prompt),
      );
      return [answered(result), /haiku|sonnet|opus/.exec(request.model)?.[0] ?? request.model];
    }

    async function pick(name: string, value: string, history: object[]): Promise<void> {
      await handle(chat, value, history, [], name);
    }

    it('goes back to that one after another was picked, and stays there after a reload', async () => {
      const [turn, first] = await ask([]);
      await pick('model', 'haiku', [turn]);
      const [, second] = await ask([turn]);
      await pick('model', 'as in the settings', [turn]);
      const [, third] = await ask([turn]);
      reload();
      const [, fourth] = await ask([turn]);
      assert.deepEqual([first, second, third, fourth], ['sonnet', 'haiku', 'sonnet', 'sonnet']);
    }).timeout(120_000);

    it('goes back to it where that is picked before its first message after a reload', async () => {
      const [turn, first] = await ask([]);
      await pick('model', 'haiku', [turn]);
      const [, second] = await ask([turn]);
      reload();
      await pick('model', 'as in the settings', [turn]);
      const [, third] = await ask([turn]);
      assert.deepEqual([first, second, third], ['sonnet', 'haiku', 'sonnet']);
    }).timeout(120_000);

    it('goes back to it by the picker of the editor, also after a reload, and by a pick while that holds another', async () => {
      const [turn, first] = await ask([], picker('default'));
      const [, second] = await ask([turn], picker('haiku'));
      reload();
      const [, third] = await ask([turn], picker('default'));
      const [, fourth] = await ask([turn], picker('haiku'));
      await pick('model', 'as in the settings', [turn]);
      const [, fifth] = await ask([turn], picker('haiku'));
      reload();
      const [, sixth] = await ask([turn], picker('haiku'));
      assert.deepEqual(
        [first, second, third, fourth, fifth, sixth],
        ['sonnet', 'haiku', 'sonnet', 'haiku', 'sonnet', 'sonnet'],
      );
    }).timeout(120_000);

    it('does not go on with the one that was taken out of the settings of the editor', async () => {
      const [turn, first] = await ask([]);
      await desk.configure('ideBridge.agent.model', 'haiku');
      const [, second] = await ask([turn]);
      await desk.configure('ideBridge.agent.model', undefined);
      const [, third] = await ask([turn]);
      assert.deepEqual([first, second, third], ['sonnet', 'haiku', 'sonnet']);
    }).timeout(120_000);

    it('goes back to no agent after one was picked that the CLI reads itself, also after a reload', async () => {
      const agents = join(agent.root, '.claude', 'agents');
      mkdirSync(agents);
      writeFileSync(join(agents, 'plum.md'), '---\nname: plum\ndescription: Plums\n---\nPick with a ladder.');
      const isAgent = async (history: object[]): Promise<[object, boolean]> => {
        const [turn] = await ask(history);
        return [turn, JSON.stringify(agent.api.log.findLast(({ turn }) => turn)?.body).includes('ladder')];
      };
      const [turn, first] = await isAgent([]);
      await pick('agents', 'plum', [turn]);
      const [, second] = await isAgent([turn]);
      await pick('agents', 'as in the settings', [turn]);
      const [, third] = await isAgent([turn]);
      reload();
      const [, fourth] = await isAgent([turn]);
      await pick('agents', 'plum', [turn]);
      const [, fifth] = await isAgent([turn]);
      reload();
      await pick('agents', 'as in the settings', [turn]);
      const [, sixth] = await isAgent([turn]);
      assert.deepEqual(
        [first, second, third, fourth, fifth, sixth],
        [false, true, false, false, true, false],
      );
    }).timeout(120_000);

    it('goes to it where the conversation began with another that was picked, while its CLI runs', async () => {
      await pick('model', 'haiku', []);
      const [turn, first] = await ask([]);
      await pick('model', 'as in the settings', [turn]);
      const [, second] = await ask([turn]);
      reload();
      const [, third] = await ask([turn]);
      assert.deepEqual([first, second, third], ['haiku', 'sonnet', 'sonnet']);
    }).timeout(120_000);
  });
});
