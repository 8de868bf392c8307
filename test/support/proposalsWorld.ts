import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import './editor/asVscode.ts';
import { runIn } from './editor/asVscode.ts';
import { Clock } from './editor/clock.ts';
import { Host, type Message } from './editor/host.ts';
import { TextDocumentSaveReason, TextEditorSelectionChangeKind, Uri } from './editor/types.ts';
import {
  type Answer,
  type AutoSave,
  editedSides,
  type Input,
  isFile,
  isUntitled,
  pathOf,
  proposalScheme,
  type Provider,
  type Storage,
  Window,
} from './editor/window.ts';
import { MemoryLog } from './memoryLog.ts';
import { MemoryTransport } from './memoryTransport.ts';
import { keepAcceptedFileOpen } from '../../src/proposals/acceptedFiles.ts';
import { putBack } from '../../src/proposals/hunkCommands.ts';
import { Hunks } from '../../src/proposals/hunks.ts';
import type { Proposal } from '../../src/proposals/proposal.ts';
import { merged } from '../../src/proposals/merge.ts';
import { Proposals } from '../../src/proposals/proposals.ts';
import { TypedTexts } from '../../src/proposals/typedTexts.ts';
import { saveOriginal } from '../../src/proposals/unsavedChanges.ts';
import { Session } from '../../src/server/session.ts';
import { closeAllDiffTabs } from '../../src/tools/closeAllDiffTabs.ts';
import { closeTab } from '../../src/tools/closeTab.ts';
import { openDiff } from '../../src/tools/openDiff.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';

export const names = ['a.txt', 'b.txt', 'new.txt'] as const;
export type Name = (typeof names)[number];

export interface Setup {
  readonly autoSave: AutoSave;
  readonly autoSaveDelay: number;
  readonly acceptOnSave: boolean;
  readonly keepOpenAfterAccept: boolean;
  readonly takeFocus: boolean;
  /** Of how long things take that nobody has promised. */
  readonly seed: number;
}

/** In memory where there is such a place. */
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** ms in which what is typed into a proposal is on disk: 200 and what the wires take. */
const keepTime = 250;
/** ms in which the editor has a backup of what is typed: 1 s, and 2 s with auto-save after a delay. */
const backupTime = 2_050;
/** ms after which everything has come to its end: the extension waits 5 s at most, the editor restores within 6 s. */
const longEnough = 30_000;

/** ms in which the diff of a decided proposal has closed; in an editor with several it may stay, and be typed into. */
const closingTime = 5_000;

/** Why a proposal may end, and that nobody else may end it. */
type Cause = 'accept' | 'reject' | 'close' | 'withdraw' | 'supersede' | 'gone';

/** One `openDiff`, as the laws see it. */
interface Call {
  readonly id: number;
  readonly client: Client;
  readonly tabName: string;
  readonly name: Name;
  readonly proposed: string;
  proposal: Proposal | undefined;
  readonly causes: Set<Cause>;
  /** What stood in the editor since the user has accepted. */
  readonly accepted: string[];
  readonly answers: string[][];
  /** NaN before. */
  answeredAt: number;
  /** When the user did so first. */
  acceptedAt: number;
  /** What the file was when it was proposed, and has been since: the CLI may have read each. */
  readonly texts: (string | undefined)[];
  /** The user has accepted it over their unsaved changes, or what is newer. */
  isAcceptedAnyway: boolean;
}

/** A line that the user has written. */
interface Line {
  readonly text: string;
  /** The document into which it was typed. */
  readonly key: string;
  readonly typedAt: number;
  /** By an extension host that lived on for long enough. */
  isHeard: boolean;
}

class Client {
  readonly transport = new MemoryTransport();
  readonly session: Session;
  isOpen = true;

  constructor(
    readonly number: number,
    tools: ToolRegistry,
    log: MemoryLog,
  ) {
    const serverInfo = { name: 'test', title: 'Test', version: '1.0.0' };
    this.session = new Session(number, this.transport, tools, serverInfo, log);
    this.send('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'claude-code', version: '2.1.330' },
    });
  }

  private nextId = 0;

  /** @returns the id of the call */
  call(name: string, args: object): number {
    return this.send('tools/call', { name, arguments: args });
  }

  private send(method: string, params: object): number {
    const id = this.nextId++;
    void this.transport.receive({ jsonrpc: '2.0', id, method, params });
    return id;
  }
}

