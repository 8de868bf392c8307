import { setting } from '../editor/settings.ts';
import type { Access } from './access.ts';
import type { ToolGroup } from './names.ts';
import { Refusal } from './refusal.ts';

/**
 * After a wait.
 * @param undone says what did not happen
 * @throws Refusal when what allows a tool of that group was taken back meanwhile
 */
export function mustStillBeOn(access: Access, group: ToolGroup, undone: string): void {
  access.check();
  if (!setting('editorTools.enabled') || !setting(`editorTools.${group}`)) {
    throw new Refusal(`The user has switched this off meanwhile. ${undone}`);
  }
}
