import type { Entry } from './changeSet.ts';

/** What the editor has open, as far as Agent Changes must know and change it. */
export interface Editor {
  /** What is typed and not saved there; undefined: nothing, or the file is not open. */
  unsaved(path: string): Unsaved | undefined;
  /** As the user would, so that the editor can undo it. @returns whether there is no such file any more */
  delete(path: string): Promise<boolean>;
}

export interface Unsaved {
  /**
   * Puts the text from before in its place, as an edit that can be undone.
   * @param bytes of that text @returns whether the editor took it
   */
  replace(entry: Entry, bytes: Buffer): Promise<boolean>;
  /** Takes that edit back. */
  putBack(): Promise<void>;
  /** @returns false where the editor refuses, as it does over a file that is newer than what it has read */
  save(): Promise<boolean>;
}
