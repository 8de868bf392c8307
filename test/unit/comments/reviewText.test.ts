import assert from 'node:assert/strict';
import { placeText, reviewText, suggestionIn } from '../../../src/comments/reviewText.ts';

describe('the text of a review', () => {
  it('has file, lines, code and comment of each thread', () => {
    const text = reviewText([
      {
        path: 'src/a.ts',
        lines: { start: 2, end: 2 },
        quoted: ['const a = 1;'],
        isFileGone: false,
        isChanged: false,
        comments: ['Use a map.\n'],
      },
      {
        path: 'README',
        lines: { start: 4, end: 6 },
        quoted: ['```', 'x', '```'],
        isFileGone: false,
        isChanged: true,
        comments: ['Why?', 'And why not?'],
      },
    ]);
    assert.equal(
      text,
      [
        'Review of your changes, with 3 comments:',
        '',
        '1. src/a.ts, line 3:',
        '```ts',
        'const a = 1;',
        '```',
        'Use a map.',
        '',
        '2. README, lines 5 to 7 (which have changed since, or are gone):',
        '````',
        '```',
        'x',
        '```',
        '````',
        'Why?',
        'And why not?',
      ].join('\n'),
    );
  });

  it('quotes of many lines the first forty', () => {
    const quoted = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    const text = reviewText([
      {
        path: 'a',
        lines: { start: 0, end: 499 },
        quoted,
        isFileGone: false,
        isChanged: false,
        comments: ['Too long.'],
      },
    ]);
    assert.match(
      text,
      /lines 1 to 500:\n```\nline 0\n[\s\S]*\nline 39\n… \(460 more lines\)\n```\nToo long\.$/,
    );
  });

  it('counts lines from 1', () => {
    assert.deepEqual(
      [placeText({ start: 0, end: 0 }), placeText({ start: 0, end: 1 })],
      ['line 1', 'lines 1 to 2'],
    );
  });

  for (const [comment, suggestion] of [
    ['So:\n```suggestion\nconst a = 2;\n```\nplease', ['const a = 2;']],
    ['```suggestion\r\na\r\nb\r\n```', ['a', 'b']],
    ['```suggestion\n```', []],
    ['````suggestion\n```\n````', ['```']],
    ['```ts\nconst a = 2;\n```', undefined],
    ['suggestion', undefined],
    ['```suggestion\nnever closed', undefined],
    ['```suggestion\n\n```', ['']],
    ['```suggestion\r\n\r\n```', ['']],
    ['```suggestion\na\n\n```', ['a', '']],
  ] as const) {
    it(`suggests ${JSON.stringify(suggestion)} in ${JSON.stringify(comment)}`, () =>
      assert.deepEqual(suggestionIn(comment), suggestion));
  }

  it('quotes code also where the name of the file would end the fence', () => {
    const item = {
      lines: { start: 0, end: 0 },
      quoted: ['x'],
      isFileGone: false,
      isChanged: false,
      comments: [],
    };
    assert.match(reviewText([{ ...item, path: 'a.`b' }]), /\n```b\nx\n```\n?$/);
    assert.match(reviewText([{ ...item, path: 'a.c++' }]), /\n```c\+\+\nx\n```\n?$/);
  });
});