/** The extension in its host. */
interface Running {
  readonly host: Host;
  readonly proposals: Proposals;
  readonly hunks: Hunks;
  readonly clients: Client[];
  readonly tools: ToolRegistry;
  dispose(): void;
}

/** The real code of proposals in a simulated window over a real folder, and beside it the laws. */
export class ProposalsWorld {
  private readonly root = mkdtempSync(join(place, 'ide-bridge-proposals-'));
  private readonly folder = join(this.root, 'files');
  private readonly kept = join(this.root, 'kept');
  readonly log = new MemoryLog();
  private readonly clock = new Clock();
  private readonly storage: Storage = { backups: new Map(), layout: { tabs: [], active: undefined } };
  private window!: Window;
  private running!: Running;
  private readonly settings: Record<string, unknown>;

  private readonly calls: Call[] = [];
  private lines: Line[] = [];
  private readonly questions: { readonly message: Message; readonly asker: string | undefined }[] = [];
  /** What the files hold, by what the user, the CLIs and others have written. */
  private readonly disk = new Map<string, string>();
  private count = 0;
  private random: number;
  /** What the user says where the editor asks whether to save. */
  private answer: Answer = 'cancel';
  private savesFirst = new Set<string>();

  constructor(private readonly setup: Setup) {
    this.random = setup.seed + 1;
    this.settings = {
      'files.encoding': 'utf8',
      'files.autoGuessEncoding': false,
      'ideBridge.diff.location': 'activeGroup',
      'ideBridge.diff.takeFocus': setup.takeFocus,
      'ideBridge.diff.acceptOnSave': setup.acceptOnSave,
      'ideBridge.diff.keepOpenAfterAccept': setup.keepOpenAfterAccept,
    };
    mkdirSync(this.folder);
    names.slice(0, 2).forEach((name) => this.writes(name, `first of ${name}\nsecond\nthird\n`));
  }

  async open(): Promise<void> {
    this.clock.install();
    this.openWindow();
    await this.clock.advance(50);
  }

  dispose(): void {
    this.running.host.die();
    this.clock.uninstall();
    rmSync(this.root, { recursive: true, force: true });
  }

  async pass(ms: number): Promise<void> {
    await this.clock.advance(ms);
    this.checkNow();
  }

  // What the clients do

  proposes(which: number, name: Name): void {
    const client = this.clientAt(which);
    const number = ++this.count;
    const now = this.disk.get(name) ?? '';
    const proposed = `agent ${number}\n${now.replace('second\n', '')}agent ${number} too\n`;
    const tabName = `T${number}`;
    for (const older of this.undecided) {
      if (older.client === client && older.name === name) older.causes.add('supersede');
    }
    const id = client.call('openDiff', {
      old_file_path: this.path(name),
      new_file_path: this.path(name),
      new_file_contents: proposed,
      tab_name: tabName,
    });
    this.calls.push({
      ...{ id, client, tabName, name, proposed, proposal: undefined, texts: [this.disk.get(name)] },
      ...{
        causes: new Set(),
        accepted: [],
        acceptedAt: Infinity,
        answers: [],
        answeredAt: NaN,
        isAcceptedAnyway: false,
      },
    });
  }

  closesTab(which: number): void {
    const call = this.pick(which);
    if (call?.client.isOpen) {
      this.ends(call, 'withdraw');
      call.client.call('close_tab', { tab_name: call.tabName });
    }
  }

  isPrompted(which: number): void {
    const client = this.clientAt(which);
    this.undecided.filter((call) => call.client === client).forEach((call) => this.ends(call, 'withdraw'));
    client.call('closeAllDiffTabs', {});
  }

  drops(which: number): void {
    const client = this.clientAt(which);
    this.hasGone(client);
    client.transport.close();
    this.connect(client.number);
  }

  // What the user does

  types(which: number, atStart: boolean): void {
    const proposal = this.pick(which)?.proposal;
    if (proposal) this.typesInto(proposal.uri.toString(), atStart);
  }

  /** Also into one that is dead, where it is still there. */
  typesIntoTab(which: number, atStart: boolean): void {
    const keys = this.shownProposals;
    const key = keys[which % keys.length];
    if (key !== undefined) this.typesInto(key, atStart);
  }

