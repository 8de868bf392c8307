import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { printable } from '../base/printable.ts';
import { withoutBom } from '../base/text.ts';
import type { Proposer } from '../server/proposer.ts';
import type { Session } from '../server/session.ts';
import type { WithdrawableProposals } from '../tools/closeAllDiffTabs.ts';
import type { Outcome, ProposalRequest, ProposalReviewer } from '../tools/openDiff.ts';
import { BaseFile } from './baseFile.ts';
import { DecidedTabs } from './decidedTabs.ts';
import { openDocument, openNotebook, saveNotebook } from '../editor/documents.ts';
import { EditorDecisions } from './editorDecisions.ts';
import { followTyping } from './followTyping.ts';
import { KeptVersions, languageOf } from './keptVersions.ts';
import { Proposal } from './proposal.ts';
import { ProposalFiles, textOf } from './proposalFiles.ts';
import { showsTerminal } from '../editor/columns.ts';
import { type Appearance, isReviewingAll, proposedSides, showDiff, tabsOf } from './proposalTabs.ts';
import { type Target, targetAt } from './proposalTarget.ts';
import { proposalScheme } from '../editor/schemes.ts';
import { setting } from '../editor/settings.ts';
import type { TypedTexts } from './typedTexts.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import { asOpened } from '../editor/workspaceFolders.ts';

/** What the user has decided, and where. */
export interface Decision {
  readonly proposal: Proposal;
  readonly isAccepted: boolean;
  /** When, in ms as `performance.now` counts; the diff closes later. */
  readonly at: number;
  /** Whether its diff was the active tab then, and the user in no tree. */
  readonly wasInFront: boolean;
  /** Where its diff was. */
  readonly column: vscode.ViewColumn | undefined;
}

/** What a session is about to write because the user has accepted it. */
export interface Acceptance {
  readonly session: Proposer;
  /** Absolute. */
  readonly filePath: string;
  /** What the file is to be, with LF line ends. */
  readonly text: string;
}

/** ms that a client waits for tabs to close: one that asks something may never do so. */
const patience = 2_000;

/**
 * ms after a decision in which the CLI asks for the next edit of the same answer, once it has written the one before, and in
 * which hardly anybody has gone on to something where no key is seen: a terminal, the palette, a search.
 */
const nextEditTime = 1_500;

/** ms for the editor to end the command that has shown a tab, of those: in VS Code 1.96 it may never do so. */
const openingTime = 1_000;

/** UTF-16 units of a text for whose diff the editor takes longer than for a row; while it opens, none is drawn. */
const longText = 200_000;

/** By what the client names a proposal. */
type Named = Pick<ProposalRequest, 'session' | 'tabName' | 'filePath'>;

/** Shows proposals in diff editors. Every way in which one can end meets in `settle`. */
export class Proposals implements ProposalReviewer, WithdrawableProposals, vscode.Disposable {
  private readonly files = new ProposalFiles();
  private readonly pending = new Map<string, Proposal>();
  /** Those whose files are being looked at, until they are withdrawn or under review. */
  private readonly asked = new Set<ProposalRequest>();
  /** Those of which the user is being asked, or whose text is being read. */
  private readonly accepting = new Set<Proposal>();
  private readonly decidedTabs: DecidedTabs;
  private readonly versions: KeptVersions;
  private readonly typing: ReturnType<typeof followTyping>;
  /** Each settles when the editor has opened the diff, or could not. */
  private readonly opening = new WeakMap<Proposal, Promise<void>>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly decided = new vscode.EventEmitter<Decision>();
  private readonly accepted = new vscode.EventEmitter<Acceptance>();
  private readonly prompted = new vscode.EventEmitter<Session>();
  private readonly byEditor = new EditorDecisions(this);
  private readonly subscriptions: vscode.Disposable[];
  /** That of the last one that was decided in front, in a diff of its own. */
  private lastInFront:
    { readonly session: Proposer; readonly at: number; readonly wasIn: boolean } | undefined;
  private isDisposed = false;

  /** A proposal has come or gone, or was merged. */
  readonly onDidChange = this.changed.event;
  /** It was decided, or could not be shown, and the diff is closed. */
  readonly onDidDecide = this.decided.event;
  /** It was accepted, and its session does not know it yet. */
  readonly onDidAccept = this.accepted.event;
  /** The user has sent a prompt: that is when the CLI withdraws all that is left of its proposals. */
  readonly onDidPrompt = this.prompted.event;

