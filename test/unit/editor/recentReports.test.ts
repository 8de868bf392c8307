import assert from 'node:assert/strict';
import { RecentReports } from '../../../src/editor/recentReports.ts';

describe('the pages that were shown last', () => {
  const page = (length: number) => ({ text: 'x'.repeat(length), actions: [] });
  const kept = (reports: RecentReports, ...paths: string[]) =>
    paths.filter((path) => reports.get(path) !== undefined);

  it('are kept up to a bound, and those that were shown first go', () => {
    const reports = new RecentReports();
    ['a', 'b', 'c', 'd'].forEach((path) => reports.put(path, page(600_000)));
    assert.deepEqual(kept(reports, 'a', 'b', 'c', 'd'), ['b', 'c', 'd']);
    reports.put('b', page(600_000));
    reports.put('e', page(600_000));
    assert.deepEqual(kept(reports, 'b', 'c', 'd', 'e'), ['b', 'd', 'e']);
  });

  it('have the last one, however long it is', () => {
    const reports = new RecentReports();
    reports.put('a', page(10));
    reports.put('b', page(3_000_000));
    assert.deepEqual(kept(reports, 'a', 'b'), ['b']);
  });
});
