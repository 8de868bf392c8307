// The one door to terminals: nothing else in src/ writes to them, and a lint rule holds it.
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { pasteable } from '../base/pasteable.ts';
import { readsTerminal } from '../server/foreground.ts';

/** How long a shell may take until it can tell when a command ends, in ms; one that cannot is not waited for. */
const shellIntegrationTimeout = 1_000;
/** The same where keys have come before: without it nothing can be written after them. */
const patience = 10_000;
/** ms after which what was typed before the first prompt stands at it. */
const echo = 300;

/**
 * Pastes words into the prompt of the CLI that runs in a terminal, and leaves Enter to the user: what the CLI asks by
 * then is not to be answered, nor a draft sent. Another program would take a paste for keys, so there must be none.
 * @param pid of the CLI
 * @returns false, and nothing has been written, where the CLI is not known to be what reads the terminal
 */
export async function pasteIntoCli(terminal: vscode.Terminal, pid: number, words: string): Promise<boolean> {
  const shell = await terminal.processId;
  if (shell === undefined || !(await readsTerminal(pid, shell))) {
    return false;
  }
  terminal.sendText(`\x1b[200~${pasteable(words)}\x1b[201~`, false);
  return true;
}

/**
 * Runs a command line in a terminal that has just been made. Keys that the user has hit in it meanwhile are never run
 * together with it: `executeCommand` takes back what stands at the prompt, and without shell integration nothing is
 * written after them.
 * @returns whether it was run
 */
export async function runInNewTerminal(terminal: vscode.Terminal, commandLine: string): Promise<boolean> {
  let isInUse = false;
  const subscription = vscode.window.onDidStartTerminalShellExecution((event) => {
    isInUse ||= event.terminal === terminal;
  });
  try {
    let shell = willTell() ? await shellIntegration(terminal, shellIntegrationTimeout) : undefined;
    if (!shell && willTell() && terminal.state.isInteractedWith) {
      shell = await shellIntegration(terminal, patience);
    }
    // Also true where the terminal itself has answered the shell.
    if (shell && terminal.state.isInteractedWith) {
      await sleep(echo);
    }
    if (isInUse || (!shell && willTell() && terminal.state.isInteractedWith)) {
      return false;
    }
    if (shell) {
      shell.executeCommand(commandLine);
    } else {
      terminal.sendText(commandLine);
    }
    return true;
  } finally {
    subscription.dispose();
  }
}

/** Whether the user's shell is one that VS Code makes tell what runs in it; in another nothing is gained by waiting. */
function willTell(): boolean {
  const settings = vscode.workspace.getConfiguration('terminal.integrated.shellIntegration');
  return (
    settings.get('enabled') === true && /(bash|zsh|fish|pwsh|powershell)(\.exe)?$/i.test(vscode.env.shell)
  );
}

/** The end of a command that was typed before the shell could tell is never reported. */
async function shellIntegration(
  terminal: vscode.Terminal,
  limit: number,
): Promise<vscode.TerminalShellIntegration | undefined> {
  if (!terminal.shellIntegration) {
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        subscription.dispose();
        resolve();
      };
      const subscription = vscode.window.onDidChangeTerminalShellIntegration((event) => {
        if (event.terminal === terminal) {
          finish();
        }
      });
      const timer = setTimeout(finish, limit);
    });
  }
  return terminal.shellIntegration;
}
