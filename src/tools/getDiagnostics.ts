import * as z from 'zod/mini';
import type { Disposable } from '../base/disposable.ts';
import type { FileDiagnostics } from '../protocol/ide.ts';
import type { Proposer } from '../server/proposer.ts';
import type { Session } from '../server/session.ts';
import { boundDiagnostics } from './boundDiagnostics.ts';
import { defineTool, json, text, type Tool } from './tool.ts';

/** What the language servers have to say of a write that is to come. */
export interface FreshDiagnostics extends Disposable {
  /** The file's problems before the write. */
  readonly before: Promise<FileDiagnostics>;
  /** To be called after the write. Settles when the problems of what was written are known. */
  arrived(): Promise<void>;
}

export interface DiagnosticsSource {
  /**
   * Every file that has problems.
   * @param byEveryName also by its real path, where its folder was opened through a link: a CLI there has that one
   */
  all(byEveryName?: boolean): FileDiagnostics[];
  /** @param uri a file URI, encoded or raw, or a plain path; anything else has no problems */
  of(uri: string): FileDiagnostics;
  /** Has `of`, or without a URI `all`, know what a server tells only when it is asked. */
  learn(uri?: string): Promise<void>;
  /** Opens the file's document in the background, so that its language server reports on it. */
  watch(uri: string): FreshDiagnostics;
  /** The file in front, in the form of `FileDiagnostics.uri`. */
  readonly activeUri: string | undefined;
}

export interface EditListener {
  /**
   * This session is about to write the file. Reads it at once: the newest CLI does not wait for the answer.
   * @param uri see `FileDiagnostics`; the file need not exist
   */
  willEdit(session: Proposer, uri: string): void;
}

/** Also disposed with the session, which may end before it has written. */
function untilClosed(session: Session, fresh: FreshDiagnostics): FreshDiagnostics {
  const end = session.onDidClose(() => fresh.dispose());
  return {
    before: fresh.before,
    arrived: () => fresh.arrived(),
    dispose: () => {
      end.dispose();
      fresh.dispose();
    },
  };
}

/** How long the CLI, which goes on by itself after about 1,000 ms, is kept waiting for fresh problems. */
const patience = 600;

/** How long it is kept from writing. After more than 500 ms CLI 2.1.330 writes, and asks for no news of that write. */
const patienceToWrite = 300;

/** The same for the model, which waits for as long as a tool takes: a server that starts has answered by then. */
const patienceOfModel = 3_000;

/** Its value, if there is one after at most that many ms. */
async function within<T>(limit: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), limit);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The CLI asks for one file just before it writes it, and for all of them after: the second answer is the news for
 * the model. What the model itself asks for is kept short, so that the CLI does not cut it.
 */
export function getDiagnostics(source: DiagnosticsSource, edits: EditListener): Tool {
  const writes = new WeakMap<Session, FreshDiagnostics>();
  return defineTool({
    name: 'getDiagnostics',
    description: 'Get language diagnostics from the editor: errors, warnings and hints of one file or of all',
    input: z.object({
      uri: z
        .nullish(z.string())
        .check(
          z.describe('File URI to get diagnostics for. If not provided, gets diagnostics for all files.'),
        ),
    }),
    async run({ uri }, { session, toolUseId }) {
      if (toolUseId !== undefined) {
        await within(patienceOfModel, source.learn(uri || undefined));
        const { files, leftOut } = boundDiagnostics(uri ? [source.of(uri)] : source.all(), source.activeUri);
        const answer = json(files);
        return leftOut === undefined ? answer : { content: [...answer.content, ...text(leftOut).content] };
      }
      if (uri) {
        edits.willEdit(session, uri);
        const known = source.of(uri);
        const write = untilClosed(session, source.watch(uri));
        writes.get(session)?.dispose();
        writes.set(session, write);
        return json([(await within(patienceToWrite, write.before)) ?? known]);
      }
      const write = writes.get(session);
      if (write) {
        writes.delete(session);
        await within(patience, write.arrived());
        write.dispose();
      }
      return json(source.all(true));
    },
  });
}
