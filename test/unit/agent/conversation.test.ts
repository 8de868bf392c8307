import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { CliConversation, maxOthers } from '../../../src/agent/cliConversation.ts';
import { applyDelta, Conversation, type Update } from '../../../src/agent/conversation.ts';
import type { ConversationState, Delta, Item } from '../../../src/agent/items.ts';
import { parseMessage } from '../../../src/agent/messages.ts';

/** What a surface has put together. */
class Shown {
  readonly items = new Map<string, Item>();
  state: ConversationState = { isRunning: false };
  seq: number | undefined;

  take(update: Update): void {
    if (update.type === 'snapshot') {
      this.items.clear();
      update.snapshot.items.forEach((item) => this.items.set(item.id, item));
      this.state = update.snapshot.state;
      this.seq = update.snapshot.seq;
    } else {
      for (const delta of update.deltas) {
        this.state = applyDelta(this.items, this.state, delta);
      }
      this.seq = update.seq;
    }
  }
}

const id = fc.constantFrom('a', 'b', 'c');
const delta: fc.Arbitrary<Delta> = fc.oneof(
  id.map((name): Delta => ({ type: 'add', item: { id: name, kind: 'text', text: '', state: 'streaming' } })),
  fc.record({ type: fc.constant('append' as const), id, text: fc.string({ minLength: 1 }) }),
  id.map((name): Delta => ({ type: 'change', id: name, fields: { state: 'done' } })),
  id.map((name): Delta => ({ type: 'remove', id: name })),
  fc.string().map((model): Delta => ({ type: 'state', fields: { model } })),
);

function assertSame(shown: Shown, conversation: Conversation): void {
  const { items, state, seq } = conversation.snapshot();
  assert.deepEqual([[...shown.items.values()], shown.state, shown.seq ?? 0], [items, state, seq]);
}

describe('A conversation', () => {
  it('is the same on every surface, whenever it looks and however much it has missed', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            delta,
            looks: fc.array(fc.integer({ min: 0, max: 2 })),
            times: fc.constantFrom(1, 1, 3_000),
          }),
          {
            maxLength: 30,
          },
        ),
        (steps) => {
          const conversation = new Conversation();
          const surfaces = [new Shown(), new Shown(), new Shown()];
          for (const step of steps) {
            for (let i = 0; i < step.times; i++) {
              conversation.apply(step.delta);
            }
            for (const look of step.looks) {
              const update = conversation.updateSince(surfaces[look]?.seq);
              if (update) surfaces[look]?.take(update);
              assertSame(surfaces[look] ?? new Shown(), conversation);
            }
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('waits for no surface, and hands what came meanwhile over at once', async () => {
    const conversation = new Conversation();
    const slow = new Shown();
    const updates: Update[] = [];
    let goOn = () => {};
    conversation.attach(async (update) => {
      updates.push(update);
      await new Promise<void>((resolve) => (goOn = resolve));
      slow.take(update);
    });
    conversation.apply({ type: 'add', item: { id: 'a', kind: 'text', text: '', state: 'streaming' } });
    await Promise.resolve();
    for (let i = 0; i < 100; i++) {
      conversation.apply({ type: 'append', id: 'a', text: 'x' });
    }
    goOn();
    await new Promise(setImmediate);
    goOn();
    await new Promise(setImmediate);
    assert.equal(updates.length, 2);
    assert.deepEqual(updates[1], {
      type: 'deltas',
      seq: 101,
      deltas: [{ type: 'append', id: 'a', text: 'x'.repeat(100) }],
    });
    assertSame(slow, conversation);
  });

  it('keeps for surfaces that are behind no more than some megabytes, however large a step is', () => {
    const conversation = new Conversation();
    const add = (id: string, size: number) =>
      conversation.apply({ type: 'add', item: { id, kind: 'text', text: 'x'.repeat(size), state: 'done' } });
    add('a', 10);
    const [behind, near] = [new Shown(), new Shown()];
    const look = (surface: Shown) => {
      const update = conversation.updateSince(surface.seq) ?? assert.fail();
      surface.take(update);
      assertSame(surface, conversation);
      return update.type;
    };
    look(behind);
    for (let i = 0; i < 50; i++) {
      if (i === 45) look(near);
      add(`b${i}`, 200_000);
    }
    assert.equal(look(near), 'deltas');
    assert.equal(look(behind), 'snapshot');
    add('huge', 10_000_000);
    assert.equal(look(near), 'snapshot');
    add('small', 1);
    assert.equal(look(near), 'deltas');
  });

  it('goes on when a surface fails or is detached', async () => {
    const conversation = new Conversation();
    let shows = 0;
    const attached = conversation.attach(() => void shows++);
    conversation.attach(() => {
      throw new Error('gone');
    });
    await new Promise(setImmediate);
    const before = shows;
    attached.dispose();
    conversation.apply({ type: 'state', fields: { model: 'x' } });
    await new Promise(setImmediate);
    assert.deepEqual([shows, conversation.current.model], [before, 'x']);
  });
});

