import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { Reports } from '../editor/reports.ts';
import type { Bridge } from '../server/bridge.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { DoctorPage } from './doctorPage.ts';
import { reportFailedStart } from './failedStart.ts';

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
    this.subscription = reportFailedStart(bridge);
  }

  commands() {
    return {
      doctor: async () => {
        const { DoctorPage, examine } = await import('./pages.ts');
        this.page ??= new DoctorPage(this.bridge, () => examine(...this.examined));
        await this.page.show();
      },
      copyReport: async () => {
        const { examine, toMarkdown } = await import('./pages.ts');
        await vscode.env.clipboard.writeText(toMarkdown(await examine(...this.examined)));
        vscode.window.setStatusBarMessage('Report copied, without the token.', 3_000);
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
