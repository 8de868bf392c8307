import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { AgentOptions } from '../agent/options.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import { heldIn } from './heldIn.ts';
import { code } from './markdown.ts';
import { bringFolder } from './names.ts';
import type { Surface } from './surface.ts';

/**
 * To go on with a conversation where it was begun: before 2.1 the CLI finds it only there, and its agent knows that folder
 * for its own. Without its record, as where none may be read, it goes on in the first one.
 * @param held the folder of the thread that is held with it, if one is
 * @returns undefined where it is of none of the folders, which is said
 */
export async function inItsFolder(
  records: SessionRecords,
  surface: Surface,
  options: AgentOptions,
  sessionId: string,
  held: string | undefined,
): Promise<AgentOptions | undefined> {
  const { folders } = options;
  const session = held === undefined ? await (await records.open())?.past.find(sessionId) : undefined;
  const folder = session ? heldIn(session, folders) : folders.find((each) => each === held);
  const begun = held ?? session?.cwd;
  if (folder !== undefined) {
    return { ...options, folders: [folder, ...folders.filter((each) => each !== folder)] };
  }
  if (begun === undefined) {
    return options;
  }
  tellElsewhere(surface, begun);
  return undefined;
}

/** A folder is added to a window with several of them without a restart of its extensions, and with its chat as it is. */
export function tellElsewhere(surface: Surface, folder: string): void {
  const isOfSeveral = vscode.workspace.workspaceFile !== undefined;
  const isThere = existsSync(folder);
  const end = !isThere
    ? ', and is no longer there'
    : isOfSeveral
      ? ''
      : '; in a window with that folder, `/resume` goes on with it';
  surface.markdown(
    `Nothing was sent: this conversation was held in ${code(folder, 1_000)}, which is not a folder of this window${end}.`,
  );
  const title = isOfSeveral ? 'Add the Folder to This Window' : 'Open the Folder in Another Window';
  surface.buttons([
    ...(isThere ? [{ title, command: 'chatButton', args: [folder, bringFolder] } as const] : []),
    { title: 'Begin Anew', command: { id: 'workbench.action.chat.newChat' } },
  ]);
}

/** What the button does. */
export async function bring(folder: string): Promise<void> {
  const { workspace } = vscode;
  const uri = vscode.Uri.file(folder);
  if (workspace.workspaceFile) {
    workspace.updateWorkspaceFolders(workspace.workspaceFolders?.length ?? 0, 0, { uri });
  } else {
    await vscode.commands.executeCommand('vscode.openFolder', uri, { forceNewWindow: true });
  }
}
