import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';
import type { Bridge } from '../server/bridge.ts';
import type { AbsentCli, SessionStates } from './sessionStates.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { shellOf } from './terminalPorts.ts';

/** ms for which a CLI that was cut off looks for the bridge, with a moment more; see `Identity`. */
const retrying = 20_000;

/**
 * For so long after a window reload, in ms, each interval has a look: the editor brings back its terminals when it likes. On a
 * busy machine that takes longer, and then what tells of a terminal has the next look.
 */
const restoringTime = 10_000;

/** ms between two looks, at least: nothing tells that a process has ended. */
export const interval = 1_000;

/**
 * Tells of those that have lost the bridge before this one until they are back, or have ended. First each may come back by
 * itself, where it can; then those in terminals of this window have to be told to. While none of them is found in one, only
 * what tells of a terminal, and who asks (`SessionStates.lookForAbsent`), has another look.
 */
export async function followAbsent(
  bridge: Pick<Bridge, 'state' | 'onDidChangeState'>,
  sessionTerminals: Pick<SessionTerminals, 'absent' | 'lineageOf' | 'onDidChange'>,
  states: Pick<SessionStates, 'absent' | 'lookForAbsent' | 'tellAbsent'>,
): Promise<void> {
  const { state } = bridge;
  const givenUp = new Set(states.absent.flatMap(({ pid, isLost }) => (isLost ? [pid] : [])));
  const giveUpAt = performance.now() + (state.kind === 'listening' && state.isResumed ? retrying : 0);
  /** Those of which nothing was found are asked for again: on a busy machine the system may be late to tell. */
  const lineages = new Map(sessionTerminals.absent.map(({ pid }): [number, number[]] => [pid, []]));
  const known = new WeakSet<vscode.Terminal>();
  let woken = new Deferred<void>();
  const wake = () => woken.settle();
  let told = '';

  /** @returns those that are not back, and what is told of them; undefined where another bridge has come */
  const look = async () => {
    const { terminals } = vscode.window;
    const [shells] = await Promise.all([
      Promise.all(terminals.map(shellOf)),
      ...[...lineages].map(async ([pid, found]) => {
        if (found.length === 0) {
          lineages.set(pid, await sessionTerminals.lineageOf(pid).catch(() => []));
        }
      }),
    ]);
    if (bridge.state !== state) {
      return undefined;
    }
    terminals.forEach((terminal, index) => {
      if (shells[index] === undefined && !known.has(terminal)) {
        known.add(terminal);
        void terminal.processId.then(wake);
      }
    });
    const absent = sessionTerminals.absent.filter(({ pid }) => lineages.has(pid));
    const clis = absent.flatMap((cli): AbsentCli[] => {
      const isAbove = (shell: number | undefined) =>
        shell !== undefined && lineages.get(cli.pid)?.includes(shell);
      const terminal = terminals[shells.findIndex(isAbove)];
      if (performance.now() < giveUpAt && !givenUp.has(cli.pid)) {
        return [{ ...cli, text: 'Coming back…', isLost: false, terminal }];
      }
      return terminal ? [{ ...cli, text: 'Not connected, type /ide', isLost: true, terminal }] : [];
    });
    const words = clis.map(({ pid, text, terminal }) => `${pid} ${text} ${terminal !== undefined}`).join();
    if (words !== told) {
      told = words;
      states.tellAbsent(clis);
    }
    return { absent, clis };
  };

  const lookNow = async () => {
    await look();
    wake();
  };
  states.lookForAbsent = lookNow;
  const events = vscode.Disposable.from(
    bridge.onDidChangeState(wake),
    sessionTerminals.onDidChange(wake),
    vscode.window.onDidOpenTerminal(wake),
    vscode.window.onDidChangeActiveTerminal(wake),
  );
  try {
    for (let found; (found = await look()) && found.absent.length > 0;) {
      const isSoon = found.clis.length > 0 || performance.now() < giveUpAt + restoringTime;
      await Promise.all([sleep(interval), isSoon || woken.promise]);
      woken = new Deferred();
    }
  } finally {
    events.dispose();
  }
}
