import type * as vscode from 'vscode';
import type { ConversationState } from '../agent/items.ts';
import { permissionModes } from '../agent/options.ts';
import { printable } from '../base/printable.ts';
import { commandIds } from '../editor/commandIds.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import { StatusItem, type StatusText } from '../editor/statusItem.ts';
import type { ChatThread } from './chatThread.ts';
import { modeWords } from './modes.ts';

/** Model, permission mode and context of the thread that was used last; a click changes them. */
export class ChatStatus implements vscode.Disposable {
  private readonly item = new StatusItem('ideBridge.chat', 99, 'Claude Chat', commandIds.chatOptions);
  private following: vscode.Disposable | undefined;
  private shown = '';

  follow(thread: ChatThread): void {
    this.following?.dispose();
    this.following = thread.onState((state) => this.show(state));
  }

  dispose(): void {
    this.following?.dispose();
    this.item.dispose();
  }

  /** Called with each piece of text that comes: the editor is told only what is new. */
  private show(state: ConversationState): void {
    const status = statusOf(state);
    const shown = JSON.stringify(status);
    if (shown !== this.shown) {
      this.shown = shown;
      this.item.tell(status);
    }
  }
}

function statusOf(state: ConversationState): StatusText {
  const { contextTokens, contextWindow, isRunning } = state;
  const mode = permissionModes.find((each) => each === state.mode) ?? 'default';
  const { title, detail } = modeWords[mode];
  const model = state.model === undefined ? 'Claude' : printable(state.model.replace(/^claude-/, ''), 40);
  const used =
    contextTokens === undefined || contextWindow === undefined
      ? undefined
      : `${Math.round((100 * contextTokens) / contextWindow)} %`;
  const parts = [withoutIcons(model), title, ...(used === undefined ? [] : [used])];
  return {
    text: `$(${isRunning ? 'loading~spin' : 'comment-discussion'}) ${parts.join(' · ')}`,
    tooltip: [
      `@claude in the chat: ${isRunning ? 'works' : 'idle'}`,
      `Model: ${model}`,
      `Permission mode: ${title} (${detail.toLowerCase()})`,
      ...(used === undefined
        ? []
        : [`Context: ${contextTokens?.toLocaleString('en')} tokens, ${used} of what the model takes`]),
      'Click to change them',
    ].join('\n'),
    ...(mode === 'bypassPermissions' && { color: 'statusBarItem.warningBackground' }),
  };
}
