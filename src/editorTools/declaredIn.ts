import * as vscode from 'vscode';
import { foundAt } from './places.ts';
import { Refusal } from './refusal.ts';
import type { Spot } from './spots.ts';
import type { Workshop } from './workshop.ts';

/**
 * What a server says of a symbol has words of the file that declares it: its comments, the values of its constants.
 * @throws Refusal where that file is not shared
 */
export async function mustBeDeclaredInShared(
  { access, servers }: Pick<Workshop, 'access' | 'servers'>,
  { document, position }: Spot,
  signal: AbortSignal,
): Promise<void> {
  const found = await servers.ask<(vscode.Location | vscode.LocationLink)[]>(
    document,
    signal,
    'vscode.executeDefinitionProvider',
    document.uri,
    position,
  );
  const files = (found ?? []).map(foundAt).filter(({ uri }) => uri.scheme === 'file'); // others come from libraries
  if ((await access.shared(files, ({ uri }) => uri)).withheld > 0) {
    throw new Refusal('What declares that is not shared by the settings of this editor.');
  }
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
