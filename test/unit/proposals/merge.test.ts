import assert from 'node:assert/strict';
import fc from 'fast-check';
import { merged, textToTell } from '../../../src/proposals/merge.ts';

const asText = (letters: string) => [...letters].map((line) => `${line}\n`).join('');
const bytes = (letters: string) => Buffer.from(asText(letters));

/** Each text as one letter a line. */
const merge = (base: string, now: string, proposed: string) => {
  const { text, leftOut } = merged(bytes(base), bytes(now), asText(proposed)) ?? assert.fail();
  return `${text.replaceAll('\n', '')} ${leftOut}`;
};
const tell = (base: string, now: string, shown: string, proposed = base) =>
  textToTell(bytes(base), bytes(now), asText(shown), asText(proposed))?.replaceAll('\n', '');

describe('the merge of a proposal with a file that has changed since', () => {
  it('has the changes of both', () => {
    assert.equal(merge('abcdef', 'abcdefg', 'aBcdef'), 'aBcdefg 0');
    assert.equal(merge('abcdef', 'xabef', 'abcdeF'), 'xabeF 0');
  });

  it('leaves out what touches lines that are newer', () => {
    assert.equal(merge('abcdef', 'aXcdef', 'aBcdeF'), 'aXcdeF 1');
    assert.equal(merge('abcdef', 'af', 'abCdeF'), 'aF 1');
  });

  it('is told without what is newer', () => {
    assert.equal(tell('abcdef', 'abdef', 'abDef', 'abcDef'), 'abcDef');
    assert.equal(tell('abcdef', 'abcdefg', 'aBcdefg'), 'aBcdef');
    assert.equal(tell('abcdef', 'xabcdef', 'xabcdE'), 'abcdE');
    assert.equal(tell('abcdef', 'acdef', 'acdeF'), 'abcdeF');
  });

  it('has nothing to tell where the newer lines are to go, or to be others', () => {
    assert.equal(tell('abcdef', 'abcdefg', 'aBcdef'), undefined);
    assert.equal(tell('abcdef', 'abcdefg', 'abcdefG'), undefined);
  });

  it('takes line ends and byte order marks for no change', () => {
    const crlf = Buffer.from('\uFEFFa\r\nb\r\nc\r\nd\r\n');
    assert.deepEqual(merged(bytes('abc'), crlf, asText('Abc')), { text: 'A\nb\nc\nd\n', leftOut: 0 });
    const wide = Buffer.from('\uFEFFa\nb\nc\nd\n', 'utf16le');
    assert.deepEqual(merged(wide, bytes('abcde'), asText('Abcd')), { text: asText('Abcde'), leftOut: 0 });
  });

  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd'), maxLength: 12 });

  it('loses no line that is newer: each that has come since is there, whatever was proposed', () => {
    fc.assert(
      fc.property(letters, letters, letters, (base, common, proposed) => {
        const now = `${common}N`; // in no other text
        assert.ok(merge(base, now, proposed).includes('N'));
      }),
      { numRuns: 1_000 },
    );
  });

  it('what is told makes of the file what was shown, for a client that makes its changes there', () => {
    fc.assert(
      fc.property(letters, letters, letters, letters, (base, now, proposed, typed) => {
        const { text } = merged(bytes(base), bytes(now), asText(proposed)) ?? assert.fail();
        for (const shown of [text, asText(typed)]) {
          const told = textToTell(bytes(base), bytes(now), shown, asText(proposed));
          assert.ok(told === undefined || merged(bytes(base), bytes(now), told)?.text === shown);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('is always known where nothing was left out, nor typed', () => {
    fc.assert(
      fc.property(letters, letters, letters, (base, now, proposed) => {
        const { text, leftOut } = merged(bytes(base), bytes(now), asText(proposed)) ?? assert.fail();
        const told = textToTell(bytes(base), bytes(now), text, asText(proposed));
        assert.equal(leftOut === 0 && told !== asText(proposed), false);
      }),
      { numRuns: 1_000 },
    );
  });
});
