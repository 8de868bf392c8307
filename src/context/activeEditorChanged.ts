import type { Disposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import type { ActiveEditorChanged } from '../protocol/ide.ts';
import type { Clients } from './clients.ts';
import { nothing } from './selectionChanged.ts';

const { filePath, fileUrl } = nothing;
const { start, end } = nothing.selection;
const none: ActiveEditorChanged = { filePath, fileUrl, languageId: '', selection: { start, end } };

/** For clients that listen to it; the Claude Code CLI takes `selection_changed` alone. */
export function publishActiveEditor(
  onDidChange: Event<ActiveEditorChanged | undefined>,
  clients: Clients,
): Disposable {
  return onDidChange((editor) => clients.broadcast('workspace/didChangeActiveEditor', editor ?? none));
}
