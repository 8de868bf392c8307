import type * as vscode from 'vscode';
import * as z from 'zod/mini';

/** A `Place` in `structuredContent`. */
export const place = {
  path: z.string(),
  line: z.int(),
  column: z.int(),
  text: z.optional(z.string()),
};

export const placeOutput = z.object(place);

/** Where something is, as the editor's commands tell it. */
export interface Found {
  readonly uri: vscode.Uri;
  readonly start: vscode.Position;
}

export function foundAt(place: vscode.Location | vscode.LocationLink): Found {
  return 'targetUri' in place
    ? { uri: place.targetUri, start: (place.targetSelectionRange ?? place.targetRange).start }
    : { uri: place.uri, start: place.range.start };
}

/** Overloads in neighbouring lines are places of their own; the same place told twice is not. */
export function distinct<T extends Found>(places: readonly T[]): T[] {
  const first = new Map<string, T>();
  for (const place of places) {
    const { uri, start } = place;
    const key = `${uri.toString()}#${start.line}:${start.character}`;
    first.set(key, first.get(key) ?? place);
  }
  return [...first.values()];
}
