import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { publishDiagnostics } from '../context/diagnosticsChanged.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { Diagnostics } from './diagnostics.ts';
import { Files } from './files.ts';
import { Tabs } from './tabs.ts';

/** Files, tabs and problems, as clients ask for them. */
export class DocumentsFeature implements Disposable {
  readonly files = new Files();
  readonly tabs: Tabs;
  readonly diagnostics: Diagnostics;
  private readonly store = new DisposableStore();

  constructor(bridge: Bridge, proposals: Proposals, sharing: Sharing) {
    this.tabs = new Tabs(proposals, sharing);
    this.diagnostics = new Diagnostics(sharing);
    this.store.add(publishDiagnostics(this.diagnostics.onDidChange, bridge));
    this.store.add(bridge.onDidIdentify(() => this.diagnostics.warm().catch(() => {}))); // it works without, later
  }

  dispose(): void {
    this.store.dispose();
  }
}
