import { type Tighten, tightening } from './tightening.ts';

/** Every setting under `ideBridge.`, with its type; a test holds the names against package.json. */
export interface Settings {
  command: string;
  arguments: string[];
  environment: Record<string, string>;
  permissionMode: string;
  location: 'panel' | 'editor' | 'beside';
  'attention.notify': boolean;
  'records.enabled': boolean;
  'agent.permissionMode': string;
  /** As the CLI's `--model` takes it; '' for its own default. */
  'agent.model': string;
  'agent.api': 'cli' | 'key' | 'editor';
  /** http or https. */
  'agent.apiUrl': string;
  /** Id or family; '' for one of Claude, else the first. */
  'agent.editorModel': string;
  /** Names. */
  'agent.languageModelTools': string[];
  /** As the CLI's `--fallback-model` takes it; '' for none. */
  'agent.fallbackModel': string;
  'agent.systemPrompt': string;
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
  'editorTools.enabled': boolean;
  'editorTools.editing': boolean;
  'editorTools.running': boolean;
  'editorTools.debugging': boolean;
  /** Names. */
  'editorTools.languageModelTools': string[];
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
  'changes.colors': boolean;
  'changes.lenses': boolean;
  'comments.submit': boolean;
}

/**
 * What a workspace, which may be hostile, has to say about a setting.
 * - `user`: nothing. It is of machine or application scope.
 * - a function: it may tighten what the user has set.
 * - `free`: everything. It is about looks and places, and nothing worse comes of it.
 */
export type SettingRule<T> = 'user' | 'free' | Tighten<T>;

/** All but the free ones are ignored before the workspace is trusted; a test holds package.json to this. */
export const settingRules: { readonly [K in keyof Settings]: SettingRule<Settings[K]> } = {
  ...tightening,
  command: 'user',
  arguments: 'user',
  environment: 'user',
  permissionMode: 'user',
  location: 'free',
  'attention.notify': 'user',
  'agent.permissionMode': 'user',
  'agent.model': 'user', // another one may cost more
  'agent.api': 'user',
  'agent.apiUrl': 'user', // the key goes there
  'agent.editorModel': 'user', // another one may cost more
  'agent.fallbackModel': 'user',
  'agent.systemPrompt': 'user',
  'diff.location': 'user', // a new window takes the keys of who is typing
  'diff.keepOpenAfterAccept': 'free',
  'tools.disabled': 'user', // without some, edits go unseen
  'notebook.confirm': 'user',
  'notebook.cellPosition': 'free',
  'notebook.timeout': 'free', // of code to which the user has agreed
  'changes.maxFileSize': 'user',
  'changes.maxTotalSize': 'user',
  'changes.maxFiles': 'user',
  'changes.shellEdits': 'user', // on, it starts processes; off, edits go unseen
  'changes.decorations': 'free', // the view lists what they mark in any case
  'changes.gutter': 'free',
  'changes.colors': 'free',
  'changes.lenses': 'free',
  'comments.submit': 'user',
};

export const settingNames = Object.keys(settingRules) as (keyof Settings)[];
