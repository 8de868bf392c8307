import assert from 'node:assert/strict';
import { CliConversation } from '../../../src/agent/cliConversation.ts';
import { Conversation } from '../../../src/agent/conversation.ts';
import { parseMessage } from '../../../src/agent/messages.ts';
import type { OutputPlace, Surface } from '../../../src/chat/surface.ts';
import { TurnView } from '../../../src/chat/turnView.ts';

/** What a turn shows, as one text: `<path>` is a link to a file, `{words: id}` to an output, `(words)` progress, `[title]` a button. */
class Shown implements Surface {
  text = '';
  parts = 0;

  markdown(text: string): void {
    this.parts++;
    this.text += text;
  }

  quote(text: string): void {
    this.parts++;
    this.text += text;
  }

  file(path: string, line?: number): void {
    this.parts++;
    this.text += `<${path}${line === undefined ? '' : `:${line}`}>`;
  }

  output(words: string, { toolUseId }: OutputPlace): void {
    this.parts++;
    this.text += `{${words}: ${toolUseId}}`;
  }

  progress(words: string): void {
    this.parts++;
    this.text += `(${words})`;
  }

  buttons(buttons: readonly { title: string }[]): void {
    this.parts++;
    this.text += buttons.map(({ title }) => `[${title}]`).join('');
  }

  get lines(): string[] {
    return this.text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  }
}

