import * as vscode from 'vscode';
import {
  byKey,
  type CommandHandler,
  commandIds,
  type CommandName,
  forNothing,
  onRow,
} from '../editor/commandIds.ts';
import { sayNothingWasDone } from '../editor/rowMoves.ts';
import { HeldKey } from './heldKey.ts';

/** The commands exist from the start, whatever the bridge's state, and say why when they cannot act. */
export function registerCommands(
  { packageJSON }: vscode.Extension<unknown>,
  handlers: Record<CommandName, CommandHandler>,
): vscode.Disposable {
  const heldKey = new HeldKey();
  const { menus } = (packageJSON as { contributes: { menus: Record<string, { command: string }[]> } })
    .contributes;
  const ofTitles = new Set(menus['view/title']?.map(({ command }) => command));
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
          sayNothingWasDone('the key may still be held. Press it again.');
          return undefined;
        }
        if (isOnRow ? !args[1] : isOfLostRow(given) && !ofTitles.has(commandIds[name])) {
          sayNothingWasDone('the row is gone, or just drawn anew.');
          return undefined;
        }
        return handlers[name](...args);
      }),
    ),
  );
}

/**
 * Whether it is from a button or the menu of a row that the editor does not know while it asks for the rows anew: it passes
 * a row and the selected ones, here none and none (observed in 1.139: 10 of 39 clicks in a view that was drawn anew four
 * times a second). What the command does without a row, for what is in front or for all, was not meant. The title of a view
 * passes the same where no row has the focus.
 */
function isOfLostRow(given: readonly unknown[]): boolean {
  return given.length === 2 && given.every((each) => each === undefined);
}

/** A key can pass only one argument, which is a list where there are several. */
function argumentsOf(given: unknown[]): unknown[] {
  const [first] = given;
  return Array.isArray(first) && first[0] === onRow ? first : given;
}
