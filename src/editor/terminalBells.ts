import * as vscode from 'vscode';
import { bellDetector } from './bellDetector.ts';

/**
 * Hears the bells of CLIs in integrated terminals, where the shell tells when commands begin. The CLI rings when it
 * waits, if the user has chosen so with its `/config`.
 */
export class TerminalBells implements vscode.Disposable {
  private readonly rung = new vscode.EventEmitter<vscode.Terminal>();
  private readonly subscription = vscode.window.onDidStartTerminalShellExecution(
    ({ terminal, execution }) => {
      if (/claude/i.test(execution.commandLine.value)) {
        void this.listen(terminal, execution);
      }
    },
  );

  readonly onDidRing = this.rung.event;

  dispose(): void {
    this.subscription.dispose();
    this.rung.dispose();
  }

  private async listen(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
    const hasBell = bellDetector();
    for await (const data of execution.read()) {
      if (hasBell(data)) {
        this.rung.fire(terminal);
      }
    }
  }
}
