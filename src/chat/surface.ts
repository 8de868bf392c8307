import type { CommandName } from '../editor/commandIds.ts';

export interface Button {
  readonly title: string;
  readonly command: CommandName | { readonly id: string };
  readonly args?: readonly unknown[];
}

/** Where a turn is shown: one answer in the chat. All of it is shown as text that runs nothing. */
export interface Surface {
  /** Goes on where what was said before ends; links in it open pages and files, never commands. */
  markdown(text: string): void;
  /** Markdown of the model, or of a file: what it opens and does not close hides nothing of what comes after it. */
  quote(text: string): void;
  /** A link, within a line. @param path absolute @param line 0-based */
  file(path: string, line?: number): void;
  /** What is being done now; gives way to what comes next. */
  progress(words: string): void;
  buttons(buttons: readonly Button[]): void;
}
