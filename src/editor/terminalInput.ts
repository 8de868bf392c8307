// The one door to terminals: nothing else in src/ writes to them, and a lint rule holds it.
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { type Typed, typeAtPrompt, type Typist } from '../records/typing.ts';
import { readsTerminal } from '../server/foreground.ts';

/** How long a shell may take until it can tell when a command ends, in ms; one that cannot is not waited for. */
const shellIntegrationTimeout = 3_000;
/** The same where keys have come before: without it nothing can be written after them. */
const patience = 10_000;
/** Ctrl+U, of shells and of terminals themselves. */
const killLine = '\x15';
/** ms after which what was typed before the first prompt stands at it, or is told to run; longer on a busy machine. */
const echo = { least: 300, most: 3_000 };

/**
 * Pastes words into the prompt of the CLI that runs in a terminal, and leaves Enter to the user: a draft may stand there,
 * which is not to be sent. A question must not get the words, nor another program, which would take them for keys.
 * @param pid of the CLI
 * @param look what the CLI is at, as its record says now
 * @param text see `pasteable`
 */
export function pasteIntoCli(
  terminal: vscode.Terminal,
  pid: number,
  look: Typist['look'],
  text: string,
): Promise<Typed> {
  return typeAtPrompt({
    look,
    readsTerminal: () => readsTerminalOf(terminal, pid),
    type: () => terminal.sendText(`\x1b[200~${text}\x1b[201~`, false),
  });
}

/** Sends what stands in the prompt of the CLI, where the user wants that; see `pasteIntoCli`. */
export function submitInCli(terminal: vscode.Terminal, pid: number, look: Typist['look']): Promise<Typed> {
  return typeAtPrompt({
    look,
    readsTerminal: () => readsTerminalOf(terminal, pid),
    type: () => terminal.sendText('\r', false),
  });
}

/** Whether the CLI of that pid is known to be what reads that terminal. */
export async function readsTerminalOf(terminal: vscode.Terminal, pid: number): Promise<boolean> {
  const shell = await terminal.processId;
  return shell !== undefined && readsTerminal(pid, shell);
}

/**
 * Runs a command line in a terminal that has just been made. Keys that the user has hit in it meanwhile are never run
 * together with it: it is taken back, by `executeCommand`, too, and without shell integration nothing is
 * written after them.
 * @returns whether it was run
 */
export async function runInNewTerminal(terminal: vscode.Terminal, commandLine: string): Promise<boolean> {
  let isInUse = false;
  const begun = performance.now();
  const subscription = vscode.window.onDidStartTerminalShellExecution((event) => {
    isInUse ||= event.terminal === terminal;
  });
  try {
    // Before the first process of a window, VS Code does not know which shell is the user's. Else nothing is gained by that wait.
    const isUnknown = integrationIsOn() && vscode.env.shell === '';
    await (isUnknown && terminal.processId);
    let shell = willTell() ? await shellIntegration(terminal, shellIntegrationTimeout) : undefined;
    if (!shell && willTell() && terminal.state.isInteractedWith) {
      shell = await shellIntegration(terminal, patience);
    }
    // Also true where the terminal itself has answered the shell.
    if (shell && terminal.state.isInteractedWith) {
      // What VS Code has not seen at the prompt it does not take back: on a busy machine it stands there now and then.
      if (!isInUse && hasUnixKeys()) {
        terminal.sendText(killLine, false);
      }
      const elapsed = performance.now() - begun;
      await sleep(Math.min(Math.max(elapsed, echo.least), echo.most));
    }
    if (isInUse || (!shell && (isUnknown || willTell()) && terminal.state.isInteractedWith)) {
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

/** By its keys it takes back a line that was begun. */
function hasUnixKeys(): boolean {
  return /(bash|zsh|fish)(\.exe)?$/i.test(vscode.env.shell);
}

/** Whether the user's shell is one that VS Code makes tell what runs in it; in another nothing is gained by waiting. */
function willTell(): boolean {
  return integrationIsOn() && /(bash|zsh|fish|pwsh|powershell)(\.exe)?$/i.test(vscode.env.shell);
}

function integrationIsOn(): boolean {
  return vscode.workspace.getConfiguration('terminal.integrated.shellIntegration').get('enabled') === true;
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
