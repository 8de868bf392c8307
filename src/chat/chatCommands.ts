import * as vscode from 'vscode';
import type { Initialized } from '../agent/messages.ts';
import { commandIds } from '../editor/commandIds.ts';
import { isOfUser } from './attachedImages.ts';
import { code, plain } from './markdown.ts';
import { ownCommands } from './ownCommands.ts';
import type { PickName } from './picks.ts';
import type { Surface } from './surface.ts';

const picks: Readonly<Record<string, PickName>> = { mode: 'mode', model: 'model', agents: 'agent' };

export interface CommandSurroundings {
  readonly initialized: Initialized | undefined;
  /** @param wanted see `choosePick` @returns what holds, in words */
  readonly choose: (name: PickName, wanted: string) => Promise<string | undefined>;
}

/**
 * Answers a command of ours, and a prompt without a word: an Enter too many in an empty input. What else begins with `/` the
 * CLI takes for its own.
 * @returns whether it was one of these
 */
export async function answerCommand(
  { command, prompt, references }: Pick<vscode.ChatRequest, 'command' | 'prompt' | 'references'>,
  surface: Surface,
  { initialized, choose }: CommandSurroundings,
): Promise<boolean> {
  const pick = command === undefined ? undefined : picks[command];
  if (pick !== undefined) {
    const words = await choose(pick, prompt.trim());
    surface.markdown(`${plain(words ?? '')}.`);
  } else if (command === 'review') {
    await vscode.commands.executeCommand(commandIds.reviewChanges);
    surface.markdown('What agents have changed is in *Review*, in the side bar.');
  } else if (command === 'help') {
    surface.markdown(helpText(initialized));
  } else if (command === undefined && prompt.trim() === '' && !references.some(isOfUser)) {
    surface.markdown(`What is Claude to do? Nothing was sent. ${code('@claude /help')} lists its commands.`);
  } else {
    return false;
  }
  return true;
}

function helpText(initialized: Initialized | undefined): string {
  const own = Object.entries(ownCommands).map(([name, words]) => `- ${code(`/${name}`)} ${words}`);
  const theirs = (initialized?.commands ?? [])
    .filter(({ name }) => !Object.hasOwn(ownCommands, name))
    .map(({ name, argumentHint = '', description = '' }) => {
      const words = plain(description, 200);
      return `- ${code(`/${name} ${argumentHint}`.trim())} ${words}`;
    });
  const rest =
    theirs.length > 0
      ? theirs.join('\n')
      : 'They are listed here once Claude Code has answered in this window.';
  return `**Of the chat**\n\n${own.join('\n')}\n\n**Of Claude Code**, as \`@claude /name\`\n\n${rest}`;
}
