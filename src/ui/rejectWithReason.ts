import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Proposal } from '../editor/proposal.ts';
import type { Proposals } from '../editor/proposals.ts';
import type { Session } from '../server/session.ts';

export interface TerminalsOfSessions {
  /** Undefined where it is not known. */
  terminalOf(session: Session): vscode.Terminal | undefined;
}

/** ms in which the CLI is expected to take note of a rejection. */
const patience = 5_000;
/** ms after which its prompt, which takes the place of the question, is on the screen. */
const redraw = 300;

/**
 * The CLI does not look at what comes with a rejection, so the reason is typed as the next prompt. Not before the
 * CLI has closed its question in the terminal: a text that begins with "1" would answer it with yes.
 */
export async function rejectWithReason(
  proposals: Proposals,
  proposal: Proposal,
  terminals: TerminalsOfSessions,
): Promise<void> {
  const { session, uri, fileName } = proposal;
  const terminal = terminals.terminalOf(session);
  if (!terminal) {
    void vscode.window.showInformationMessage(
      `A reason is typed into the terminal of the session, and that of ${session.label} is not in this window. Reject without one.`,
    );
    return;
  }
  const reason = await vscode.window.showInputBox({
    title: `Reject ${fileName}`,
    prompt: `What should ${session.label} do instead?`,
    ignoreFocusOut: true,
  });
  if (reason === undefined) {
    return;
  }
  const taken = proposals.find(uri) && nextCall(session);
  await proposals.reject(uri);
  if (reason.trim() === '') {
    return;
  }
  if (!(await taken)) {
    await vscode.env.clipboard.writeText(reason);
    const why = taken
      ? `${session.label} has not taken note of the rejection yet`
      : `The proposal for ${fileName} was decided elsewhere meanwhile`;
    void vscode.window.showWarningMessage(
      `${why}. Your reason is on the clipboard: paste it when the prompt is back.`,
    );
    return;
  }
  await delay(redraw);
  terminal.sendText(reason, false);
  await delay(redraw); // what comes together with the text is taken for a part of a pasted text
  terminal.sendText('', true);
}

/** The CLI calls `close_tab` once it has dealt with an answer. @returns whether it did. */
function nextCall(session: Session): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (value: boolean) => {
      subscription.dispose();
      clearTimeout(timer);
      resolve(value);
    };
    const subscription = session.onDidUse(() => settle(true));
    const timer = setTimeout(() => settle(false), patience);
  });
}
