import assert from 'node:assert/strict';
import { late, within } from '../../../src/editorTools/within.ts';

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

describe('what has to be there within a time', () => {
  const never = new Promise<never>(() => {});
  const signal = () => new AbortController().signal;

  it('is given, or fails as it does, and leaves no timer behind', async () => {
    const before = timers();
    assert.equal(await within(60_000, signal(), Promise.resolve(undefined)), undefined);
    await assert.rejects(within(60_000, signal(), Promise.reject(new Error('no'))), /no/);
    assert.equal(timers(), before);
  });

  it('is late when the time is over, and when the signal is aborted, also before', async () => {
    const before = timers();
    assert.equal(await within(1, signal(), never), late);
    const abort = new AbortController();
    const waiting = within(60_000, abort.signal, never);
    abort.abort();
    assert.equal(await waiting, late);
    assert.equal(await within(60_000, abort.signal, never), late);
    assert.equal(timers(), before);
  });
});
