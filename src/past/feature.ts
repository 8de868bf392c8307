import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { ChatFeature } from '../chat/feature.ts';
import { loadedCommands, pastCommandNames } from '../editor/commandIds.ts';
import type { Reports } from '../editor/reports.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import type { Launcher } from '../sessions/launcher.ts';
import type { SessionRecords } from '../sessions/sessionRecords.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import type { Past } from './past.ts';

export interface PastSurroundings {
  readonly launcher: Launcher;
  readonly records: SessionRecords;
  readonly sessionTerminals: SessionTerminals;
  readonly userPlace: UserPlace;
  readonly chat: ChatFeature;
  readonly reports: Reports;
  /** Where names are kept that the user gives. */
  readonly globalState: vscode.Memento;
}

/** Conversations that were held before. Nothing is loaded, and nothing read, until the user asks for them. */
export class PastFeature implements Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  /** There once they were asked for. */
  past: Past | undefined;
  /** Whether those of all folders are listed, and not only those of this window's. */
  isOfAll = false;

  constructor(readonly around: PastSurroundings) {}

  async load(): Promise<Past> {
    const { Past } = await import('./past.ts');
    return (this.past ??= new Past(this, () => this.changed.fire()));
  }

  commands() {
    return loadedCommands(pastCommandNames, async () => (await this.load()).commands());
  }

  dispose(): void {
    this.past?.dispose();
    this.changed.dispose();
  }
}