  constructor(
    private readonly log: Logger,
    typedTexts: TypedTexts,
    private readonly hasSeveralSessions: () => boolean,
    private readonly userPlace: Pick<UserPlace, 'isInEditor' | 'wasSeenOutside'>,
    /** See `ReviewTree.listed`. */
    private readonly listed: (proposal: Proposal) => Promise<void> | undefined,
  ) {
    this.versions = new KeptVersions(typedTexts, log);
    this.decidedTabs = new DecidedTabs(this.files, this.versions, (uri) => this.find(uri) !== undefined, log);
    this.typing = followTyping(
      this.files,
      (uri) => this.find(uri),
      (proposal) => this.follow(proposal),
    );
    this.subscriptions = [
      this.versions,
      this.typing,
      this.decidedTabs,
      vscode.workspace.registerFileSystemProvider(proposalScheme, this.files, { isCaseSensitive: true }),
      this.byEditor,
    ];
  }

  /** Those under review, oldest first. */
  get all(): readonly Proposal[] {
    return [...this.pending.values()];
  }

  find(uri: vscode.Uri): Proposal | undefined {
    return this.pending.get(uri.toString());
  }

  /** The proposal that the user looks at, if any. */
  get active(): Proposal | undefined {
    const editor = vscode.window.activeTextEditor;
    const inEditor = editor && this.find(editor.document.uri);
    if (inEditor) {
      return inEditor; // in a multi-diff there are others in the same tab
    }
    const { activeTabGroup, all } = vscode.window.tabGroups;
    // Beside a terminal, what another group shows.
    const groups = showsTerminal(activeTabGroup) ? all : [activeTabGroup];
    const [uri, ...others] = groups.flatMap(({ activeTab }) => (activeTab ? proposedSides(activeTab) : []));
    return uri && others.length === 0 ? this.find(uri) : undefined;
  }

