import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { UndoneLines } from '../../../src/changes/changeSet.ts';
import { LineNumbers } from '../../../src/changes/lineNumbers.ts';
import { isUtf8Of, takeIn, type TakenIn } from '../../../src/changes/ownLines.ts';

const bytes = (lines: readonly string[]) => Buffer.from(lines.map((line) => `${line}\n`).join(''));
const linesOf = (text: Buffer) => text.toString().split('\n').filter(Boolean);

interface Edit {
  readonly how: 'add' | 'remove' | 'replace' | 'move';
  /** Lines. */
  readonly at: number;
  readonly to: number;
}

/**
 * Each text as one letter a line, and one more for each further save.
 * @returns the text from before as the last has made it, with a `?` where not all of that is in it
 */
function taken(before: string, ...texts: string[]): string {
  let [was, undone, isWhole]: [Buffer, UndoneLines | undefined, boolean] = [
    bytes([...before]),
    undefined,
    true,
  ];
  const numbers = new LineNumbers();
  for (const [index, to] of texts.slice(1).entries()) {
    const save = { from: bytes([...(texts[index] ?? '')]), to: bytes([...to]) };
    numbers.changes(numbers.of(save.from), numbers.of(was)); // as while the editor writes the file
    const found: TakenIn = takeIn(was, save, undone, numbers) ?? assert.fail();
    assert.deepEqual(takeIn(was, save, undone), found, 'what is known of the save before changes nothing');
    ({ bytes: was, isWhole, undone } = found);
  }
  return linesOf(was).join('') + (isWhole ? '' : '?');
}

