import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import type { Reports } from '../editor/reports.ts';
import { onDidChangeSetting, setting } from '../editor/settings.ts';
import type { LoadQuestions } from '../notebooks/runQuestions.ts';
import type { ToolDefinition, ToolResult } from '../protocol/mcp.ts';
import type { Bridge, Endpoint } from '../server/bridge.ts';
import type { Session, ToolCall } from '../server/session.ts';
import type { Sharing } from '../sharing/sharing.ts';
import type { DiagnosticsSource } from '../tools/getDiagnostics.ts';
import type { LatestSelection } from '../tools/getLatestSelection.ts';
import type { OpenEditors } from '../tools/openEditors.ts';
import type { Call } from './calls.ts';
import type { ShownProposals } from './editing.ts';
import type { EditorTools } from './editorTools.ts';
import { mcpApi } from './mcpApi.ts';
import type { EditsByAgents } from './reviewedEdits.ts';

export interface EditorToolsPorts {
  readonly bridge: Bridge;
  readonly sharing: Sharing;
  readonly diagnostics: DiagnosticsSource;
  readonly tabs: OpenEditors;
  readonly selections: LatestSelection;
  readonly proposals: ShownProposals;
  readonly agentChanges: EditsByAgents;
  readonly context: Pick<vscode.ExtensionContext, 'storageUri' | 'globalStorageUri' | 'extensionUri'>;
  readonly questions: LoadQuestions;
  readonly reports: Reports;
  readonly workspaceState: vscode.Memento;
  /** A CLI runs in it. */
  readonly isOfSession: (terminal: vscode.Terminal) => boolean;
  readonly version: string;
  readonly log: Logger;
}

/** What the editor knows, as tools for any MCP client: at a path of its own, and only if the user wants it. */
export class EditorToolsFeature implements Endpoint, Disposable {
  private readonly store = new DisposableStore();
  /** There once a client has called one of the tools. */
  loaded: EditorTools | undefined;
  private readonly callsChanged = this.store.add(new vscode.EventEmitter<void>());
  /** See `Calls`. */
  readonly onDidChangeCalls = this.callsChanged.event;

  constructor(private readonly ports: EditorToolsPorts) {
    ports.bridge.endpoints.set('/editor', this);
    this.offerToChat();
  }

  get isOn(): boolean {
    return vscode.workspace.isTrusted && setting('editorTools.enabled');
  }

  async list(session: Session): Promise<ToolDefinition[]> {
    return (await this.load()).list(session);
  }

  async call(name: string, args: unknown, call: ToolCall): Promise<ToolResult> {
    return (await this.load()).call(name, args, call);
  }

  /** The file for `--mcp-config` with which a CLI of this window has these tools; undefined where it is to have none. */
  async mcpConfig(): Promise<string | undefined> {
    return this.isOn ? (await this.load()).mcpConfig() : undefined;
  }

  commands() {
    return {
      copyMcpConfiguration: async () => {
        if (vscode.workspace.isTrusted) {
          await (await this.load()).copyConfiguration();
        } else {
          await (await import('../editor/tell.ts')).tellUntrusted('bridge');
        }
      },
      showCall: async (call: unknown) => (await this.load()).rows.show(call as Call),
      askAboutRunsAnew: async () => (await this.load()).askAboutRunsAnew(),
    };
  }

  async load(): Promise<EditorTools> {
    const { EditorTools } = await import('./editorTools.ts');
    return (this.loaded ??= new EditorTools(
      this.ports,
      () => this.isOn,
      () => this.callsChanged.fire(),
    ));
  }

  dispose(): void {
    this.loaded?.dispose();
    this.store.dispose();
  }

  /** To the models of the editor's own chat. */
  private offerToChat(): void {
    const changed = this.store.add(new vscode.EventEmitter<void>());
    this.store.add(this.ports.bridge.onDidChangeState(() => changed.fire()));
    this.store.add(onDidChangeSetting('editorTools.enabled', () => changed.fire()));
    const provider = mcpApi.lm.registerMcpServerDefinitionProvider?.('ideBridge.editorTools', {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: async () => (this.isOn ? (await this.load()).serverDefinitions() : []),
      resolveMcpServerDefinition: async (definition) => (await this.load()).withToken(definition),
    });
    if (provider) {
      this.store.add(provider);
    }
  }
}
