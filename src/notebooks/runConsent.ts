import type * as vscode from 'vscode';
import type { Session } from '../server/session.ts';
import type { RunQuestion, RunQuestions } from './runQuestions.ts';
import { setting } from '../editor/settings.ts';

/** Kept on this machine, out of reach of what a workspace brings with it. */
const workspaceKey = 'notebook.agreedInWorkspace';

/** Asks the user before a session's code is run, as often as they want to be asked. */
export class RunConsent {
  private readonly agreed = new WeakSet<Session>();

  constructor(
    private readonly workspaceState: vscode.Memento,
    private readonly questions: RunQuestions,
  ) {}

  async isGiven(question: Omit<RunQuestion, 'lasts'>, signal: AbortSignal): Promise<boolean> {
    const policy = setting('notebook.confirm');
    if (policy !== 'workspace') {
      await this.workspaceState.update(workspaceKey, undefined);
    }
    if (
      (policy === 'session' && this.agreed.has(question.session)) ||
      (policy === 'workspace' && this.workspaceState.get(workspaceKey) === true)
    ) {
      return true;
    }
    if (!(await this.questions.ask({ ...question, lasts: lasting[policy] }, signal))) {
      return false;
    }
    if (policy === 'session') {
      this.agreed.add(question.session);
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
