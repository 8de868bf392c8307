import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../base/logger.ts';
import type { Disposable } from '../base/disposable.ts';
import { errorMessage, isNotFound } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { Queue } from '../base/queue.ts';
import { counted } from '../base/text.ts';
import { backupsOf } from '../records/backups.ts';
import type { PastEdit, Turn, TurnMark } from '../records/events.ts';
import { turnMark } from '../records/turnMark.ts';
import type { PastSession } from '../records/pastSessions.ts';
import type { RecordedSession } from '../records/recordedSession.ts';
import { breathe } from '../records/recordFile.ts';
import { Records } from '../records/records.ts';
import type { SessionEdit } from '../sessions/sessionRecords.ts';
import type { Session } from '../server/session.ts';
import type { Changes } from './changes.ts';
import { type ChangeReview, writeTime } from './changeReview.ts';
import { type ChangeSet, firstTaken, type Snapshot } from './changeSet.ts';
import type { ChangeSets, SnapshotLimits } from './changeSets.ts';
import { takeOut, type TakenOut } from './editsTakenOut.ts';
import { Watched } from './watched.ts';

/** ms by which a transcript may lag what it tells: up to 1.7 s were seen */
const lag = 2_000;

/** Of the title of a session that is not connected, in UTF-16 units. */
const maxTitle = 60;
/** In which a session has changed one file; the last count. */
const maxTurns = 20;
/** Of one process, that begins a new one now and then; the last count. */
const maxConversations = 20;

export interface UnwatchedOptions {
  /** Where what was watched is remembered over a reload; absolute. */
  readonly file: string | undefined;
  readonly limits: () => SnapshotLimits;
  readonly sets: ChangeSets;
  readonly review: ChangeReview;
  readonly changes: Changes;
  /** See `configDir`. */
  readonly configDir: string;
  /** Whether the CLI's records may be read now. */
  readonly isAllowed: () => boolean;
  /** Whether it has announced an edit since it connected: then it announces all. */
  readonly announces: (session: object) => boolean;
  /** The path by which the editor knows a file that the CLI names; undefined for what can be none here. */
  readonly pathOf: (filePath: string) => string | undefined;
  readonly log: Logger;
}

/** Whose edits these are. */
interface Found {
  readonly conversation: string;
  readonly edits: readonly PastEdit[];
  readonly isComplete: boolean;
  /** The session that is connected, and has just made them. */
  readonly by?: Session;
  /** The set that lists them, if there is one. */
  readonly set: () => ChangeSet | undefined;
  /** One that is begun for the first of them. */
  readonly begin: () => ChangeSet;
}

/** What a session has edited of a file and not announced. */
interface LiveEdits {
  /** Those that may have been on the disk together, oldest first; without what the user has accepted. */
  readonly edits: PastEdit[];
  /** How many of them were taken out of the file, and when it was read for that; ms since the epoch. */
  taken: number;
  readAt: number;
  /** Of their tool uses, and of all before them. */
  readonly known: Set<string>;
}

/** A proposal that the user has accepted. */
interface Acceptance {
  readonly path: string;
  /** ms since the epoch */
  readonly at: number;
  /** Of the edit that has written it, once that is known. */
  toolUseId?: string;
}

/**
 * Lists what sessions have edited while this window did not watch: before it was opened, or before they connected; and what
 * they do not announce. What the CLI has written down tells it, as far as it is still in the files; and in which turns files
 * were changed.
 */
export class UnwatchedEdits implements Disposable {
  /** Those whose past has been looked at, or is, by conversation. */
  private readonly known = new WeakMap<Session, Map<string, Promise<void>>>();
  private readonly accepted = new WeakMap<Session, Acceptance[]>();
  /** What they have not announced, by the path as the CLI has it. */
  private readonly live = new WeakMap<Session, Map<string, LiveEdits>>();
  /** One after the other: none has all the time, or twice the memory. */
  private readonly queue = new Queue();