  async typesIntoFile(name: Name, atStart: boolean): Promise<void> {
    if (this.disk.has(name)) {
      const key = this.key(name);
      await this.soon(this.window.openFile(key, false));
      this.typesInto(key, atStart);
    }
  }

  savesFile(name: Name): void {
    void this.window.save(this.key(name), TextDocumentSaveReason.Manual, true);
  }

  /** Looks at it, and clicks into it. */
  goesTo(which: number): void {
    const key = this.pick(which)?.proposal?.uri.toString();
    const tab = this.window.tabs.find(({ input }) => key !== undefined && editedSides(input).includes(key));
    if (tab && key !== undefined) {
      this.window.activate(tab.id, key);
      this.running.host.selected(key, TextEditorSelectionChangeKind.Mouse);
    }
  }

  /** By the menu, which goes past our key. */
  saves(): void {
    const key = this.window.inFront;
    if (key !== undefined) {
      this.mayAccept(key);
      void this.window.save(key, TextDocumentSaveReason.Manual, true);
    }
  }

  savesByKey(): void {
    const key = this.window.inFront;
    const call = this.undecided.find(({ proposal }) => proposal?.uri.toString() === key);
    if (key !== undefined && call) {
      this.mayAccept(key);
      this.running.host.run(async () => {
        const { proposals } = this.running;
        const { active } = proposals;
        if (active && proposals.takesKey()) await proposals.saveFocused(active);
      });
    }
  }

  savesAll(): void {
    const key = this.window.inFront;
    if (key !== undefined) this.mayAccept(key);
    this.window.saveAll(TextDocumentSaveReason.Manual);
  }

  accepts(which: number): void {
    const call = this.pick(which);
    if (call?.proposal && !call.causes.has('close')) {
      const { uri } = call.proposal;
      this.mayAccept(uri.toString(), true);
      this.running.host.run(() => this.running.proposals.accept(uri));
    }
  }

  rejects(which: number): void {
    const call = this.pick(which);
    if (call?.proposal) {
      const { uri } = call.proposal;
      this.ends(call, 'reject');
      this.running.host.run(() => this.running.proposals.reject(uri));
    }
  }

  savesFileFirst(which: number): void {
    const proposal = this.pick(which)?.proposal;
    if (proposal) {
      this.savesFirst.add(proposal.original.toString());
      this.running.host.run(() => saveOriginal(proposal));
    }
  }

  merges(which: number): void {
    const proposal = this.pick(which)?.proposal;
    if (proposal) {
      this.running.host.run(() => {
        this.clock.stopFor(imported);
        return this.running.proposals.merge(proposal);
      });
    }
  }

  decidesHunk(which: number, line: number, verb: 'keep' | 'drop'): void {
    const proposal = this.pick(which)?.proposal;
    if (proposal) {
      this.running.host.run(async () => {
        const { hunks } = this.running;
        const hunk = await hunks.at(proposal, line);
        if (hunk) await (verb === 'keep' ? hunks.keep(proposal, hunk) : putBack(proposal, hunk));
      });
    }
  }

  reviewsAll(): void {
    const { host, proposals } = this.running;
    host.run(async () => {
      const diffs = proposals.all.map(({ original, uri }) => [original, original, uri]);
      if (diffs.length > 0) await host.executeCommand('vscode.changes', 'all', diffs);
    });
  }

  /** Of any tab, dead or alive; what is asked then is answered so. */
  closesAnyTab(which: number, answer: Answer): void {
    const { tabs } = this.window;
    const tab = tabs[which % tabs.length];
    if (!tab || editedSides(tab.input).some(isUntitled)) {
      return; // where the user keeps what we have given them
    }
    for (const call of this.undecided) {
      const key = call.proposal?.uri.toString() ?? '';
      if (editedSides(tab.input).includes(key)) {
        call.causes.add('close');
        if (answer === 'save') this.mayAccept(key);
      }
    }
    this.answer = answer;
    void this.window.close(tab.id).finally(() => (this.answer = 'cancel'));
  }

  leavesWindow(): void {
    this.window.leave();
  }

