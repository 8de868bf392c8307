import type * as vscode from 'vscode';
import * as z from 'zod/mini';
import type { Tool } from '../tools/tool.ts';
import { editingTool, type EditingWorkshop } from './editingTool.ts';
import { withoutUnshared } from './namedFiles.ts';
import { onOneLine } from './onOneLine.ts';
import { Refusal } from './refusal.ts';
import { someLines } from './spots.ts';
import { AskedAbout } from './workspaceEdits.ts';

/** Of which the edits are asked for at once: servers work some out only then. */
const maxActions = 200;

export function applyCodeAction(workshop: EditingWorkshop): Tool {
  const { access, servers } = workshop;
  return editingTool(workshop, {
    name: 'applyCodeAction',
    title: 'Apply a Code Action',
    description:
      'Makes the edit of a quick fix or refactoring that codeActions lists for these lines, by its title. One that is a command of the editor is refused',
    input: {
      ...someLines,
      title: z.string().check(z.minLength(1), z.maxLength(1_000), z.describe('As codeActions has it')),
      kind: z.optional(z.string().check(z.maxLength(100), z.describe('As codeActions has it'))),
    },
    done: 'Applied',
    async find(args, signal) {
      const document = await access.document(args.file);
      const asked = new AskedAbout();
      const found = await servers.codeActions(document, args, args.kind, maxActions, signal);
      const offered = await withoutUnshared(found, document.uri, access);
      const { edit, command } = theOne(offered, args.title);
      if (!edit) {
        throw isCommand(args.title);
      }
      // What a server would have the editor do afterwards, such as to rename what was extracted, is not done.
      const rest = command ? ' without the command that the editor would run after it' : '';
      return { edit, asked, done: `Applied "${onOneLine(args.title)}"${rest}` };
    },
  });
}

function theOne(found: readonly (vscode.CodeAction | vscode.Command)[], title: string): vscode.CodeAction {
  const named = found.filter((each) => each.title === title || onOneLine(each.title) === title);
  const actions = named.filter((each): each is vscode.CodeAction => typeof each.command !== 'string');
  if (named.length > 0 && actions.length === 0) {
    throw isCommand(title);
  }
  const preferred = actions.filter(({ isPreferred }) => isPreferred);
  const [action, ...others] = preferred.length === 1 ? preferred : actions;
  if (!action) {
    throw new Refusal(
      `The editor offers no "${onOneLine(title)}" for these lines now. codeActions lists what it does.`,
    );
  }
  if (others.length > 0) {
    throw new Refusal(
      `${others.length + 1} code actions are called "${onOneLine(title)}" there. Name fewer lines, or the kind.`,
    );
  }
  return action;
}

function isCommand(title: string): Refusal {
  return new Refusal(
    `"${onOneLine(title)}" is a command of the editor, not an edit, and these tools run none. The user can choose it there.`,
  );
}
