import type { HookCallback } from './messages.ts';

export const hookEvents = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop'] as const;
export type HookEvent = (typeof hookEvents)[number];

export interface HookCall {
  readonly event: HookEvent;
  /** As the CLI gives it: `tool_name`, `tool_input`, `tool_response`, `prompt`, `session_id`, ... */
  readonly input: Readonly<Record<string, unknown>>;
  readonly toolUseId?: string;
}

/** What it throws is logged; the CLI goes on. */
export type Hook = (call: HookCall, signal: AbortSignal) => Promise<void> | void;

interface Registered {
  readonly event: HookEvent;
  readonly matcher?: string;
  readonly hook: Hook;
}

/** What wants to know when tools are used, registered before a session starts. */
export class Hooks {
  private readonly registered: Registered[] = [];

  /** @param matcher names of tools, as in the CLI's own settings: `Edit|Write`; all without */
  add(event: HookEvent, hook: Hook, matcher?: string): void {
    this.registered.push({ event, hook, ...(matcher === undefined ? {} : { matcher }) });
  }

  /** As `initialize` takes them. */
  get forInitialize(): Record<string, object[]> {
    const result: Record<string, object[]> = {};
    this.registered.forEach(({ event, matcher }, index) => {
      const list = (result[event] ??= []);
      list.push({ ...(matcher === undefined ? {} : { matcher }), hookCallbackIds: [`hook_${index}`] });
    });
    return result;
  }

  /** @throws for an id that nobody has registered */
  async call(callback: HookCallback, signal: AbortSignal): Promise<void> {
    const found = this.registered[Number(/^hook_(\d+)$/.exec(callback.callback_id)?.[1])];
    if (!found) {
      throw new Error(`There is no hook "${callback.callback_id}".`);
    }
    const { input, tool_use_id } = callback;
    await found.hook(
      { event: found.event, input, ...(tool_use_id === undefined ? {} : { toolUseId: tool_use_id }) },
      signal,
    );
  }
}
