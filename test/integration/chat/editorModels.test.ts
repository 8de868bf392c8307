import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { LanguageModelUpstream } from '../../../src/agent/proxy/languageModelUpstream.ts';
import { ModelProxy, type ProxiedSession } from '../../../src/agent/proxy/modelProxy.ts';
import { editorModels } from '../../../src/chat/editorModels.ts';
import { Deferred } from '../../../src/base/deferred.ts';
import { AgentDesk, ofKind, saidIn, turnsEnded } from '../../e2e/agent/agentDesk.ts';
import { cliVersions } from '../../e2e/provisionCli.ts';
import type { Answer, TestModelsApi } from '../../fixtures/models/extension.ts';
import { until } from '../../support/until.ts';

const says = (...parts: object[]): Answer => {
  return (_, say) => parts.forEach(say);
};
const text = (words: string) => new vscode.LanguageModelTextPart(words);

/** A picture: the editor looks into it. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe("the editor's language models", () => {
  let models: TestModelsApi;
  let proxy: ModelProxy;
  let session: ProxiedSession;

  before(async function () {
    const api = await vscode.extensions.getExtension<TestModelsApi>('ide-bridge-test.models')?.activate();
    if (!api) {
      return this.skip(); // editors before 1.104 let nobody provide them
    }
    models = api;
    const quiet = () => undefined;
    proxy = await ModelProxy.start({ trace: quiet, info: quiet, warn: quiet, error: quiet });
    session = proxy.admit(new LanguageModelUpstream(editorModels, () => 'test-family'));
  });
  beforeEach(() => {
    models.asked.splice(0);
    models.answers.splice(0);
  });
  after(() => proxy?.dispose());

  function ask(request: object, signal?: AbortSignal): Promise<Response> {
    return fetch(`${session.envWith({})['ANTHROPIC_BASE_URL']}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': session.envWith({})['ANTHROPIC_API_KEY'] ?? '' },
      body: JSON.stringify({ model: 'claude-x', max_tokens: 1_000, ...request }),
      ...(signal && { signal }),
    });
  }

  it('are told the whole conversation, and answer with words and tools', async () => {
    models.answers.push(
      says(text('I '), text('look'), new vscode.LanguageModelToolCallPart('c2', 'Read', { a: 1 })),
    );
    const response = await ask({
      system: 'Be brief.',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look.' }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: { b: 2 } }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'one' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } },
          ],
        },
      ],
      tools: [{ name: 'Read', description: 'reads', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any' },
    });
    const answer = (await response.json()) as Record<string, unknown>;
    assert.equal(response.status, 200, JSON.stringify(answer));
    const { content, stop_reason, usage } = answer;
    assert.deepEqual(content, [
      { type: 'text', text: 'I look' },
      { type: 'tool_use', id: 'c2', name: 'Read', input: { a: 1 } },
    ]);
    assert.equal(stop_reason, 'tool_use');
    assert.ok((usage as { input_tokens: number }).input_tokens > 10);
    const [asked] = models.asked;
    assert.deepEqual(asked?.tools, ['Read']);
    assert.equal(asked.toolMode, vscode.LanguageModelChatToolMode.Required);
    assert.deepEqual(
      asked.messages.map(({ role }) => role),
      [1, 1, 2, 1],
    );
    const told = JSON.stringify(asked.messages.map(({ content }) => content));
    for (const words of ['Be brief.', 'Look.', '"callId":"c1"', '"b":2', '"value":"one"', 'image/png']) {
      assert.ok(told.includes(words), `${words} in ${told}`);
    }
  });

  it('answer a session of Claude Code', async () => {
    const desk = await AgentDesk.open(cliVersions.newest);
    try {
      const file = await desk.file('a.txt', 'one\n');
      const call = new vscode.LanguageModelToolCallPart('c1', 'Read', { file_path: file });
      // It may ask for a title first.
      const answer: Answer = ({ messages, tools }, say) => {
        models.answers.push(answer);
        const isRead = JSON.stringify(messages).includes('"callId":"c1"');
        say(tools.includes('Read') && !isRead ? call : text('It has one line.'));
      };
      models.answers.push(answer);
      const agent = await desk.session({}, { env: { ...desk.options().env, ...session.envWith({}) } });
      agent.prompt('look');
      await turnsEnded(agent, 1);
      assert.equal(saidIn(agent).at(-1), 'It has one line.');
      assert.match(ofKind(agent, 'toolUse')[0]?.result?.text ?? '', /one/);
    } finally {
      await desk.close();
    }
  }).timeout(120_000);

  it('stop when nobody waits any more', async () => {
    const cancelled = new Deferred<void>();
    models.answers.push(({ token }) => {
      token.onCancellationRequested(() => cancelled.settle());
      return cancelled.promise;
    });
    const abort = new AbortController();
    const asking = ask({ messages: [{ role: 'user', content: 'Wait.' }] }, abort.signal);
    await until('the request', () => models.asked.length === 1);
    abort.abort();
    await assert.rejects(asking);
    await cancelled.promise;
  });

  for (const [what, error, status, type] of [
    ['what they refuse', vscode.LanguageModelError.Blocked('no'), 400, 'invalid_request_error'],
    ['what was not allowed', vscode.LanguageModelError.NoPermissions('no'), 403, 'permission_error'],
    ['too much at once', new Error('429 Too Many Requests'), 429, 'rate_limit_error'],
    ['all else', new Error('out of order'), 500, 'api_error'],
  ] as const) {
    it(`say what is wrong as the API would: ${what}`, async () => {
      models.answers.push(() => {
        throw error;
      });
      const response = await ask({ messages: [{ role: 'user', content: 'Go.' }] });
      const { error: told } = (await response.json()) as { error: { type: string; message: string } };
      assert.deepEqual([response.status, told.type], [status, type], told.message);
    });
  }
});