  private readonly watched: Watched;
  private readonly subscription: Disposable;

  constructor(private readonly options: UnwatchedOptions) {
    const { file, sets } = options;
    this.watched = new Watched(file, options.announces);
    this.subscription = sets.onDidChange(() => this.watched.saveSoon());
  }

  dispose(): void {
    this.subscription.dispose();
    this.watched.dispose();
  }

  /** Looks in all conversations that were held in these folders. @param before ms since the epoch: the window watches from then on */
  ofFolders(folders: readonly string[], before: number): Promise<void> {
    return this.run(async () => {
      const { configDir, log } = this.options;
      const { watched } = this;
      const { lookedAt } = watched;
      if (lookedAt !== undefined) {
        await delay(left(before));
        const records = new Records({ configDir, log });
        try {
          const since = (conversation: string) => Math.max(lookedAt, watched.untilOf(conversation) ?? 0);
          await this.look(records, folders, since, before);
        } finally {
          records.dispose();
        }
      }
      if (!this.options.isAllowed()) {
        return;
      }
      watched.lookedAt = before;
    });
  }

  /** Looks at what a connected session has edited before, as soon as its record is known, and again if that becomes another. */
  async ofSession(session: Session, recorded: RecordedSession | undefined): Promise<void> {
    const conversation = recorded?.sessionId;
    if (!session.isOpen) {
      this.watched.end(session);
    }
    if (!session.isOpen || !recorded || conversation === undefined) {
      return;
    }
    this.know(session, conversation);
    this.noteShell(session, recorded.turn);
    const known = this.known.get(session) ?? new Map<string, Promise<void>>();
    this.known.set(session, known);
    if (!known.has(conversation)) {
      known.set(
        conversation,
        this.run(() => this.lookAt(session, recorded, conversation)),
      );
    }
    await known.get(conversation);
    if (session.isOpen && recorded.sessionId === conversation) {
      this.watched.begin(session, conversation);
    }
  }

  /** An agent that the editor itself runs has edited. @param conversation with its CLI, which writes it down a moment later */
  didEdit(conversation: string): void {
    this.watched.saw(conversation, Date.now() + lag);
  }

  /** The user has accepted a proposal: what is written by that they have seen. @param path as the editor knows it */
  didAccept(session: Session, path: string): void {
    const all = this.accepted.get(session) ?? [];
    this.accepted.set(session, all);
    all.push({ path, at: Date.now() });
  }

  /** Lists what a session has edited without announcing it, and remembers the turn in which it has changed a file. */
  async note({ session, edit, turn, conversation }: SessionEdit): Promise<void> {
    const mark = turn && turnMark(turn);
    if (conversation !== undefined && !this.options.announces(session)) {
      const added = this.addLive(session, { ...edit, ...(mark && { turn: mark }) });
      await this.run(() => this.takeLive(session, conversation, added));
      this.watched.note(session, edit.at);
    }
    if (mark) {
      this.mark(session, edit.filePath, mark);
    }
  }

  /** At once, so that those that are told together are taken out together. */
  private addLive(session: Session, edit: PastEdit): LiveEdits {
    const all = this.live.get(session) ?? new Map<string, LiveEdits>();
    this.live.set(session, all);
    // Others than those were not in the file when it was read.
    const isOver = ({ edits, taken, readAt }: LiveEdits) => taken === edits.length && edit.at > readAt + lag;
    for (const [filePath, each] of all) {
      if (isOver(each)) {
        all.set(filePath, { ...each, edits: [], taken: 0 }); // the texts of files are not kept for good
      }
    }
    const ofFile = all.get(edit.filePath) ?? { edits: [], taken: 0, readAt: 0, known: new Set<string>() };
    all.set(edit.filePath, ofFile);
    if (!ofFile.known.has(edit.toolUseId) && !this.wasAccepted(session, edit)) {
      ofFile.known.add(edit.toolUseId);
      ofFile.edits.push(edit);
    }
    return ofFile;
  }