  /** Where we ask about unsaved changes. */
  answers(which: number): void {
    const question = this.questions.shift();
    if (question) {
      const { message, asker } = question;
      const button = [undefined, ...message.buttons][which % (message.buttons.length + 1)];
      const name = names.find((each) =>
        [`${each} has unsaved changes`, `${each} has changed since`].some((words) =>
          message.text.startsWith(words),
        ),
      );
      assert.ok(name, `A question that names no file: ${message.text}`);
      // Of two proposals for that file only the one that was to be accepted.
      const call = this.undecided.find(({ proposal }) => proposal?.uri.toString() === asker);
      if (call) {
        if (button === 'Reject') this.ends(call, 'reject');
        if (button === 'Accept Anyway') call.isAcceptedAnyway = true;
        if (button === 'Save First') this.savesFirst.add(this.key(name));
      }
      message.press(button);
    }
  }

  // What others do

  somebodyWrites(name: Name): void {
    this.writes(name, `${this.disk.get(name) ?? ''}other ${++this.count}\n`);
  }

  // What breaks

  /** In order; the window may be gone before the extension has said goodbye. */
  async reloads(isWindowFirst: boolean): Promise<void> {
    this.questions.splice(0);
    if (!isWindowFirst && this.window.isSaving) {
      await this.clock.advance(100); // an editor that goes in order joins its saves
    }
    this.allHaveGone();
    this.window.putAway();
    if (isWindowFirst) {
      this.clock.drop('window');
    }
    this.running.dispose();
    await this.clock.advance(this.draw(300));
    this.running.host.die();
    this.clock.drop('window');
    this.openWindow();
  }

  /** The window stays, and starts another host: not at once. */
  async crashesHost(): Promise<void> {
    this.questions.splice(0);
    this.allHaveGone();
    this.running.host.die();
    await this.clock.advance(1_000);
    this.start();
  }

  /** Of the window is left what it has backed up, and where its tabs were a moment ago. */
  crashesWindow(): void {
    this.questions.splice(0);
    const { now } = this.clock;
    this.lines = this.lines.filter(({ key, typedAt, isHeard }) => {
      const time = key.startsWith(proposalScheme) && isHeard ? keepTime : backupTime;
      return now - typedAt > time || !this.window.docs.has(key);
    });
    this.allHaveGone();
    this.running.host.die();
    this.clock.drop('window');
    this.openWindow();
  }

  // What must be so

  /** At any moment: no line is nowhere, nothing is answered twice or without a cause, no file is written but by who may. */
  checkNow(): void {
    this.link();
    for (const client of this.clients) this.hear(client);
    this.checkLines(true);
    for (const name of names) {
      const path = this.path(name);
      const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
      assert.equal(text, this.disk.get(name), `${name} was written by nobody who may`);
    }
    const warnings = this.log.lines.filter((line) => line.includes('could not be closed: The proposal'));
    assert.deepEqual(warnings, []);
  }

  /** When nothing more comes: what was decided is answered and gone, what was not is there, and no line is on its way. */
  async checkAtEnd(): Promise<void> {
    await this.pass(longEnough);
    while (this.questions.length > 0) {
      this.answers(0);
      await this.pass(longEnough);
    }
    const pending = this.running.proposals.all.map(({ uri }) => uri.toString());
    const open = this.calls.filter(({ client, answers }) => client.isOpen && answers.length === 0);
    assert.deepEqual(
      open.map(({ proposal }) => proposal?.uri.toString()).sort(),
      [...pending].sort(),
      'a call waits without a proposal, or a proposal without a call',
    );
    for (const { causes, tabName } of open) {
      const decided = (['reject', 'withdraw', 'supersede'] as const).filter((cause) => causes.has(cause));
      assert.deepEqual(decided, [], `${tabName} was decided and still waits`);
    }
    const shown = this.window.tabs
      .map(({ input }) => proposedSides(input))
      .filter(({ length }) => length > 0);
    const orphans = shown.filter((sides) => !sides.some((key) => pending.includes(key)));
    assert.deepEqual(orphans, [], 'a tab shows what nobody waits for');
    const hidden = pending.filter((key) => !shown.flat().includes(key));
    assert.deepEqual(hidden, [], 'a proposal waits and has no tab');
    const given = [...this.window.docs.values()].filter(({ key }) => isUntitled(key)).map(({ text }) => text);
    assert.deepEqual(given, [...new Set(given)], 'the same text was given twice');
    this.checkLines(false);
  }