describe('a turn in the chat', () => {
  let conversation: Conversation;
  let cli: CliConversation;
  let shown: Shown;
  let view: TurnView;
  let seen: number;
  let prompt: string;

  beforeEach(() => {
    conversation = new Conversation();
    cli = new CliConversation(conversation);
    shown = new Shown();
    cli.addPrompt('an earlier one', 'sent');
    cli.addError('failed', 'of an earlier turn');
    seen = conversation.snapshot().seq;
    prompt = cli.addPrompt('hello', 'queued');
    view = new TurnView(
      shown,
      prompt,
      {
        remedies: ({ cause }) =>
          cause === 'notLoggedIn' ? [{ title: 'Log In', command: 'newSession' }] : [],
      },
      conversation.current,
    );
  });

  function update(): void {
    const next = conversation.updateSince(seen);
    if (next) {
      seen = next.type === 'snapshot' ? next.snapshot.seq : next.seq;
      view.show(next);
    }
  }

  function take(...messages: object[]): void {
    for (const json of messages) {
      const message = parseMessage(json);
      assert.ok(message, JSON.stringify(json));
      cli.take(message, json);
    }
    update();
  }

  const send = () => cli.change(prompt, { state: 'sent' });
  const event = (event: object) => ({ type: 'stream_event', event, parent_tool_use_id: null });
  const says = (content: object, parent: string | null = null, id = 'm1') => ({
    type: 'assistant',
    message: { id, content: [content] },
    parent_tool_use_id: parent,
  });
  const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
  const result = (id: string, content: string, is_error = false) => ({
    type: 'user',
    message: { content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
    parent_tool_use_id: null,
  });

  it('says text as it comes, once, and nothing of the turns before', () => {
    send();
    take(
      event({ type: 'message_start', message: { id: 'm1' } }),
      event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
    );
    assert.deepEqual(shown.lines, ['Hel']);
    take(event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } }));
    take(says({ type: 'text', text: 'Hello.' }));
    assert.deepEqual(shown.lines, ['Hello.']);
  });

  it('says that a request failed and is made again, and the error that is left once', () => {
    send();
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 10, retry_delay_ms: 609 };
    take(
      { ...retry, error_status: null, error: 'unknown' },
      { ...retry, attempt: 9, retry_delay_ms: 32_400, error_status: 429, error: 'rate_limit' },
      {
        ...says({ type: 'text', text: 'API Error' }),
        message: { model: '<synthetic>', content: [{ type: 'text', text: 'API Error' }] },
      },
      { type: 'result', subtype: 'success', is_error: true, result: 'API Error', duration_ms: 177_000 },
    );
    assert.deepEqual(shown.lines, [
      '(The model’s API cannot be reached: attempt 1 of 10 in 1 s)(The model’s API answers 429 (rate limit): attempt 9 of 10 in 32 s)',
      '**API Error**',
      '*Failed · 2 min 57 s · tried again 2 times*',
    ]);
  });

  it('has a line for each use of a tool, with a link, and those of sub-agents marked', () => {
    send();
    take(
      says(use('t1', 'Read', { file_path: '/a/[b](c).ts', offset: 3 })),
      says(use('t2', 'Task', { description: 'look *around*' })),
      says(use('t3', 'Grep', { pattern: 'a`b' }), 't2', 'm2'),
      says({ type: 'text', text: 'of the sub-agent' }, 't2', 'm2'),
      says(use('t4', 'mcp__db__query', {}), null, 'm3'),
      result('t1', '3\tone\n4\t\n\n<system-reminder>\nno line of it\n</system-reminder>'),
      result('t3', 'Found 2 files\nb.ts\nc.ts'),
    );
    take(result('t4', 'one row'), result('t2', 'It is\nround.'));
    assert.deepEqual(shown.lines, [
      '**Agent** look \\*around\\*',
      '**Use** ` query of db `',
      '**Read** </a/[b](c).ts:2> {1 line: t1}',
      '↳ **Search for** `` a`b `` {2 files: t3}',
      '**Use** ` query of db ` {1 line: t4}',
      '**Agent** look \\*around\\* {2 lines: t2}',
    ]);
  });

  it('shows the first lines of what a command says, and a link to the whole', () => {
    send();
    const output = Array.from({ length: 20 }, (_, index) => `line ${index}`).join('\n');
    take(says(use('t1', 'Bash', { command: 'ls' })), result('t1', output));
    assert.deepEqual(shown.lines.slice(0, 4), ['**Run** ` ls `', '```text', 'line 0', 'line 1']);
    assert.equal(shown.lines.at(-1), '{All 20 lines: t1}');
  });

  it('shows why a tool has failed, but not that the user has refused it', () => {
    send();
    take(
      says(use('t1', 'Read', { file_path: '/a' })),
      says(use('t2', 'Edit', { file_path: '/b' }), null, 'm2'),
    );
    cli.change(cli.addQuestion('Edit', 't2'), { state: 'denied' });
    take(result('t1', 'There is no such file.', true), result('t2', 'No thanks', true));
    assert.deepEqual(shown.lines, [
      '**Edit** </b>',
      '**Read** </a>',
      'Failed:',
      '```text',
      'There is no such file.',
      '```',
    ]);
  });

  it('names the tool again where a question stands between its line and what it has found', () => {
    send();
    take(says(use('t1', 'mcp__db__query', {})));
    cli.change(cli.addQuestion('mcp__db__query', 't1'), { state: 'allowed' });
    take(result('t1', 'one row'));
    assert.deepEqual(shown.lines, ['**Use** ` query of db `', '**Use** ` query of db ` {1 line: t1}']);
  });

  it('shows the list of tasks when it has changed', () => {
    send();
    const todos = (id: string, status: string) =>
      says(use(id, 'TodoWrite', { todos: [{ content: 'do it', status }] }), null, id);
    take(todos('t1', 'in_progress'), todos('t2', 'in_progress'));
    take(todos('t3', 'completed'));
    assert.deepEqual(shown.lines, ['▸ do it', '✓ do it']);
  });

  it('ends with what it took', () => {
    send();
    take({
      type: 'result',
      subtype: 'success',
      is_error: false,
      duration_ms: 12_400,
      total_cost_usd: 0.0123,
      usage: { input_tokens: 1_000, output_tokens: 20, cache_read_input_tokens: 2_400 },
    });
    assert.deepEqual(shown.lines, ['*12 s · 3.4k tokens in, 20 out · $0.012*']);
    cli.addError('ended', 'later');
    update();
    assert.equal(shown.lines.length, 1);
  });

  it('says what went wrong, with the button that mends it, also where it did not begin', () => {
    cli.addError('notStarted', 'Claude Code did not start.', 'ENOENT `x`');
    update();
    assert.deepEqual(shown.lines, ['**Claude Code did not start\\.**', '```text', 'ENOENT `x`', '```']);
    send();
    cli.addError('notLoggedIn', 'Please run /login');
    update();
    assert.equal(shown.lines.at(-1), '[Log In]');
  });

  it('can be gone on with where it was broken off, not where the user has to log in first', () => {
    send();
    cli.addError('notLoggedIn', 'Please run /login');
    update();
    assert.equal(view.isBrokenOff, false);
    cli.addError('failed', 'Overloaded');
    cli.addError('unreadable', 'Claude Code printed something that is no message.');
    update();
    assert.equal(view.isBrokenOff, true);
  });

  it('has no more than 300 lines of tools, and counts the others', () => {
    send();
    for (let i = 0; i < 5_000; i++) {
      take(
        event({ type: 'message_start', message: { id: `m${i}` } }),
        event({
          type: 'content_block_start',
          index: 0,
          content_block: { ...use(`t${i}`, 'Bash', {}), input: {} },
        }),
        says(use(`t${i}`, 'Bash', { command: 'ls' }), null, `m${i}`),
        result(`t${i}`, 'one'),
      );
    }
    take({ type: 'result', subtype: 'success' });
    const uses = shown.lines.filter((line) => line.includes('**Run**'));
    assert.equal(uses.length, 300);
    assert.ok(shown.parts < 2_000, String(shown.parts));
    assert.deepEqual(shown.lines.slice(-2), ['*4700 more uses of tools are not listed.*', '**']);
    assert.match(shown.text, /\(400 uses of tools\)\(500 uses of tools\)/);
  });

  it('has all of it where it was far behind', () => {
    send();
    for (let i = 0; i < 5_000; i++) {
      cli.take(parseMessage(says({ type: 'text', text: `${i}` }, null, `m${i}`)) ?? assert.fail(), {});
    }
    assert.equal(conversation.updateSince(seen)?.type, 'snapshot');
    update();
    assert.equal(shown.lines.length, 5_000);
  });

  it('shows the reason of a failed request as text', () => {
    send();
    const retry = { type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 2, retry_delay_ms: 1_000 };
    take({ ...retry, error_status: 500, error: '[x](command:y)' });
    assert.match(shown.text, /500 \(\\\[x\\\] \\\(command\\:y\\\)\)/);
  });

  it('shows of the list of tasks what has changed in it, without lines of their tools', () => {
    send();
    const step = (id: string, name: string, input: object, said: string) => [
      says(use(id, name, input), null, id),
      result(id, said),
    ];
    take(...step('t1', 'TaskCreate', { subject: 'a' }, 'Task #1 created successfully: a'));
    take(...step('t2', 'TaskCreate', { subject: 'b' }, 'Task #2 created successfully: b'));
    take(...step('t3', 'TaskUpdate', { taskId: '1', status: 'completed' }, 'Updated task #1 status'));
    take(...step('t4', 'TaskList', {}, '#1 [completed] a\n#2 [pending] b'));
    assert.deepEqual(shown.lines, ['○ a', '○ b', '✓ a']);
  });

  it('shows no more than 300 changes of the list of tasks', () => {
    send();
    for (let i = 1; i <= 400; i++) {
      const todos = [{ content: `${i}`, status: 'pending' }];
      take(says(use(`t${i}`, 'TodoWrite', { todos }), null, `t${i}`));
    }
    assert.equal(shown.lines.length, 300);
  });

  it('shows nothing of the turn before, which fails while its prompt waits, also where it begins anew', () => {
    cli.setState({ isRunning: true });
    cli.addError('notKept', 'The disk is full.');
    update();
    take({ type: 'result', subtype: 'success', is_error: true, result: 'API Error: 529' });
    send();
    update();
    cli.takeOther({ type: 'unknown', data: 'x'.repeat(9e6) }); // more than is kept for who is behind
    update();
    take(says({ type: 'text', text: 'fine' }), { type: 'result', subtype: 'success', is_error: false });
    assert.doesNotMatch(shown.text, /529|disk/);
    assert.match(shown.text, /fine/);
    assert.equal(view.isBrokenOff, false);
  });

  it('says of images that they are some, not how many lines their names take', () => {
    send();
    take(says(use('t1', 'Read', { file_path: '/a/b.png' })), result('t1', '[image]'));
    assert.deepEqual(shown.lines, ['**Read** </a/b.png> {1 image: t1}']);
  });
});
