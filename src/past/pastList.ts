import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { ChatSession } from '../chat/chatSessions.ts';
import { workspace } from '../editor/workspaceFolders.ts';
import { eachOnce } from '../records/eachOnce.ts';
import type { PastSession, PastSessionCounts } from '../records/pastSessions.ts';
import type { Records } from '../records/records.ts';
import { realPath } from '../server/realPath.ts';
import type { Session } from '../server/session.ts';
import type { PastFeature } from './feature.ts';

/** Ms for which the list is taken as it was read, as long as nobody begins or ends. */
const listTime = 30_000;
/** Bytes that are read to count the prompts of one. */
const maxCounted = 32 * 1024 * 1024;

/** Who has a conversation open: a terminal's CLI or a thread of the chat of this window, or another process. */
export type Holder =
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'chat'; readonly chat: ChatSession }
  /** A terminal of this window, in a moment. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'elsewhere'; readonly pid: number };

/** What was held before, read when it is asked for. */
export class PastList implements Disposable {
  private readonly store = new DisposableStore();
  private readonly watched = new WeakSet<Records>();
  private read:
    { readonly until: number; readonly of: string; readonly all: Promise<PastSession[]> } | undefined;

  /** @param tell it may be another */
  constructor(
    private readonly feature: PastFeature,
    private readonly tell: () => void,
  ) {}

  /** Those of the scope that no other row of this window stands for, the last active first. Undefined where none may be read. */
  async inScope(): Promise<PastSession[] | undefined> {
    const records = await this.records();
    if (!records) {
      return undefined;
    }
    const { isOfAll } = this.feature;
    const of = JSON.stringify([isOfAll, this.folders, this.running, this.held()]);
    if (this.read?.of !== of || performance.now() > this.read.until) {
      const all = isOfAll ? records.past.listAll() : this.ofFolders(records);
      this.read = { until: performance.now() + listTime, of, all };
    }
    const held = new Set(this.held());
    return (await this.read.all).filter(({ sessionId }) => !held.has(sessionId));
  }

  /** Of all folders, whoever has them open. Undefined where none may be read. */
  async all(): Promise<PastSession[] | undefined> {
    return (await this.records())?.past.listAll();
  }

  async count(session: PastSession): Promise<PastSessionCounts | undefined> {
    return (await this.records())?.past.count(session, maxCounted);
  }

  /** Of this window, where links lead: the CLI runs there. */
  get folders(): string[] {
    return workspace.folders.map(({ path }) => realPath(path));
  }

  /** As far as is known without another look. */
  holderOf(sessionId: string): Holder | undefined {
    const { records, chat, sessionTerminals } = this.feature.around;
    const thread = chat.sessions.find((each) => each.sessionId === sessionId);
    if (thread) {
      return { kind: 'chat', chat: thread };
    }
    const session = sessionTerminals.sessions.find((each) => records.of(each)?.sessionId === sessionId);
    const pid = records.running.get(sessionId);
    if (session) {
      return { kind: 'session', session };
    }
    if (pid !== undefined) {
      return { kind: 'elsewhere', pid };
    }
    return records.isStarting(sessionId) ? { kind: 'starting' } : undefined;
  }

  /** The same as of this moment, for who is about to do something with it. */
  async lookForHolder(sessionId: string): Promise<Holder | undefined> {
    (await this.records())?.start();
    return this.holderOf(sessionId);
  }

  /** Has it read anew. */
  refresh(): void {
    this.read = undefined;
    this.tell();
  }

  dispose(): void {
    this.store.dispose();
  }

  private get running(): string {
    return JSON.stringify([...this.feature.around.records.running]);
  }

  private async records(): Promise<Records | undefined> {
    const records = await this.feature.around.records.open();
    if (records && !this.watched.has(records)) {
      this.watched.add(records);
      let before = this.running;
      this.store.add(
        records.sessionFiles.onDidChange(() => {
          const { running } = this;
          if (running !== before) {
            before = running; // what each is at is told by its own row
            this.tell();
          }
        }),
      );
    }
    return records;
  }

  private async ofFolders({ past }: Records): Promise<PastSession[]> {
    const found: PastSession[] = [];
    for (const folder of new Set(this.folders)) {
      // What does not say where it was held lies where this folder's are.
      found.push(...(await past.list(folder)).map((session) => ({ ...session, cwd: session.cwd ?? folder })));
    }
    return eachOnce(found);
  }

  /** The ids of those for which a row of this window stands. */
  private held(): string[] {
    const { records, chat, sessionTerminals } = this.feature.around;
    return [
      ...chat.sessions.flatMap(({ sessionId }) => sessionId ?? []),
      ...sessionTerminals.sessions.flatMap((session) => records.of(session)?.sessionId ?? []),
    ];
  }
}
