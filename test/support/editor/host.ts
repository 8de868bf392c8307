import { existsSync } from 'node:fs';
import type * as vscode from 'vscode';
import type { Clock } from './clock.ts';
import * as types from './types.ts';
import type { Position } from './types.ts';
import { EventEmitter, Range, TabInputText, TabInputTextDiff, Uri, type WorkspaceEdit } from './types.ts';
import { type Doc, type Input, type Listener, type Provider, proposalScheme, type Window } from './window.ts';

type FileProvider = Pick<vscode.FileSystemProvider, 'onDidChangeFile'> & {
  stat(uri: Uri): { mtime: number };
  readFile(uri: Uri): Uint8Array;
  writeFile(uri: Uri, bytes: Uint8Array): void;
};

/** A question above the window, or a notice. */
export interface Message {
  readonly text: string;
  readonly buttons: readonly string[];
  press(button: string | undefined): void;
}

/** What the world has set, and what it hears of. */
export interface Surroundings {
  readonly folder: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** What a wire takes, up to some ms: in each direction the order stays. */
  delay(): number;
  asked(message: Message): void;
  /** The extension has changed a text by itself. */
  edited(key: string, before: string, after: string): void;
}

/** A document as the extension host knows it: as the window was a moment ago. */
class HostDocument {
  readonly uri: Uri;
  readonly languageId: string;
  text: string;
  version: number;
  isDirty: boolean;
  readonly eol = 1;

  constructor(
    private readonly host: Host,
    { key, language, text, version, isDirty }: Doc,
  ) {
    this.uri = Uri.parse(key);
    this.languageId = language;
    this.text = text;
    this.version = version;
    this.isDirty = isDirty;
  }

  get isUntitled(): boolean {
    return this.uri.scheme === 'untitled';
  }

  get lineCount(): number {
    return this.text.split('\n').length;
  }

  getText(range?: Range): string {
    return range
      ? this.text.slice(offsetOf(this.text, range.start), offsetOf(this.text, range.end))
      : this.text;
  }

  lineAt(line: number): { text: string; range: Range } {
    const text = this.text.split('\n')[line] ?? '';
    return { text, range: new Range(line, 0, line, text.length) };
  }

  save(): Promise<boolean> {
    return this.host.call((window) =>
      window.save(this.uri.toString(), types.TextDocumentSaveReason.Manual, false, true),
    );
  }
}

interface HostTab {
  readonly id: number;
  readonly input: unknown;
  readonly label: string;
  isActive: boolean;
  isDirty: boolean;
  group: { viewColumn: number };
}

interface Change {
  readonly opened: HostTab[];
  readonly closed: HostTab[];
  readonly changed: HostTab[];
}

/** An extension host and its half of the API: all that it knows of the window and wants of it goes over two wires, in order. */
export class Host implements Listener, Provider {
  private readonly documents = new Map<string, HostDocument>();
  private hostTabs: HostTab[] = [];
  private activeEditor: { document: HostDocument } | undefined;
  private provider: FileProvider | undefined;
  private readonly atRegistration: (() => void)[] = [];
  /** Of the window, which this host owes. */
  private readonly owed = new Set<(error: Error) => void>();
  private isAlive = true;
  /** When the last message arrives: none overtakes another. */
  private readonly lastArrival = { host: 0, window: 0 };

  private readonly didChange = new EventEmitter<{ document: HostDocument }>();
  private readonly willSaveEvent = new EventEmitter<{ document: HostDocument; reason: number }>();
  private readonly didSave = new EventEmitter<HostDocument>();
  private readonly didChangeTabs = new EventEmitter<Change>();
  private readonly didChangeEditor = new EventEmitter<unknown>();
  private readonly didSelect = new EventEmitter<{ textEditor: { document: HostDocument }; kind: number }>();
  private readonly never = new EventEmitter<never>().event;

  constructor(
    private readonly clock: Clock,
    private readonly window: Window,
    private readonly around: Surroundings,
  ) {
    window.docs.forEach((doc) => this.documents.set(doc.key, new HostDocument(this, doc)));
    window.listener = this;
    this.hostTabs = this.tabsNow();
    this.activeEditor = this.editorInFront();
  }

  /** Nothing of it is heard any more, and what it owes it never gives. */
  die(): void {
    this.isAlive = false;
    this.window.listener = undefined;
    this.clock.drop('host');
    this.owed.forEach((reject) => reject(new Error('The extension host is gone.')));
  }

  // The wires

