import * as vscode from 'vscode';
import { byKey, type CommandHandler, commandIds, type CommandName } from '../editor/commandIds.ts';
import { HeldKey } from './heldKey.ts';

/** The commands exist from the start, whatever the bridge's state, and say why when they cannot act. */
export function registerCommands(handlers: Record<CommandName, CommandHandler>): vscode.Disposable {
  const heldKey = new HeldKey();
  const names = Object.keys(commandIds) as CommandName[];
  return vscode.Disposable.from(
    heldKey,
    ...names.map((name) =>
      vscode.commands.registerCommand(commandIds[name], (...args: unknown[]) => {
        if (args[0] === byKey) {
          heldKey.press();
        }
        return handlers[name](...args);
      }),
    ),
  );
}
