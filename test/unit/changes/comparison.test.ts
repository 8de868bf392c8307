import assert from 'node:assert/strict';
import { compare } from '../../../src/changes/comparison.ts';

describe('a comparison of two files', () => {
  const counts = (before: string, now: string) => {
    const compared = compare(Buffer.from(before), Buffer.from(now));
    return compared.kind === 'same'
      ? 'same'
      : compared.lines && `+${compared.lines.added} −${compared.lines.removed}`;
  };
  const hunks = (before: string, now: string) => {
    const compared = compare(Buffer.from(before), Buffer.from(now));
    return compared.kind === 'same' ? 0 : compared.lines?.hunks;
  };
  const lines = (count: number, what = 'a line of some words') =>
    Array.from({ length: count }, (_, i) => `${what} ${i}\n`);

  it('counts whole lines, where they begin and end alike, too', () => {
    assert.equal(counts('', ''), 'same');
    assert.equal(counts('a\nX\n', 'b X\n'), '+1 −2');
    assert.equal(counts('ab\n', 'a\nb\n'), '+2 −1');
    assert.equal(counts('one\ntwo\n', 'one\ntwo'), '+1 −1');
    assert.equal(counts('a\na\n', 'a\na\na\n'), '+1 −0');
    assert.equal(counts('a\na\na\n', 'a\na\n'), '+0 −1');
    assert.equal(counts('a\nb', 'a\nb\nc'), '+2 −1');
  });

  it('counts the hunks, which are decided one by one', () => {
    assert.equal(hunks('a\nb\nc\nd\n', 'A\nb\nc\nD\n'), 2);
    assert.equal(hunks('a\nb\nc\nd\n', 'b\nc\nd\nd\ne\n'), 2);
    assert.equal(hunks('a\nb\n', 'A\nB\n'), 1);
    assert.equal(hunks('', 'a\nb\n'), 1);
  });

  it('counts what differs but for its line ends, where those are others, and tells them', () => {
    const of = (before: string, now: string) => {
      const compared = compare(Buffer.from(before), Buffer.from(now));
      return compared.kind === 'same' ? undefined : compared.lines;
    };
    const text = 'a\nb\nc\nd\n';
    const crLf = text.replaceAll('\n', '\r\n');
    assert.deepEqual(of(text, crLf), { added: 0, removed: 0, hunks: 0, lineEnds: 'CRLF' });
    assert.deepEqual(of(crLf, text.replace('b', 'B')), { added: 1, removed: 1, hunks: 1, lineEnds: 'LF' });
    const long = lines(3_000);
    const converted = long.with(2_000, 'other\n').join('').replaceAll('\n', '\r\n');
    assert.deepEqual(of(long.join(''), converted), { added: 1, removed: 1, hunks: 1, lineEnds: 'CRLF' });
    assert.deepEqual(of(text, text.replace('b\n', 'b\r\n')), { added: 1, removed: 1, hunks: 1 });
    assert.deepEqual(of(text, `${text}e\r\n`), { added: 1, removed: 0, hunks: 1 });
  });

  it('counts the same in a large file, wherever the change is', () => {
    const before = lines(200_000);
    for (const at of [0, 1, 100_000, 199_998, 199_999]) {
      assert.equal(counts(before.join(''), before.with(at, 'other\nanother\n').join('')), '+2 −1');
      assert.equal(counts(before.join(''), before.toSpliced(at, 1).join('')), '+0 −1');
    }
  });

  it('counts the lines of a large file that is new or gone', () => {
    const bytes = Buffer.from(lines(500_000).join(''));
    assert.deepEqual(compare(undefined, bytes), {
      kind: 'created',
      lines: { added: 500_000, removed: 0, hunks: 1 },
    });
    assert.deepEqual(compare(bytes, undefined), {
      kind: 'deleted',
      lines: { added: 0, removed: 500_000, hunks: 1 },
    });
  });

  describe('of which too much differs tells no lines, and makes none:', () => {
    /** How many bytes are made into strings meanwhile. */
    function decoding(act: () => unknown): number {
      const prototype = Buffer.prototype as Buffer;
      // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its buffer below
      const original = prototype.toString;
      let bytes = 0;
      prototype.toString = function (this: Buffer, ...args: Parameters<Buffer['toString']>) {
        bytes += this.length;
        return original.apply(this, args);
      };
      try {
        act();
      } finally {
        prototype.toString = original;
      }
      return bytes;
    }

    for (const [what, before, now] of [
      ['500,000 lines, all changed', lines(500_000), lines(500_000, 'another line')],
      ['one of 20 MB', ['x'.repeat(20_000_000)], [`${'x'.repeat(9_999_999)}y${'x'.repeat(10_000_000)}`]],
    ] as const) {
      it(what, () => {
        const [a, b] = [Buffer.from(before.join('')), Buffer.from(now.join(''))];
        assert.equal(
          decoding(() => assert.deepEqual(compare(a, b), { kind: 'modified' })),
          0,
        );
      });
    }

    it('a million empty lines', () => {
      assert.deepEqual(compare(Buffer.from(`a${'\n'.repeat(1e6)}b`), Buffer.from(`b${'\n'.repeat(1e6)}a`)), {
        kind: 'modified',
      });
    });
  });

  it('tells what is binary on either side, which a text in UTF-16 is not', () => {
    const isBinary = (before: Buffer, now: Buffer) => {
      const compared = compare(before, now);
      return compared.kind === 'modified' && compared.isBinary === true;
    };
    const [text, binary] = [Buffer.from('a\n'), Buffer.from([0, 1, 2])];
    assert.ok(isBinary(text, binary));
    assert.ok(isBinary(binary, text));
    assert.ok(!isBinary(text, Buffer.from('b\n')));
    assert.ok(!isBinary(text, Buffer.from('\uFEFFb\n', 'utf16le')));
    assert.ok(!isBinary(text, Buffer.from('\uFEFFb\n', 'utf16le').swap16()));
  });
});