  /** @param isBetween what is on its way counts */
  private checkLines(isBetween: boolean): void {
    const pending = new Set(this.running.proposals.all.map(({ uri }) => uri.toString()));
    const docs = [...this.window.docs.values()].filter(
      ({ key, isDirty }) => isBetween || (key.startsWith(proposalScheme) ? pending.has(key) : isDirty),
    );
    const places = [
      ...docs.map(({ text }) => text),
      ...this.disk.values(),
      ...this.calls.flatMap(({ answers }) => answers.flat()),
    ];
    const isIn = (texts: readonly string[]) => (line: Line) =>
      texts.some((text) => text.includes(`${line.text}\n`));
    const missing = this.lines.filter((line) => !isIn(places)(line));
    const elsewhere = isBetween && missing.length > 0 ? this.putAway : [];
    const lost = missing.filter((line) => !isIn(elsewhere)(line));
    assert.deepEqual(lost, [], 'what the user has typed is lost');
  }

  /** What the extension and the editor have put away for the next start. */
  private get putAway(): string[] {
    return [...this.keptTexts, ...[...this.storage.backups.values()].map(({ text }) => text)];
  }

  private get keptTexts(): string[] {
    return existsSync(this.kept)
      ? readdirSync(this.kept).map((file) => {
          const { text } = JSON.parse(readFileSync(join(this.kept, file), 'utf8')) as { text: string };
          return text;
        })
      : [];
  }

  // How it is set up

  private openWindow(): void {
    this.window = new Window(this.clock, this.storage, this.provider, this, (below) => this.draw(below));
    this.window.autoSave = this.setup.autoSave;
    this.window.autoSaveDelay = this.setup.autoSaveDelay;
    const remember = () => {
      this.window.remember();
      this.clock.after(1_000 + this.draw(3_000), 'window', remember);
    };
    remember();
    this.start();
    this.window.restore();
  }

  /** Of whichever host there is when it is asked. */
  private readonly provider: Provider = {
    stat: (key) => this.running.host.stat(key),
    readFile: (key) => this.running.host.readFile(key),
    writeFile: (key, text) => this.running.host.writeFile(key, text),
  };

  private start(): void {
    const accepting = new Set<string>();
    const host = new Host(this.clock, this.window, {
      folder: this.folder,
      settings: this.settings,
      delay: () => this.draw(6),
      asked: (message) => {
        if (message.buttons.length > 0) {
          const isAsker = (key: string) =>
            message.text.startsWith(`${basename(pathOf(key))} `) &&
            !this.questions.some(({ asker }) => asker === key);
          this.questions.push({ message, asker: [...accepting].find(isAsker) });
        }
      },
      edited: (key, before, after) => this.edited(key, before, after),
    });
    runIn(host);
    const { log } = this;
    const clients: Client[] = [];
    const proposals = new Proposals(
      log,
      new TypedTexts(this.kept),
      () => clients.length > 1,
      { isInEditor: true, wasSeenOutside: () => false },
      () => undefined,
    );
    const accept = proposals.accept.bind(proposals);
    proposals.accept = async (uri) => {
      const key = uri.toString();
      if (accepting.has(key)) return accept(uri); // it asks nothing again
      accepting.add(key);
      this.clock.stopFor(imported);
      await accept(uri).finally(() => accepting.delete(key));
    };
    const hunks = new Hunks(proposals);
    const opened = proposals.onDidDecide(keepAcceptedFileOpen);
    const tools = new ToolRegistry(
      [
        openDiff(proposals),
        closeAllDiffTabs(proposals),
        closeTab({
          closeTab: async (session, name) => {
            await proposals.withdraw(session, name);
            return [];
          },
        }),
      ],
      log,
    );
    this.running = {
      ...{ host, proposals, hunks, clients, tools },
      dispose: () => {
        clients.forEach(({ session }) => session.dispose());
        proposals.dispose();
        hunks.dispose();
        opened.dispose();
      },
    };
    [1, 2].forEach((number) => this.connect(number));
    this.clock.stopFor(imported);
    void proposals.closeOrphans();
  }

  private connect(number: number): void {
    const { clients, tools } = this.running;
    clients[number - 1] = new Client(number, tools, this.log);
  }

  // What the window tells

  /** Whether the question that the editor asks names what is lost: then it is the user's own doing. */
  answerTo(keys: readonly string[]): Answer {
    if (this.answer === 'discard') {
      for (const { proposal, causes, accepted } of this.undecided) {
        const saved = this.window.docs.get(proposal?.uri.toString() ?? '')?.saved;
        if (causes.has('accept') && saved !== undefined) accepted.push(saved);
      }
      this.lines = this.lines.filter(({ key }) => !keys.includes(key));
    }
    return this.answer;
  }

