import * as vscode from 'vscode';
import type { PermissionDecision, PermissionQuestion } from '../agent/permissions.ts';
import { printable } from '../base/printable.ts';
import type { Reports } from '../editor/reports.ts';
import { isInWorkspace } from '../editor/workspaceFolders.ts';
import { withoutIcons } from '../editor/plainLabel.ts';
import { absolutePath } from '../tools/paths.ts';
import { askedInput } from './askedInput.ts';
import { answered, type AskedQuestion, askedQuestions } from './askedQuestions.ts';
import { askWords, chooseItems } from './asking.ts';
import { blockInSight, code, plain } from './markdown.ts';
import type { Choices } from './questions.ts';
import { ruleWords } from './ruleWords.ts';
import type { Surface } from './surface.ts';
import { toolLine, toolName } from './toolLine.ts';

/** UTF-16 units of a command or an input that is shown whole: who agrees must have seen it. */
const maxShown = 20_000;

/** A question as it is put to the user. */
export interface Put<T> {
  /** In short, for a notification. */
  readonly words: string;
  /** What their buttons are called, in order. */
  readonly titles: Readonly<Record<string, string>>;
  readonly choices: Choices<T>;
  /** Says what is asked. */
  show(surface: Surface): void;
  /** What has become of it, as Markdown. */
  outcome(answer: T): string;
}

type PutPermission = Put<PermissionDecision>;

/** How the user is asked whether a tool may be used, which plan is to be followed, or what the agent wants to know. */
export function putQuestion(question: PermissionQuestion, reports: Reports): PutPermission {
  const asked = question.tool === 'AskUserQuestion' ? askedQuestions(question.input) : undefined;
  if (asked) {
    return putAsked(question, asked);
  }
  if (question.tool === 'ExitPlanMode') {
    return putPlan(question, reports);
  }
  return putPermission(question);
}

function putPermission({
  tool,
  input,
  description,
  reason,
  blockedPath,
  rules,
}: PermissionQuestion): PutPermission {
  const line = toolLine(tool, input);
  const words = line ? `${line.verb} ${line.code ?? line.path ?? line.text ?? ''}`.trim() : tool;
  // Where there is a rule for this tool, only that: the CLI suggests to ask about no edit any more besides.
  const ofTool = rules.filter(({ type }) => type === 'addRules');
  const suggested = ofTool.length > 0 ? ofTool : rules;
  const always = ruleWords(suggested);
  return {
    words: printable(words, 100),
    titles: {
      allow: 'Allow',
      ...(always ? { always: 'Allow Always' } : {}),
      deny: 'Deny',
      reason: 'Deny with a Reason…',
    },
    choices: {
      allow: () => ({ kind: 'allow' }),
      ...(always ? { always: () => ({ kind: 'allow', rules: suggested }) as const } : {}),
      deny: () => ({ kind: 'deny', reason: 'The user does not want that.' }),
      reason: denyWithReason,
    },
    show(surface) {
      surface.markdown(`\n\n**May Claude use ${plain(toolName(tool))}?**`);
      for (const [whole, language] of askedInput(tool, input)) {
        surface.markdown(blockInSight(whole, maxShown, language));
        if (whole.length > maxShown) {
          surface.markdown(`**Only the first ${maxShown} of ${whole.length} characters are shown.**\n\n`);
        }
      }
      for (const words of [description, reason]) {
        surface.markdown(words ? `\n\n${plain(words, 500)}\n\n` : '');
      }
      if (blockedPath !== undefined && !isInWorkspace(blockedPath)) {
        surface.markdown(`\n\nOutside of the folders that are open: ${code(blockedPath, 1_000)}\n\n`);
      }
      if (always) {
        const list = always.map(
          ({ what, words }) => `- ${what === undefined ? '' : code(what, 500)} ${words}`,
        );
        surface.markdown(`\n\n*Allow Always* means:\n\n${list.join('\n')}\n\n`);
      }
    },
    outcome: (decision) =>
      decision.kind === 'deny' ? 'Denied.' : decision.rules ? 'Allowed, and noted.' : 'Allowed.',
  };
}

/** UTF-16 units of a plan as a page: of a longer one that says how much is left out. */
const maxPlan = 400_000;

