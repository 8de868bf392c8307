import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { once } from '../base/emitter.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { ChangeReview } from './changeReview.ts';
import type { Author } from './changeSet.ts';
import { Changes } from './changes.ts';
import { ChangeSets } from './changeSets.ts';
import { AnnouncedEdits } from './announcedEdits.ts';
import { BeforeFiles } from './beforeFiles.ts';
import { ChangeDecorations } from './changeDecorations.ts';
import { closeDiffs, followDiffs } from './changeDiffs.ts';
import { ChangeGutter } from './changeGutter.ts';
import { changeStorage, snapshotLimits } from './changeStorage.ts';
import { watchChanges } from './changeWatcher.ts';
import { NewProblems } from './newProblems.ts';
import { OpenFiles } from './openFiles.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { HunkReview } from './hunkReview.ts';
import type { TurnStarts } from './turnStarts.ts';
import type { UndoDecision } from './undoDecision.ts';
import { watchUserEdits } from './userEdits.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Git } from '../server/git.ts';
import { isAlive } from '../server/processes.ts';
import { Session } from '../server/session.ts';
import type { Proposals } from '../proposals/proposals.ts';
import { changeCommandNames, commandIds, loadedCommands } from '../editor/commandIds.ts';
import { fileUris } from '../editor/paths.ts';
import type { ReviewTree } from '../editor/reviewTree.ts';
import { workspaceFolderPaths } from '../editor/workspaceFolders.ts';
import { ChangesSection } from './changesSection.ts';
import type { ShellEdits } from './shellEdits.ts';
import type { UnwatchedEdits } from './unwatchedEdits.ts';

/** What must be known of proposals. */
export type Proposing = Pick<Proposals, 'onDidPrompt' | 'onDidAccept'>;

/** Builds and owns all that shows what agents have changed. */
export class AgentChanges implements Disposable {
  readonly edits: AnnouncedEdits;
  readonly sets: ChangeSets;
  readonly changes: Changes;
  readonly review: ChangeReview;
  /** See `Reviewing`. */
  closed: Promise<void> = Promise.resolve();
  private readonly store = new DisposableStore();
  private readonly beforeFiles: BeforeFiles;
  readonly editor = new OpenFiles();
  private hunkReview: HunkReview | undefined;
  private undoing: UndoDecision | undefined;
  private turns: TurnStarts | undefined;
  private records: SessionRecords | undefined;
  private unwatched: UnwatchedEdits | undefined;
  private shellEdits: ShellEdits | undefined;
  private readonly watchedFile: string | undefined;

  constructor(
    storageUri: vscode.Uri | undefined,
    private readonly git: Git,
    private readonly tree: ReviewTree,
    private readonly log: Logger,
  ) {
    const storage = this.store.add(changeStorage(storageUri));
    this.watchedFile = storageUri && vscode.Uri.joinPath(storageUri, 'watched.json').fsPath;
    this.sets = this.store.add(new ChangeSets({ dir: storage.dir, limits: snapshotLimits, isAlive, log }));
    this.changes = this.store.add(new Changes(this.sets, log));
    this.review = new ChangeReview(this.sets, this.changes, this.editor);
    this.beforeFiles = this.store.add(new BeforeFiles(this.sets));
    const problems = this.store.add(new NewProblems(this.sets));
    this.edits = new AnnouncedEdits(this.review, problems);
    const section = this.store.add(new ChangesSection(this.sets, this.changes, problems));
    this.store.add(tree.add(section));
    this.followBranches(section);
    this.store.add(new ChangeDecorations(this.changes));
    this.store.add(
      followDiffs(this.changes, () => {
        this.hunks().catch(this.logs('Single changes cannot be decided'));
      }),
    );
    this.store.add(new ChangeGutter(this.changes, commandIds.openChange));
  }

  /** Goes on where the window was left, and follows what the sessions do. */
  start(bridge: Bridge, proposals: Proposing, terminals: SessionTerminals, records: SessionRecords): void {
    this.records = records;
    this.store.add(terminals.onDidChange((session) => this.sets.relabel(session)));
    this.store.add(
      proposals.onDidAccept(({ session, filePath, text }) => {
        this.review.didAccept(session, filePath, text);
        if (session instanceof Session) {
          this.unwatched?.didAccept(session, filePath);
        }
      }),
    );
    this.store.add(watchUserEdits(this.review, this.sets, this.changes));
    this.store.add(watchChanges(this, bridge, (paths) => this.shellEdits?.thereBefore(paths) ?? new Set()));
    this.store.add(
      once(bridge.onDidIdentify, () => {
        this.followSessions(bridge, proposals, records).catch(
          this.logs('Turns and shell edits are not seen'),
        );
      }),
    );
    this.store.add(this.sets.onDidChange(() => this.closeDiffs()));
    const begun = Date.now();
    void this.changes.tidy().then(() => {
      this.closeDiffs();
      this.followRecords(bridge, records, begun);
    });
  }

