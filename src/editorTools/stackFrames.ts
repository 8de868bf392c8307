import * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Access } from './access.ts';
import { placeText } from './answers.ts';
import type { StoppedDebuggee } from './debugSessions.ts';
import { onOneLine } from './onOneLine.ts';
import { Refusal } from './refusal.ts';
import { shownName, SourceLines } from './sourceLines.ts';

/** The Debug Adapter Protocol's. */
const stackTrace = z.object({
  stackFrames: z.array(
    z.object({
      id: z.int(),
      name: z.string(),
      line: z.int(),
      column: z.int(),
      source: z.optional(
        z.nullable(z.object({ path: z.optional(z.string()), sourceReference: z.optional(z.number()) })),
      ),
    }),
  ),
  totalFrames: z.optional(z.int()),
});

export interface Frame {
  /** Of the debugger. */
  readonly id: number;
  readonly line: string;
  readonly data: {
    frame: number;
    name: string;
    path?: string;
    line?: number;
    column?: number;
    text?: string;
  };
}

/** The innermost comes first; of a file that is not shared it is told that there is one. */
export async function stackFrames(
  debuggee: StoppedDebuggee,
  access: Access,
  { from = 0, limit }: { from?: number; limit: number },
  signal: AbortSignal,
): Promise<{ frames: Frame[]; total: number | undefined }> {
  const { stackFrames: found, totalFrames } = await debuggee.request(
    'stackTrace',
    { threadId: debuggee.stop.threadId, startFrame: from, levels: limit },
    stackTrace,
    signal,
  );
  const lines = new SourceLines(access);
  const frames: Frame[] = [];
  for (const [index, { id, name, line, column, source }] of found.slice(0, limit).entries()) {
    const frame = from + index;
    // One with a reference is no file but what the debugger has loaded.
    const path = source?.sourceReference ? undefined : source?.path;
    const uri = path === undefined ? undefined : fileUri(path);
    const isShared = uri !== undefined && (await access.shared([uri], (each) => each)).items.length > 0;
    if (uri && isShared) {
      const place = await lines.place(
        uri,
        new vscode.Position(Math.max(0, line - 1), Math.max(0, column - 1)),
      );
      const data = { frame, name: onOneLine(name), ...place };
      frames.push({ id, data, line: `${frame}  ${data.name}  ${placeText(place, shownName)}` });
    } else {
      const where = uri ? '(a file that is not shared)' : '(not in a file)';
      const data = { frame, name: uri ? where : onOneLine(name) };
      frames.push({ id, data, line: `${frame}  ${uri ? where : `${data.name}  ${where}`}` });
    }
  }
  return { frames, total: totalFrames };
}

/** A debugger gives a path; where the extensions run on another machine, the editor makes a URI of it. */
function fileUri(path: string): vscode.Uri {
  return vscode.Uri.file(path.startsWith('vscode-remote://') ? vscode.Uri.parse(path).path : path);
}

/** @param frame from 0, the innermost. @throws Refusal where there is none */
export async function frameId(
  debuggee: StoppedDebuggee,
  access: Access,
  frame: number,
  signal: AbortSignal,
): Promise<number> {
  const { frames } = await stackFrames(debuggee, access, { from: frame, limit: 1 }, signal);
  const [found] = frames;
  if (!found) {
    throw new Refusal(`There is no frame ${frame}: the tool stack lists those that there are.`);
  }
  return found.id;
}