  private async takeLive(session: Session, conversation: string, live: LiveEdits): Promise<void> {
    const { sets } = this.options;
    const edits = [...live.edits];
    await this.take({
      conversation,
      edits,
      isComplete: true,
      by: session,
      set: () => sets.find(session),
      begin: () => sets.setOf(session),
    });
    live.taken = edits.length;
    live.readAt = Date.now();
  }

  /** Whether an edit has written what the user had just accepted; each writes that once. */
  private wasAccepted(session: Session, { filePath, at, toolUseId }: PastEdit): boolean {
    const path = this.options.pathOf(filePath);
    const acceptance = this.accepted
      .get(session)
      ?.find(
        (each) =>
          each.path === path &&
          (each.toolUseId ?? toolUseId) === toolUseId &&
          each.at <= at &&
          at < each.at + writeTime,
      );
    if (acceptance) {
      acceptance.toolUseId = toolUseId;
    }
    return acceptance !== undefined;
  }

  private mark(session: Session, filePath: string, turn: TurnMark): void {
    const { sets, pathOf } = this.options;
    const path = pathOf(filePath);
    const snapshot = path === undefined ? undefined : sets.find(session)?.snapshots.get(path);
    if (snapshot) {
      this.addTurn(snapshot, turn);
    }
  }

  private addTurn(snapshot: Snapshot, turn: TurnMark): void {
    const { turns = [] } = snapshot;
    if (!turns.some(({ id }) => id === turn.id)) {
      snapshot.turns = [...turns, { ...turn }].sort((a, b) => a.begun - b.begun).slice(-maxTurns);
      this.options.sets.touch();
    }
  }

  /** Of a session that has edited before it connected, or in an earlier window: it goes on with the same set. */
  private know(session: Session, conversation: string): void {
    const { sets } = this.options;
    const { pid, label } = session;
    const isOrphan = (set: ChangeSet) => set.pid === undefined && set.conversations.includes(conversation);
    const set = sets.find(session) ?? (pid === undefined ? undefined : sets.all.find(isOrphan));
    if (set && !(set.pid === pid && set.label === label && set.conversations.includes(conversation))) {
      Object.assign(set, { pid, label });
      hold(set, conversation);
      sets.touch();
    }
  }

  /** Of what its shell has changed no record names the file. */
  private noteShell(session: Session, turn: Turn | undefined): void {
    const { sets } = this.options;
    for (const snapshot of sets.find(session)?.snapshots.values() ?? []) {
      const isByShell = snapshot.source === 'git' || snapshot.source === 'saved';
      if (turn && isByShell && !snapshot.turns && turn.begun <= snapshot.takenAt) {
        this.addTurn(snapshot, turnMark(turn));
      }
    }
  }

  private run(look: () => Promise<void>): Promise<void> {
    return this.queue.run(() =>
      look().catch((error: unknown) =>
        this.options.log.error(`What was edited unwatched is not known: ${errorMessage(error)}`),
      ),
    );
  }

  private async look(
    records: Records,
    folders: readonly string[],
    since: (conversation: string) => number,
    before: number,
  ): Promise<void> {
    const { sets } = this.options;
    const { past, sessionFiles } = records;
    const sessions = new Map<string, PastSession>(); // each once, where one folder is in another
    for (const folder of folders) {
      (await past.writtenSince(folder, since)).forEach((each) => sessions.set(each.path, each));
    }
    if (sessions.size === 0) {
      return;
    }
    sessionFiles.start();
    // The last first: what it found is what those before have left.
    for (const session of [...sessions.values()].sort((a, b) => b.lastActive - a.lastActive)) {
      const { sessionId, title = sessionId } = session;
      const time = since(sessionId);
      const found = await past.editsSince(session, time);
      const edits = found.edits.filter(({ at }) => at > time && at < before);
      const [first] = edits;
      const pid = sessionFiles.all.find((file) => file.sessionId === sessionId)?.pid;
      const label = `${pid === undefined ? 'Ended session' : 'Session'} · ${printable(title, maxTitle)}`;
      await this.take({
        conversation: sessionId,
        edits,
        isComplete: found.isComplete,
        set: () => {
          const ofPid = pid === undefined ? undefined : sets.all.findLast((set) => set.pid === pid);
          return ofPid ?? sets.all.findLast((set) => set.conversations.includes(sessionId));
        },
        begin: () => hold(sets.begin({ pid, label }, first?.at ?? before), sessionId),
      });
      if (!this.options.isAllowed()) {
        return;
      }
      this.watched.saw(sessionId, before);
    }
  }