  /** Once there is something that a switch may take from the list. */
  private followBranches(section: ChangesSection): void {
    const first = this.store.add(
      this.changes.onDidChange(() => {
        if (this.sets.all.length > 0) {
          first.dispose();
          import('./branchSwitches.ts')
            .then(({ BranchSwitches }) =>
              this.store.add(new BranchSwitches(this.sets, this.changes, this.git, section)).start(),
            )
            .catch(this.logs('Branch switches are not seen'));
        }
      }),
    );
  }

  /** Finds what was edited unwatched. Nothing of it is loaded before the window has settled. */
  private followRecords({ sessions }: Bridge, records: SessionRecords, begun: number): void {
    const isAllowed = () => records.isAllowed && snapshotLimits().files > 0;
    const use = (action: (unwatched: UnwatchedEdits) => Promise<void> | void) =>
      this.unwatchedEdits(records, isAllowed).then(action).catch(this.logs('Unwatched edits are not found'));
    const look = (session: Session) =>
      void use((unwatched) => unwatched.ofSession(session, records.of(session)));
    this.store.add(records.onDidChange(look));
    this.store.add(records.onDidEdit((edit) => void use((unwatched) => unwatched.note(edit))));
    if (isAllowed()) {
      void use((unwatched) => unwatched.ofFolders(workspaceFolderPaths(), begun));
    } else if (this.watchedFile !== undefined) {
      // What the user does not want to be read now is not read later.
      rm(this.watchedFile, { force: true }).catch((error: unknown) => this.log.warn(errorMessage(error)));
    }
    sessions.forEach(look);
  }

  private async unwatchedEdits(records: SessionRecords, isAllowed: () => boolean): Promise<UnwatchedEdits> {
    const { UnwatchedEdits } = await import('./unwatchedEdits.ts');
    const { watchedFile: file, sets, review, changes, log } = this;
    return (this.unwatched ??= this.store.add(
      new UnwatchedEdits({
        file,
        sets,
        review,
        changes,
        configDir: records.configDir,
        isAllowed,
        limits: snapshotLimits,
        announces: (session) => this.edits.announces(session),
        pathOf: (filePath) => fileUris(filePath)[0]?.fsPath,
        log,
      }),
    ));
  }

  /** Not before there is a session, which is the author of what they find. */
  private async followSessions(
    { sessions }: Bridge,
    { onDidPrompt }: Proposing,
    records: SessionRecords,
  ): Promise<void> {
    const turns = await this.turnStarts();
    this.store.add(records.onDidChange((session) => turns.told(session)));
    this.store.add(onDidPrompt((session) => void turns.begin(session)));
    const { sets, review, changes, git, log } = this;
    const { ShellEdits } = await import('./shellEdits.ts');
    this.shellEdits = this.store.add(
      new ShellEdits({ sets, review, changes, sessions, records, onDidPrompt, git, log }),
    );
  }

  /** The user has prompted an agent that the editor itself runs. */
  async beginTurn(agent: Author, prompt: string): Promise<void> {
    const turns = await this.turnStarts();
    await turns.begin(agent, prompt);
  }

  /** Such an agent has written a file: a later window need not look for that edit. @param conversation with its CLI */
  didEdit(conversation: string): void {
    this.unwatched?.didEdit(conversation);
  }

  private async turnStarts(): Promise<TurnStarts> {
    const { TurnStarts } = await import('./turnStarts.ts');
    const turnOf = (author: Author) =>
      author instanceof Session ? this.records?.of(author)?.turn : undefined;
    return (this.turns ??= this.store.add(new TurnStarts(this.sets, this.review, turnOf, this.log)));
  }

  commands() {
    return loadedCommands(changeCommandNames, async () =>
      (await import('./changeCommands.ts')).changeCommands(this, this.tree),
    );
  }

  /** There once a diff, or a file that waits for review, is in view. */
  async hunks(): Promise<HunkReview> {
    const { HunkReview } = await import('./hunkReview.ts');
    return (this.hunkReview ??= this.store.add(
      new HunkReview(this.sets, this.changes, this.review, this.editor),
    ));
  }

  /** See `UndoDecision`. */
  async undo(decision: string): Promise<string[]> {
    const { UndoDecision } = await import('./undoDecision.ts');
    this.undoing ??= new UndoDecision(this.sets, this.review, this.editor);
    return this.undoing.undo(decision);
  }

  /** Those over a snapshot that is no longer kept. */
  private closeDiffs(): void {
    this.closed = closeDiffs((before) => !this.beforeFiles.has(before)).catch(
      this.logs('Old diffs of changes stay open'),
    );
  }

  dispose(): void {
    this.store.dispose();
  }

  private logs(words: string): (error: unknown) => void {
    return (error) => this.log.error(`${words}: ${errorMessage(error)}`);
  }
}
