import { resolve } from 'node:path';
import * as vscode from 'vscode';
import { type FileLink, findFileLinks } from './fileLinks.ts';
import { isRegularFile } from '../editor/paths.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { asOpened } from '../editor/workspaceFolders.ts';

interface TerminalFileLink extends vscode.TerminalLink {
  /** Absolute. */
  path: string;
  place: FileLink;
}

/** Makes links of the places in files that a CLI prints, in the terminals in which one runs or has run. */
export function registerTerminalLinks(sessionTerminals: SessionTerminals): vscode.Disposable {
  const folders = new WeakMap<vscode.Terminal, string>();
  const provider: vscode.TerminalLinkProvider<TerminalFileLink> = {
    provideTerminalLinks({ line, terminal }) {
      const [session] = sessionTerminals.sessionsIn(terminal);
      const folder = (session && sessionTerminals.folderOf(session)) ?? folders.get(terminal);
      if (folder === undefined) {
        return [];
      }
      folders.set(terminal, folder);
      return findFileLinks(line).flatMap((place) => {
        const path = resolve(folder, place.path);
        return isRegularFile(path) ? [{ ...place, path, place, tooltip: 'Open in editor' }] : [];
      });
    },
    async handleTerminalLink({ path, place }) {
      const uri = vscode.Uri.file(asOpened(path));
      await vscode.commands.executeCommand('vscode.open', uri, { selection: toRange(place) });
    },
  };
  return vscode.window.registerTerminalLinkProvider(provider);
}

function toRange({ line = 1, column = 1, endLine }: FileLink): vscode.Range {
  const start = new vscode.Position(Math.max(line - 1, 0), Math.max(column - 1, 0));
  return new vscode.Range(start, endLine === undefined ? start : new vscode.Position(endLine, 0));
}
