import type * as vscode from 'vscode';
import type { LoadQuestions } from '../notebooks/runQuestions.ts';
import { onOneLine } from './onOneLine.ts';

/** Kept on this machine, out of reach of what a workspace brings with it: fingerprints, the last at the end. */
const agreedKey = 'editorTools.agreedRuns';

const maxAgreed = 200;

/** The index of that answer. */
const always = 1;

export interface WhatRuns {
  /** Of the tab that asks. */
  readonly title: string;
  /** Follows the name of who wants it. */
  readonly words: string;
  /** All of it, as the user sees it before. */
  readonly code: string;
  /** What a yes for good is called. */
  readonly always: string;
  /** Stands for exactly this; undefined where it could change unseen, and there is no yes for good. */
  readonly fingerprint: string | undefined;
}

/** Names something that is not in a definition, and could change without it: what the user types, a command, a setting. */
export function namesOthers(definition: string): boolean {
  return /\$\{(input|command|config):/.test(definition);
}

/** Whether the user wants that something is run: they are asked each time, but for what they have agreed to for good. */
export class MayRun {
  constructor(
    private readonly questions: LoadQuestions,
    private readonly workspaceState: vscode.Memento,
  ) {}

  async ask(what: WhatRuns, client: string, signal: AbortSignal): Promise<boolean> {
    const { title, code, fingerprint } = what;
    if (fingerprint !== undefined && this.agreed.includes(fingerprint)) {
      return true;
    }
    const words = `${onOneLine(client)} ${what.words}`;
    const answer = await (
      await this.questions()
    ).ask(
      {
        title,
        words,
        code: `# ${words}\n${code}`, // in the text, too: above it the end is out of view in a narrow column
        language: 'shellscript',
        yes: fingerprint === undefined ? ['Run Once'] : ['Run Once', what.always],
      },
      signal,
    );
    if (answer === always && fingerprint !== undefined) {
      await this.workspaceState.update(agreedKey, [...this.agreed, fingerprint].slice(-maxAgreed));
    }
    return answer !== undefined;
  }

  /** Asks about each anew. @returns about how many it did not */
  async forget(): Promise<number> {
    const { length } = this.agreed;
    await this.workspaceState.update(agreedKey, undefined);
    return length;
  }

  private get agreed(): string[] {
    return this.workspaceState.get<string[]>(agreedKey, []);
  }
}
