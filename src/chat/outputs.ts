import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { outputScheme } from '../editor/schemes.ts';
import type { OutputPlace } from './surface.ts';

const place = z.object({ sessionId: z.string(), toolUseId: z.string(), tool: z.string() });

/** The page that has all that a tool has said. Editors show the end of its path, whatever it is called. */
export function outputUri(words: string, of: OutputPlace): vscode.Uri {
  const path = `/${of.tool.replace(/[^\w-]/g, '_').slice(0, 100)}/${words}`;
  return vscode.Uri.from({ scheme: outputScheme, path, query: JSON.stringify(of) });
}

/** Undefined for a page of another kind: anybody can make up addresses. */
export function placeOf({ query }: vscode.Uri): OutputPlace | undefined {
  try {
    return place.safeParse(JSON.parse(query)).data;
  } catch {
    return undefined;
  }
}
