import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';

/**
 * The terminals that may still have another port in their environment than `port`. Linux tells what a shell was
 * started with; elsewhere every terminal is one of them.
 */
export async function terminalsWithOtherPort(port: number): Promise<vscode.Terminal[]> {
  const found = await Promise.all(
    vscode.window.terminals.map(async (terminal) => {
      const shell = await shellOf(terminal);
      // Those that an extension draws have no shell.
      return shell === undefined || (await has(shell, port)) ? [] : [terminal];
    }),
  );
  return found.flat();
}

/** Its process id. That of a terminal which does not start never comes. */
export function shellOf({ processId }: vscode.Terminal): Promise<number | undefined> {
  return Promise.race([processId, sleep(1_000, undefined)]);
}

async function has(shell: number, port: number): Promise<boolean> {
  try {
    const environment = await readFile(`/proc/${shell}/environ`, 'utf8');
    return environment.split('\0').includes(`CLAUDE_CODE_SSE_PORT=${port}`);
  } catch {
    return false;
  }
}
