import { join } from 'node:path';
import { errorMessage } from '../base/errors.ts';
import { setting } from '../editor/settings.ts';
import type { ToolDefinition, ToolResult } from '../protocol/mcp.ts';
import type { Session, ToolCall, ToolHost } from '../server/session.ts';
import { ToolRegistry } from '../tools/registry.ts';
import { type Tool, toolError } from '../tools/tool.ts';
import { Access } from './access.ts';
import type { EditorToolsPorts } from './feature.ts';
import { createEditorTools } from './index.ts';
import { LanguageServers } from './languageServers.ts';
import { serverDefinitions, withToken } from './editorChat.ts';
import type { HttpServerDefinition } from './mcpApi.ts';
import { bridgeAddress, writeMcpConfig } from './mcpConfig.ts';
import { editingToolNames } from './names.ts';
import { keepProgram, programAt } from './relayProgram.ts';
import { Targets } from './targets.ts';
import { ToolsOfOthers } from './toolsOfOthers.ts';
import type { Workshop } from './workshop.ts';

/** The tools, while the user has switched them on: else there are none. */
export class EditorTools implements ToolHost {
  /** Those that only read. */
  private readonly reading: Tool[];
  private readonly tools: ToolRegistry;
  /** Those that change files, too. */
  private all: Promise<ToolRegistry> | undefined;
  private readonly workshop: Workshop;
  private readonly none: ToolRegistry;
  readonly others: ToolsOfOthers;

  constructor(
    private readonly ports: EditorToolsPorts,
    private readonly isOn: () => boolean,
  ) {
    const { sharing, diagnostics, tabs, selections, log } = ports;
    this.none = new ToolRegistry([], log);
    const access = new Access(sharing);
    this.others = new ToolsOfOthers(access, () => ports.bridge.toolsChanged());
    const servers = new LanguageServers();
    const targets = new Targets(access, servers);
    this.workshop = { access, servers, targets, diagnostics, tabs, selections };
    this.reading = createEditorTools(this.workshop);
    this.tools = this.registry(this.reading);
    if (programAt(this.keptProgram) !== undefined) {
      this.tryToKeepProgram(); // of an older version, perhaps
    }
  }

  async list(session: Session): Promise<ToolDefinition[]> {
    const tools = await (await this.offered()).list();
    if (this.isOn()) {
      tools.push(...this.others.list());
    }
    return prefersText(session) ? tools.map(withoutOutput) : tools;
  }

  async call(name: string, args: unknown, call: ToolCall): Promise<ToolResult> {
    if (this.isOn() && !setting('editorTools.editing') && isEditing(name)) {
      return toolError(
        `${name} changes files, which the user of this editor has to allow first, by the setting ideBridge.editorTools.editing.`,
      );
    }
    const offered = this.isOn() && this.others.has(name) ? this.others : await this.offered();
    const { structuredContent, ...result } = await offered.call(name, args, call);
    return structuredContent === undefined || prefersText(call.session)
      ? result
      : { ...result, structuredContent };
  }

  /** See `EditorToolsFeature`. */
  mcpConfig(): string | undefined {
    const { bridge, context, log } = this.ports;
    const { lockFilePath } = bridge;
    if (!this.isOn() || !context.storageUri || lockFilePath === undefined) {
      return undefined;
    }
    try {
      const path = join(context.storageUri.fsPath, 'editor-tools.json');
      writeMcpConfig(path, lockFilePath);
      return path;
    } catch (error) {
      log.warn(`This session starts without the editor tools: ${errorMessage(error)}`);
      return undefined;
    }
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

  private async offered(): Promise<ToolRegistry> {
    if (!this.isOn()) {
      return this.none;
    }
    return setting('editorTools.editing') ? (this.all ??= this.withEditing()) : this.tools;
  }

  private async withEditing(): Promise<ToolRegistry> {
    const { createEditingTools } = await import('./editing.ts');
    const { workshop, reading, ports } = this;
    const editing = createEditingTools(workshop, ports.proposals, ports.agentChanges);
    return this.registry([...reading, ...editing]);
  }

  private registry(tools: Tool[]): ToolRegistry {
    return new ToolRegistry(tools, this.ports.log, () => setting('tools.disabled'));
  }
}

function isEditing(name: string): boolean {
  return editingToolNames.some((each) => each === name);
}

function withoutOutput({ name, description, inputSchema, annotations }: ToolDefinition): ToolDefinition {
  return { name, description, inputSchema, ...(annotations && { annotations }) };
}

/** CLI 2.1.330 gives the model the data in the place of the text, which says the same in half as many characters. */
function prefersText({ clientInfo }: Session): boolean {
  return clientInfo?.name === 'claude-code';
}
