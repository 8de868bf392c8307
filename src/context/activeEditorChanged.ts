import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import type { ActiveEditorChanged } from '../protocol/ide.ts';
import type { Clients } from './clients.ts';

/** For clients that listen to it; the Claude Code CLI takes `selection_changed` alone. */
export function publishActiveEditor(onDidChange: Event<ActiveEditorChanged>, clients: Clients): Disposable {
  return onDidChange((editor) => clients.broadcast('workspace/didChangeActiveEditor', editor));
}