/** What a conversation is after those lines. */
function after(lines: readonly string[]): Item[] {
  const conversation = new Conversation();
  const cli = new CliConversation(conversation);
  for (const line of lines) {
    const json: unknown = JSON.parse(line);
    const message = parseMessage(json);
    if (message) cli.take(message, json);
    else cli.takeOther(json);
  }
  return [...conversation.snapshot().items];
}

function lineOf(item: Item): string {
  const indent = item.parent === undefined ? '' : '  ';
  switch (item.kind) {
    case 'text':
    case 'thinking':
      return `${indent}${item.kind} ${item.state}: ${item.text}`;
    case 'toolUse':
      return `${indent}${item.name} ${item.state}`;
    case 'turnEnd':
      return `turn ${item.outcome}`;
    default:
      return `${indent}${item.kind}`;
  }
}

describe('What the CLI prints becomes a conversation', () => {
  for (const version of ['2.1.330', '2.0.77', '1.0.128']) {
    it(`of ${version}`, () => {
      const file = path.join(import.meta.dirname, `../../fixtures/stream-json/${version}.jsonl`);
      const lines = readFileSync(file, 'utf8').trim().split('\n');
      const items = after(lines).filter(({ kind }) => kind !== 'other');
      const told = items.map(lineOf);
      assert.deepEqual(told.slice(0, 5), [
        'text done: I shall edit',
        'Read done',
        'Edit done',
        'text done: done',
        'turn done',
      ]);
      assert.ok(told.includes('  Bash done'), 'of the sub-agent');
      assert.ok(told.includes('turn interrupted'));
      assert.deepEqual(
        told.filter((line) => /streaming|running/.test(line)),
        [],
      );
      // Without the stream the same is there.
      const whole = after(lines.filter((line) => !line.startsWith('{"type":"stream_event"')));
      const texts = (all: Item[]) =>
        all
          .map(lineOf)
          .filter((line) => !/stopped/.test(line))
          .sort();
      assert.deepEqual(texts(whole.filter(({ kind }) => kind !== 'other')), texts(items));
    });
  }

  const stream = (event: object) =>
    JSON.stringify({ type: 'stream_event', event, parent_tool_use_id: null, session_id: 's' });
  const begun = (message: string) => [
    stream({ type: 'message_start', message: { id: message } }),
    stream({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    stream({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `of ${message}` } }),
  ];

  it('while it is being said', () => {
    const use = { type: 'tool_use', id: 't', name: 'Bash', input: {} };
    const lines = [
      ...begun('one'),
      stream({ type: 'content_block_start', index: 1, content_block: use }),
      stream({
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"comm' },
      }),
    ];
    assert.deepEqual(after(lines), [
      { id: 'item-1', kind: 'text', text: 'of one', state: 'streaming' },
      { id: 't', kind: 'toolUse', name: 'Bash', inputText: '{"comm', state: 'streaming' },
    ]);
  });

  it('without what was said before a request was made again', () => {
    assert.deepEqual(after([...begun('one'), ...begun('two')]).map(lineOf), ['text streaming: of two']);
  });

  const ownWords = (text: string) =>
    JSON.stringify({
      type: 'assistant',
      parent_tool_use_id: null,
      message: {
        id: 'm',
        model: '<synthetic>',
        usage: { input_tokens: 0 },
        content: [{ type: 'text', text }],
      },
    });
  const ended = (result: string, is_error: boolean) =>
    JSON.stringify({ type: 'result', subtype: 'success', is_error, result });

  it('with an error of the API once, as the error that ended the turn', () => {
    const lines = [ownWords('API Error: 529'), ended('API Error: 529', true)];
    assert.deepEqual(
      after(lines).map(({ kind }) => kind),
      ['error', 'turnEnd'],
    );
  });

  it('with what the CLI says in the model’s place where that is no error, or more follows', () => {
    const kinds = (...lines: string[]) => after(lines).map(({ kind }) => kind);
    assert.deepEqual(kinds(ownWords('No response requested.'), ended('', false)), ['text', 'turnEnd']);
    assert.deepEqual(kinds(ownWords('other words'), ended('API Error', true)), ['text', 'error', 'turnEnd']);
    assert.deepEqual(kinds(ownWords('API Error'), ownWords('API Error')), ['text']);
  });

  it('with requests that are made again', () => {
    const retry = {
      type: 'system',
      subtype: 'api_retry',
      attempt: 2,
      max_retries: 10,
      retry_delay_ms: 1_026,
    };
    assert.deepEqual(
      after(
        [
          { ...retry, error_status: null, error: 'unknown' },
          { ...retry, error_status: 529, error: 'overloaded' },
        ].map((each) => JSON.stringify(each)),
      ),
      [
        { id: 'item-1', kind: 'retry', attempt: 2, attempts: 10, delay: 1_026 },
        {
          ...{ id: 'item-2', kind: 'retry', attempt: 2, attempts: 10, delay: 1_026 },
          ...{ status: 529, reason: 'overloaded' },
        },
      ],
    );
  });

  it('with what nobody knows, as it came', () => {
    const unknown = { type: 'hologram', depth: 3 };
    assert.deepEqual(after([JSON.stringify(unknown), '17', 'null']), [
      { id: 'item-1', kind: 'other', json: unknown },
      { id: 'item-2', kind: 'other', json: 17 },
      { id: 'item-3', kind: 'other', json: null },
    ]);
  });

  it('with one list of what is to do, which changes', () => {
    const todo = (id: string, status: string) =>
      JSON.stringify({
        type: 'assistant',
        parent_tool_use_id: null,
        message: {
          id,
          content: [
            {
              type: 'tool_use',
              id: `t${id}`,
              name: 'TodoWrite',
              input: { todos: [{ content: 'x', status }] },
            },
          ],
        },
      });
    const lists = after([todo('1', 'pending'), todo('2', 'completed')]).filter(
      ({ kind }) => kind === 'todos',
    );
    assert.deepEqual(lists, [{ id: 'item-1', kind: 'todos', todos: [{ text: 'x', state: 'done' }] }]);
  });

  it('with the beginning of a result that is too long', () => {
    const lines = [
      {
        type: 'assistant',
        message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
      },
      {
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: 't', content: 'x'.repeat(300_000) }] },
      },
    ];
    const [use] = after(lines.map((line) => JSON.stringify(line)));
    assert.deepEqual(
      use?.kind === 'toolUse' && [use.result?.text.length, use.result?.leftOut],
      [200_000, 100_000],
    );
  });

  it('with the last results whole, and of those before the beginning', () => {
    const conversation = new Conversation();
    const cli = new CliConversation(conversation, 50_000);
    const say = (json: object) => cli.take(parseMessage(json) ?? assert.fail(), json);
    for (const id of ['a', 'b', 'c']) {
      say({
        type: 'assistant',
        message: { id, content: [{ type: 'tool_use', id, name: 'Bash', input: {} }] },
      });
      say({
        type: 'user',
        message: { content: [{ type: 'tool_result', tool_use_id: id, content: id.repeat(20_000) }] },
      });
    }
    const kept = ['a', 'b', 'c'].map((id) => {
      const item = conversation.get(id);
      return item?.kind === 'toolUse' && [item.state, item.result?.text.length, item.result?.leftOut];
    });
    assert.deepEqual(kept, [
      ['done', 2_000, 18_000],
      ['done', 20_000, undefined],
      ['done', 20_000, undefined],
    ]);
  });

  it('of ten thousand items', () => {
    const lines = Array.from({ length: 10_000 }, (_, i) => [
      ...begun(`m${i}`),
      JSON.stringify({
        type: 'assistant',
        message: { id: `m${i}`, content: [{ type: 'text', text: `of m${i}` }] },
      }),
    ]).flat();
    assert.equal(after(lines).length, 10_000);
  });

  it('with a result whose parts are not what they should be', () => {
    const content = [null, 'bare', 17, { type: 'text', text: 'whole' }, { type: 'image' }, {}];
    const lines = [
      {
        type: 'assistant',
        message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }] },
      },
      { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: 't', content }] } },
    ];
    const [use] = after(lines.map((line) => JSON.stringify(line)));
    assert.equal(
      use?.kind === 'toolUse' && use.result?.text,
      '[content]\nbare\n[content]\nwhole\n[image]\n[content]',
    );
  });

  it('with the last of what nobody knows, as much as has room', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(1, 1_000, 30_000, 400_000, 1_200_000), { maxLength: 30 }),
        fc.integer({ min: 0, max: 300 }),
        (sizes, small) => {
          const conversation = new Conversation();
          const shown = new Shown();
          const cli = new CliConversation(conversation);
          const came = [...sizes, ...Array<number>(small).fill(1)].map((size, n) => ({
            n,
            x: 'x'.repeat(size),
          }));
          came.forEach((json) => cli.takeOther(json));
          const kept = conversation.snapshot().items.map((item) => item.kind === 'other' && item.json);
          const next = came.slice(-kept.length - 1); // with the one before them
          const sizeOf = (all: unknown[]) =>
            all.reduce<number>((sum, each) => sum + JSON.stringify(each).length, 0);
          const hasRoom = (all: unknown[]) => all.length <= maxOthers.count && sizeOf(all) <= maxOthers.size;
          assert.deepEqual(kept, kept.length === 0 ? [] : came.slice(-kept.length));
          assert.ok(hasRoom(kept));
          assert.ok(kept.length === came.length || !hasRoom(next));
          shown.take(conversation.updateSince(undefined) ?? assert.fail());
          assertSame(shown, conversation);
        },
      ),
      { numRuns: 30 },
    );
  });

  const uses = (id: string, name: string, input: object, parent: string | null = null) => ({
    type: 'assistant',
    parent_tool_use_id: parent,
    message: { id: `m${id}`, content: [{ type: 'tool_use', id, name, input }] },
  });
  const hasSaid = (id: string, content: unknown, parent: string | null = null) => ({
    type: 'user',
    parent_tool_use_id: parent,
    message: { content: [{ type: 'tool_result', tool_use_id: id, content }] },
  });

  it('with one list of what is to do that is made step by step, also by sub-agents', () => {
    const init = (session_id: string) => ({ type: 'system', subtype: 'init', session_id });
    const lists = (...json: object[]) =>
      after(json.map((each) => JSON.stringify(each)))
        .flatMap((item) => (item.kind === 'todos' ? item.todos : []))
        .map(({ text, state }) => `${text} ${state}`);
    const created = [
      init('s'),
      uses('a', 'TaskCreate', { subject: 'first' }),
      hasSaid('a', 'Task #1 created successfully: first'),
      uses('b', 'TaskCreate', { subject: 'second' }, 'agent'),
      hasSaid('b', 'Task #2 created successfully: second', 'agent'),
    ];
    const step = (id: string, input: object, said: string) => [
      uses(id, 'TaskUpdate', input),
      hasSaid(id, said),
    ];
    assert.deepEqual(lists(...created), ['first pending', 'second pending']);
    assert.deepEqual(
      lists(
        ...created,
        ...step('c', { taskId: '1', status: 'completed' }, 'Updated task #1 status'),
        ...step(
          'd',
          { taskId: '2', subject: 'other', status: 'in_progress' },
          'Updated task #2 subject, status',
        ),
        ...step('e', { taskId: '9', status: 'completed' }, 'Task not found'),
        ...step('f', { taskId: '7', status: 'in_progress' }, 'Updated task #7 status'),
      ),
      ['first done', 'other running', '#7 running'],
    );
    assert.deepEqual(
      lists(...created, ...step('c', { taskId: '1', status: 'deleted' }, 'Updated task #1 deleted')),
      ['second pending'],
    );
    const refused = hasSaid('c', 'Sibling tool call errored');
    Object.assign(refused.message.content[0] ?? {}, { is_error: true });
    assert.deepEqual(lists(...created, uses('c', 'TaskList', {}), refused), [
      'first pending',
      'second pending',
    ]);
    const listed = '#2 [in_progress] second (plum) [blocked by #3]\n#3 [completed] third';
    assert.deepEqual(lists(...created, uses('c', 'TaskList', {}), hasSaid('c', listed)), [
      'second running',
      'third done',
    ]);
    const cleared = [uses('c', 'TaskCreate', {}), hasSaid('c', 'Task #1 created successfully: new')];
    assert.deepEqual(lists(...created, init('another'), ...cleared), ['new pending']);
  });

  it('with why a tool has failed, without the tags that the model reads', () => {
    const said = '<tool_use_error>Error: No such <b>tool</b></tool_use_error>';
    const failed = hasSaid('a', said);
    Object.assign(failed.message.content[0] ?? {}, { is_error: true });
    const texts = [failed, hasSaid('a', said)].map((each) =>
      after([uses('a', 'Edit', {}), each].map((json) => JSON.stringify(json))).map(
        (item) => item.kind === 'toolUse' && item.result?.text,
      ),
    );
    assert.deepEqual(texts, [['Error: No such <b>tool</b>'], [said]]);
  });

  it('with the images that its tools have found, and not its sub-agents, until it is compacted', () => {
    const conversation = new Conversation();
    const cli = new CliConversation(conversation);
    const say = (json: object) => cli.take(parseMessage(json) ?? assert.fail(), json);
    const picture = { type: 'image', source: { type: 'base64', data: Buffer.alloc(30).toString('base64') } };
    say(uses('a', 'Read', {}));
    say(hasSaid('a', [picture, { type: 'text', text: 'x' }, picture]));
    say(uses('b', 'Read', {}, 'agent'));
    say(hasSaid('b', [picture], 'agent'));
    assert.deepEqual(conversation.current.resultImages, { count: 2, bytes: 60 });
    say({ type: 'system', subtype: 'compact_boundary' });
    assert.deepEqual(conversation.current.resultImages, { count: 0, bytes: 0 });
  });
});
