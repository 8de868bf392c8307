import type { Position } from '../protocol/ide.ts';

/** One tab of the editor area. Files whose document is not loaded have no language and no lines. */
export interface OpenEditor {
  kind: 'text' | 'diff' | 'notebook' | 'custom';
  /** `file://` and the raw path for files; the changed side of a diff. */
  uri: string;
  /** The other side of a diff. */
  originalUri?: string;
  isActive: boolean;
  isPinned: boolean;
  isPreview: boolean;
  isDirty: boolean;
  label: string;
  /** 0-based, from the left. */
  groupIndex: number;
  /** 1-based. */
  viewColumn: number;
  isGroupActive: boolean;
  fileName: string;
  languageId?: string;
  lineCount?: number;
  isUntitled: boolean;
  /** Of a notebook in view, 0-based. */
  cellIndex?: number;
  selection?: { start: Position; end: Position; isReversed: boolean };
}

export interface OpenEditors {
  list(): OpenEditor[];
}
