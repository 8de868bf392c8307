import { basename } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import type { Mentions, Questions } from './mentions.ts';
import { linesOf } from '../editor/linesOf.ts';
import type { Selections } from '../sharing/selections.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import { setting } from '../editor/settings.ts';
import type { Sharing } from '../sharing/sharing.ts';
import type { AtMentioned } from '../protocol/ide.ts';
import type { Session } from '../server/session.ts';
import { commandIds } from '../editor/commandIds.ts';
import { pickSession } from '../sessions/sessionCommands.ts';

export interface MentionDependencies {
  mentions: Mentions;
  questions: Questions;
  selections: Selections;
  sessionTerminals: SessionTerminals;
  sharing: Sharing;
}

/** Puts `@file#L1-2` into the prompt of a session: the selected lines, or the file in front. */
export async function mentionSelection(dependencies: MentionDependencies): Promise<void> {
  const { mention } = dependencies.selections;
  await send(dependencies, mention ? [mention] : []);
}

/** @param args as the explorer, a tab, a source control view or a quick fix passes them; without: the file in front */
export async function mentionFiles(
  dependencies: MentionDependencies,
  args: readonly unknown[],
): Promise<void> {
  if (args.length === 0) {
    await mentionSelection(dependencies);
    return;
  }
  const byKey = new Map(args.flatMap(mentionsIn).map((mention) => [JSON.stringify(mention), mention]));
  await send(dependencies, [...byKey.values()]);
}

/** What an argument of a menu command stands for: files, lists of them, groups of changed files, lines. */
function mentionsIn(argument: unknown): AtMentioned[] {
  if (argument instanceof vscode.Uri) {
    return argument.scheme === 'file' ? [{ filePath: argument.fsPath }] : [];
  }
  if (argument instanceof vscode.Location) {
    return mentionsIn(argument.uri).map((file) => ({ ...file, ...linesOf(argument.range) }));
  }
  if (Array.isArray(argument)) {
    return argument.flatMap(mentionsIn);
  }
  if (typeof argument === 'object' && argument !== null) {
    return [
      ...('resourceUri' in argument ? mentionsIn(argument.resourceUri) : []),
      ...('resourceStates' in argument ? mentionsIn(argument.resourceStates) : []),
    ];
  }
  return [];
}

async function send(dependencies: MentionDependencies, all: readonly AtMentioned[]): Promise<void> {
  const { mentions, questions, sessionTerminals, sharing } = dependencies;
  if (all.length === 0) {
    void vscode.window.showInformationMessage('Claude Code can be pointed to saved files and folders only.');
    return;
  }
  const allowed = await confirmExcluded(sharing, all);
  if (allowed.length === 0) {
    return;
  }
  if (sessionTerminals.sessions.length === 0) {
    mentions.keep(allowed);
    await noteWaiting(mentions, 'No Claude Code session is connected.');
    return;
  }
  const session = await target(sessionTerminals);
  if (session) {
    const isAsking = questions.isAsking(session);
    const text = isAsking
      ? `$(mention) ${describe(allowed, 'Mentions')} once ${session.label} has its answer`
      : `$(mention) ${describe(allowed, 'Mentioned')} in ${session.label}`;
    vscode.window.setStatusBarMessage(text, isAsking ? 10_000 : 4_000);
    await mentions.send(session, allowed);
    if (!session.isOpen && mentions.waiting > 0) {
      await noteWaiting(mentions, `${session.label} is gone.`);
    }
  }
}

async function target(sessionTerminals: SessionTerminals): Promise<Session | undefined> {
  return setting('mention.target') === 'ask' ? pickSession(sessionTerminals) : sessionTerminals.sessions[0];
}

/** What is excluded from sharing is mentioned only if the user says so. */
async function confirmExcluded(sharing: Sharing, all: readonly AtMentioned[]): Promise<AtMentioned[]> {
  await sharing.learn(all.map(({ filePath }) => filePath));
  const reason = ({ filePath }: AtMentioned) => sharing.exclusion(vscode.Uri.file(filePath));
  const excluded = all.filter(reason);
  const [first, ...others] = excluded;
  if (!first) {
    return [...all];
  }
  const anyway = 'Mention Anyway';
  const more = others.length === 0 ? '' : ` So are ${others.length} more.`;
  const choice = await vscode.window.showWarningMessage(
    `${printable(basename(first.filePath))} is ${reason(first)}.${more}`,
    anyway,
  );
  return choice === anyway ? [...all] : all.filter((mention) => !excluded.includes(mention));
}

async function noteWaiting(mentions: Mentions, why: string): Promise<void> {
  const runClaude = 'Run Claude Code';
  const discard = 'Discard';
  const count = mentions.waiting;
  const choice = await vscode.window.showInformationMessage(
    `${why} ${count === 1 ? 'The mention waits' : `${count} mentions wait`} for the next one.`,
    runClaude,
    discard,
  );
  if (choice === runClaude) {
    await vscode.commands.executeCommand(commandIds.run);
  } else if (choice === discard) {
    mentions.discardKept();
  }
}

function describe(mentions: readonly AtMentioned[], verb: string): string {
  const [first, ...others] = mentions.map(({ filePath }) => basename(filePath));
  return others.length === 0 ? `${verb} ${first}` : `${verb} ${first} and ${others.length} more`;
}
