import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AnthropicUpstream } from '../../src/agent/proxy/anthropicUpstream.ts';
import { LanguageModelUpstream } from '../../src/agent/proxy/languageModelUpstream.ts';
import type { AnswerPart, LanguageModelRequest } from '../../src/agent/proxy/languageModels.ts';
import { ModelProxy, type Upstream } from '../../src/agent/proxy/modelProxy.ts';
import { AgentDesk, items, ofKind, saidIn, turnsEnded } from './agent/agentDesk.ts';
import { text, toolUse } from './mockApi.ts';
import { cliVersions } from './provisionCli.ts';

for (const version of Object.values(cliVersions)) {
  describe(`Claude Code ${version}, through the model proxy`, () => {
    let desk: AgentDesk;
    let proxy: ModelProxy;
    const logged: string[] = [];
    const note = (message: string) => void logged.push(message);

    beforeEach(async () => {
      desk = await AgentDesk.open(version);
      proxy = await ModelProxy.start({ trace: note, info: note, warn: note, error: note });
    });

    afterEach(async () => {
      await desk.close();
      proxy.dispose();
    });

    async function through(upstream: Upstream) {
      const admitted = proxy.admit(upstream);
      const settings = path.join(desk.root, 'proxy.json');
      await writeFile(settings, JSON.stringify(admitted.settings));
      return desk.session({}, { env: { ...desk.options().env, ...admitted.envWith({}) }, settings });
    }

    it('asks the API with a key that it does not have', async () => {
      const file = await desk.file('a.txt', 'one\n');
      desk.api.script([toolUse('Read', { file_path: file }), text('it has one line')]);
      const session = await through(
        new AnthropicUpstream(desk.api.url, () => Promise.resolve({ value: 'the key', sentAs: 'x-api-key' })),
      );
      session.prompt('look');
      await turnsEnded(session, 1);
      assert.equal(saidIn(session).at(-1), 'it has one line');
      assert.match(ofKind(session, 'toolUse')[0]?.result?.text ?? '', /one/);
      assert.deepEqual([...new Set(desk.api.keys)], ['the key']);
    });

    it('asks it also where the user’s settings name another way', async () => {
      const env = {
        ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
        ANTHROPIC_API_KEY: 'of the settings',
        ANTHROPIC_AUTH_TOKEN: 'of the settings',
        CLAUDE_CODE_USE_BEDROCK: '1',
      };
      const { CLAUDE_CONFIG_DIR = '' } = desk.options().env ?? {};
      await writeFile(path.join(CLAUDE_CONFIG_DIR, 'settings.json'), JSON.stringify({ env }));
      desk.api.script([text('by the key'), text('by it again')]);
      const session = await through(
        new AnthropicUpstream(desk.api.url, () => Promise.resolve({ value: 'the key', sentAs: 'x-api-key' })),
      );
      session.prompt('one');
      await turnsEnded(session, 1);
      if (version === cliVersions.newest) {
        await session.setEffort('high'); // by settings that go before those, too
      }
      session.prompt('two');
      await turnsEnded(session, 2);
      assert.deepEqual(saidIn(session), ['by the key', 'by it again']);
      assert.deepEqual([...new Set(desk.api.keys)], ['the key']);
    });

    if (version === cliVersions.newest) {
      // Older ones try again for half a minute.
      it('says that the key is missing', async () => {
        const session = await through(new AnthropicUpstream(desk.api.url, () => Promise.resolve(undefined)));
        session.prompt('look');
        await turnsEnded(session, 1);
        assert.equal(ofKind(session, 'turnEnd')[0]?.outcome, 'failed');
        assert.match(JSON.stringify(items(session)), /No API key is stored|authenticate|API key/);
        assert.equal(desk.api.log.length, 0);
      });
    }

    it("is answered by the editor's own models", async () => {
      const file = await desk.file('a.txt', 'one\n');
      const asked: LanguageModelRequest[] = [];
      const turns: AnswerPart[][] = [
        [
          { kind: 'text', text: 'I look' },
          { kind: 'toolUse', id: 'call_1', name: 'Read', input: { file_path: file } },
        ],
        [
          { kind: 'text', text: 'it has ' },
          { kind: 'text', text: 'one line' },
        ],
      ];
      const session = await through(
        new LanguageModelUpstream(
          {
            list: () =>
              Promise.resolve([
                {
                  id: 'fake',
                  name: 'Fake',
                  family: 'fake',
                  vendor: 'test',
                  maxInputTokens: 100_000,
                  countTokens: (words) => Promise.resolve(words.length),
                  async *send(request) {
                    const isTurn = request.tools.some(({ name }) => name === 'Edit');
                    if (isTurn) asked.push(request);
                    yield* (
                      (await Promise.resolve(isTurn && turns.shift())) || [
                        { kind: 'text', text: 'side' } as const,
                      ]
                    );
                  },
                },
              ]),
          },
          () => 'fake',
        ),
      );
      session.prompt('look');
      await turnsEnded(session, 1);
      assert.deepEqual(saidIn(session), ['I look', 'it has one line']);
      assert.match(ofKind(session, 'toolUse')[0]?.result?.text ?? '', /one/);
      assert.equal(ofKind(session, 'turnEnd')[0]?.outcome, 'done');
      assert.deepEqual(
        asked[1]?.messages.at(-1)?.parts.find(({ kind }) => kind === 'toolResult'),
        {
          kind: 'toolResult',
          id: 'call_1',
          parts: [{ kind: 'text', text: ofKind(session, 'toolUse')[0]?.result?.text }],
        },
      );
      assert.equal(desk.api.log.length, 0);
      assert.doesNotMatch(logged.join('\n'), /look/);
    });
  });
}
