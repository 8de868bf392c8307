import * as z from 'zod/mini';
import type { PermissionRule } from '../agent/permissions.ts';

/** What the CLI suggests to make of a yes; as seen of 1.0.128, 2.0.77 and 2.1.330. */
const suggestion = z.union([
  z.object({
    type: z.literal('addRules'),
    behavior: z.literal('allow'),
    rules: z.array(z.object({ toolName: z.string(), ruleContent: z.optional(z.string()) })),
    destination: z.string(),
  }),
  z.object({ type: z.literal('setMode'), mode: z.string(), destination: z.optional(z.string()) }),
  z.object({
    type: z.literal('addDirectories'),
    directories: z.array(z.string()),
    destination: z.string(),
  }),
]);

const places: Readonly<Record<string, string>> = {
  session: 'until this session ends',
  localSettings: 'in this folder, for you (.claude/settings.local.json)',
  projectSettings: 'in this folder, for all who use it (.claude/settings.json)',
  userSettings: 'in all folders (your settings.json)',
};

const modes: Readonly<Record<string, string>> = {
  acceptEdits: 'All edits are made without a question',
  default: 'Each edit is asked about',
};

/** What is allowed, and for how long. */
export interface RuleWords {
  /** From outside. */
  readonly what?: string;
  readonly words: string;
}

/** Undefined where one of them is not understood, or allows everything: nobody could agree to it. */
export function ruleWords(rules: readonly PermissionRule[]): RuleWords[] | undefined {
  const all = rules.map((rule) => wordsOf(rule));
  return all.length > 0 && all.every((words) => words !== undefined) ? all.flat() : undefined;
}

function wordsOf(rule: PermissionRule): RuleWords[] | undefined {
  const { data } = suggestion.safeParse(rule);
  switch (data?.type) {
    case 'addRules': {
      const place = places[data.destination];
      return place === undefined
        ? undefined
        : data.rules.map(({ toolName, ruleContent }) => ({
            what: ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`,
            words: place,
          }));
    }
    case 'setMode': {
      const words = modes[data.mode];
      return words === undefined ? undefined : [{ words: `${words} ${places['session']}` }];
    }
    case 'addDirectories': {
      const place = places[data.destination];
      return place === undefined ? undefined : data.directories.map((what) => ({ what, words: place }));
    }
    case undefined:
      return undefined;
  }
}
