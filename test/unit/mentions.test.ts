import assert from 'node:assert/strict';
import { inFormFor } from '../../src/context/mentions.ts';

const cell = { filePath: '/w/a.ipynb', cellId: 'c1' };
const cli = (version: string) => ({ name: 'claude-code', version });

describe('a mention', () => {
  it('names the cell of a notebook in its path, for CLIs that read it from there', () => {
    assert.deepEqual(inFormFor(cli('2.1.330'), cell), { filePath: '/w/a.ipynb#c1' });
    assert.deepEqual(inFormFor(cli('2.1.110'), { ...cell, filePath: '/w/a b.ipynb' }), {
      filePath: '"/w/a b.ipynb#c1"',
    });
    for (const version of ['2.1.20', '2.0.77', '1.0.128']) {
      assert.deepEqual(inFormFor(cli(version), cell), { filePath: '/w/a.ipynb' });
    }
  });

  it('goes to other clients as it is', () => {
    assert.deepEqual(inFormFor({ name: 'other', version: '9' }, cell), cell);
  });

  it('brings quotes for a space, with the lines inside', () => {
    const lines = { filePath: '/w/a b.txt', lineStart: 1, lineEnd: 3 };
    assert.deepEqual(inFormFor(cli('2.0.77'), lines), { filePath: '"/w/a b.txt#L2-4"' });
    assert.deepEqual(inFormFor(cli('2.0.77'), { ...lines, filePath: '/w/a.txt' }), {
      ...lines,
      filePath: '/w/a.txt',
    });
  });
});
