import * as fs from 'node:fs';
import * as z from 'zod/mini';
import { imagesIn } from './imagesIn.ts';
import { lenient } from './lenient.ts';
import { linesBack } from './linesBack.ts';
import { openRecord } from './recordFile.ts';

/** Bytes: of what is read from the end, and of a line, which can have all images of a prompt. */
const limits = { reach: 256 * 1024 * 1024, line: 64 * 1024 * 1024, chunk: 1024 * 1024 };

const line = z.object({
  type: z.string(),
  subtype: lenient(z.string()),
  sessionId: lenient(z.string()),
  isSidechain: lenient(z.boolean()),
  timestamp: lenient(z.string()),
  message: lenient(z.object({ content: z.unknown() })),
});

/**
 * The images in the prompts of a session and in the results of its tools, since it was compacted last: what goes with each of its requests.
 * @param until ms since the epoch: what came later is not counted
 * @returns how many, and their bytes; none where its record cannot be read
 */
export async function imagesBack(
  path: string,
  sessionId: string,
  until: number,
): Promise<{ count: number; bytes: number }> {
  let [count, bytes] = [0, 0];
  const opened = openRecord(path);
  if (!('fd' in opened)) {
    return { count, bytes };
  }
  try {
    for await (const { line } of linesBack(opened.fd, opened.stat.size, limits.reach, limits)) {
      const said = line && parse(line);
      if (!said || said.isSidechain === true || (said.sessionId ?? sessionId) !== sessionId) {
        continue;
      }
      if (said.subtype === 'compact_boundary') {
        break;
      }
      if (Date.parse(said.timestamp ?? '') < until) {
        for (const data of imagesIn(said.message?.content)) {
          count++;
          bytes += Buffer.byteLength(data, 'base64');
        }
      }
    }
  } catch {
    // What was counted so far is.
  } finally {
    fs.closeSync(opened.fd);
  }
  return { count, bytes };
}

/** Most lines have neither. */
function parse(bytes: Buffer): z.infer<typeof line> | undefined {
  if (!bytes.includes('"compact_boundary"') && !bytes.includes('"base64"')) {
    return undefined;
  }
  try {
    return line.safeParse(JSON.parse(bytes.toString())).data;
  } catch {
    return undefined;
  }
}
