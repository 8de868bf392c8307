import assert from 'node:assert/strict';
import type { Item } from '../../../src/agent/items.ts';
import { transcriptName, transcriptText } from '../../../src/past/transcriptText.ts';

const head = { title: 'A *title*', facts: ['Id: x'] };
const prompt = (text: string): Item => ({ id: '1', kind: 'prompt', text, state: 'sent' });
const answer = (text: string): Item => ({ id: '2', kind: 'text', text, state: 'done' });
const shown = (...items: Item[]) => transcriptText(head, items).split('\n---\n')[1]?.trim();

describe('A transcript as a page', () => {
  it('begins with what is known of the conversation', () => {
    assert.match(transcriptText(head, []), /^# A \\\*title\\\*\n\nId\\: x\n\n---\n\n\*Nothing was said\.\*$/);
  });

  it('has prompts, answers and tools, each as it was', () => {
    const bash = { id: '3', kind: 'toolUse', name: 'Bash', inputText: '' } as const;
    assert.equal(
      shown(
        prompt('hello\nthere'),
        { id: '4', kind: 'thinking', text: 'hm', state: 'done' },
        answer('one\n\ntwo'),
        { ...bash, input: { command: 'npm test\nexit' }, state: 'done' },
        { ...bash, input: { command: 'ls' }, state: 'failed', result: { text: 'no\n```', isError: true } },
      ),
      [
        '## You',
        'hello  \nthere',
        'one\n  \ntwo',
        '▸ Run ` npm test ⏎ exit `',
        '▸ Run ` ls ` — *failed*',
        '````text\nno\n```\n````',
      ].join('\n\n'),
    );
  });

  it('keeps lists, headings, code and what is bold', () => {
    assert.equal(
      shown(answer('# Head\n- a **b** `c_d`\n  1. e\n```ts\nx<y>\n```\nend')),
      '**Head**\n  \n- a **b** ` c_d `  \n  1. e\n\n```ts\nx<y>\n```\n\nend',
    );
  });

  for (const hostile of [
    '![x](https://h/x.png)',
    '<img src=x>',
    '[a](command:b)',
    'https://h.example/x',
    '| a |\n|---|\n| ![x](y) |',
    '> ![x](y)',
    '**![x](y)**',
    '# ![x](y)',
    '- <b>x</b>',
    '[a]: https://h',
    'a\n===',
  ]) {
    it(`takes nothing for more than words: ${JSON.stringify(hostile)}`, () => {
      const text = shown(prompt(hostile)) ?? '';
      assert.doesNotMatch(text, /(^|[^\\])([![\]<>|:]|\n=)/, text);
    });
  }

  it('ends no block before its time', () => {
    const text = shown(answer('````\n```\n![x](y)\n```\n````\n~~~\n![x](y)')) ?? '';
    assert.equal(text, '````\n```\n![x](y)\n```\n````\n\n```\n![x](y)\n```');
  });

  it('leaves out the beginning of what is too long, and says so', () => {
    const many = Array.from({ length: 60 }, (_, index) => answer(`${index} ${'x'.repeat(19_000)}`));
    const text = transcriptText(head, many);
    assert.ok(text.length < 420_000);
    assert.ok(text.includes('*39 entries before these left out.*\n\n39 x'));
    assert.match(shown(answer('y'.repeat(20_007))) ?? '', /y\n\n\*7 more characters left out\.\*$/);
  });

  it('has a name that is one of a file, and its own', () => {
    assert.equal(transcriptName('a/b: ../c#d?', 'e1234567-8'), 'a-b- ..-c-d- (e1234567).md');
  });
});
