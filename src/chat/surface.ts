import type { CommandName } from '../editor/commandIds.ts';

export interface Button {
  readonly title: string;
  readonly command: CommandName | { readonly id: string };
  readonly args?: readonly unknown[];
}

/** What a tool has said, wherever it is kept. */
export interface OutputPlace {
  readonly sessionId: string;
  readonly toolUseId: string;
  readonly tool: string;
}

/** Where a turn is shown: one answer in the chat. All of it is shown as text that runs nothing. */
export interface Surface {
  /** Goes on where what was said before ends; links in it open pages and files, never commands. */
  markdown(text: string): void;
  /** Markdown of the model, or of a file: what it opens and does not close hides nothing of what comes after it. */
  quote(text: string): void;
  /** A link, within a line. @param path absolute @param line 0-based */
  file(path: string, line?: number): void;
  /** A link to all that a tool has said, within a line. @param words of ours: the editor takes them for Markdown */
  output(words: string, place: OutputPlace): void;
  /** What is being done now; gives way to what comes next. */
  progress(words: string): void;
  buttons(buttons: readonly Button[]): void;
}