  wrote(key: string, reason: number, isByHost: boolean): void {
    if (isByHost) {
      assert.ok(this.savesFirst.has(key), `${key} was saved by the extension, and nobody had said so`);
    }
    const path = pathOf(key);
    const name = names.find((each) => this.path(each) === path);
    assert.ok(name && reason > 0);
    this.isNow(name, readFileSync(path, 'utf8'));
    this.watcherTells(name);
  }

  /** By the one thing that edits: the user has rejected a hunk, and so what they have typed in it. */
  private edited(key: string, before: string, after: string): void {
    const call = this.calls.find(({ proposal }) => proposal?.uri.toString() === key);
    assert.ok(call, `${key} was edited by the extension`);
    if (call.causes.has('accept')) call.accepted.push(after);
    const isGone = (line: string) => before.includes(`${line}\n`) && !after.includes(`${line}\n`);
    this.lines = this.lines.filter((line) => line.key !== key || !isGone(line.text));
  }

  // What is heard of the answers

  private hear(client: Client): void {
    for (const message of client.transport.sent.splice(0)) {
      const call = this.calls.find((each) => each.client === client && each.id === message.id);
      const result = message.result as { content?: { text: string }[]; isError?: boolean } | undefined;
      if (call) {
        assert.ok(result?.content && !result.isError, JSON.stringify(message));
        this.heard(
          call,
          result.content.map(({ text }) => text),
        );
      }
    }
  }

  private heard(call: Call, texts: string[]): void {
    const [answer, text] = texts;
    call.answers.push(texts);
    call.answeredAt = this.clock.now;
    assert.equal(call.answers.length, 1, `${call.tabName} was answered twice`);
    const key = call.proposal?.uri.toString();
    if (answer === 'FILE_SAVED') {
      assert.ok(call.causes.has('accept'), `${call.tabName} was accepted by nobody`);
      const written = call.isAcceptedAnyway ? [text] : call.texts.map((now) => this.written(call, text, now));
      assert.ok(
        written.some((each) => call.accepted.includes(each ?? '')),
        `${call.tabName} was accepted as what its diff has never shown`,
      );
      const doc = this.window.docs.get(this.key(call.name));
      assert.ok(
        !doc?.isDirty || call.isAcceptedAnyway || doc.typedAt >= call.acceptedAt,
        `${call.tabName} was accepted over unsaved changes without a question`,
      );
      this.writes(call.name, this.written(call, text, this.disk.get(call.name)));
      this.lines = this.lines.filter((line) => {
        // Of what the file held the diff has shown what goes; of what is typed, the answer has all.
        return line.key === key ? text?.includes(`${line.text}\n`) : true;
      });
      this.forgetOverwritten();
    } else {
      const others = [...call.causes].filter((cause) => cause !== 'accept');
      assert.ok(others.length > 0, `${call.tabName} was rejected by nobody`);
      if (others.some((cause) => cause === 'withdraw' || cause === 'close')) this.forget(key);
    }
  }

  /** What a CLI makes of the file: it makes its changes there, or none if they touch what is newer. */
  private written({ texts }: Call, told: string | undefined, now: string | undefined): string {
    const [base, file] = [texts[0], now].map((text) => (text === undefined ? undefined : Buffer.from(text)));
    const merge = merged(base, file, told ?? '');
    return merge?.leftOut === 0 ? merge.text : (now ?? '');
  }

  /** A diff has shown that these lines go. */
  private forgetOverwritten(): void {
    const dirty = [...this.window.docs.values()].filter(({ isDirty }) => isDirty).map(({ text }) => text);
    const places = [...dirty, ...this.disk.values(), ...this.calls.flatMap(({ answers }) => answers.flat())];
    this.lines = this.lines.filter(
      ({ key, text }) => !isFile(key) || places.some((each) => each.includes(`${text}\n`)),
    );
  }

  // Small change

  private get clients(): Client[] {
    return [...new Set([...this.running.clients, ...this.calls.map(({ client }) => client)])];
  }

  private clientAt(which: number): Client {
    const { clients } = this.running;
    const client = clients[which % clients.length];
    assert.ok(client);
    return client;
  }

