import * as vscode from 'vscode';
import {
  byKey,
  type CommandHandler,
  commandIds,
  type CommandName,
  forNothing,
  onRow,
} from '../editor/commandIds.ts';
import { HeldKey } from './heldKey.ts';

/** The commands exist from the start, whatever the bridge's state, and say why when they cannot act. */
export function registerCommands(handlers: Record<CommandName, CommandHandler>): vscode.Disposable {
  const heldKey = new HeldKey();
  const names = Object.keys(commandIds) as CommandName[];
  return vscode.Disposable.from(
    heldKey,
    ...names.map((name) =>
      vscode.commands.registerCommand(commandIds[name], (...given: unknown[]) => {
        const args = argumentsOf(given);
        if (args[0] === forNothing) {
          return undefined;
        }
        const isOnRow = args[0] === onRow;
        const isHeld = (isOnRow || args[0] === byKey) && heldKey.press();
        if (isOnRow && isHeld) {
          // Nothing tells since when a row has the focus: it may be the next one.
          vscode.window.setStatusBarMessage(
            'Nothing was done: the key may still be held. Press it again.',
            5_000,
          );
          return undefined;
        }
        if (isOnRow && !args[1]) {
          // The editor knows none while it asks for the rows anew, either.
          vscode.window.setStatusBarMessage('Nothing was done: the row is gone, or just drawn anew.', 5_000);
          return undefined;
        }
        return handlers[name](...args);
      }),
    ),
  );
}

/** A key can pass only one argument, which is a list where there are several. */
function argumentsOf(given: unknown[]): unknown[] {
  const [first] = given;
  return Array.isArray(first) && first[0] === onRow ? first : given;
}
