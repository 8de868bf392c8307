import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { LanguageModelUpstream } from '../../../../src/agent/proxy/languageModelUpstream.ts';
import {
  type AnswerPart,
  type LanguageModel,
  LanguageModelFailure,
  type LanguageModelRequest,
} from '../../../../src/agent/proxy/languageModels.ts';
import { ModelProxy, type ProxiedSession } from '../../../../src/agent/proxy/modelProxy.ts';
import { until } from '../../../support/until.ts';

interface Answer {
  content: { type: string; text?: string; id?: string; name?: string; input?: unknown }[];
  stop_reason: string | null;
  stop_sequence: string | null;
  usage: { input_tokens: number; output_tokens: number };
}

type Said = AnswerPart | Error | 'stall';

describe("The model proxy, before the editor's language models", () => {
  let proxy: ModelProxy;
  let said: readonly Said[];
  let asked: LanguageModelRequest[];
  let isAborted: boolean;
  const note = () => undefined;

  const model: LanguageModel = {
    id: 'vendor/one',
    name: 'One',
    family: 'ones',
    vendor: 'vendor',
    maxInputTokens: 100_000,
    countTokens: (text) => Promise.resolve(text.length),
    async *send(request, signal) {
      asked.push(request);
      for (const part of said) {
        if (part === 'stall') {
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          isAborted = true;
          return;
        }
        if (part instanceof Error) throw part;
        yield await Promise.resolve(part);
      }
    },
  };

  beforeEach(async () => {
    proxy = await ModelProxy.start({ trace: note, info: note, warn: note, error: note });
    said = [{ kind: 'text', text: 'Hello' }];
    asked = [];
    isAborted = false;
  });

  afterEach(() => proxy.dispose());

  function admit(models: readonly LanguageModel[] = [model], preferred = 'vendor/one', stall?: number) {
    return proxy.admit(
      new LanguageModelUpstream({ list: () => Promise.resolve(models) }, () => preferred, stall),
    );
  }

  function ask(session: ProxiedSession, body: object | string, path = '/v1/messages', signal?: AbortSignal) {
    return fetch(`${session.envWith({})['ANTHROPIC_BASE_URL']}${path}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'x-api-key': session.envWith({})['ANTHROPIC_API_KEY'] ?? '' },
      ...(signal ? { signal } : {}),
    });
  }

  const simple = { model: 'claude-x', messages: [{ role: 'user', content: 'Hi' }] };

  it('gives it what was said, with tools, results and images', async () => {
    await ask(admit(), {
      model: 'ones',
      system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'Read it' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'x' },
            { type: 'text', text: 'Yes' },
            { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              is_error: true,
              content: [
                { type: 'text', text: 'No such file' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAEC' } },
              ],
            },
            { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
          ],
        },
      ],
      tools: [
        { name: 'Read', description: 'Reads', input_schema: { type: 'object' } },
        { name: 'web_search', type: 'web_search_20250305' },
      ],
      tool_choice: { type: 'any' },
    });
    assert.deepEqual(asked, [
      {
        messages: [
          { role: 'user', parts: [{ kind: 'text', text: 'Be kind.' }] },
          { role: 'user', parts: [{ kind: 'text', text: 'Read it' }] },
          {
            role: 'assistant',
            parts: [
              { kind: 'text', text: 'Yes' },
              { kind: 'toolUse', id: 't1', name: 'Read', input: { path: 'a' } },
            ],
          },
          {
            role: 'user',
            parts: [
              {
                kind: 'toolResult',
                id: 't1',
                parts: [
                  { kind: 'text', text: 'The tool failed:' },
                  { kind: 'text', text: 'No such file' },
                  { kind: 'image', mimeType: 'image/png', data: Buffer.from([0, 1, 2]) },
                ],
              },
              { kind: 'text', text: '[image left out]' },
            ],
          },
        ],
        tools: [{ name: 'Read', description: 'Reads', inputSchema: { type: 'object' } }],
        mustUseTool: true,
      },
    ]);
  });

  it('streams as the API does', async () => {
    said = [
      { kind: 'text', text: 'Hel' },
      { kind: 'text', text: 'lo' },
      { kind: 'toolUse', id: 't1', name: 'Read', input: { path: 'a' } },
    ];
    const response = await ask(admit(), { ...simple, stream: true });
    const events = eventsIn(await response.text());
    assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        'message_start',
        'content_block_start',
        'content_block_delta',
        'content_block_delta',
        'content_block_stop',
        'content_block_start',
        'content_block_delta',
        'content_block_stop',
        'message_delta',
        'message_stop',
      ],
    );
    assert.deepEqual(joined(events), {
      content: [
        { type: 'text', text: 'Hello' },
        { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'a' } },
      ],
      stop_reason: 'tool_use',
      stop_sequence: null,
    });
  });

  it('says the same streamed and whole, whatever the model says', async () => {
    const session = admit();
    const part: fc.Arbitrary<AnswerPart> = fc.oneof(
      fc.record({
        kind: fc.constant('text' as const),
        text: fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'S', 'T', 'O', 'P', '\n', '€') }),
      }),
      fc.record({
        kind: fc.constant('toolUse' as const),
        id: fc.string({ maxLength: 3 }),
        name: fc.constantFrom('Read', 'Write'),
        input: fc.dictionary(fc.string({ maxLength: 3 }), fc.string({ maxLength: 3 }), {
          noNullPrototype: true,
          maxKeys: 2,
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 6 }),
        fc.option(fc.constantFrom(['STOP'], ['TO', 'OP'], ['']), { nil: undefined }),
        async (parts, stop_sequences) => {
          said = parts;
          const body = { ...simple, ...(stop_sequences ? { stop_sequences } : {}) };
          const whole = (await (await ask(session, body)).json()) as Answer;
          const streamed = joined(eventsIn(await (await ask(session, { ...body, stream: true })).text()));
          const { content, stop_reason, stop_sequence } = whole;
          assert.deepEqual(streamed, { content, stop_reason, stop_sequence });
          const text = content.map((block) => block.text ?? '').join('');
          const allText = parts.map((each) => (each.kind === 'text' ? each.text : '')).join('');
          assert.ok(allText.startsWith(text));
          if (stop_reason !== 'stop_sequence') assert.equal(text, allText);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('stops where it has to', async () => {
    said = [{ kind: 'text', text: 'one ST' }, { kind: 'text', text: 'OP two' }, 'stall'];
    const stopped = (await (await ask(admit(), { ...simple, stop_sequences: ['STOP'] })).json()) as Answer;
    assert.deepEqual(
      [stopped.content[0]?.text, stopped.stop_reason, stopped.stop_sequence],
      ['one ', 'stop_sequence', 'STOP'],
    );
    said = [{ kind: 'text', text: 'one two three' }, 'stall'];
    const full = (await (await ask(admit(), { ...simple, max_tokens: 1 })).json()) as Answer;
    assert.equal(full.stop_reason, 'max_tokens');
    said = [{ kind: 'toolUse', id: 'c1', name: 'Read', input: { file_path: '/a.ts' } }];
    const asked = (await (await ask(admit(), { ...simple, max_tokens: 1 })).json()) as Answer;
    assert.equal(asked.stop_reason, 'tool_use');
  });

  it('counts tokens', async () => {
    const counted = await ask(admit(), simple, '/v1/messages/count_tokens?beta=true');
    assert.deepEqual(await counted.json(), { input_tokens: 2 });
    const { usage } = (await (await ask(admit(), simple)).json()) as Answer;
    assert.deepEqual([usage.input_tokens, usage.output_tokens], [2, 2]);
  });

  it('tells errors as the API does', async () => {
    const failing = async (error: Error, stream = false) => {
      said = [error];
      const response = await ask(admit(), { ...simple, stream });
      return [response.status, ((await response.json()) as { error: { type: string } }).error.type];
    };
    assert.deepEqual(await failing(new LanguageModelFailure('rateLimited', 'Later')), [
      429,
      'rate_limit_error',
    ]);
    assert.deepEqual(await failing(new LanguageModelFailure('notAllowed', 'No'), true), [
      403,
      'permission_error',
    ]);
    assert.deepEqual(await failing(new LanguageModelFailure('blocked', 'No')), [
      400,
      'invalid_request_error',
    ]);
    assert.deepEqual(await failing(new Error('Broken')), [500, 'api_error']);
    said = [{ kind: 'text', text: 'Hel' }, new LanguageModelFailure('failed', 'Broken')];
    const events = eventsIn(await (await ask(admit(), { ...simple, stream: true })).text());
    assert.deepEqual(events.at(-1), { type: 'error', error: { type: 'api_error', message: 'Broken' } });
  });

  it('says what is wrong with a request', async () => {
    const wrong = async (body: object | string, path?: string) => {
      const response = await ask(admit(), body, path);
      return `${response.status} ${((await response.json()) as { error: { message: string } }).error.message}`;
    };
    assert.match(await wrong('{'), /^400 .*not JSON/);
    assert.match(
      await wrong({ model: 'm', messages: [{ role: 'robot', content: '' }] }),
      /^400 messages\.0\.role/,
    );
    assert.match(await wrong(simple, '/v1/files'), /^404/);
    assert.match(await wrong('x'.repeat(33 * 1024 * 1024)), /^413/);
  });

  it('has the one answer that the user has named; else that of the name that is asked for, one of Claude, or the first', async () => {
    const asked: string[] = [];
    const named = (id: string, family: string): LanguageModel => ({
      ...model,
      id,
      family,
      send: (request, signal) => {
        asked.push(id);
        return model.send(request, signal);
      },
    });
    const first = named('first', 'gpt');
    for (const models of [[first, named('second', 'claude-sonnet-4.5')], [first]]) {
      const list = { list: () => Promise.resolve(models) };
      const response = await ask(proxy.admit(new LanguageModelUpstream(list, () => undefined)), simple);
      assert.equal(response.status, 200, await response.text());
    }
    const byName = [named('m', 'gpt'), first];
    const list = { list: () => Promise.resolve(byName) };
    for (const preferred of [undefined, 'first']) {
      await ask(proxy.admit(new LanguageModelUpstream(list, () => preferred)), { ...simple, model: 'm' });
    }
    assert.deepEqual(asked, ['second', 'first', 'm', 'first']);
  });

  it('says which models there are', async () => {
    const message = async (session: ProxiedSession) =>
      ((await (await ask(session, simple)).json()) as { error: { message: string } }).error.message;
    assert.match(await message(admit([model], 'two')), /no language model "two"; it has vendor\/one\.$/);
    assert.match(await message(admit([])), /no language model\.$/);
  });

  it('asks a model no further that stalls, or that nobody listens to', async () => {
    said = ['stall'];
    const stalled = await ask(admit(undefined, undefined, 100), simple);
    assert.equal(stalled.status, 529);
    await until('it is told', () => isAborted);
    isAborted = false;
    const cancel = new AbortController();
    const asking = ask(admit(), simple, undefined, cancel.signal);
    await until('it is asked', () => asked.length === 2);
    cancel.abort();
    await assert.rejects(asking);
    await until('it is told again', () => isAborted);
  });

  it('does not wait for a model that does not count, and tells it so', async () => {
    let told = 0;
    const countless: LanguageModel = {
      ...model,
      countTokens: (_text, signal) =>
        new Promise(() => signal.addEventListener('abort', () => told++, { once: true })),
    };
    const session = proxy.admit(
      new LanguageModelUpstream(
        { list: () => Promise.resolve([countless]) },
        () => 'vendor/one',
        undefined,
        50,
      ),
    );
    const over = AbortSignal.timeout(2_000);
    const counted = await ask(session, simple, '/v1/messages/count_tokens', over);
    assert.deepEqual(await counted.json(), { input_tokens: 1 });
    const { content, usage } = (await (await ask(session, simple, undefined, over)).json()) as Answer;
    assert.deepEqual([content[0]?.text, usage.input_tokens], ['Hello', 1]);
    assert.equal(told, 2);
  });

  it('says that a request is too large also while it is being sent, and lets it be sent', async () => {
    const env = admit().envWith({});
    const sending = httpRequest(`${env['ANTHROPIC_BASE_URL']}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': env['ANTHROPIC_API_KEY'], 'content-length': 64 * 1024 * 1024 },
    });
    const answered = once(sending, 'response');
    sending.write(Buffer.alloc(33 * 1024 * 1024, 'x'));
    const [response] = (await answered) as [IncomingMessage];
    assert.equal(response.statusCode, 413);
    // Else the CLI would be told of a connection that broke, and try again.
    sending.end(Buffer.alloc(31 * 1024 * 1024, 'x'));
    assert.match((await response.toArray()).join(''), /request_too_large/);
    await once(sending, 'close');
    assert.equal(sending.errored, null);
  });
});

interface StreamEvent {
  type: string;
  index?: number;
  content_block?: { type: string };
  delta?: { text?: string; partial_json?: string; stop_reason?: string; stop_sequence?: string | null };
}

function eventsIn(text: string): StreamEvent[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as StreamEvent);
}

/** As a client of the API puts them together. */
function joined(events: readonly StreamEvent[]) {
  const content: Record<string, unknown>[] = [];
  let end: object = {};
  for (const { type, index = 0, content_block, delta } of events) {
    if (type === 'content_block_start') content[index] = { ...content_block };
    const block = content[index];
    if (type === 'content_block_delta' && block) {
      if (delta?.text !== undefined) block['text'] = `${String(block['text'])}${delta.text}`;
      if (delta?.partial_json !== undefined) block['input'] = JSON.parse(delta.partial_json);
    }
    if (type === 'message_delta')
      end = { stop_reason: delta?.stop_reason, stop_sequence: delta?.stop_sequence };
  }
  return { content, ...end };
}
