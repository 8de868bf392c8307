import * as vscode from 'vscode';
import { setting } from '../editor/settings.ts';
import { signDetector } from './signDetector.ts';

/**
 * Listens to CLIs in integrated terminals, where the shell tells when commands begin: the CLI rings when it waits, if
 * the user has chosen so with its `/config`, and the newest says in its title whether it works.
 */
export class TerminalSigns implements vscode.Disposable {
  private readonly working = new Set<vscode.Terminal>();
  private readonly telling = new WeakSet<vscode.Terminal>();
  private readonly rung = new vscode.EventEmitter<vscode.Terminal>();
  private readonly changed = new vscode.EventEmitter<vscode.Terminal>();
  private readonly subscription = vscode.window.onDidStartTerminalShellExecution(
    ({ terminal, execution }) => {
      const { value } = execution.commandLine;
      if (/claude/i.test(value) || value.startsWith(setting('command'))) {
        void this.listen(terminal, execution);
      }
    },
  );

  /** It has rung, or has nothing more to do: either way it waits for the user. */
  readonly onDidCall = this.rung.event;
  /** It has begun to work, or ceased. */
  readonly onDidChange = this.changed.event;

  isWorking(terminal: vscode.Terminal | undefined): boolean {
    return terminal !== undefined && this.working.has(terminal);
  }

  /** Its CLI tells when it works. */
  hasTold(terminal: vscode.Terminal | undefined): boolean {
    return terminal !== undefined && this.telling.has(terminal);
  }

  dispose(): void {
    vscode.Disposable.from(this.subscription, this.rung, this.changed).dispose();
  }

  private async listen(terminal: vscode.Terminal, execution: vscode.TerminalShellExecution): Promise<void> {
    const detect = signDetector();
    for await (const data of execution.read()) {
      const { hasRung, isWorking } = detect(data);
      const hasStopped = isWorking === false && this.working.has(terminal);
      if (isWorking !== undefined) {
        this.telling.add(terminal);
        this.set(terminal, isWorking);
      }
      if (hasRung || hasStopped) {
        this.rung.fire(terminal);
      }
    }
    this.telling.delete(terminal);
    this.set(terminal, false);
  }

  private set(terminal: vscode.Terminal, isWorking: boolean): void {
    if (isWorking !== this.working.has(terminal)) {
      this.working[isWorking ? 'add' : 'delete'](terminal);
      this.changed.fire(terminal);
    }
  }
}
