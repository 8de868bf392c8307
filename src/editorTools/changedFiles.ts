import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { editorGit, type GitChange } from '../editor/editorGit.ts';
import { onOneLine } from './onOneLine.ts';
import type { Tool } from '../tools/tool.ts';
import { page, pageOutput, pageText, paging } from './answers.ts';
import { readingTool } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import { shownName } from './sourceLines.ts';
import type { Workshop } from './workshop.ts';

/** By the numbers of the `Status` of that API, which has no names at run time. */
const statuses = [
  'modified',
  'added',
  'deleted',
  'renamed',
  'copied',
  'modified',
  'deleted',
  'untracked',
  'ignored',
  'added',
  'renamed',
  'type changed',
];

/** As the editor knows them: no git is started for it, which would run what a repository names. */
export function changedFiles({ access }: Workshop): Tool {
  return readingTool({
    name: 'changedFiles',
    title: 'Changed Files',
    description: "What has changed since the last commit, as the editor's source control has it",
    input: z.object(paging),
    output: z.object({
      changes: z.array(z.object({ path: z.string(), status: z.string(), isStaged: z.boolean() })),
      branches: z.array(z.string()),
      ...pageOutput,
    }),
    async run(args) {
      access.check();
      const git = await editorGit();
      if (!git) {
        throw new Refusal("The editor's Git is off or not installed.");
      }
      const { repositories } = git;
      if (repositories.length === 0) {
        throw new Refusal('The editor knows of no Git repository in this window.');
      }
      const all = repositories.flatMap(({ state }) => [
        ...state.mergeChanges.map((change) => ({ ...of(change), status: 'in conflict', isStaged: false })),
        ...state.indexChanges.map((change) => ({ ...of(change), isStaged: true })),
        ...[...state.workingTreeChanges, ...(state.untrackedChanges ?? [])].map((change) => ({
          ...of(change),
          isStaged: false,
        })),
      ]);
      const here = all.filter(({ uri }) => vscode.workspace.getWorkspaceFolder(uri));
      const { items, withheld } = await access.shared(here, ({ uri }) => uri);
      const shown = await page(
        items,
        args,
        ({ uri, status, isStaged }) => ({
          line: `${shownName(uri.fsPath)}  ${status}${isStaged ? ', staged' : ''}`,
          data: { path: uri.fsPath, status, isStaged },
        }),
        withheld,
      );
      const branches = repositories.flatMap(({ state }) =>
        state.HEAD?.name ? [onOneLine(state.HEAD.name)] : [],
      );
      const on = branches.length > 0 ? `On ${branches.join(', ')}: ` : '';
      return {
        text: `${on}${pageText(shown, 'changed file', 'changed files')}`,
        data: { changes: shown.items, branches, ...shown.counts },
      };
    },
  });
}

function of({ uri, status }: GitChange): { uri: vscode.Uri; status: string } {
  return { uri, status: statuses[status] ?? 'changed' };
}
