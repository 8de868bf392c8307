import { readFileSync, writeFileSync } from 'node:fs';
import type { Clock } from './clock.ts';
import { TextDocumentSaveReason, Uri } from './types.ts';

export type AutoSave = 'off' | 'afterDelay' | 'onFocusChange' | 'onWindowChange';
export const proposalScheme = 'ide-bridge-proposal';

export type Input =
  | { readonly kind: 'text'; readonly uri: string }
  | { readonly kind: 'diff'; readonly original: string; readonly modified: string }
  | { readonly kind: 'multi'; readonly diffs: readonly { original: string; modified: string }[] };

export interface Tab {
  readonly id: number;
  readonly input: Input;
  readonly label: string;
}

/** A text that the window has open. */
export interface Doc {
  readonly key: string;
  readonly language: string;
  text: string;
  version: number;
  isDirty: boolean;
  /** Of the file, when it was read or written. */
  saved: string;
  mtime: number;
  /** The extension host has opened it, until then. */
  heldUntil: number;
  /** When something was last typed. */
  typedAt: number;
  saving: Promise<boolean> | undefined;
}

/** What outlives a window: the editor's own backups, and what was where. */
export interface Storage {
  readonly backups: Map<string, { text: string; saved: string; mtime: number; language: string }>;
  layout: { tabs: readonly Tab[]; active: number | undefined };
}

/** The file system of the extension, asked over the wire. */
export interface Provider {
  stat(key: string): Promise<{ mtime: number }>;
  readFile(key: string): Promise<string>;
  writeFile(key: string, text: string): Promise<void>;
}

/** What the window tells its extension host, in this order. */
export interface Listener {
  opened(doc: Doc): void;
  changed(doc: Doc): void;
  dirtyChanged(doc: Doc): void;
  saved(doc: Doc): void;
  closed(key: string): void;
  tabs(): void;
  selected(key: string, kind: number): void;
  /** @returns when its listeners have had their say */
  willSave(key: string, reason: number): Promise<void>;
}

/** What the user says when the editor asks whether to save what a tab shows that closes. */
export type Answer = 'save' | 'discard' | 'cancel';

export interface User {
  /** @param keys what would be lost */
  answerTo(keys: readonly string[]): Answer;
  /** The editor has written a file. */
  wrote(key: string, reason: number, isByHost: boolean): void;
}

/** ms after the last key; 2 s with auto-save after a delay. Seen in test/e2e/reload.test.ts. */
const backupDelay = 1_000;
/** ms after which an unsaved text that no tab shows gets one, in the background. Seen in keptVersions.ts. */
const tabDelay = 800;
/** ms for which a document lives on that an extension has opened (vscode.d.ts, `openTextDocument`). */
const holdTime = 180_000;

/**
 * The window of VS Code, as far as proposals meet it: texts with their unsaved changes, tabs, saves, auto-save in its
 * four modes, questions, backups. Each behaviour was seen in a real window; a comment says where.
 */
export class Window {
  readonly docs = new Map<string, Doc>();
  private readonly opening = new Map<string, Promise<Doc>>();
  tabs: Tab[];
  active: number | undefined;
  /** Where the user is in a tab that shows several. */
  focused: string | undefined;
  private count = 0;
  /** It has put away all that is unsaved, and saves no more. */
  private isGoing = false;
  /** A host that lives. */
  listener: Listener | undefined;
  autoSave: AutoSave = 'off';
  autoSaveDelay = 1_000;

  constructor(
    private readonly clock: Clock,
    private readonly storage: Storage,
    private readonly provider: Provider,
    private readonly user: User,
    private readonly draw: (below: number) => number,
  ) {
    this.tabs = [...storage.layout.tabs];
    this.active = storage.layout.active;
    this.count = Math.max(0, ...this.tabs.map(({ id }) => id));
  }

  /** Brings back the texts of the window before, each when it likes (seen in test/e2e/reload.test.ts: some after their tab was closed). */
  restore(): void {
    const active = this.tabs.find(({ id }) => id === this.active);
    if (active) {
      sidesOf(active.input).forEach((key) => void this.resolve(key).catch(() => {}));
    }
    for (const key of this.storage.backups.keys()) {
      this.clock.after(this.draw(6_000), 'window', () => {
        if (this.storage.backups.has(key) && !this.docs.has(key)) {
          this.show(key);
          void this.resolve(key).catch(() => {});
        }
      });
    }
  }

