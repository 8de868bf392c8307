import type { Settings } from './settingNames.ts';

/** The value that holds, of the user's and the workspace's: never a looser one than the user's. */
export type Tighten<T> = (user: T, workspace: T) => T;

export type Tightening = { readonly [K in keyof Settings]?: Tighten<Settings[K]> };

const off: Tighten<boolean> = (user, workspace) => user && workspace;
const on: Tighten<boolean> = (user, workspace) => user || workspace;
const smaller: Tighten<number> = Math.min;
const fewer: Tighten<string[]> = (user, workspace) => user.filter((name) => workspace.includes(name));
const both: Tighten<string[]> = (user, workspace) => [
  ...user,
  ...workspace.filter((entry) => typeof entry === 'string'),
];

/** How a workspace, and each folder of one of several, tightens what the user has set. See `settingRules` for the others. */
export const tightening = {
  'records.enabled': off,
  'agent.languageModelTools': fewer,
  'mention.target': (user, workspace) => (workspace === 'ask' ? 'ask' : user),
  'share.enabled': off,
  'share.exclude': both,
  'share.excludeGitIgnored': on,
  'share.selectionWithEachPrompt': off,
  'diff.takeFocus': off,
  'diff.returnFocus': off,
  'diff.acceptOnSave': off,
  'editorTools.enabled': off,
  'editorTools.editing': off,
  'editorTools.running': off,
  'editorTools.debugging': off,
  'editorTools.languageModelTools': fewer,
  'notebook.keepCell': on, // what has run stays to be seen
  'notebook.outputLimit': smaller,
} satisfies Tightening;