  /** Asks the window for something. */
  call<T>(act: (window: Window) => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) =>
      this.post('window', () => {
        act(this.window).then(
          (value) => this.post('host', () => resolve(value)),
          (error: unknown) => this.post('host', () => reject(error)),
        );
      }),
    );
  }

  /** The user calls a command of the extension. */
  run(command: () => Promise<unknown>): void {
    this.post('host', () => void command());
  }

  /** To the one or the other; with whom it goes to, it is lost. */
  private post(to: 'host' | 'window', act: () => void): void {
    if (this.isAlive) {
      const at = Math.max(this.lastArrival[to], this.clock.now + this.around.delay());
      this.lastArrival[to] = at;
      this.clock.after(at - this.clock.now, to, act);
    }
  }

  private ask<T>(act: (provider: FileProvider) => T): Promise<T> {
    if (!this.isAlive) {
      return Promise.reject(new Error('There is no such file system.'));
    }
    return new Promise((resolve, reject) => {
      this.owed.add(reject);
      const asked = () => {
        const provider = this.provider;
        if (!provider) {
          this.atRegistration.push(asked); // the editor waits for the extension
          return;
        }
        let answer: () => void;
        try {
          const value = act(provider);
          answer = () => resolve(value);
        } catch (error) {
          answer = () => reject(error);
        }
        this.post('window', () => {
          this.owed.delete(reject);
          answer();
        });
      };
      this.post('host', asked);
    });
  }

  // As the window sees it

  stat(key: string): Promise<{ mtime: number }> {
    return this.ask((provider) => ({ mtime: provider.stat(Uri.parse(key)).mtime }));
  }

  readFile(key: string): Promise<string> {
    return this.ask((provider) => Buffer.from(provider.readFile(Uri.parse(key))).toString());
  }

  writeFile(key: string, text: string): Promise<void> {
    return this.ask((provider) => provider.writeFile(Uri.parse(key), Buffer.from(text)));
  }

  opened(doc: Doc): void {
    const document = new HostDocument(this, doc);
    this.post('host', () => {
      this.documents.set(doc.key, document);
      this.look();
    });
  }

  changed({ key, text, version, isDirty }: Doc): void {
    this.tell(key, (document) => {
      Object.assign(document, { text, version, isDirty });
      this.didChange.fire({ document });
    });
  }

  dirtyChanged({ key, isDirty }: Doc): void {
    this.tell(key, (document) => {
      document.isDirty = isDirty;
      this.didChange.fire({ document });
    });
  }

  /** It is said to be clean then, whatever was typed meanwhile (read in VS Code 1.96 and 1.139). */
  saved({ key }: Doc): void {
    this.tell(key, (document) => {
      document.isDirty = false;
      this.didSave.fire(document);
    });
  }

  closed(key: string): void {
    this.post('host', () => this.documents.delete(key));
  }

  willSave(key: string, reason: number): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.owed.add(reject);
      this.tell(key, (document) => {
        this.willSaveEvent.fire({ document, reason });
        this.post('window', () => {
          this.owed.delete(reject);
          resolve();
        });
      });
    }).catch(() => {});
  }

  selected(key: string, kind: number): void {
    this.tell(key, (document) => this.didSelect.fire({ textEditor: { document }, kind }));
  }

  tabs(): void {
    const now = this.tabsNow();
    this.post('host', () => {
      const before = this.hostTabs;
      const known = (id: number) => before.find((tab) => tab.id === id);
      const opened = now.filter(({ id }) => !known(id));
      const closed = before.filter(({ id }) => !now.some((tab) => tab.id === id));
      const changed: HostTab[] = [];
      this.hostTabs = now.map((tab) => {
        const same = known(tab.id);
        if (same && (same.isActive !== tab.isActive || same.isDirty !== tab.isDirty)) {
          changed.push(Object.assign(same, { isActive: tab.isActive, isDirty: tab.isDirty }));
        }
        return same ?? tab;
      });
      if (opened.length + closed.length + changed.length > 0) {
        this.didChangeTabs.fire({ opened, closed, changed });
      }
    });
    const front = this.window.inFront;
    this.post('host', () => {
      this.front = front;
      this.look();
    });
  }

  private front: string | undefined;

  private look(): void {
    const document = this.front === undefined ? undefined : this.documents.get(this.front);
    if (document !== this.activeEditor?.document) {
      this.activeEditor = document && { document };
      this.didChangeEditor.fire(this.activeEditor);
    }
  }

  private editorInFront(): { document: HostDocument } | undefined {
    this.front = this.window.inFront;
    const document = this.front === undefined ? undefined : this.documents.get(this.front);
    return document && { document };
  }

  private tell(key: string, act: (document: HostDocument) => void): void {
    this.post('host', () => {
      const document = this.documents.get(key);
      if (document) {
        act(document);
      }
    });
  }

  private tabsNow(): HostTab[] {
    const group = { viewColumn: 1, isActive: true };
    return this.window.tabs.map((tab) => ({
      id: tab.id,
      label: tab.label,
      input: inputOf(tab.input),
      isActive: tab.id === this.window.active,
      isDirty: this.window.isDirty(tab),
      group,
    }));
  }

  // As the extension sees it

  get workspace() {
    const { documents } = this;
    return {
      textDocuments: [...documents.values()],
      notebookDocuments: [],
      workspaceFolders: [{ uri: Uri.file(this.around.folder), name: 'files', index: 0 }],
      workspaceFile: undefined,
      onDidChangeTextDocument: this.didChange.event,
      onWillSaveTextDocument: this.willSaveEvent.event,
      onDidSaveTextDocument: this.didSave.event,
      onWillSaveNotebookDocument: this.never,
      onDidSaveNotebookDocument: this.never,
      // What it tells of open files, their documents tell, too.
      createFileSystemWatcher: () => ({
        onDidChange: this.never,
        onDidCreate: this.never,
        onDidDelete: this.never,
        dispose: () => {},
      }),
      openTextDocument: async (what: Uri | { content: string; language: string }) => {
        const key = await this.call(async (window) => {
          const doc =
            what instanceof Uri
              ? await window.hold(what.toString())
              : window.createUntitled(what.content, what.language);
          return doc.key;
        });
        const document = documents.get(key);
        if (!document) {
          throw new Error(`${key} has been closed`);
        }
        return document;
      },
      applyEdit: ({ edits }: WorkspaceEdit) => {
        const versions = edits.map(({ key }) => documents.get(key)?.version);
        return this.call(async (window) => {
          const docs = edits.map(({ key }) => window.docs.get(key));
          if (docs.some((doc, i) => !doc || doc.version !== versions[i])) {
            return false; // the editor takes no edit of what has changed meanwhile
          }
          for (const { key, range, text } of edits) {
            window.type(key, (before) => {
              const after =
                before.slice(0, offsetOf(before, range.start)) +
                text +
                before.slice(offsetOf(before, range.end));
              this.around.edited(key, before, after);
              return after;
            });
          }
          return true;
        });
      },
      fs: {
        stat: (uri: Uri) =>
          this.call(async () => {
            if (!existsSync(uri.fsPath)) throw new Error('not found');
            return { type: types.FileType.File };
          }),
      },
      getConfiguration: (section: string) => ({
        get: (name: string) => this.around.settings[`${section}.${name}`],
        inspect: (name: string) => ({ globalValue: this.around.settings[`${section}.${name}`] }),
      }),
      registerFileSystemProvider: (scheme: string, provider: FileProvider) => {
        if (scheme !== proposalScheme) throw new Error(scheme);
        this.provider = provider;
        provider.onDidChangeFile((changes) => {
          const keys = changes.map(({ uri }) => uri.toString());
          this.post('window', () => keys.forEach((key) => void this.window.changedOutside(key)));
        });
        this.atRegistration.splice(0).forEach((asked) => asked());
        return new types.Disposable(() => {});
      },
    };
  }

  get windowApi() {
    const { around } = this;
    const groups = { viewColumn: 1, isActive: true, tabs: this.hostTabs };
    const group = { ...groups, activeTab: this.hostTabs.find(({ isActive }) => isActive) };
    return {
      activeTextEditor: this.activeEditor,
      visibleTextEditors: this.activeEditor ? [this.activeEditor] : [],
      onDidChangeActiveTextEditor: this.didChangeEditor.event,
      onDidChangeTextEditorSelection: this.didSelect.event,
      showWarningMessage: (text: string, _options?: unknown, ...buttons: string[]) =>
        new Promise<string | undefined>((resolve) =>
          this.post('window', () =>
            around.asked({ text, buttons, press: (button) => this.post('host', () => resolve(button)) }),
          ),
        ),
      tabGroups: {
        all: [group],
        activeTabGroup: group,
        onDidChangeTabs: this.didChangeTabs.event,
        onDidChangeTabGroups: this.never,
        close: (tabs: HostTab | HostTab[]) => {
          const ids = [tabs].flat().map(({ id }) => id);
          if (ids.some((id) => !this.hostTabs.some((tab) => tab.id === id))) {
            throw new Error('Tab close: Invalid tab not found!');
          }
          return this.call(async (window) => {
            const closed = await Promise.all(ids.map((id) => window.close(id)));
            return closed.every(Boolean);
          });
        },
      },
    };
  }

  executeCommand(name: string, ...args: unknown[]): Promise<unknown> {
    const [first, second, third, fourth] = args;
    const isBehind = (options: unknown) => (options as { background?: boolean }).background === true;
    switch (name) {
      case 'vscode.diff':
        return this.call((window) =>
          window.openDiff(String(first), String(second), String(third), isBehind(fourth)),
        );
      case 'vscode.open':
        return this.call((window) => window.openFile(String(first), isBehind(second)));
      case 'vscode.changes': {
        const diffs = (second as Uri[][]).map(([, original, modified]) => ({
          original: String(original),
          modified: String(modified),
        }));
        return this.call((window) => window.openAll(diffs, String(first)));
      }
      case 'workbench.action.files.save':
        return this.call(async (window) => {
          const { inFront } = window;
          return inFront && window.save(inFront, types.TextDocumentSaveReason.Manual, true);
        });
      default:
        throw new Error(`No command ${name}`);
    }
  }
}

function inputOf(input: Input): unknown {
  const diff = ({ original, modified }: { original: string; modified: string }) =>
    new TabInputTextDiff(Uri.parse(original), Uri.parse(modified));
  return input.kind === 'text'
    ? new TabInputText(Uri.parse(input.uri))
    : input.kind === 'diff'
      ? diff(input)
      : { textDiffs: input.diffs.map(diff) };
}

function offsetOf(text: string, { line, character }: Position): number {
  const lines = text.split('\n');
  const before = lines.slice(0, line).reduce((sum, each) => sum + each.length + 1, 0);
  return Math.min(before + character, text.length);
}