  // Texts

  /** Opens a text. One of which there is a backup comes back with it. @throws when there is no such file */
  resolve(key: string): Promise<Doc> {
    const known = this.docs.get(key);
    const opening = known ? Promise.resolve(known) : (this.opening.get(key) ?? this.read(key));
    if (!known) {
      this.opening.set(key, opening);
      const done = () => void this.opening.delete(key);
      opening.then(done, done);
    }
    return opening;
  }

  private async read(key: string): Promise<Doc> {
    const backup = this.storage.backups.get(key);
    if (backup) {
      await this.clock.sleep(this.draw(20), 'window');
      return this.add(key, { ...backup, isDirty: true });
    }
    if (isFile(key)) {
      await this.clock.sleep(this.draw(20), 'window');
      const text = readFileSync(pathOf(key), 'utf8');
      return this.add(key, { text, saved: text, mtime: 0, language: 'plaintext', isDirty: false });
    }
    if (isUntitled(key)) {
      return this.add(key, { text: '', saved: '', mtime: 0, language: 'plaintext', isDirty: false });
    }
    const { mtime } = await this.provider.stat(key);
    const text = await this.provider.readFile(key);
    return this.add(key, { text, saved: text, mtime, language: 'plaintext', isDirty: false });
  }

  private add(key: string, of: Pick<Doc, 'text' | 'saved' | 'mtime' | 'language' | 'isDirty'>): Doc {
    const doc = { ...of, key, version: 1, heldUntil: 0, typedAt: -Infinity, saving: undefined };
    this.docs.set(key, doc);
    this.listener?.opened(doc);
    this.listener?.tabs();
    return doc;
  }

  /** For an extension, which may look at it for some minutes. */
  async hold(key: string): Promise<Doc> {
    const doc = await this.resolve(key);
    doc.heldUntil = this.clock.now + holdTime;
    this.clock.after(holdTime, 'window', () => this.drop(key));
    return doc;
  }

  createUntitled(text: string, language: string): Doc {
    let number = 1;
    const taken = (key: string) =>
      this.docs.has(key) || this.tabs.some(({ input }) => sidesOf(input).includes(key));
    while (taken(`untitled:Untitled-${number}`)) number++;
    const key = `untitled:Untitled-${number}`;
    const doc = this.add(key, { text, saved: '', mtime: 0, language, isDirty: true });
    this.backUp(doc);
    this.clock.after(tabDelay, 'window', () => this.docs.get(key) === doc && this.show(key));
    return doc;
  }

  type(key: string, change: (text: string) => string): void {
    const doc = this.docs.get(key);
    if (!doc) {
      return;
    }
    this.change(doc, change(doc.text), true);
    doc.typedAt = this.clock.now;
    this.backUp(doc);
    const { version } = doc;
    if (this.autoSave === 'afterDelay' && !isUntitled(key)) {
      this.clock.after(this.autoSaveDelay, 'window', () => {
        const isMeant = doc.version === version && !this.isGoing;
        if (isMeant) void this.save(key, TextDocumentSaveReason.AfterDelay);
      });
    }
  }

  private change(doc: Doc, text: string, isDirty: boolean): void {
    const wasDirty = doc.isDirty;
    Object.assign(doc, { text, isDirty, version: doc.version + 1 });
    this.listener?.changed(doc);
    if (wasDirty !== isDirty) {
      this.listener?.dirtyChanged(doc);
      this.listener?.tabs();
    }
  }

  private backUp(doc: Doc): void {
    const { version } = doc;
    const delay = this.autoSave === 'afterDelay' ? 2 * backupDelay : backupDelay;
    this.clock.after(delay, 'window', () => {
      if (doc.isDirty && doc.version === version && this.docs.get(doc.key) === doc) {
        this.putBackup(doc);
      }
    });
  }

  private putBackup({ key, text, saved, mtime, language }: Doc): void {
    this.storage.backups.set(key, { text, saved, mtime, language });
  }

