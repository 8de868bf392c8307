import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { Report, Reports } from '../editor/reports.ts';
import type { Bridge } from '../server/bridge.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import { examine } from './doctor.ts';
import { reportFailedStart } from './failedStart.ts';
import { describeMessages } from './inspector.ts';

/** Says why a CLI does not connect, and what went over the wire. */
export class DoctorFeature implements Disposable {
  private readonly subscription: Disposable;

  /** @param version of this extension */
  constructor(
    private readonly bridge: Bridge,
    private readonly processes: ChildProcesses,
    private readonly reports: Reports,
    private readonly version: string,
  ) {
    this.subscription = reportFailedStart(bridge);
  }

  commands() {
    const { bridge, reports } = this;
    return {
      doctor: async () => reports.show('Claude Code Doctor.md', await this.examine()),
      copyReport: async () => copyReport(await this.examine()),
      showMessages: () => reports.show('Claude Code Messages.log', describeMessages(bridge.messages.all)),
    };
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private examine(): Promise<Report> {
    return examine(this.bridge, this.processes, this.version);
  }
}

async function copyReport({ text }: Report): Promise<void> {
  await vscode.env.clipboard.writeText(text);
  vscode.window.setStatusBarMessage('Report copied, without the token.', 3_000);
}
