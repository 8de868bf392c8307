import { join } from 'node:path';
import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { errorMessage } from '../base/errors.ts';
import { counted } from '../base/text.ts';
import { onDidChangeSetting, setting } from '../editor/settings.ts';
import type { ToolDefinition, ToolResult } from '../protocol/mcp.ts';
import { removeLeftTemporaries } from '../server/leftTemporaries.ts';
import type { Session, ToolCall, ToolHost } from '../server/session.ts';
import { ToolRegistry } from '../tools/registry.ts';
import { type Tool, toolError } from '../tools/tool.ts';
import { Access } from './access.ts';
import { CallRows } from './callRows.ts';
import { Calls } from './calls.ts';
import { auditLine, subjectOf } from './callWords.ts';
import type { EditorToolsPorts } from './feature.ts';
import { createEditorTools } from './index.ts';
import { LanguageServers } from './languageServers.ts';
import { serverDefinitions, withToken } from './editorChat.ts';
import type { HttpServerDefinition } from './mcpApi.ts';
import { bridgeAddress, renewMcpConfig, writeMcpConfig } from './mcpConfig.ts';
import { MayRun } from './mayRun.ts';
import { type ToolGroup, toolGroups } from './names.ts';
import { offError } from './offError.ts';
import { Refusal } from './refusal.ts';
import { keepProgram, programAt } from './relayProgram.ts';
import { Targets } from './targets.ts';
import { ToolsOfOthers } from './toolsOfOthers.ts';
import type { Workshop } from './workshop.ts';

/** The tools, while the user has switched them on: else there are none. */
export class EditorTools implements ToolHost, Disposable {
  /** Those that only read. */
  private readonly reading: Tool[];
  private readonly workshop: Workshop;
  readonly others: ToolsOfOthers;
  private readonly mayRun: MayRun;
  readonly calls: Calls;
  readonly rows: CallRows;
  private readonly store = new DisposableStore();
  /** Those of the groups that were on once. */
  private readonly loaded = new Map<ToolGroup, Promise<Tool[]>>();

  constructor(
    private readonly ports: EditorToolsPorts,
    private readonly isOn: () => boolean,
    callsChanged: () => void,
  ) {
    const { sharing, diagnostics, tabs, selections } = ports;
    const access = new Access(sharing);
    this.calls = this.store.add(new Calls(subjectOf, isOn, (call) => ports.log.info(auditLine(call))));
    this.store.add(
      onDidChangeSetting('editorTools.enabled', () => {
        this.calls.forgetLeft();
        this.renewConfig();
      }),
    );
    this.store.add(ports.bridge.onDidChangeState(() => this.renewConfig()));
    this.renewConfig(); // of a window that was killed, perhaps
    this.calls.onDidChange(callsChanged);
    this.rows = new CallRows(this.calls, ports.reports);
    this.mayRun = new MayRun(ports.questions, ports.workspaceState, access, this.calls);
    this.others = new ToolsOfOthers(access, this.mayRun, () => ports.bridge.toolsChanged());
    const servers = new LanguageServers(access);
    const targets = new Targets(access, servers);
    this.workshop = { access, calls: this.calls, servers, targets, diagnostics, tabs, selections };
    this.reading = createEditorTools(this.workshop);
    const { storageUri, globalStorageUri } = ports.context;
    removeLeftTemporaries(globalStorageUri.fsPath, ...(storageUri ? [storageUri.fsPath] : []));
    if (programAt(this.keptProgram) !== undefined) {
      this.tryToKeepProgram(); // of an older version, perhaps
    }
  }

  async list(session: Session): Promise<ToolDefinition[]> {
    const tools = await this.registry(await this.offered()).list();
    if (this.isOn()) {
      tools.push(...this.others.list());
    }
    return prefersText(session) ? tools.map(withoutOutput) : tools;
  }

  async call(name: string, args: unknown, call: ToolCall): Promise<ToolResult> {
    const isOn = this.isOn();
    const group = groupNames.find((each) => has(each, name));
    if (isOn && group && !isGroupOn(group)) {
      return offError(name, group);
    }
    const run = isOn ? await this.find(name, group) : { host: this.registry([]), isReading: true };
    const { structuredContent, ...result } = run.isReading
      ? await this.read(run.host, name, args, call)
      : await this.calls.follow(call, name, args, () => run.host.call(name, args, call));
    return structuredContent === undefined || prefersText(call.session)
      ? result
      : { ...result, structuredContent };
  }

  /** See `EditorToolsFeature`. */
  mcpConfig(): string | undefined {
    const { configPath: path, lockFilePath } = this;
    const { log } = this.ports;
    if (path === undefined || lockFilePath === undefined) {
      return undefined;
    }
    try {
      writeMcpConfig(path, lockFilePath, 'editor');
      return path;
    } catch (error) {
      log.warn(`This session starts without the editor tools: ${errorMessage(error)}`);
      return undefined;
    }
  }

  async askAboutRunsAnew(): Promise<void> {
    const forgotten = await this.mayRun.forget();
    void vscode.window.showInformationMessage(
      forgotten === 0
        ? 'You are asked about each run already.'
        : `You are asked about each run again: ${counted(forgotten, 'task')} had been allowed for good.`,
    );
  }

  dispose(): void {
    this.store.dispose();
  }

