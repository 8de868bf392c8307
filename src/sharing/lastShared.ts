import type { Disposable } from '../base/disposable.ts';
import { printable } from '../base/printable.ts';
import type { Report } from '../editor/reports.ts';
import { escaped } from '../editor/reportText.ts';
import type { Sharing } from './sharing.ts';
import type { Bridge } from '../server/bridge.ts';

interface Told {
  time: Date;
  to: string;
  payload: object;
}

const states = {
  on: 'Sharing is **on**.',
  paused: 'Sharing is **paused** in this window: nothing is shared until you resume it.',
  off: 'Sharing is **off**: nothing is shared.',
} as const;

/** The last that left of each kind, word for word. Kept in memory only. */
export class LastShared implements Disposable {
  private readonly last = new Map<string, Told>();
  private readonly subscription: Disposable;

  constructor(
    bridge: Bridge,
    private readonly sharing: Sharing,
  ) {
    this.subscription = bridge.onDidTell(({ what, payload, session }) => {
      this.last.set(what, { time: new Date(), to: session.label, payload });
    });
  }

  report(): Report {
    const newest = [...this.last].sort(([, a], [, b]) => b.time.getTime() - a.time.getTime());
    const patterns = this.sharing.patterns.map((pattern) => escaped(printable(pattern)));
    const text = [
      '# What Is Shared Now',
      states[this.sharing.state],
      `Never shared: ${patterns.join(', ')}.`,
      '## What left last, word for word',
      ...(newest.length === 0 ? ['Nothing yet.'] : []),
      ...newest.map(([what, told]) => section(what, told)),
    ].join('\n\n');
    return { text, actions: [] };
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

function section(what: string, { time, to, payload }: Told): string {
  const json = JSON.stringify(payload, undefined, 2);
  return `### ${what}\n\n${time.toLocaleTimeString()}, to ${escaped(to)}\n\n\`\`\`json\n${json}\n\`\`\``;
}
