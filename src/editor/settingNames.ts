/** Every setting under `ideBridge.`, with its type; a test holds the names against package.json. */
export interface Settings {
  command: string;
  arguments: string[];
  environment: Record<string, string>;
  permissionMode: string;
  location: 'panel' | 'editor' | 'beside';
  'attention.notify': boolean;
  'mention.target': 'lastActive' | 'ask';
  'share.enabled': boolean;
  /** Globs. */
  'share.exclude': string[];
  'share.excludeGitIgnored': boolean;
  'share.selectionWithEachPrompt': boolean;
  'diff.location': 'activeGroup' | 'beside' | 'newWindow';
  'diff.takeFocus': boolean;
  'diff.returnFocus': boolean;
  'diff.acceptOnSave': boolean;
  'diff.keepOpenAfterAccept': boolean;
  /** Names. */
  'tools.disabled': string[];
  'notebook.confirm': 'always' | 'session' | 'workspace';
  'notebook.cellPosition': 'end' | 'belowSelection';
  'notebook.keepCell': boolean;
  /** In seconds; 0 for none. */
  'notebook.timeout': number;
  /** In characters. */
  'notebook.outputLimit': number;
  /** MiB, of one file. */
  'changes.maxFileSize': number;
  /** MiB, of all files. */
  'changes.maxTotalSize': number;
  'changes.maxFiles': number;
  'changes.shellEdits': boolean;
  'changes.decorations': boolean;
  'changes.gutter': boolean;
}

export const settingNames = [
  'command',
  'arguments',
  'environment',
  'permissionMode',
  'location',
  'attention.notify',
  'mention.target',
  'share.enabled',
  'share.exclude',
  'share.excludeGitIgnored',
  'share.selectionWithEachPrompt',
  'diff.location',
  'diff.takeFocus',
  'diff.returnFocus',
  'diff.acceptOnSave',
  'diff.keepOpenAfterAccept',
  'tools.disabled',
  'notebook.confirm',
  'notebook.cellPosition',
  'notebook.keepCell',
  'notebook.timeout',
  'notebook.outputLimit',
  'changes.maxFileSize',
  'changes.maxTotalSize',
  'changes.maxFiles',
  'changes.shellEdits',
  'changes.decorations',
  'changes.gutter',
] as const satisfies readonly (keyof Settings)[];