  async copyConfiguration(): Promise<void> {
    const { copyConfiguration, tellOff } = await import('./copyConfiguration.ts');
    if (!this.isOn()) {
      await tellOff();
      return;
    }
    await copyConfiguration({
      program: () => {
        this.keepProgram();
        return this.keptProgram;
      },
      address: () => this.address(),
    });
  }

  /** For the editor's own chat. */
  serverDefinitions(): HttpServerDefinition[] {
    const { bridge, version } = this.ports;
    // Another version for another port: the editor asks a server anew for its tools then.
    return serverDefinitions(this.isOn() ? bridge.port : undefined, `${version}+${bridge.port}`);
  }

  /** @throws Error when the bridge does not run */
  withToken(definition: HttpServerDefinition): HttpServerDefinition {
    return withToken(definition, this.address());
  }

  private address(): { port: number; token: string } {
    const { lockFilePath } = this.ports.bridge;
    if (lockFilePath === undefined) {
      throw new Error('The bridge does not run.');
    }
    return bridgeAddress(lockFilePath);
  }

  private get configPath(): string | undefined {
    const { storageUri } = this.ports.context;
    return storageUri && join(storageUri.fsPath, 'editor-tools.json');
  }

  /** Undefined where there is nothing to connect to. */
  private get lockFilePath(): string | undefined {
    return this.isOn() ? this.ports.bridge.lockFilePath : undefined;
  }

  private renewConfig(): void {
    const { configPath, lockFilePath } = this;
    try {
      if (configPath !== undefined) {
        renewMcpConfig(configPath, lockFilePath, 'editor');
      }
    } catch (error) {
      this.ports.log.warn(`What sessions know of the editor tools stays as it was: ${errorMessage(error)}`);
    }
  }

  private get keptProgram(): string {
    return join(this.ports.context.globalStorageUri.fsPath, 'relay.js');
  }

  /** @throws Error when it cannot be written */
  private keepProgram(): void {
    keepProgram(join(this.ports.context.extensionUri.fsPath, 'dist', 'relay.js'), this.keptProgram);
  }

  private tryToKeepProgram(): void {
    try {
      this.keepProgram();
    } catch (error) {
      this.ports.log.warn(`The program for MCP clients stays as it was: ${errorMessage(error)}`);
    }
  }

  /** A language server may take half a minute, and the user may take back meanwhile what they shared. */
  private async read(
    host: Pick<ToolHost, 'call'>,
    name: string,
    args: unknown,
    call: ToolCall,
  ): Promise<ToolResult> {
    const result = await host.call(name, args, call);
    try {
      await this.workshop.access.checkAgain(host === this.others ? undefined : fileOf(args), true);
      return result;
    } catch (error) {
      if (error instanceof Refusal) {
        return toolError(error.message);
      }
      throw error;
    }
  }

  /** What runs it; one that nobody knows only reads. */
  private async find(
    name: string,
    group: ToolGroup | undefined,
  ): Promise<{ host: Pick<ToolHost, 'call'>; isReading: boolean }> {
    const ofOthers = this.others.find(name);
    if (ofOthers) {
      return { host: this.others, isReading: ofOthers.definition.annotations?.readOnlyHint === true };
    }
    // Not by way of all that are offered: each look at the switch of a group costs.
    const tools = group ? await this.ofGroup(group) : this.reading;
    const tool = tools.find((each) => each.name === name);
    return { host: this.registry(tool ? [tool] : []), isReading: tool?.annotations?.readOnlyHint ?? true };
  }

  private registry(offered: readonly Tool[]): ToolRegistry {
    return new ToolRegistry(offered, this.ports.log, () => setting('tools.disabled'));
  }

  private async offered(): Promise<Tool[]> {
    const offered = this.isOn() ? [...this.reading] : [];
    for (const group of groupNames) {
      if (this.isOn() && isGroupOn(group)) {
        offered.push(...(await this.ofGroup(group)));
      }
    }
    return offered;
  }

  private async ofGroup(group: ToolGroup): Promise<Tool[]> {
    const loading = this.loaded.get(group) ?? this.load[group]();
    this.loaded.set(group, loading);
    loading.catch(() => this.loaded.delete(group)); // to be tried again
    return loading;
  }

  private readonly load = {
    editing: async () => {
      const { createEditingTools } = await import('./editing.ts');
      return createEditingTools(this.workshop, this.ports.proposals, this.ports.agentChanges);
    },
    running: async () => {
      const { Running } = await import('./running.ts');
      return this.store.add(new Running(this.workshop, this.mayRun, this.ports)).tools;
    },
    debugging: async () => {
      const { Debugging } = await import('./debugging.ts');
      return this.store.add(new Debugging(this.workshop, this.mayRun, this.ports.log)).tools;
    },
  };
}

const groupNames = Object.keys(toolGroups) as ToolGroup[];

function isGroupOn(group: ToolGroup): boolean {
  return setting(`editorTools.${group}`);
}

function has(group: ToolGroup, name: string): boolean {
  return toolGroups[group].names.some((each) => each === name);
}

/** All our tools call it so where they take one. */
function fileOf(args: unknown): string | undefined {
  const { file } = (args ?? {}) as { file?: unknown };
  return typeof file === 'string' ? file : undefined;
}

function withoutOutput({ name, description, inputSchema, annotations }: ToolDefinition): ToolDefinition {
  return { name, description, inputSchema, ...(annotations && { annotations }) };
}

/** CLI 2.1.330 gives the model the data in the place of the text, which says the same in half as many characters. */
function prefersText({ clientInfo }: Session): boolean {
  return clientInfo?.name === 'claude-code';
}
