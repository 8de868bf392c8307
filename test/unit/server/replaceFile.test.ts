import assert from 'node:assert/strict';
import { whileHeld } from '../../../src/server/replaceFile.ts';

describe('what is done to a file that another program may look at', () => {
  /** Fails so many times. @returns how often it was tried */
  function tried(failures: number, code: string, platform: NodeJS.Platform): number {
    let times = 0;
    const work = () => {
      if (times++ < failures) {
        throw Object.assign(new Error(code), { code });
      }
    };
    try {
      whileHeld(work, platform);
    } catch (error) {
      assert.equal((error as Error).message, code);
      return -times;
    }
    return times;
  }

  it('is tried again on Windows', () => {
    for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
      assert.equal(tried(3, code, 'win32'), 4);
    }
  });

  it('is not tried for more than a moment', () => {
    const begun = performance.now();
    assert.equal(tried(Infinity, 'EPERM', 'win32'), -6);
    assert.ok(performance.now() - begun >= 80);
  });

  it('is tried once where it fails for another reason, or on another system', () => {
    assert.equal(tried(1, 'ENOSPC', 'win32'), -1);
    assert.equal(tried(1, 'EACCES', 'linux'), -1);
  });
});
