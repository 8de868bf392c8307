import assert from 'node:assert/strict';
import fc from 'fast-check';
import { JsonLines } from '../../../src/server/jsonLines.ts';

/** What comes of these chunks. */
function read(
  chunks: readonly Buffer[],
  maxBytes?: number,
): { json: unknown[]; unreadable: [string, number][] } {
  const json: unknown[] = [];
  const unreadable: [string, number][] = [];
  const lines = new JsonLines(
    { onJson: (value) => json.push(value), onUnreadable: (text, bytes) => unreadable.push([text, bytes]) },
    maxBytes,
  );
  chunks.forEach((chunk) => lines.push(chunk));
  lines.end();
  return { json, unreadable };
}

describe('JSON lines', () => {
  it('are read whole, whatever pieces they come in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (values, sizes) => {
          const bytes = Buffer.from(values.map((value) => JSON.stringify(value)).join('\r\n'));
          const chunks: Buffer[] = [];
          for (let at = 0; at < bytes.length;) {
            chunks.push(bytes.subarray(at, (at += sizes[chunks.length % sizes.length] ?? 1)));
          }
          const expected = values.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
          assert.deepEqual(read(chunks), { json: expected, unreadable: [] });
        },
      ),
    );
  });

  it('that are none are told, and what follows is read', () => {
    const { json, unreadable } = read([Buffer.from('Debugger attached.\n\n{"a":1}\n{"b":')]);
    assert.deepEqual(json, [{ a: 1 }]);
    assert.deepEqual(unreadable, [
      ['Debugger attached.', 18],
      ['{"b":', 5],
    ]);
  });

  it('that are too long are let go by, with their beginning, and without keeping them', () => {
    const chunk = Buffer.from('ü'.repeat(5_000));
    const { json, unreadable } = read(
      [...Array.from({ length: 100 }, () => chunk), Buffer.from('\n{"a":1}\n')],
      20_000,
    );
    assert.deepEqual(json, [{ a: 1 }]);
    assert.deepEqual(unreadable, [['ü'.repeat(500), 1_000_000]]);
  });
});
