import * as vscode from 'vscode';
import { isInWorkspace } from '../editor/workspaceFolders.ts';
import { foundAt } from './places.ts';
import { Refusal } from './refusal.ts';
import type { Spot } from './spots.ts';
import type { Workshop } from './workshop.ts';

type Asked = Pick<Workshop, 'access' | 'servers'>;

/**
 * What a server says of a symbol has words of the file that declares it: its comments, the values of its constants. Of a
 * value it may have those of the file that declares the type, its members.
 * @returns what declares it and, of the workspace, its type
 * @throws Refusal where one of either is not shared
 */
export async function mustBeDeclaredInShared(
  { access, servers }: Asked,
  { document, position }: Spot,
  signal: AbortSignal,
): Promise<vscode.Uri[]> {
  const filesOf = async (kind: 'Definition' | 'TypeDefinition') => {
    const command = `vscode.execute${kind}Provider`;
    const found = await servers.ask<(vscode.Location | vscode.LocationLink)[]>(
      document,
      signal,
      command,
      document.uri,
      position,
    );
    return (found ?? []).map((each) => foundAt(each).uri);
  };
  const declaring = await filesOf('Definition');
  const ofTypes = (await filesOf('TypeDefinition')).filter(isOfWorkspace);
  const files = [...declaring, ...ofTypes].filter(({ scheme }) => scheme === 'file'); // others come from libraries
  if ((await access.shared(files, (uri) => uri)).withheld > 0) {
    throw new Refusal('What declares that is not shared by the settings of this editor.');
  }
  return [...declaring, ...ofTypes];
}

/** Not of a library, of which nothing is secret. */
export function isOfWorkspace({ fsPath }: vscode.Uri): boolean {
  return isInWorkspace(fsPath) && !/[\\/]node_modules[\\/]/.test(fsPath);
}

/** UTF-16 units that are looked through for the name of a call. */
const longestCall = 10_000;

/** Where the name of the call ends in whose parentheses a position is; the position itself, if it is in none. */
export function nameOfCall({ document, position }: Spot): Spot {
  const at = document.offsetAt(position);
  const from = Math.max(0, at - longestCall);
  const before = document.getText(new vscode.Range(document.positionAt(from), document.positionAt(at)));
  for (let index = before.length - 1, depth = 0; index >= 0; index--) {
    depth += before[index] === ')' ? 1 : before[index] === '(' ? -1 : 0;
    if (depth < 0) {
      return { document, position: document.positionAt(from + before.slice(0, index).trimEnd().length) };
    }
  }
  return { document, position };
}
