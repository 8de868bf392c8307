import * as vscode from 'vscode';
import { DisposableStore } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import type { Changes } from './changes.ts';
import { onDidChangeSetting, setting } from '../editor/settings.ts';

/** Badge and colour in explorer and tabs for what an agent has changed, until it is kept or reverted. */
export class ChangeDecorations implements vscode.FileDecorationProvider, vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly changed = this.store.add(new vscode.EventEmitter<vscode.Uri[] | undefined>());
  /** Labels of the sessions that changed it, by path. */
  private authors: ReadonlyMap<string, string[]> = new Map();

  readonly onDidChangeFileDecorations = this.changed.event;

  constructor(private readonly changes: Changes) {
    const update = this.store.add(new Throttle(100, () => this.update()));
    this.store.add(changes.onDidChange(() => update.schedule()));
    this.store.add(onDidChangeSetting('changes.decorations', () => update.schedule()));
    this.store.add(vscode.window.registerFileDecorationProvider(this));
  }

  provideFileDecoration({ scheme, fsPath }: vscode.Uri): vscode.FileDecoration | undefined {
    const authors = scheme === 'file' ? this.authors.get(fsPath) : undefined;
    return (
      authors && {
        badge: '✦',
        color: new vscode.ThemeColor('ideBridge.changedByAgent'),
        tooltip: `Changed by ${authors.join(', ')}`,
      }
    );
  }

  dispose(): void {
    this.store.dispose();
  }

  private update(): void {
    const authors = new Map<string, string[]>();
    for (const { set, snapshot } of setting('changes.decorations') ? this.changes.all : []) {
      authors.set(snapshot.path, [...(authors.get(snapshot.path) ?? []), set.label]);
    }
    const paths = new Set([...this.authors.keys(), ...authors.keys()]);
    const changed = [...paths].filter((path) => authors.get(path)?.join() !== this.authors.get(path)?.join());
    this.authors = authors;
    // Of more, the editor would leave some out; undefined stands for all.
    this.changed.fire(changed.length > 250 ? undefined : changed.map((path) => vscode.Uri.file(path)));
  }
}
