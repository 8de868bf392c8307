import assert from 'node:assert/strict';
import { ExclusionPatterns } from '../../../src/sharing/exclusionPatterns.ts';

describe('patterns of what is never shared', () => {
  /** What the editor was asked to match. */
  let asked: (readonly string[])[];
  const none = (globs: readonly string[]) => {
    asked.push(globs);
    return false;
  };
  const all = (globs: readonly string[]) => !none(globs);

  beforeEach(() => {
    asked = [];
  });

  it('stand for names at any depth and for what is in a folder of that name', () => {
    new ExclusionPatterns(['*.log', 'secrets/', '**/docs/*.md', '/etc', 'C:/keys']).of('/a', none);
    assert.deepEqual(asked, [
      ['**/*.log', '**/*.log/**'],
      ['**/secrets', '**/secrets/**'],
      ['**/docs/*.md', '**/docs/*.md/**'],
      ['/etc', '/etc/**'],
      ['C:/keys', 'C:/keys/**'],
    ]);
  });

  it('are matched once for each path, whatever comes of it', () => {
    const patterns = new ExclusionPatterns(['a', 'b']);
    assert.equal(patterns.of('/excluded', all), 'a');
    assert.equal(patterns.of('/shared', none), undefined);
    asked = [];
    assert.equal(patterns.of('/excluded', none), 'a');
    assert.equal(patterns.of('/shared', all), undefined);
    assert.deepEqual(asked, []);
  });

  it('have another answer for another path, which a renamed file has', () => {
    const patterns = new ExclusionPatterns(['a']);
    assert.equal(patterns.of('/shared', none), undefined);
    assert.equal(patterns.of('/Shared', all), 'a');
  });

  it('remember the paths of a large workspace, and not all that there ever were', () => {
    const patterns = new ExclusionPatterns(['a']);
    const ask = (count: number) => {
      asked = [];
      Array.from({ length: count }, (_, i) => patterns.of(`/${i}`, none));
      return asked.length;
    };
    assert.equal(ask(10_000), 10_000);
    assert.equal(ask(10_000), 0);
    assert.equal(ask(10_001), 1);
    assert.equal(ask(10_000), 10_000); // the last one is all that they still knew
  });

  it('are on Windows as the editor writes paths there: with slashes, and small letters, which paths get for it', () => {
    new ExclusionPatterns(['C:/keys', 'C:\\Keys\\', 'secrets\\', 'Docs\\*.md'], 'win32').of('C:\\a', none);
    assert.deepEqual(asked, [
      ['c:/keys', 'c:/keys/**'],
      ['c:/keys', 'c:/keys/**'],
      ['**/secrets', '**/secrets/**'],
      ['**/docs/*.md', '**/docs/*.md/**'],
    ]);
    asked = [];
    new ExclusionPatterns(['C:\\Keys'], 'linux').of('/a', none);
    assert.deepEqual(asked, [['C:\\Keys', 'C:\\Keys/**']]);
  });
});
