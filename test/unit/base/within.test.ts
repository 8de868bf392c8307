import assert from 'node:assert/strict';
import { late, within } from '../../../src/base/within.ts';

describe('what has to be there within a time', () => {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const timers = new Set<unknown>();
  beforeEach(() => {
    timers.clear();
    globalThis.setTimeout = ((...args: Parameters<typeof set>) => {
      const timer = set(...args);
      timers.add(timer);
      return timer;
    }) as typeof set;
    globalThis.clearTimeout = ((timer?: NodeJS.Timeout) => {
      timers.delete(timer);
      clear(timer);
    }) as typeof clear;
  });
  afterEach(() => Object.assign(globalThis, { setTimeout: set, clearTimeout: clear }));

  const never = new Promise<never>(() => {});
  const signal = () => new AbortController().signal;

  it('is given, or fails as it does, and leaves no timer behind', async () => {
    assert.equal(await within(60_000, signal(), Promise.resolve(undefined)), undefined);
    await assert.rejects(within(60_000, signal(), Promise.reject(new Error('no'))), /no/);
    assert.equal(timers.size, 0);
  });

  it('is late when the time is over, and when the signal is aborted, also before', async () => {
    assert.equal(await within(1, signal(), never), late);
    const abort = new AbortController();
    const waiting = within(60_000, abort.signal, never);
    abort.abort();
    assert.equal(await waiting, late);
    assert.equal(await within(60_000, abort.signal, never), late);
    assert.equal(timers.size, 0);
  });
});