  private async lookAt(session: Session, recorded: RecordedSession, conversation: string): Promise<void> {
    const { sets } = this.options;
    const since = this.watched.untilOf(conversation) ?? recorded.startedAt;
    if (since === undefined) {
      return; // nobody knows when its process began
    }
    this.know(session, conversation);
    await delay(left(session.connectedAt));
    if (recorded.sessionId !== conversation) {
      return;
    }
    const { edits, isComplete } = await recorded.editsSince(since);
    await this.take({
      conversation,
      edits: edits.filter(({ at }) => at > since && at < session.connectedAt),
      isComplete,
      set: () => sets.find(session),
      begin: () => sets.setOf(session),
    });
    // Not told as they came: that begins when the record is known.
    const live = edits.filter(({ at }) => at >= session.connectedAt);
    if (!this.options.announces(session)) {
      for (const all of new Set(live.map((edit) => this.addLive(session, edit)))) {
        await this.takeLive(session, conversation, all);
      }
    }
    for (const { filePath, turn } of live) {
      if (turn) {
        this.mark(session, filePath, turn);
      }
    }
  }

  private async take(found: Found): Promise<void> {
    const { changes, log, pathOf, review } = this.options;
    const byName = new Map<string, PastEdit[]>();
    for (const edit of found.edits) {
      const edits = byName.get(edit.filePath) ?? [];
      byName.set(edit.filePath, edits);
      edits.push(edit);
    }
    const decided = this.decided(found);
    const listed = new Set<string>();
    for (const [name, all] of byName) {
      await breathe();
      if (!this.options.isAllowed()) {
        return;
      }
      const path = pathOf(name);
      if (path === undefined) {
        continue;
      }
      try {
        if (await this.takeFile(path, all, found, decided)) {
          listed.add(path);
          if (found.by) {
            review.didList(found.by, path);
          }
        }
      } catch (error) {
        log.info(`${path} is not listed, though a session has edited it unwatched: ${errorMessage(error)}.`);
      }
    }
    if (listed.size > 0) {
      log.info(`${counted(listed.size, 'file')} that a session has edited unwatched: listed.`);
      await changes.refresh(listed);
    }
    if (!found.isComplete && found.edits.length > 0) {
      log.warn(`The transcript of ${found.conversation} is too long to look for older edits.`);
    }
  }

