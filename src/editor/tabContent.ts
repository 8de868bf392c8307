import * as vscode from 'vscode';
import type { OpenEditor } from '../tools/openEditors.ts';
import { isSame } from './documents.ts';

/** The document that a tab shows, with the one that it is compared with; undefined for terminals, web views, settings. */
export function contentOf(
  input: unknown,
): { kind: OpenEditor['kind']; uri: vscode.Uri; original?: vscode.Uri } | undefined {
  if (input instanceof vscode.TabInputText) {
    return { kind: 'text', uri: input.uri };
  }
  if (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff) {
    return { kind: 'diff', uri: input.modified, original: input.original };
  }
  if (input instanceof vscode.TabInputNotebook) {
    return { kind: 'notebook', uri: input.uri };
  }
  if (input instanceof vscode.TabInputCustom) {
    return { kind: 'custom', uri: input.uri };
  }
  return undefined;
}

export function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}

/** The input of a multi-diff editor has no type in the stable API; it is there all the same. */
export function diffsOf(input: unknown): vscode.TabInputTextDiff[] {
  if (typeof input !== 'object' || input === null || !('textDiffs' in input)) {
    return [];
  }
  const { textDiffs } = input;
  return Array.isArray(textDiffs)
    ? textDiffs.filter((diff): diff is vscode.TabInputTextDiff => diff instanceof vscode.TabInputTextDiff)
    : [];
}

/** The tabs that show a file or notebook, by itself or as a side of a diff. A document lives on after its last tab. */
export function tabsWith(uri: vscode.Uri): vscode.Tab[] {
  return allTabs().filter(({ input }) =>
    [input, ...diffsOf(input)]
      .map(contentOf)
      .flatMap((content) => [content?.uri, content?.original])
      .some((side) => isSame(side, uri)),
  );
}
