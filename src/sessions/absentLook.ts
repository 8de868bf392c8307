import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { Bridge } from '../server/bridge.ts';
import type { AbsentCli } from './absentClis.ts';
import type { SessionTerminals } from './sessionTerminals.ts';

/** ms after which a CLI that was cut off no longer tries to come back by itself, with a moment more; see `Identity`. */
const retrying = 20_000;

/** ms between two looks: nothing tells that a process has ended. */
const interval = 1_000;

/** Looks after those that are absent until all are back, or have ended. */
export class AbsentLook implements Disposable {
  private clis: readonly AbsentCli[];
  private readonly startedAt = performance.now();
  private isLocated = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly subscription: Disposable;

  constructor(
    bridge: Bridge,
    private readonly sessionTerminals: SessionTerminals,
    private readonly tell: (clis: readonly AbsentCli[]) => void,
  ) {
    this.clis = sessionTerminals.absent.map((cli) => ({ ...cli, text: 'Coming back…' }));
    this.subscription = bridge.onDidIdentify(() => void this.look());
    tell(this.clis);
    void this.look();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
  }

  private async look(): Promise<void> {
    clearTimeout(this.timer);
    const pids = new Set(this.sessionTerminals.absent.map(({ pid }) => pid));
    const left = this.clis.filter(({ pid }) => pids.has(pid));
    const hasGone = left.length < this.clis.length;
    this.clis = left;
    if (left.length > 0) {
      this.timer = setTimeout(() => void this.look(), interval);
    }
    if (!this.isLocated && performance.now() - this.startedAt > retrying) {
      this.isLocated = true;
      this.clis = (await Promise.all(left.map((cli) => this.locate(cli)))).flat();
      this.tell(this.clis);
    } else if (hasGone) {
      this.tell(left);
    }
  }

  /** None where it runs outside of the terminals of this window, or its number is that of another process by now. */
  private async locate(cli: AbsentCli): Promise<AbsentCli[]> {
    const pids = await this.sessionTerminals.lineageOf(cli.pid);
    const found = vscode.window.terminals.map(async (terminal) => {
      // That of a terminal which does not start never comes.
      const shell = await Promise.race([terminal.processId, sleep(1_000, undefined)]);
      return shell !== undefined && pids.includes(shell) ? terminal : [];
    });
    const [terminal] = (await Promise.all(found)).flat();
    return terminal ? [{ ...cli, text: 'Not connected: type /ide to it', terminal }] : [];
  }
}
