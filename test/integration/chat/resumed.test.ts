import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Chat, type ChatDependencies } from '../../../src/chat/chat.ts';
import { participantId } from '../../../src/chat/names.ts';
import type { AgentDesk } from '../../e2e/agent/agentDesk.ts';
import { PastSessions } from '../../../src/records/pastSessions.ts';
import { text, toolUse } from '../../e2e/mockApi.ts';
import { useDesk } from '../bridge.ts';
import { useAgent } from './useChat.ts';

/** Another extension host knows of a thread what its answers remember. */
describe('a thread of the chat after a reload of the window', () => {
  const desk = useDesk();
  let agent: AgentDesk;
  let links: vscode.Uri[];

  useAgent(desk, (opened) => (agent = opened));

  async function ask(
    prompt: string,
    history: object[],
    apiKey?: string,
    page?: (chat: Chat) => Promise<void>,
    references: object[] = [],
  ): Promise<{ said: string; result: vscode.ChatResult }> {
    const quiet = () => {};
    // What a turn of words alone does not come by is not there.
    const chat = new Chat(
      {
        processes: agent.processes,
        log: { trace: quiet, info: quiet, warn: quiet, error: quiet },
        questions: () => new Promise(() => {}),
        proposals: { all: [], onDidChange: () => ({ dispose: quiet }) },
        agentChanges: { beginTurn: () => Promise.resolve() },
        records: {
          open: () => Promise.resolve({ past: new PastSessions(join(agent.root, '.claude', 'projects')) }),
          running: new Map(),
          isStarting: () => false,
        },
        sharing: { learn: () => Promise.resolve(), exclusion: quiet, allows: () => true },
        servers: { mcpConfig: () => Promise.resolve(undefined) },
        workspaceState: { get: () => undefined, update: () => Promise.resolve() },
        secrets: { get: () => Promise.resolve(apiKey) },
        userPlace: { wentToChat: quiet },
        bridge: { endpoints: new Map(), onDidChangeState: () => ({ dispose: quiet }) },
      } as unknown as ChatDependencies,
      quiet,
      quiet,
    );
    links = [];
    let said = '';
    const result = await chat.handle(
      { prompt, references, model: { vendor: 'another', id: 'x' } } as unknown as vscode.ChatRequest,
      { history } as unknown as vscode.ChatContext,
      {
        anchor: (to: vscode.Uri) => links.push(to),
        markdown: (words: string | vscode.MarkdownString) =>
          (said += typeof words === 'string' ? words : words.value),
      } as unknown as vscode.ChatResponseStream,
      new vscode.CancellationTokenSource().token,
    );
    await page?.(chat);
    chat.dispose();
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

  it('counts the images of before, as the CLI has written them down', async () => {
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const data = () => Promise.resolve(Buffer.from(pixel, 'base64'));
    const pictures = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        id: `picture ${index}`,
        value: { mimeType: 'image/png', reference: vscode.Uri.file(`/${index}.png`), data },
      }));
    agent.api.script([text('One.'), text('Two.'), text('Three.')]);
    const { said, result } = await ask('first', [], undefined, undefined, pictures(60));
    assert.doesNotMatch(said, /Left out/);
    const next = await ask('second', [answered(result)], undefined, undefined, pictures(42));
    assert.match(next.said, /^Left out.*\\: 40\\\.png\\, 41\\\.png\\\.\n/);
    assert.match(next.said, /Two\./);
  }).timeout(60_000);
});
