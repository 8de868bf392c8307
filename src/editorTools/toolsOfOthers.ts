import { type Disposable, toDisposable } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import { setting } from '../editor/settings.ts';
import { ErrorCode, JsonRpcError } from '../protocol/jsonRpc.ts';
import type { ToolDefinition, ToolResult } from '../protocol/mcp.ts';
import type { ToolCall } from '../server/session.ts';
import { toolError } from '../tools/tool.ts';
import type { Access } from './access.ts';
import { chatPrefix, languageModelTools } from './languageModelTools.ts';
import type { MayRun, WhatRuns } from './mayRun.ts';
import type { ToolGroup } from './names.ts';
import { offError } from './offError.ts';
import { Refusal } from './refusal.ts';

/** Like those of ours, with their switches; or the user has named it. */
export type GroupOfOthers = 'reading' | Extract<ToolGroup, 'editing' | 'running'> | 'selected';

/** A tool that comes from another extension. */
export interface ToolOfOthers {
  readonly definition: ToolDefinition;
  readonly group: GroupOfOthers;
  /** Before the user is asked. @throws JsonRpcError when `args` do not fit */
  check(args: unknown): Promise<void>;
  /** @param args that were checked */
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
    private readonly mayRun: MayRun,
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
      .filter(({ group, definition }) => isOn(group) && !isDisabled(definition.name))
      .map(({ definition }) => definition);
  }

  /** @throws JsonRpcError for one that is turned off, or bad arguments */
  async call(name: string, args: unknown, call: ToolCall): Promise<ToolResult> {
    const tool = this.find(name);
    if (!tool || isDisabled(name)) {
      const what = tool ? `${name} is turned off in the editor's settings` : `${name} not found`;
      throw new JsonRpcError(ErrorCode.InvalidParams, `Tool ${what}`);
    }
    const { group } = tool;
    if ((group === 'editing' || group === 'running') && !isOn(group)) {
      return offError(name, group);
    }
    try {
      this.access.check();
      await tool.check(args);
      if (group === 'running') {
        await this.mayRun.must(whatRuns(name, args), call, group);
      }
      const result = await tool.run(args, call);
      this.access.check();
      return result;
    } catch (error) {
      if (error instanceof Refusal) {
        return toolError(error.message);
      }
      throw error;
    }
  }

  find(name: string): ToolOfOthers | undefined {
    // Each call of ours comes by here, too: a look at the setting costs.
    const ofChat = name.startsWith(chatPrefix) ? languageModelTools() : [];
    return this.tools.get(name) ?? ofChat.find(({ definition }) => definition.name === name);
  }
}

function whatRuns(name: string, args: unknown): WhatRuns {
  const code = JSON.stringify(args ?? {}, null, 2);
  return {
    title: `Run ${name}?`,
    words: `wants to run ${name}, a tool of another extension, with this`,
    code,
    always: 'Always Run It with This',
    exactly: `tool ${name} ${code}`,
  };
}

/** Without `editorTools.enabled` there are none at all. */
function isOn(group: GroupOfOthers): boolean {
  return group === 'editing' || group === 'running' ? setting(`editorTools.${group}`) : true;
}

function isDisabled(name: string): boolean {
  return setting('tools.disabled').includes(name);
}
