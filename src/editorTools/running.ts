import type * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { setting } from '../editor/settings.ts';
import type { Tool } from '../tools/tool.ts';
import type { MayRun } from './mayRun.ts';
import { runTask, taskOutput, tasks } from './tasks.ts';
import { TaskRuns } from './taskRuns.ts';
import { TerminalOutput } from './terminalOutput.ts';
import { runTests } from './tests.ts';
import { terminals } from './terminals.ts';
import type { Workshop } from './workshop.ts';

export interface RunningPorts {
  /** A CLI runs in it. */
  readonly isOfSession: (terminal: vscode.Terminal) => boolean;
  readonly log: Logger;
}

export interface RunningWorkshop extends Workshop, Pick<RunningPorts, 'isOfSession' | 'log'> {
  readonly runs: TaskRuns;
  readonly printed: TerminalOutput;
  readonly mayRun: MayRun;
}

/** The tools that run something, or tell of what runs. Loaded once the user has switched them on. */
export class Running implements Disposable {
  private readonly store = new DisposableStore();
  /** In the order of tools/list. */
  readonly tools: Tool[];

  constructor(workshop: Workshop, mayRun: MayRun, { isOfSession, log }: RunningPorts) {
    const isOn = () =>
      workshop.access.isOn && setting('editorTools.enabled') && setting('editorTools.running');
    const printed = this.store.add(new TerminalOutput(isOn));
    const runs = this.store.add(new TaskRuns(printed));
    const running = { ...workshop, isOfSession, log, printed, runs, mayRun };
    this.tools = [tasks, runTask, taskOutput, runTests, terminals].map((create) => create(running));
  }

  dispose(): void {
    this.store.dispose();
  }
}
