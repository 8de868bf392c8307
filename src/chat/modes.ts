import type { PermissionMode } from '../agent/options.ts';

/** What the permission modes are called, and what they mean. */
export const modeWords: Readonly<
  Record<PermissionMode, { readonly title: string; readonly detail: string }>
> = {
  default: { title: 'Ask', detail: 'Asks before each edit and each command' },
  acceptEdits: { title: 'Accept Edits', detail: 'Edits without asking' },
  plan: { title: 'Plan', detail: 'Changes nothing before you have approved a plan' },
  dontAsk: { title: 'Refuse', detail: 'Refuses whatever is not allowed already' },
  bypassPermissions: { title: 'Bypass Permissions', detail: 'Asks nothing: for sandboxes only' },
};