describe('what the user saves, in the text from before', () => {
  it('is all that stands apart from what agents have changed', () => {
    assert.equal(taken('abcdef', 'aBcdef', 'aBcdefu'), 'abcdefu');
    assert.equal(taken('abcdef', 'aBcdef', 'uaBcdf'), 'uabcdf');
    assert.equal(taken('abcdef', 'abcXdef', 'abcXdeU'), 'abcdeU');
    assert.equal(taken('abcdef', 'abef', 'abeU'), 'abcdeU');
    assert.equal(taken('abcdef', 'aBcdef', 'aBCdef'), 'abCdef');
  });

  it('is not what touches that, and says so', () => {
    assert.equal(taken('abcdef', 'aBcdef', 'aUcdef'), 'abcdef?');
    assert.equal(taken('abcdef', 'aBcdef', 'aBucdef'), 'abcdef?');
    assert.equal(taken('abcdef', 'abef', 'abuef'), 'abcdef?');
    assert.equal(taken('abcdef', 'aBcdef', 'aUcdefu'), 'abcdefu?');
  });

  it('is what the user takes back of an agent’s', () => {
    assert.equal(taken('abcdef', 'aBcdeX', 'abcdeX'), 'abcdef');
    assert.equal(taken('abcdef', 'aXYbcdZf', 'abcdZf'), 'abcdef');
  });

  it('is no line of an agent’s that the user has moved or copied', () => {
    assert.equal(taken('abcdef', 'aXbcdef', 'abcdefX'), 'abcdef?');
    assert.equal(taken('abcdef', 'aXbcdef', 'aXbcdefX'), 'abcdef?');
    assert.equal(taken('ab}def', 'aX}b}def', 'ab}deX}f'), 'ab}def?');
  });

  it('is a line such as an agent has written, too, where there was one before', () => {
    assert.equal(taken('ab}def', 'aX}b}def', 'aX}b}defu}'), 'ab}defu}');
  });

  it('is no line of an agent’s that was cut out with one save, and put in with a later one', () => {
    assert.equal(taken('abcdef', 'aXbcdeYf', 'abcdeYf', 'abcXdeYf'), 'abcdef?');
    assert.equal(taken('abcdef', 'aXbcdeYf', 'abcdeYf', 'abcXudeYf'), 'abcdef?');
    assert.equal(taken('abcdef', 'aXbcdeYf', 'abcdeYf', 'abcudeYf'), 'abcudef');
    assert.equal(taken('abcdef', 'aXbcdeYf', 'abcdeYf', 'uabcdeYf', 'uabcXdeYf'), 'uabcdef?');
  });

  it('is no copy of a line, made by an agent, that was cut out with one save, and put in with a later one', () => {
    assert.equal(taken('abcdef', 'acbcdeYf', 'abcdeYf', 'abcdceYf'), 'abcdef?');
    assert.equal(taken('ab}def', 'a}b}deYf', 'ab}deYf', 'ab}d}eYf'), 'ab}def?');
    assert.equal(taken('ab}def', 'aX}b}deYf', 'ab}deYf', 'ab}dX}eYf'), 'ab}def?');
  });

  it('is a line such as one that was cut out, among others', () => {
    assert.equal(taken('ab}def', 'aX}b}deYf', 'ab}deYf', 'ab}du}eYf'), 'ab}du}ef');
    assert.equal(taken('abcdef', 'acbcdeYf', 'abcdeYf', 'abcdcueYf'), 'abcdcuef');
    assert.equal(taken('abcdef', 'abefY', 'abcdefY', 'abuefY'), 'abuef');
  });

  it('is not that the user takes out a line once more that an agent had, and that they had put back', () => {
    assert.equal(taken('abcdef', 'abdeYf', 'abcdeYf', 'abdeYf'), 'abcdef?');
    assert.equal(taken('abcdef', 'abdeYf', 'abcdeYf', 'uabcdeYf', 'uabdeYf'), 'uabcdef?');
    assert.equal(taken('abcdef', 'abdeYf', 'abcdeYf', 'abudeYf'), 'abudef');
    assert.equal(taken('abcdef', 'aXdeYf', 'abcdeYf', 'aXdeYf'), 'abcdef?');
  });

  it('is a line of which there are others, taken out among others', () => {
    assert.equal(taken('ab}de}', 'abdYe}', 'ab}dYe}', 'abdYe}'), 'ab}de}?');
    assert.equal(taken('ab}de}', 'abdYe}', 'ab}dYe}', 'ab}dY'), 'ab}d');
    assert.equal(taken('ab}def', 'abdeYf', 'ab}deYf', 'adeYf'), 'ab}def?');
  });

  it('is an empty line, wherever agents had one', () => {
    assert.equal(taken('ab def', 'a b deYf', 'ab deYf', 'ab d eYf'), 'ab d ef');
    assert.equal(taken('ab def', 'abdeYf', ' abdeYf'), ' ab def');
    assert.equal(taken('ab def', 'abdeYf', 'ab deYf', 'abdeYf'), 'abdef');
  });

  it('is not half of a move', () => {
    assert.equal(taken('abcdef', 'abcdefX', 'acdbefX'), 'acdbef');
    assert.equal(taken('abcdef', 'abcdefX', 'acdefbX'), 'abcdef?');
    assert.equal(taken('abcdef', 'aXcdef', 'aUcdbef'), 'abcdef?');
    assert.equal(taken('abcdef', 'abdef', 'adebf'), 'abcdef?');
    assert.equal(taken('abcdef', 'abdef', 'adef', 'adebf'), 'abcdef?');
  });

  it('is all else, beside half of a move', () => {
    assert.equal(taken('abcdef', 'abcdefX', 'uacdefbX'), 'uabcdef?');
  });

  it('knows of what was undone no more than the last of it', () => {
    const line = (letter: string) => `${letter.repeat(30_000)}\n`;
    const [was, cut] = ['abc', 'abcX'].map((text) => bytes([...text])) as [Buffer, Buffer];
    const from = Buffer.from(`${line('A')}a\n${line('B')}b\nc\nX\n`);
    const { undone } = takeIn(was, { from, to: cut }) ?? assert.fail();
    assert.deepEqual(undone, { added: [line('B')], removed: [] });
  });

  it('keeps every byte: line ends, byte order marks, and a last line without an end', () => {
    const [before, from, to] = [
      '\uFEFFa\r\nb\r\nc\nd',
      '\uFEFFa\r\nB\r\nc\nd',
      '\uFEFFa\r\nB\r\nc\nd\ne',
    ].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
    assert.equal(takeIn(before, { from, to })?.bytes.toString(), '\uFEFFa\r\nb\r\nc\nd\ne');
  });

  it('is not told of what has no lines, nor of a file that was not there', () => {
    const save = { from: Buffer.from('a\0'), to: Buffer.from('a\0b') };
    assert.equal(takeIn(Buffer.from('\0'), save), undefined);
    assert.equal(takeIn(undefined, { from: bytes(['a']), to: bytes(['a', 'b']) }), undefined);
  });

  it('is known only of the bytes that the editor has saved, in UTF-8', () => {
    assert.ok(isUtf8Of(Buffer.from('é\r\n'), 'é\r\n'));
    assert.ok(isUtf8Of(Buffer.from('\uFEFFé'), 'é'));
    assert.ok(!isUtf8Of(Buffer.from('é', 'latin1'), 'é'));
    assert.ok(!isUtf8Of(Buffer.from('é\nagent'), 'é\n'));
  });

  it('takes no line of an agent’s out of the review, and loses none, whatever is done', () => {
    const edit = fc.record<Edit>({
      how: fc.constantFrom('add', 'remove', 'replace', 'move'),
      at: fc.nat(20),
      to: fc.nat(20),
    });
    const edits = fc.array(edit, { maxLength: 4 });
    const edited = (lines: readonly string[], by: string, all: readonly Edit[]) =>
      all.reduce((left, { how, at, to }, index) => {
        const next = [...left];
        const removed = next.splice(at % (next.length + 1), how === 'add' ? 0 : 1);
        const added = how === 'remove' ? [] : how === 'move' ? removed : [`${by}${index}`];
        const place = how === 'move' ? to % (next.length + 1) : at % (next.length + 1);
        return next.toSpliced(place, 0, ...added);
      }, lines);
    fc.assert(
      fc.property(fc.nat(12), edits, edits, (count, byAgent, byUser) => {
        const was = Array.from({ length: count }, (_, index) => `line${index}`);
        const seen = edited(was, 'agent', byAgent);
        const saved = edited(seen, 'user', byUser);
        const found = takeIn(bytes(was), { from: bytes(seen), to: bytes(saved) }) ?? assert.fail();
        const after = linesOf(found.bytes);
        assert.deepEqual(
          after.filter((line) => line.startsWith('agent')),
          [],
        );
        for (const line of was) {
          assert.ok(after.includes(line) || !saved.includes(line), `${line} would be lost`);
        }
        for (const line of saved.filter((each) => each.startsWith('user'))) {
          assert.ok(after.includes(line) || !found.isWhole, `${line} would be lost without being named`);
        }
        for (const line of after) {
          assert.ok(was.includes(line) || saved.includes(line), `${line} was never there`);
        }
        for (const line of was.filter((each) => !seen.includes(each))) {
          assert.ok(after.includes(line), `that an agent has removed ${line} no longer waits`);
        }
      }),
      { numRuns: 5_000, seed: 12 },
    );
  });
});
