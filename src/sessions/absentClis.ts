import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Bridge } from '../server/bridge.ts';
import type { AbsentCli, SessionStates } from './sessionStates.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { shellOf } from './terminalPorts.ts';

/** ms for which a CLI that was cut off looks for the bridge, with a moment more; see `Identity`. */
const retrying = 20_000;

/** After a window reload the editor brings back its terminals when it likes; ms. */
const restoringTime = 10_000;

/** ms between two looks: nothing tells that a process has ended. */
export const interval = 1_000;

/**
 * Tells of those that have lost the bridge before this one until they are back, or have ended. First each may come back by
 * itself, where it can; then those in terminals of this window have to be told to.
 */
export async function followAbsent(
  bridge: Bridge,
  sessionTerminals: SessionTerminals,
  states: SessionStates,
): Promise<void> {
  const { state } = bridge;
  const givenUp = new Set(states.absent.flatMap(({ pid, isLost }) => (isLost ? [pid] : [])));
  const giveUpAt = performance.now() + (state.kind === 'listening' && state.isResumed ? retrying : 0);
  const lineages = new Map(
    await Promise.all(
      sessionTerminals.absent.map(
        async ({ pid }) => [pid, await sessionTerminals.lineageOf(pid).catch((): number[] => [])] as const,
      ),
    ),
  );
  let told = '';
  while (bridge.state === state) {
    const late = performance.now() - giveUpAt;
    const { terminals } = vscode.window;
    const shells = await Promise.all(terminals.map(shellOf));
    if (bridge.state !== state) {
      return;
    }
    const absent = sessionTerminals.absent.filter(({ pid }) => lineages.has(pid));
    const clis = absent.flatMap((cli): AbsentCli[] => {
      const isAbove = (shell: number | undefined) =>
        shell !== undefined && lineages.get(cli.pid)?.includes(shell);
      const terminal = terminals[shells.findIndex(isAbove)];
      if (late < 0 && !givenUp.has(cli.pid)) {
        return [{ ...cli, text: 'Coming back…', isLost: false, terminal }];
      }
      return terminal ? [{ ...cli, text: 'Not connected, type /ide', isLost: true, terminal }] : [];
    });
    const words = clis.map(({ pid, text, terminal }) => `${pid} ${text} ${terminal !== undefined}`).join();
    if (words !== told) {
      told = words;
      states.tellAbsent(clis);
    }
    if (clis.length === 0 && (absent.length === 0 || late > restoringTime)) {
      return;
    }
    await sleep(interval);
  }
}
