import { relative, sep } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { withLf } from '../base/text.ts';
import { isSame } from '../editor/documents.ts';
import { fileUris } from '../editor/paths.ts';
import { editorGit, type GitApi, type GitChange, type GitRepository } from '../editor/editorGit.ts';
import { path } from '../tools/paths.ts';
import { onOneLine } from './onOneLine.ts';
import type { Tool } from '../tools/tool.ts';
import type { Access } from './access.ts';
import { maxText, page, pageOutput, pageText, paging, shownText } from './answers.ts';
import { readingTool } from './readingTool.ts';
import { Refusal } from './refusal.ts';
import { pathOf, shownName } from './sourceLines.ts';
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

/** As the editor knows them. We start no git, which would run what a repository names; nor does the editor, but for a diff. */
export function changedFiles({ access }: Workshop): Tool {
  return readingTool({
    name: 'changedFiles',
    title: 'Changed Files',
    description:
      "What has changed since the last commit, as the editor's source control has it; of one file also how, with what is not saved yet",
    input: z.object({
      file: z.optional(path.check(z.describe('Path of one that is to be told with its diff'))),
      ...paging,
    }),
    output: z.object({
      changes: z.array(z.object({ path: z.string(), status: z.string(), isStaged: z.boolean() })),
      branches: z.array(z.string()),
      diff: z.optional(z.string()),
      ...pageOutput,
    }),
    async run({ file, ...args }) {
      access.check();
      const git = await editorGit();
      if (!git) {
        throw new Refusal("The editor's Git is off or not installed.");
      }
      const { repositories } = git;
      if (repositories.length === 0) {
        throw new Refusal('The editor knows of no Git repository in this window.');
      }
      const gone = file === undefined ? undefined : await deletedFile(file, repositories, access);
      const document = file === undefined || gone ? undefined : await access.document(file);
      const asked = gone ?? document?.uri;
      const diff = asked && (await diffOf(asked, document?.getText(), git));
      await access.checkAgain(file, true); // it may have been excluded meanwhile
      const here = changesIn(repositories).filter(({ uri }) =>
        asked ? isSame(uri, asked) : vscode.workspace.getWorkspaceFolder(uri),
      );
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
        text: [
          `${on}${pageText(shown, 'changed file', 'changed files')}`,
          ...(diff === undefined ? [] : [diff]),
        ].join('\n'),
        data: { changes: shown.items, branches, ...(diff === undefined ? {} : { diff }), ...shown.counts },
      };
    },
  });
}

interface Change {
  readonly uri: vscode.Uri;
  readonly status: string;
  readonly isStaged: boolean;
}

function changesIn(repositories: readonly GitRepository[]): Change[] {
  return repositories.flatMap(({ state }) => [
    ...state.mergeChanges.map((change) => ({ ...of(change), status: 'in conflict', isStaged: false })),
    ...state.indexChanges.map((change) => ({ ...of(change), isStaged: true })),
    ...[...state.workingTreeChanges, ...(state.untrackedChanges ?? [])].map((change) => ({
      ...of(change),
      isStaged: false,
    })),
  ]);
}

/** A file that is not there any more, which Git says. @throws Refusal where it is not shared */
async function deletedFile(
  input: string,
  repositories: readonly GitRepository[],
  access: Access,
): Promise<vscode.Uri | undefined> {
  const meant = fileUris(input);
  const found = changesIn(repositories).find(
    ({ uri, status }) =>
      status === 'deleted' &&
      meant.some((each) => isSame(each, uri)) &&
      vscode.workspace.getWorkspaceFolder(uri),
  );
  if (!found || (await access.isInside(found.uri))) {
    return undefined; // by now there may be another one
  }
  await access.mustBeShared([found.uri], input);
  return found.uri;
}

function of({ uri, status }: GitChange): { uri: vscode.Uri; status: string } {
  return { uri, status: statuses[status] ?? 'changed' };
}

/** From the last commit to what is in the editor, undefined if it is deleted, as Git writes it. Line ends do not count: Git may convert them. */
async function diffOf(uri: vscode.Uri, text: string | undefined, git: GitApi): Promise<string> {
  const repository = git.getRepository(uri);
  if (!repository) {
    throw new Refusal(`${shownName(pathOf(uri))} is in no Git repository that the editor knows of.`);
  }
  const committed = await vscode.workspace.openTextDocument(git.toGitUri(uri, 'HEAD')).then(
    (found) => Buffer.from(withLf(found.getText())),
    () => undefined, // the last commit does not have it
  );
  const now = text === undefined ? undefined : Buffer.from(withLf(text));
  if (now && committed?.equals(now)) {
    return 'As in the last commit.';
  }
  const name = relative(repository.rootUri.fsPath, uri.fsPath).split(sep).join('/');
  const { patchOf } = await import('../base/patch.ts');
  const patch = patchOf({ path: name, before: committed, now });
  return patch === undefined
    ? 'Too different from the last commit to be compared.'
    : shownText(patch.trimEnd(), maxText);
}