  /** @param isForced as the user's own key does: also what has no changes. @returns whether it is clean */
  async save(key: string, reason: number, isForced = false, isByHost = false): Promise<boolean> {
    const doc = this.docs.get(key);
    if (!doc || isUntitled(key)) {
      return false;
    }
    await doc.saving;
    if (!doc.isDirty && !isForced) {
      return true;
    }
    doc.saving = this.write(doc, reason, isByHost).finally(() => (doc.saving = undefined));
    return doc.saving;
  }

  /** It refuses to write over what is newer than what it has read (seen in proposalFiles.ts, and with files). */
  private async write(doc: Doc, reason: number, isByHost: boolean): Promise<boolean> {
    const { key } = doc;
    await this.listener?.willSave(key, reason);
    const { text, version } = doc;
    try {
      if (isFile(key)) {
        await this.clock.sleep(this.draw(10), 'window');
        if (readFileSync(pathOf(key), 'utf8') !== doc.saved) {
          return false;
        }
        writeFileSync(pathOf(key), text);
        this.user.wrote(key, reason, isByHost);
      } else {
        const before = await this.provider.stat(key).catch(() => undefined);
        if (before && before.mtime > doc.mtime) {
          return false;
        }
        await this.provider.writeFile(key, text);
        doc.mtime = (await this.provider.stat(key)).mtime;
      }
    } catch {
      return false;
    }
    doc.saved = text;
    const isClean = doc.version === version;
    if (isClean) {
      doc.isDirty = false;
      this.storage.backups.delete(key);
      this.listener?.dirtyChanged(doc);
      this.listener?.tabs();
    }
    this.listener?.saved(doc);
    this.drop(key);
    return isClean;
  }

  get isSaving(): boolean {
    return [...this.docs.values()].some(({ saving }) => saving !== undefined);
  }

  /** The file system says that a file of ours has changed, or the watcher that one on disk has. Unsaved changes stay. */
  async changedOutside(key: string): Promise<void> {
    const doc = this.docs.get(key);
    if (!doc || doc.isDirty || doc.saving) {
      return;
    }
    const { version } = doc;
    try {
      const mtime = isFile(key) ? 0 : (await this.provider.stat(key)).mtime;
      const text = isFile(key) ? readFileSync(pathOf(key), 'utf8') : await this.provider.readFile(key);
      if (doc.version === version && !doc.isDirty) {
        Object.assign(doc, { mtime, saved: text });
        if (text !== doc.text) {
          this.change(doc, text, false);
        }
      }
    } catch {
      // it is gone: the text stays
    }
  }

  /** As its last tab closes, unless something still needs it. */
  private drop(key: string): void {
    const doc = this.docs.get(key);
    const isShown = this.tabs.some(({ input }) => sidesOf(input).includes(key));
    if (doc && !doc.isDirty && !doc.saving && !isShown && doc.heldUntil <= this.clock.now) {
      this.docs.delete(key);
      this.listener?.closed(key);
    }
  }

  // Tabs

  isDirty({ input }: Tab): boolean {
    return editedSides(input).some((key) => this.docs.get(key)?.isDirty);
  }

  /** What the user types into. */
  get inFront(): string | undefined {
    const tab = this.tabs.find(({ id }) => id === this.active);
    const sides = tab ? editedSides(tab.input) : [];
    return sides.find((key) => key === this.focused) ?? sides[0];
  }

  /** Ends when both sides are open. */
  async openDiff(original: string, modified: string, label: string, isBehind: boolean): Promise<void> {
    const isIt = ({ input }: Tab) => input.kind === 'diff' && input.modified === modified;
    const tab = this.tabs.find(isIt) ?? this.addTab({ kind: 'diff', original, modified }, label);
    if (!isBehind) {
      this.activate(tab.id);
    }
    this.listener?.tabs();
    await Promise.all([this.resolve(original), this.resolve(modified)].map((side) => side.catch(() => {})));
  }

  async openAll(diffs: readonly { original: string; modified: string }[], label: string): Promise<void> {
    this.activate(this.addTab({ kind: 'multi', diffs }, label).id);
    this.listener?.tabs();
    const sides = diffs.flatMap(({ original, modified }) => [original, modified]);
    await Promise.all(sides.map((side) => this.resolve(side).catch(() => {})));
  }

