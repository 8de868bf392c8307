import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { Report, Reports } from '../editor/reports.ts';
import type { Bridge } from '../server/bridge.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import { reportFailedStart } from './failedStart.ts';

/** Says why a CLI does not connect, and what went over the wire. */
export class DoctorFeature implements Disposable {
  private readonly subscription: Disposable;

  /** @param version of this extension */
  constructor(
    private readonly bridge: Bridge,
    private readonly processes: ChildProcesses,
    private readonly reports: Reports,
    private readonly records: SessionRecords,
    private readonly version: string,
  ) {
    this.subscription = reportFailedStart(bridge);
  }

  commands() {
    const { bridge, reports } = this;
    return {
      doctor: async () => reports.show('Claude Code Doctor.md', await this.examine()),
      copyReport: async () => copyReport(await this.examine()),
      showMessages: async () => {
        const { describeMessages } = await import('./pages.ts');
        await reports.show('Claude Code Messages.log', describeMessages(bridge.messages.all));
      },
    };
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private async examine(): Promise<Report> {
    const { examine } = await import('./pages.ts');
    return examine(this.bridge, this.processes, this.records, this.version);
  }
}

async function copyReport({ text }: Report): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage('Report copied, without the token.', 3_000);
}
