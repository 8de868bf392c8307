import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import { printable } from '../base/printable.ts';
import type { Session } from '../server/session.ts';
import { setting } from './settings.ts';

export interface RunQuestion {
  session: Session;
  /** File name of the notebook. */
  notebook: string;
  code: string;
}

/** Kept on this machine, out of reach of what a workspace brings with it. */
const workspaceKey = 'notebook.agreedInWorkspace';
const maxDetail = 300;

/** Asks the user before a session's code is run, as often as they want to be asked. */
export class RunConsent {
  private readonly agreed = new WeakSet<Session>();

  constructor(private readonly workspaceState: vscode.Memento) {}

  async isGiven(question: RunQuestion, signal: AbortSignal): Promise<boolean> {
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
    if (!(await ask(question, lasting[policy], signal))) {
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
  session: 'and do not ask again in this session',
  workspace: 'and do not ask again in this workspace',
};

/** Nothing is preselected: a key typed for the terminal must not run code. */
async function ask(
  { session, notebook, code }: RunQuestion,
  lasts: string,
  signal: AbortSignal,
): Promise<boolean> {
  const execute = { label: '$(play) Execute', description: lasts, detail: oneLine(code) };
  const cancel = { label: '$(circle-slash) Cancel' };
  const picker = vscode.window.createQuickPick();
  picker.title = `${session.label} wants to run code in ${notebook}`;
  picker.placeholder = 'Its new cell shows the whole code. Choose with the arrow keys.';
  picker.items = [execute, cancel];
  picker.activeItems = [];
  picker.ignoreFocusOut = true;
  const answer = new Deferred<boolean>();
  const refuse = () => answer.settle(false);
  picker.onDidAccept(() => {
    const [chosen] = picker.activeItems;
    if (chosen) {
      answer.settle(chosen === execute);
    }
  });
  picker.onDidHide(refuse);
  signal.addEventListener('abort', refuse, { once: true });
  if (!signal.aborted) {
    picker.show();
  } else {
    refuse();
  }
  try {
    return await answer.promise;
  } finally {
    signal.removeEventListener('abort', refuse);
    picker.dispose();
  }
}

/** What the cell shows as it is: here on one line, and with nothing that turns into an icon. */
function oneLine(code: string): string {
  const line = code.trim().replace(/\s*\n\s*/g, ' ⏎ ');
  return printable(line.replaceAll('\t', ' '), maxDetail).replace(/\$\([\w~-]+\)/g, '\\$&');
}