  async openFile(key: string, isBehind: boolean): Promise<void> {
    await this.resolve(key);
    const tab = this.show(key);
    if (!isBehind) {
      this.activate(tab.id);
    }
  }

  activate(id: number, focused?: string): void {
    const left = this.inFront;
    const isOther = this.active !== id || (focused !== undefined && focused !== left);
    this.active = id;
    this.focused = focused;
    if (isOther) {
      this.listener?.tabs();
      if (left && this.autoSave === 'onFocusChange') {
        void this.save(left, TextDocumentSaveReason.FocusOut);
      }
    }
  }

  /** The user goes to another program. */
  leave(): void {
    if (this.autoSave === 'onFocusChange' || this.autoSave === 'onWindowChange') {
      this.saveAll(TextDocumentSaveReason.FocusOut);
    }
  }

  saveAll(reason: number): void {
    const dirty = [...this.docs.values()].filter(({ isDirty }) => isDirty);
    dirty.forEach(({ key }) => void this.save(key, reason));
  }

  /**
   * Asks about what would be lost: never for an editor with several diffs (seen in test/integration/review.test.ts), nor
   * where leaving it saves it (read in VS Code 1.139).
   */
  async close(id: number): Promise<boolean> {
    const tab = this.tabs.find((each) => each.id === id);
    if (!tab) {
      return true;
    }
    const others = this.tabs.filter((each) => each !== tab).flatMap(({ input }) => editedSides(input));
    const lost =
      tab.input.kind === 'multi'
        ? []
        : editedSides(tab.input).filter((key) => this.docs.get(key)?.isDirty && !others.includes(key));
    if (lost.length > 0) {
      const saves = this.autoSave === 'onFocusChange' && !lost.some(isUntitled);
      const answer = saves ? 'save' : this.user.answerTo(lost);
      if (answer === 'cancel') {
        return false;
      }
      for (const key of lost) {
        const reason = saves ? TextDocumentSaveReason.FocusOut : TextDocumentSaveReason.Manual;
        if (answer === 'save' && !(await this.save(key, reason))) {
          return false;
        }
        this.revert(key, answer === 'discard');
      }
    }
    this.tabs = this.tabs.filter((each) => each.id !== id);
    if (this.active === id) {
      this.active = this.tabs.at(-1)?.id;
      this.focused = undefined;
    }
    this.listener?.tabs();
    sidesOf(tab.input).forEach((key) => this.drop(key));
    return true;
  }

  private revert(key: string, isMeant: boolean): void {
    const doc = this.docs.get(key);
    if (doc?.isDirty && isMeant) {
      this.storage.backups.delete(key);
      this.change(doc, doc.saved, false);
    }
  }

  /** What a window puts away before it goes in order; the tabs it remembers all the time, a crash some seconds late. */
  putAway(): void {
    this.isGoing = true;
    [...this.docs.values()].filter(({ isDirty }) => isDirty).forEach((doc) => this.putBackup(doc));
    this.remember();
  }

  remember(): void {
    this.storage.layout = { tabs: [...this.tabs], active: this.active };
  }

  private show(key: string): Tab {
    const shown = this.tabs.find(({ input }) => editedSides(input).includes(key));
    return shown ?? this.addTab({ kind: 'text', uri: key }, key);
  }

  private addTab(input: Input, label: string): Tab {
    const tab = { id: ++this.count, input, label };
    this.tabs.push(tab);
    this.listener?.tabs();
    return tab;
  }
}

/** What is saved with a tab. */
export function editedSides(input: Input): string[] {
  return input.kind === 'text'
    ? [input.uri]
    : input.kind === 'diff'
      ? [input.modified]
      : input.diffs.map(({ modified }) => modified);
}

function sidesOf(input: Input): string[] {
  return input.kind === 'text'
    ? [input.uri]
    : (input.kind === 'diff' ? [input] : input.diffs).flatMap(({ original, modified }) => [
        original,
        modified,
      ]);
}

export function isFile(key: string): boolean {
  return key.startsWith('file:');
}

export function isUntitled(key: string): boolean {
  return key.startsWith('untitled:');
}

export function pathOf(key: string): string {
  return Uri.parse(key).path;
}
