import assert from 'node:assert/strict';
import { folded } from '../../../src/server/isAt.ts';

describe('the name of a file', () => {
  it('is the same on Windows with either slash, and in whatever case', () => {
    assert.equal(folded('C:\\Work\\A.ts', 'win32'), folded('c:/work/a.TS', 'win32'));
    assert.notEqual(folded('C:\\Work\\A.ts', 'win32'), folded('C:\\Work\\B.ts', 'win32'));
  });

  it('is itself elsewhere', () => {
    assert.equal(folded('/Work/a\\b', 'linux'), '/Work/a\\b');
  });
});
