import * as vscode from 'vscode';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { setting } from '../editor/settings.ts';
import { ErrorCode, JsonRpcError } from '../protocol/jsonRpc.ts';
import type { ToolDefinition, ToolResult } from '../protocol/mcp.ts';
import type { ToolCall } from '../server/session.ts';
import { toolError } from '../tools/tool.ts';
import type { Access } from './access.ts';
import { chatPrefix, languageModelTools } from './languageModelTools.ts';
import { Refusal } from './refusal.ts';

/** What a tool may do to more than its answer: each kind has a switch of the user's. Or the user has named it. */
export type ToolGroup = 'reading' | 'editing' | 'running' | 'selected';

/** A tool that comes from another extension. */
export interface ToolOfOthers {
  readonly definition: ToolDefinition;
  readonly group: ToolGroup;
  /** @throws JsonRpcError when `args` do not fit */
  run(args: unknown, call: ToolCall): Promise<ToolResult>;
}

/** Those of other extensions, offered beside ours while the switch of their group is on. */
export class ToolsOfOthers {
  private readonly tools = new Map<string, ToolOfOthers>();
  /** An extension brings all of its tools at once. */
  private readonly changed: Throttle;

  /** @param tellClients that they are offered others now */
  constructor(
    private readonly access: Access,
    tellClients: () => void,
  ) {
    this.changed = new Throttle(50, tellClients);
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** @returns takes it back */
  add(tool: ToolOfOthers): Disposable {
    const { name } = tool.definition;
    this.tools.set(name, tool);
    this.changed.schedule();
    return toDisposable(() => {
      if (this.tools.get(name) === tool) {
        this.tools.delete(name);
        this.changed.schedule();
      }
    });
  }

  list(): ToolDefinition[] {
    return [...this.tools.values(), ...languageModelTools()]
      .filter(({ group, definition }) => switches[group].isOn() && !isDisabled(definition.name))
      .map(({ definition }) => definition);
  }

  /** @throws JsonRpcError for one that is turned off, or bad arguments */
  async call(name: string, args: unknown, call: ToolCall): Promise<ToolResult> {
    const tool = this.find(name);
    if (!tool || isDisabled(name)) {
      const what = tool ? `${name} is turned off in the editor's settings` : `${name} not found`;
      throw new JsonRpcError(ErrorCode.InvalidParams, `Tool ${what}`);
    }
    const { isOn, does, setting: by } = switches[tool.group];
    if (!isOn()) {
      return toolError(
        `${name} ${does}, which the user of this editor has to allow first, by the setting ideBridge.${by}.`,
      );
    }
    try {
      this.access.check();
    } catch (error) {
      if (error instanceof Refusal) {
        return toolError(error.message);
      }
      throw error;
    }
    return tool.run(args, call);
  }

  private find(name: string): ToolOfOthers | undefined {
    // Each call of ours comes by here, too: a look at the setting costs.
    const ofChat = name.startsWith(chatPrefix) ? languageModelTools() : [];
    return this.tools.get(name) ?? ofChat.find(({ definition }) => definition.name === name);
  }
}

/** By the groups; without `editorTools.enabled` there are none at all. */
const switches: Record<ToolGroup, { isOn: () => boolean; does: string; setting: string }> = {
  reading: { isOn: () => true, does: 'reads', setting: 'editorTools.enabled' },
  editing: {
    isOn: () => setting('editorTools.editing'),
    does: 'changes files',
    setting: 'editorTools.editing',
  },
  selected: { isOn: () => true, does: 'was selected', setting: 'editorTools.languageModelTools' },
  running: { isOn: mayRun, does: 'runs something', setting: 'editorTools.running' },
};

/** Only the user can switch it on, a workspace only off. Without the setting in package.json, nothing is. */
function mayRun(): boolean {
  const found = vscode.workspace.getConfiguration('ideBridge').inspect<boolean>('editorTools.running');
  return found?.globalValue === true && ![found.workspaceValue, found.workspaceFolderValue].includes(false);
}

function isDisabled(name: string): boolean {
  return setting('tools.disabled').includes(name);
}
