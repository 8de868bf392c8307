import type { Disposable } from '../base/disposable.ts';
import type { Reports } from '../editor/reports.ts';
import type { Examined } from './doctor.ts';
import type { DoctorPage } from './doctorPage.ts';

/** Says why a CLI does not connect, and what went over the wire. */
export class DoctorFeature implements Disposable {
  private readonly subscription: Disposable;
  private page: DoctorPage | undefined;

  constructor(
    private readonly examined: Examined,
    private readonly reports: Reports,
  ) {
    this.subscription = examined.bridge.onDidChangeState((state) => {
      if (state.kind === 'failed') {
        void import('./pages.ts').then(({ reportFailedStart }) => reportFailedStart(state.error.message));
      }
    });
  }

  commands() {
    return {
      doctor: async () => {
        const { DoctorPage } = await import('./pages.ts');
        this.page ??= new DoctorPage(this.examined);
        await this.page.show();
      },
      copyReport: async () => {
        const { copyReport } = await import('./pages.ts');
        await copyReport(this.examined);
      },
      showMessages: async () => {
        const { describeMessages } = await import('./pages.ts');
        await this.reports.show(
          'Claude Code Messages.log',
          describeMessages(this.examined.bridge.messages.all),
        );
      },
    };
  }

  dispose(): void {
    this.page?.dispose();
    this.subscription.dispose();
  }
}
