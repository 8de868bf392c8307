import type * as vscode from 'vscode';
import type { RunQuestions } from '../notebooks/runQuestions.ts';
import { onOneLine } from './onOneLine.ts';
import { fingerprint, folderName, whatRuns } from './taskList.ts';

/** Kept on this machine, out of reach of what a workspace brings with it: fingerprints of tasks, the last at the end. */
const agreedKey = 'editorTools.agreedTasks';

const maxAgreed = 200;

/** The index of that answer. */
const always = 1;

/** Whether the user wants that something is run: they are asked each time, but for tasks that they have named. */
export class MayRun {
  constructor(
    private readonly questions: RunQuestions,
    private readonly workspaceState: vscode.Memento,
  ) {}

  async task(task: vscode.Task, client: string, signal: AbortSignal): Promise<boolean> {
    const stamp = fingerprint(task);
    if (stamp !== undefined && this.agreed.includes(stamp)) {
      return true;
    }
    const folder = folderName(task);
    const of = [task.source, ...(folder === undefined ? [] : [folder])]
      .map((each) => onOneLine(each))
      .join(', ');
    const words = `${onOneLine(client)} wants to run the task "${onOneLine(task.name)}" (${of})`;
    const answer = await this.questions.ask(
      {
        title: `Run task ${onOneLine(task.name, 40)}?`,
        words,
        code: `# ${words}\n${whatRuns(task)}`, // in the text, too: above it the end is out of view in a narrow column
        language: 'shellscript',
        yes: stamp === undefined ? ['Run Once'] : ['Run Once', 'Always Run This Task'],
      },
      signal,
    );
    if (answer === always && stamp !== undefined) {
      await this.workspaceState.update(agreedKey, [...this.agreed, stamp].slice(-maxAgreed));
    }
    return answer !== undefined;
  }

  /** Asks about each task anew. @returns about how many of them it did not */
  async forget(): Promise<number> {
    const { length } = this.agreed;
    await this.workspaceState.update(agreedKey, undefined);
    return length;
  }

  private get agreed(): string[] {
    return this.workspaceState.get<string[]>(agreedKey, []);
  }
}