  /** Those that wait, as far as the user and the clients know. */
  private get undecided(): Call[] {
    this.link();
    return this.calls.filter(({ client, answers }) => client.isOpen && answers.length === 0);
  }

  /** Which proposal is whose. */
  private link(): void {
    for (const proposal of this.running.proposals.all) {
      const { session, tabName } = proposal;
      const call = this.calls.find((each) => each.client.session === session && each.tabName === tabName);
      assert.ok(call);
      call.proposal = proposal;
    }
  }

  private pick(which: number): Call | undefined {
    const { undecided } = this;
    return undecided[which % undecided.length];
  }

  private get shownProposals(): string[] {
    return this.window.tabs.flatMap(({ input }) => proposedSides(input));
  }

  private typesInto(key: string, atStart: boolean): void {
    if (!this.window.docs.has(key)) {
      return;
    }
    const line = `user ${++this.count}`;
    this.lines.push({ text: line, key, typedAt: this.clock.now, isHeard: true });
    this.window.type(key, (text) => (atStart ? `${line}\n${text}` : `${text}${line}\n`));
    this.running.host.selected(key, TextEditorSelectionChangeKind.Keyboard);
    const call = this.calls.find(({ proposal }) => proposal?.uri.toString() === key);
    if (call?.causes.has('accept')) call.accepted.push(this.window.docs.get(key)?.text ?? '');
    if (call && this.isClosing(call)) this.forget(key);
  }

  /** The user has decided it, and is about to see it go. */
  private isClosing({ causes, answers, answeredAt }: Call): boolean {
    const isDecided = (['reject', 'close', 'withdraw'] as const).some((cause) => causes.has(cause));
    return (isDecided || answers[0]?.[0] === 'FILE_SAVED') && !(this.clock.now - answeredAt > closingTime);
  }

  /** The user wants to accept what is there now. */
  private mayAccept(key: string, isByCommand = false): void {
    const call = this.undecided.find(({ proposal }) => proposal?.uri.toString() === key);
    if (call && (isByCommand || this.setup.acceptOnSave)) {
      call.causes.add('accept');
      call.acceptedAt = Math.min(call.acceptedAt, this.clock.now);
      call.accepted.push(this.window.docs.get(key)?.text ?? call.proposed);
    }
  }

  /** By a decision: what was typed there may go, unless the user has rejected what is not theirs. */
  private ends(call: Call, cause: Cause): void {
    call.causes.add(cause);
    if (cause !== 'reject') this.forget(call.proposal?.uri.toString());
  }

  private forget(key: string | undefined): void {
    this.lines = this.lines.filter((line) => line.key !== key);
  }

  private hasGone(client: Client): void {
    this.hear(client);
    client.isOpen = false;
    this.calls.filter((call) => call.client === client).forEach(({ causes }) => causes.add('gone'));
  }

  private allHaveGone(): void {
    for (const line of this.lines) {
      line.isHeard &&= this.clock.now - line.typedAt > keepTime;
    }
    this.running.clients.forEach((client) => this.hasGone(client));
  }

  private writes(name: Name, text: string): void {
    this.isNow(name, text);
    writeFileSync(this.path(name), text);
    this.watcherTells(name);
  }

  private isNow(name: Name, text: string): void {
    this.disk.set(name, text);
    this.calls.filter((call) => call.name === name).forEach(({ texts }) => texts.push(text));
  }

  private watcherTells(name: Name): void {
    this.clock.after(this.draw(300), 'window', () => void this.window.changedOutside(this.key(name)));
  }

  private async soon(opening: Promise<unknown>): Promise<void> {
    await this.clock.advance(30);
    await opening;
  }

  private path(name: Name): string {
    return join(this.folder, name);
  }

  private key(name: Name): string {
    return Uri.file(this.path(name)).toString();
  }

  /** The same numbers for the same seed. */
  private draw(below: number): number {
    this.random = (this.random * 48_271) % 2_147_483_647;
    return this.random % below;
  }
}

function proposedSides(input: Input): string[] {
  return editedSides(input).filter((key) => key.startsWith(proposalScheme));
}

/** What imports the same has it by then, too. */
const imported = () =>
  Promise.all([import('../../src/proposals/changedFile.ts'), import('../../src/proposals/leftTexts.ts')]);
