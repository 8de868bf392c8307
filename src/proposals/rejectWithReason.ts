import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Proposal } from './proposal.ts';
import type { Proposals } from './proposals.ts';
import { pasteIntoCli } from '../editor/terminalInput.ts';
import type { Session } from '../server/session.ts';

export interface TerminalsOfSessions {
  /** Undefined where it is not known. */
  terminalOf(session: Session): vscode.Terminal | undefined;
}

export interface Place {
  show(terminal: vscode.Terminal): void;
}

/** ms in which the CLI is expected to take note of a rejection. */
const patience = 5_000;
/** ms after which its prompt, which takes the place of the question, is on the screen. */
const redraw = 300;

/**
 * The CLI does not look at what comes with a rejection, so the reason is pasted as the next prompt, once the CLI has
 * closed its question. Enter is the user's: another question may have taken its place, or a draft may stand there.
 */
export async function rejectWithReason(
  proposals: Proposals,
  proposal: Proposal,
  terminals: TerminalsOfSessions,
  userPlace: Place,
): Promise<void> {
  const { session, uri, fileName } = proposal;
  const terminal = terminals.terminalOf(session);
  if (!terminal) {
    void vscode.window.showInformationMessage(
      `A reason is pasted into the terminal of the session, and that of ${session.label} is not in this window. Reject without one.`,
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
  // At once: a moment later the user may type elsewhere.
  userPlace.show(terminal);
  if (!(await taken)) {
    const why = taken
      ? `${session.label} has not taken note of the rejection yet`
      : `The proposal for ${fileName} was decided elsewhere meanwhile`;
    await offerOnClipboard(reason, why);
    return;
  }
  await delay(redraw);
  if (session.pid !== undefined && (await pasteIntoCli(terminal, session.pid, reason))) {
    // Not "press Enter": a question may be in the place of the prompt, and has lost the paste.
    vscode.window.setStatusBarMessage(
      `Reason pasted. If it stands in the prompt of ${session.label}, Enter sends it.`,
      10_000,
    );
  } else {
    await offerOnClipboard(reason, `It is not known that ${session.label} is what reads its terminal now`);
  }
}

async function offerOnClipboard(reason: string, why: string): Promise<void> {
  await vscode.env.clipboard.writeText(reason);
  void vscode.window.showWarningMessage(
    `${why}. Your reason is on the clipboard: paste it when the prompt is back.`,
  );
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
