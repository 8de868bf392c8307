import type { ChangeSet, Entry } from './changeSet.ts';
import type { ChangeSets } from './changeSets.ts';
import type { Editor } from './editor.ts';

/** What a revert takes away besides the work of its session. */
export interface Loss {
  /** Typed in the editor, and not saved. */
  readonly isUnsaved: boolean;
  /** Saved by the user since the session first edited the file. */
  readonly isSaved: boolean;
  /** Those that came to the file when this one had edited it already. */
  readonly later: readonly ChangeSet[];
  /** Those that were there first, and may have edited it again. */
  readonly earlier: readonly ChangeSet[];
}

/** Where it is looked for. */
export interface Where {
  readonly sets: ChangeSets;
  readonly editor: Editor;
}

export function lossOf({ sets, editor }: Where, { set, snapshot }: Entry): Loss {
  const others = sets.ofPath(snapshot.path).filter((other) => other.set !== set);
  const isLater = (other: Entry) => other.snapshot.takenAt > snapshot.takenAt;
  return {
    isUnsaved: editor.unsaved(snapshot.path) !== undefined,
    isSaved: snapshot.isSavedOver === true,
    later: others.filter(isLater).map((other) => other.set),
    earlier: others.filter((other) => !isLater(other)).map((other) => other.set),
  };
}

/** Whether the history can bring back all that a revert takes away. */
export function canUndoRevert({ sets, editor }: Where, { snapshot: { path } }: Entry): boolean {
  return editor.unsaved(path) === undefined && sets.canRemember(path);
}
