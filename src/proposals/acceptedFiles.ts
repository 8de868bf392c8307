import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Decision } from './proposals.ts';
import { setting } from '../editor/settings.ts';

/** ms in which the CLI is expected to have written a new file. */
const patience = 10_000;
const pause = 100;

/** Leaves the file itself open where its diff was, behind what is in front there by then, if the user wants it so. */
export async function keepAcceptedFileOpen({ proposal, isAccepted, column }: Decision): Promise<void> {
  if (!isAccepted || proposal.target === 'other' || !setting('diff.keepOpenAfterAccept')) {
    return;
  }
  const uri = vscode.Uri.file(proposal.filePath);
  const deadline = Date.now() + patience;
  while (proposal.target === 'new file' && !(await exists(uri))) {
    if (Date.now() > deadline) {
      return;
    }
    await delay(pause);
  }
  await vscode.commands.executeCommand('vscode.open', uri, {
    preview: false,
    preserveFocus: true,
    background: true, // is not part of the typed API
    viewColumn: column ?? vscode.ViewColumn.Active,
  });
}

async function exists(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(uri);
    return true;
  } catch {
    return false;
  }
}
