import type { Disposable } from '../base/disposable.ts';
import type { Reports } from '../editor/reports.ts';
import type { Bridge } from '../server/bridge.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { DoctorPage } from './doctorPage.ts';

/** Says why a CLI does not connect, and what went over the wire. */
export class DoctorFeature implements Disposable {
  private readonly subscription: Disposable;
  private readonly examined: [Bridge, ChildProcesses, SessionRecords, string];
  private page: DoctorPage | undefined;

  /** @param version of this extension */
  constructor(
    private readonly bridge: Bridge,
    processes: ChildProcesses,
    private readonly reports: Reports,
    records: SessionRecords,
    version: string,
  ) {
    this.examined = [bridge, processes, records, version];
    this.subscription = bridge.onDidChangeState((state) => {
      if (state.kind === 'failed') {
        void import('./pages.ts').then(({ reportFailedStart }) => reportFailedStart(state.error.message));
      }
    });
  }

  commands() {
    return {
      doctor: async () => {
        const { DoctorPage, examine } = await import('./pages.ts');
        this.page ??= new DoctorPage(this.bridge, () => examine(...this.examined));
        await this.page.show();
      },
      copyReport: async () => {
        const { copyReport, examine } = await import('./pages.ts');
        await copyReport(await examine(...this.examined));
      },
      showMessages: async () => {
        const { describeMessages } = await import('./pages.ts');
        await this.reports.show('Claude Code Messages.log', describeMessages(this.bridge.messages.all));
      },
    };
  }

  dispose(): void {
    this.page?.dispose();
    this.subscription.dispose();
  }
}
