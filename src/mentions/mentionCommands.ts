import { basename } from 'node:path';
import * as vscode from 'vscode';
import { printable } from '../base/printable.ts';
import { describeMentions, type Mentions, type Prompts } from './mentions.ts';
import { linesOf } from '../editor/linesOf.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';
import { setting } from '../editor/settings.ts';
import type { Sharing } from '../sharing/sharing.ts';
import type { AtMentioned } from '../protocol/ide.ts';
import type { Session } from '../server/session.ts';
import { commandIds } from '../editor/commandIds.ts';
import { pickSession } from '../sessions/sessionCommands.ts';

export interface MentionDependencies {
  mentions: Mentions;
  prompts: Prompts;
  sessionTerminals: SessionTerminals;
  sharing: Sharing;
}

/** @param args as the explorer, a tab, a source control view or a quick fix passes them */
export async function mentionFiles(
  dependencies: MentionDependencies,
  args: readonly unknown[],
): Promise<void> {
  const byKey = new Map(args.flatMap(mentionsIn).map((mention) => [JSON.stringify(mention), mention]));
  await mention(dependencies, [...byKey.values()]);
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

/** Puts `@file#L1-2` of each into the prompt of a session. */
export async function mention(dependencies: MentionDependencies, all: readonly AtMentioned[]): Promise<void> {
  if (all.length === 0) {
    void vscode.window.showInformationMessage('Claude Code can be pointed to saved files and folders only.');
    return;
  }
  const { sharing, sessionTerminals } = dependencies;
  const session = sessionTerminals.sessions.length > 0 ? await target(sessionTerminals) : 'next';
  if (!session) {
    return; // the user was asked, and chose none
  }
  await sharing.learn(all.map(({ filePath }) => filePath));
  const excluded = all.filter((mention) => exclusion(sharing, mention));
  const allowed = all.filter((mention) => !excluded.includes(mention));
  await Promise.all([
    allowed.length > 0 && sendTo(session, dependencies, allowed),
    excluded.length > 0 &&
      mayMention(sharing, excluded).then(
        async (may) => may && (await sendTo(session, dependencies, excluded)),
      ),
  ]);
}

async function sendTo(
  chosen: Session | 'next',
  { mentions, prompts, sessionTerminals }: MentionDependencies,
  allowed: readonly AtMentioned[],
): Promise<void> {
  // One may have come while the user, or Git, was asked.
  const session = chosen === 'next' ? sessionTerminals.sessions[0] : chosen;
  if (!session) {
    mentions.keep(allowed);
    await noteWaiting(mentions, 'No Claude Code session is connected.');
    return;
  }
  // Of the prompt of one that has only just come the user has not said that it is there.
  const isSeen = session === chosen;
  const hasToWait = isSeen ? prompts.isOpen(session) === false : !mentions.isAtPrompt(session);
  const text = hasToWait
    ? `$(mention) Mentions ${describeMentions(allowed)} once ${session.label} is at its prompt`
    : `$(mention) Mentioned ${describeMentions(allowed)} in ${session.label}`;
  vscode.window.setStatusBarMessage(text, hasToWait ? 10_000 : 4_000);
  await (isSeen ? mentions.send(session, allowed) : mentions.deliver(session, allowed));
  if (!session.isOpen && mentions.waiting > 0) {
    await noteWaiting(mentions, `${session.label} is gone.`);
  }
}

async function target(sessionTerminals: SessionTerminals): Promise<Session | undefined> {
  return setting('mention.target') === 'ask' ? pickSession(sessionTerminals) : sessionTerminals.sessions[0];
}

/** What is excluded from sharing is mentioned only if the user says so; the first answer harms nothing. */
async function mayMention(sharing: Sharing, excluded: readonly AtMentioned[]): Promise<boolean> {
  const anyway = 'Mention Anyway';
  const names = excluded.map(
    (mention) => `${printable(basename(mention.filePath))} is ${exclusion(sharing, mention)}.`,
  );
  const choice = await vscode.window.showWarningMessage(
    'Mention what you have excluded from sharing?',
    { modal: true, detail: names.join('\n') },
    'Leave It Out',
    anyway,
  );
  return choice === anyway;
}

function exclusion(sharing: Sharing, { filePath }: AtMentioned): string | undefined {
  return sharing.exclusion(vscode.Uri.file(filePath));
}

async function noteWaiting(mentions: Mentions, why: string): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    await vscode.commands.executeCommand(commandIds.run); // says so, and runs it once there is trust
    return;
  }
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