  async review(asked: ProposalRequest, signal: AbortSignal): Promise<Outcome> {
    const request = { ...asked, filePath: asOpened(asked.filePath) };
    void this.endEach('dropped', request.session, ({ filePath }) => filePath === request.filePath);
    const base = new BaseFile(request.filePath); // at once, as the CLI has just read it
    const target = await this.targetOf(request);
    if (!target || signal.aborted) {
      return { kind: 'withdrawn' };
    }
    if (target === 'as proposed') {
      const name = printable(basename(request.filePath));
      vscode.window.setStatusBarMessage(`${name} is already as it was proposed: nothing to review.`, 5_000);
      return { kind: 'accepted', finalText: request.proposedText };
    }
    const proposal = this.add(request, target, base);
    const drop = () => void this.settle(proposal, { kind: 'dropped' });
    signal.addEventListener('abort', drop, { once: true });
    try {
      // VS Code 1.96 never ends the command of a diff that another editor has covered meanwhile.
      await Promise.race([this.opening.get(proposal), proposal.outcome.promise]);
    } catch (error) {
      void this.settle(proposal, { kind: 'rejected' });
      throw new Error(`The editor cannot show a diff of ${proposal.filePath}: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    return proposal.outcome.promise;
  }

  /** Brings its diff to the front, with the focus in it. */
  show(proposal: Proposal): Promise<void> {
    return this.showAs('focused', proposal);
  }

  /** Accepts what the proposed side holds now, saved or not. @param isOnRow see `settle` */
  async accept(uri: vscode.Uri, { isOnRow = false } = {}): Promise<void> {
    const proposal = this.find(uri);
    if (!proposal || this.accepting.has(proposal)) {
      return;
    }
    this.accepting.add(proposal);
    try {
      const text = await this.text(uri);
      proposal.base.follow(text);
      const hasChanged = proposal.base.look() || proposal.isOverUnsavedChanges;
      const outcome: Outcome | undefined = hasChanged
        ? await (
            await import('./changedFile.ts')
          ).acceptOverChanges(proposal, this.versions, {
            text: () => this.text(uri),
            show: () => this.show(proposal),
          })
        : { kind: 'accepted', finalText: proposal.finalText(text) };
      if (outcome) {
        await this.settle(proposal, outcome, isOnRow);
      } else {
        this.changed.fire(); // it may be merged
      }
    } finally {
      this.accepting.delete(proposal);
    }
  }

  /** Makes its changes in the file as it is now, in its diff. */
  async merge(proposal: Proposal): Promise<void> {
    const { mergeWithFile } = await import('./changedFile.ts');
    const { base, uri } = proposal;
    base.follow(await this.text(uri)); // an undo is told a moment later
    base.look();
    // By a second click it would be merged with what it has been merged with.
    if (base.isOutdated) {
      await mergeWithFile(proposal);
    }
    this.changed.fire();
  }

  /** For the diff that has the focus, once for each key. @returns whether the key was meant for it */
  takesKey(): boolean {
    return this.byEditor.takesKey();
  }

  /** Saves, and so accepts, the diff that has the focus. */
  async saveFocused(proposal: Proposal): Promise<void> {
    const { uri } = proposal;
    // The editor would save both sides of a diff: the user's own file before they are asked about what is unsaved in it.
    const mustAsk = setting('diff.acceptOnSave') && proposal.isOverUnsavedChanges;
    await (mustAsk ? this.accept(uri) : this.byEditor.save(uri));
  }

  /** See there. */
  saveFromElsewhere(): Promise<void> {
    return this.byEditor.saveFromElsewhere();
  }

  /** @param reason see `Outcome` @param isOnRow see `settle` */
  async reject(
    uri: vscode.Uri,
    { reason, isOnRow = false }: { reason?: string; isOnRow?: boolean } = {},
  ): Promise<void> {
    const proposal = this.find(uri);
    if (proposal) {
      await this.settle(proposal, { kind: 'rejected', ...(reason ? { reason } : {}) }, isOnRow);
    }
  }

  /** @returns how many proposals of this session had that name. */
  async withdraw(session: Session, tabName: string): Promise<number> {
    return this.endEach('withdrawn', session, (request) => request.tabName === tabName);
  }

  async withdrawAll(session: Session): Promise<number> {
    this.lastInFront = undefined;
    this.prompted.fire(session);
    return this.endEach('withdrawn', session, () => true);
  }

  /** Closes diffs that an earlier extension host has left behind: nobody waits for them, but what was typed there stays. */
  async closeOrphans(): Promise<void> {
    await Promise.all([this.versions.giveLeftBehind(), this.decidedTabs.closeOrphans()]);
  }

  dispose(): void {
    this.typing.flush();
    this.isDisposed = true;
    for (const proposal of this.all) {
      void this.settle(proposal, { kind: 'dropped' });
    }
    vscode.Disposable.from(
      ...this.subscriptions,
      this.changed,
      this.decided,
      this.accepted,
      this.prompted,
    ).dispose();
  }

  private showAs(appearance: Appearance, proposal: Proposal): Promise<void> {
    const isNamed = this.hasSeveralSessions() || proposal.session.isAlwaysNamed;
    return showDiff(proposal, proposal.title(isNamed), appearance);
  }

  /** A diff in front of what the user types in, or decides in, would take the keys from it, also where it leaves the focus. */
  private appearanceFor({ session, proposedText }: Proposal): Appearance {
    // They may be elsewhere when a long one has opened.
    if (setting('diff.takeFocus') || (this.isNextFor(session) && proposedText.length <= longText)) {
      return 'focused';
    }
    return this.userPlace.isInEditor || isReviewingAll() ? 'behind' : 'in front';
  }

  /** The user has just decided the one before it, in it or from an editor, and was seen nowhere else since. */
  private isNextFor(session: Proposer): boolean {
    const { lastInFront: last, userPlace } = this;
    return (
      last?.session === session &&
      performance.now() - last.at < nextEditTime &&
      (last.wasIn || userPlace.isInEditor) &&
      !userPlace.wasSeenOutside(last.at)
    );
  }

  /** What the proposed side holds. The cells of a notebook are documents of their own, and no part of its text. */
  private async text(uri: vscode.Uri): Promise<string> {
    await saveNotebook(uri);
    return this.textNow(uri);
  }

  /** The same, of a notebook when it was last saved. */
  private textNow(uri: vscode.Uri, file = this.files.file(uri)): string {
    const document = openDocument(uri);
    return document && (document.isDirty || !openNotebook(uri)) ? document.getText() : textOf(file);
  }

  private follow(proposal: Proposal): void {
    const text = this.textNow(proposal.uri);
    if (proposal.isEdited(text)) {
      this.versions.keep(proposal.uri, text);
    } else {
      this.versions.forget(proposal.uri);
    }
  }

  /** @returns undefined when it was withdrawn meanwhile. @throws when there is something that is not a file */
  private async targetOf(request: ProposalRequest): Promise<Target | 'as proposed' | undefined> {
    this.asked.add(request);
    try {
      const target = await targetAt(request.filePath, request.proposedText);
      return this.asked.has(request) ? target : undefined;
    } finally {
      this.asked.delete(request);
    }
  }

  /** @returns how many there were */
  private async endEach(
    kind: 'withdrawn' | 'dropped',
    session: Proposer,
    matches: (named: Named) => boolean,
  ): Promise<number> {
    const found = <T extends Named>(named: Iterable<T>) =>
      [...named].filter((request) => request.session === session && matches(request));
    const asked = found(this.asked);
    asked.forEach((request) => this.asked.delete(request));
    const shown = found(this.all);
    const closed = shown.map((proposal) => this.settle(proposal, { kind }));
    await Promise.race([Promise.all(closed), delay(patience)]);
    return asked.length + shown.length;
  }

  private add(request: ProposalRequest, target: Target, base: BaseFile): Proposal {
    const { filePath, proposedText } = request;
    const uri = this.files.create(filePath, withoutBom(proposedText));
    const original = target === 'text file' ? vscode.Uri.file(filePath) : this.files.empty(filePath);
    const proposal = new Proposal(request, target, original, uri, base);
    this.pending.set(uri.toString(), proposal);
    this.opening.set(proposal, this.open(proposal));
    this.changed.fire();
    return proposal;
  }

  private async open(proposal: Proposal): Promise<void> {
    if (proposal.proposedText.length > longText) {
      await Promise.race([this.listed(proposal), proposal.outcome.promise]);
    }
    if (this.find(proposal.uri)) {
      await this.showAs(this.appearanceFor(proposal), proposal);
    }
  }

  /**
   * Answers first, then tidies up: the client need not wait for the tab to close.
   * @param isOnRow decided by a key in a tree, in which the focus stays
   */
  private async settle(proposal: Proposal, outcome: Outcome, isOnRow = false): Promise<void> {
    const { uri } = proposal;
    const [at, wasInFront] = [performance.now(), this.active === proposal && !isOnRow];
    const wasIn = this.byEditor.isIn(uri);
    if (!proposal.outcome.settle(outcome)) {
      return;
    }
    const isDecided = outcome.kind === 'accepted' || outcome.kind === 'rejected';
    if (isDecided && wasInFront && !isReviewingAll()) {
      this.lastInFront = { session: proposal.session, at, wasIn };
    }
    if (outcome.kind === 'accepted') {
      const { session, filePath } = proposal;
      // Not what it is told, which is without what has come to the file since.
      this.accepted.fire({ session, filePath, text: proposal.finalText(this.textNow(uri)) });
    }
    const isDropped = outcome.kind === 'dropped';
    const staysTyped = isDropped || outcome.kind === 'rejected';
    if (staysTyped) {
      this.follow(proposal);
    } else {
      this.versions.forget(uri);
    }
    const file = this.files.file(uri); // which is forgotten with its last tab
    this.pending.delete(uri.toString());
    this.log.info(`Proposal for ${proposal.fileName} of session ${proposal.session.id}: ${outcome.kind}`);
    this.changed.fire();
    if (isDropped && this.isDisposed && proposal.isEdited(await this.text(uri))) {
      return; // it is on disk, where the next extension host finds it
    }
    const opened = this.opening.get(proposal)?.catch(() => {});
    // Else the tab would open after we have closed it.
    await (tabsOf(uri).length === 0 ? opened : Promise.race([opened, delay(openingTime)]));
    const column = tabsOf(uri)[0]?.group.viewColumn;
    const language = languageOf(uri);
    const original = openDocument(proposal.original)?.getText() ?? '';
    const closed = this.decidedTabs.close(uri);
    await (isDropped ? closed : Promise.race([closed, delay(patience)]));
    if (staysTyped) {
      // What stood there when its tab closed: the user has not decided that what they wrote may go.
      const text = this.textNow(uri, file);
      const isLost = isDropped ? proposal.isEdited(text) : proposal.isWritten(text, original);
      const why = isDropped ? 'no session waits' : 'rejected';
      await (isLost && this.versions.give(uri, text, { language, why }));
      this.versions.forget(uri);
    }
    if (isDecided) {
      this.decided.fire({ proposal, isAccepted: outcome.kind === 'accepted', at, wasInFront, column });
    }
  }
}
