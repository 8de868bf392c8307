import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { bytesLike, textOf } from '../../../src/editorTools/fileBytes.ts';

describe('a text written as its file has its own', () => {
  const written = (before: string, text: string) => bytesLike(Buffer.from(before), text).toString();

  it('has its byte order mark and its line ends', () => {
    assert.equal(written('\uFEFFa\r\nb\r\n', 'A\nb\nc\n'), '\uFEFFA\r\nb\r\nc\r\n');
    assert.equal(written('a\nb', 'a\nc'), 'a\nc');
    assert.equal(written('a\rb\r', 'b\n'), 'b\r');
    assert.equal(written('', 'a\nb\n'), 'a\nb\n');
    assert.equal(written('a\r\n', ''), '');
  });

  it('keeps each line end of a file that mixes them, and gives new lines what most have', () => {
    assert.equal(written('a\r\nb\nc\r\nd\n', 'a\nb\nnew\nc\nd\n'), 'a\r\nb\nnew\nc\r\nd\n');
    assert.equal(written('a\r\nb\r\nc\nd\r\n', 'a\nc\nx\nd\n'), 'a\r\nc\nx\r\nd\r\n');
  });

  it('is no other byte where the text is the same', () => {
    const part = fc.constantFrom('a', 'b', 'ü', '😀', '\r\n', '\n', '\r', '\u2028', ' ');
    fc.assert(
      fc.property(fc.boolean(), fc.array(part, { maxLength: 40 }), (hasMark, parts) => {
        const before = Buffer.from((hasMark ? '\uFEFF' : '') + parts.join(''));
        assert.deepEqual(bytesLike(before, textOf(before) ?? ''), before);
      }),
    );
  });

  it('is that text when it is read again', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '\n'), { maxLength: 40 }).map((all) => all.join(''));
    const file = fc.array(fc.constantFrom('a', 'b', 'c', '\r\n', '\n'), { maxLength: 40 });
    fc.assert(
      fc.property(file, text, (before, after) => {
        assert.equal(textOf(bytesLike(Buffer.from(before.join('')), after)), after);
      }),
    );
  });

  it('is none for what is no UTF-8', () => {
    assert.equal(textOf(Buffer.from([0x66, 0xfc, 0x72])), undefined);
  });
});
