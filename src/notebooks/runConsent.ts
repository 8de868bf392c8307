import type * as vscode from 'vscode';
import type { Session, ToolCall } from '../server/session.ts';
import type { LoadQuestions } from './runQuestions.ts';
import { setting } from '../editor/settings.ts';

/** Kept on this machine, out of reach of what a workspace brings with it. */
const workspaceKey = 'notebook.agreedInWorkspace';

/** Asks the user before a session's code is run, as often as they want to be asked. */
export class RunConsent {
  private readonly agreed = new WeakSet<Session>();

  constructor(
    private readonly workspaceState: vscode.Memento,
    private readonly questions: LoadQuestions,
  ) {}

  /** @param notebook its file name */
  async isGiven(notebook: string, code: string, call: ToolCall): Promise<boolean> {
    const { session } = call;
    const policy = setting('notebook.confirm');
    if (policy !== 'workspace') {
      await this.workspaceState.update(workspaceKey, undefined);
    }
    if (
      (policy === 'session' && this.agreed.has(session)) ||
      (policy === 'workspace' && this.workspaceState.get(workspaceKey) === true)
    ) {
      return true;
    }
    const answer = await (
      await this.questions()
    ).ask(
      {
        title: `Run in ${notebook}?`,
        words: `${session.label} wants to run this code in ${notebook}`,
        code,
        language: 'python',
        yes: [`Run${lasting[policy]}`],
      },
      call,
    );
    if (answer === undefined) {
      return false;
    }
    if (policy === 'session') {
      this.agreed.add(session);
    } else if (policy === 'workspace') {
      await this.workspaceState.update(workspaceKey, true);
    }
    return true;
  }
}

const lasting = {
  always: '',
  session: ', and do not ask again in this session',
  workspace: ', and do not ask again in this workspace',
};