function putPlan({ input }: PermissionQuestion, reports: Reports): PutPermission {
  const { plan: named, planFilePath } = input; // 2.0 and 2.1 put in what stands in the file of the plan, if there is one
  const plan = typeof named === 'string' ? named : '';
  const path = absolutePath.safeParse(planFilePath).data; // 2.0 does not take a plan back
  let isEdited = false;
  const read = async () => {
    const { said } = await import('./said.ts');
    await reports.show('Plan of Claude.md', { text: said(plan, maxPlan, true), actions: [] });
    return undefined;
  };
  const edit = async (file: string) => {
    const document = await vscode.workspace.openTextDocument(file);
    // Where the CLI has no file of it the model may have named another one, which would go to the model as the plan.
    if (isEdited || document.getText().trim() === plan.trim()) {
      isEdited = true;
      await vscode.window.showTextDocument(document, { preview: false });
    } else {
      void vscode.window.showWarningMessage('Its file does not have this plan.');
    }
    return undefined;
  };
  const approve = async (name: 'default' | 'acceptEdits'): Promise<PermissionDecision> => {
    const text = isEdited && path !== undefined ? await savedText(path) : plan;
    const rules = [mode(name)];
    return text === plan
      ? { kind: 'allow', rules }
      : { kind: 'allow', rules, input: { ...input, plan: text } };
  };
  return {
    words: 'A plan waits for your approval',
    titles: {
      read: 'Open the Plan',
      ...(path === undefined ? {} : { edit: 'Edit the Plan First' }),
      approve: 'Approve',
      edits: 'Approve, and Make Edits without Asking',
      keep: 'Keep Planning',
      reason: 'Keep Planning, with a Remark…',
    },
    choices: {
      read,
      ...(path === undefined ? {} : { edit: () => edit(path) }),
      approve: () => approve('default'),
      edits: () => approve('acceptEdits'),
      keep: () => ({ kind: 'deny', reason: 'The user wants you to keep planning.' }),
      reason: denyWithReason,
    },
    show(surface) {
      surface.markdown('\n\n**Is this plan what you want?**\n\n---\n\n');
      surface.quote(plan.trim() || '*It has written none.*');
      surface.markdown('\n\n---\n\n');
      if (path !== undefined) {
        surface.markdown('*Approve* takes the plan as you have edited it.\n\n');
      }
    },
    outcome: (decision) =>
      decision.kind === 'deny'
        ? 'Not approved.'
        : decision.input
          ? 'Approved as you have edited it.'
          : 'Approved.',
  };
}

/** As it stands in the editor, which saves it: the CLI writes that file, too. */
async function savedText(path: string): Promise<string> {
  const document = await vscode.workspace.openTextDocument(path);
  await document.save();
  return document.getText();
}

/** Else the CLI goes on in a mode of its own choice. */
function mode(name: 'default' | 'acceptEdits') {
  return { type: 'setMode', mode: name, destination: 'session' } as const;
}

function putAsked({ input }: PermissionQuestion, asked: readonly AskedQuestion[]): PutPermission {
  const answers: string[][] = [];
  return {
    words: printable(asked[0]?.question ?? '', 100),
    titles: { answer: 'Answer…', deny: 'Do Not Answer' },
    choices: {
      answer: async (over) => {
        answers.length = 0;
        for (const question of asked) {
          const answer = await pick(question, over);
          if (!answer) {
            return undefined;
          }
          answers.push(answer);
        }
        return { kind: 'allow', input: answered(input, asked, answers) };
      },
      deny: () => ({ kind: 'deny', reason: 'The user does not want to answer.' }),
    },
    show(surface) {
      for (const { question, options, multiSelect } of asked) {
        const list = options.map(
          ({ label, description }) =>
            `- **${plain(label)}**${description ? `: ${plain(description, 500)}` : ''}`,
        );
        const howMany = multiSelect ? ' (several can be right)' : '';
        surface.markdown(`\n\n**${plain(question, 1_000)}**${howMany}\n\n${list.join('\n')}\n\n`);
      }
    },
    outcome: ({ kind }) =>
      kind === 'deny'
        ? 'Not answered.'
        : `You have answered: ${answers.map((each) => plain(each.join(', '), 500)).join('; ')}`,
  };
}

/** @returns undefined when the user has left it */
async function pick(
  { question, header, multiSelect, options }: AskedQuestion,
  over: AbortSignal,
): Promise<string[] | undefined> {
  const other = 'Something else…';
  const items = [
    ...options.map(({ label, description = '' }) => ({
      label: withoutIcons(printable(label)),
      detail: withoutIcons(printable(description, 500)),
      value: label,
    })),
    { label: other, detail: '', value: undefined },
  ];
  const title = printable(header ?? 'Claude asks');
  const placeHolder = printable(question, 500);
  const canPickMany = multiSelect === true;
  const picked = await chooseItems(items, { title, placeHolder, canPickMany }, over);
  if (!picked) {
    return undefined;
  }
  const answers: string[] = [];
  for (const { value } of picked) {
    const words = value ?? (await askWords(title, placeHolder, over));
    if (words === undefined) {
      return undefined;
    }
    answers.push(words);
  }
  return answers;
}

async function denyWithReason(over: AbortSignal): Promise<PermissionDecision | undefined> {
  const reason = await askWords('Deny', 'What should Claude do instead?', over);
  return reason === undefined ? undefined : { kind: 'deny', reason: reason.trim() };
}
