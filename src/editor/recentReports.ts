import type { Report } from './reports.ts';

/** UTF-16 units of all pages together: a transcript has up to 400,000. */
const maxUnits = 2_000_000;

/** The pages that were shown last, within bounds: a window may show the transcripts of a hundred conversations. */
export class RecentReports {
  /** By path; what was shown last comes last. */
  private readonly reports = new Map<string, Report>();

  get(path: string): Report | undefined {
    return this.reports.get(path);
  }

  /** That one stays, however long it is. */
  put(path: string, report: Report): void {
    this.reports.delete(path);
    this.reports.set(path, report);
    let units = 0;
    for (const [each, { text }] of [...this.reports].reverse()) {
      units += text.length;
      if (units > maxUnits && each !== path) {
        this.reports.delete(each);
      }
    }
  }
}