  /** @param decided see there @returns whether it is listed. @throws why it cannot be */
  private async takeFile(
    path: string,
    all: readonly PastEdit[],
    found: Found,
    decided: ReadonlyMap<string, number>,
  ): Promise<boolean> {
    const { log, sets, review } = this.options;
    const undecided = all.filter(({ at }) => at > (decided.get(path) ?? 0));
    // What the user has written into a proposal they have seen.
    const unseen = undecided.filter(({ isUserModified }) => !isUserModified);
    const [first] = unseen;
    const own = (): Snapshot | undefined => found.set()?.snapshots.get(path);
    const known = own();
    // Another one may have been in the file already when the first was taken out.
    const isAnew = known?.source === 'told' && firstTaken(known) === first?.at && unseen.length > 1;
    // Of a file that it had edited before, the text from before that counts.
    if (first && (isAnew || !(known && firstTaken(known) <= first.at))) {
      const laterEntry = () => sets.ofPath(path).find(({ snapshot }) => firstTaken(snapshot) > first.at);
      const later = laterEntry()?.snapshot;
      const now = later ? sets.before(later) : await this.read(path);
      const edits = unseen.filter(({ at }) => !later || at < firstTaken(later));
      const isLive = found.by !== undefined && (!known || isAnew);
      const taken = await this.takeOut(path, now, edits, found.conversation, isLive);
      if (own() !== known || laterEntry()?.snapshot !== later || (!later && !sets.isNow(path, now))) {
        // Announced, written, or decided, meanwhile.
        return this.takeFile(path, all, found, this.decided(found));
      }
      const set = found.set();
      if (set && known && isLive && taken.edits.length < edits.length) {
        log.info(
          `${path}: what it is compared with stays, as a part of what was edited looks otherwise now.`,
        );
      } else if (set && known) {
        review.replace({ set, snapshot: known }, taken.before, first.at, {
          ...(!taken.isExact && !found.by && { source: 'rebuilt' }),
          ...(taken.isLossy && { isSavedOver: true }),
        });
      } else {
        this.list(path, taken, first.at, found);
      }
    }
    const listed = own();
    if (listed) {
      undecided.forEach(({ turn }) => turn && this.addTurn(listed, turn));
    }
    return listed !== undefined;
  }

  private async read(path: string): Promise<Buffer | undefined> {
    try {
      const found = await stat(path);
      if (!found.isFile()) {
        throw new Error('it is not a file'); // to read a pipe would never end
      }
      if (found.size > this.options.limits().fileBytes) {
        throw new Error('it is too large to be kept (ideBridge.changes.maxFileSize)');
      }
      return await readFile(path);
    } catch (error) {
      if (isNotFound(error)) {
        return undefined;
      }
      throw error;
    }
  }

  private async takeOut(
    path: string,
    now: Buffer | undefined,
    edits: readonly PastEdit[],
    conversation: string,
    isLive: boolean,
  ): Promise<TakenOut> {
    const filePath = edits[0]?.filePath ?? path;
    let backups: Buffer[] | undefined;
    const read = () => (backups ??= [...backupsOf(this.options.configDir, conversation, filePath)]);
    const taken = await takeOut(now, edits, read, isLive);
    if (typeof taken === 'string') {
      throw new Error(taken);
    }
    return taken;
  }

  private list(path: string, { before, isExact, isLossy }: TakenOut, at: number, found: Found): void {
    const { sets } = this.options;
    if (sets.isNow(path, before)) {
      return;
    }
    const begin = () => found.set() ?? found.begin();
    const snapshot = sets.recordIn(
      begin,
      path,
      { bytes: before },
      { source: found.by ? 'told' : isExact ? 'recorded' : 'rebuilt' },
      at,
    );
    if (snapshot && isLossy) {
      snapshot.isSavedOver = true;
    }
  }

  /** When the user has last said what is to become of a file: that was about all that was there. */
  private decided({ by }: Found): ReadonlyMap<string, number> {
    // What one that has just edited was accepted is known by itself, and says nothing about other lines.
    const entries = this.options.sets.history.entries.filter(({ kind }) => !by || kind !== 'accepted');
    return new Map(entries.flatMap(({ at, files }) => files.map(({ path }) => [path, at] as const)));
  }
}

/** ms until what happened by then is written down; no longer where the clock was put back since. */
function left(time: number): number {
  return Math.max(0, Math.min(lag, time + lag - Date.now()));
}

function hold(set: ChangeSet, conversation: string): ChangeSet {
  const { conversations } = set;
  if (!conversations.includes(conversation)) {
    conversations.push(conversation);
    conversations.splice(0, conversations.length - maxConversations);
  }
  return set;
}
