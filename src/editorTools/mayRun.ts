import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { LoadQuestions } from '../notebooks/runQuestions.ts';
import type { ToolCall } from '../server/session.ts';
import type { Access } from './access.ts';
import type { Calls } from './calls.ts';
import { clientName } from './clientName.ts';
import { keepTelling } from './keepTelling.ts';
import type { ToolGroup } from './names.ts';
import { onOneLine } from './onOneLine.ts';
import { mustStillBeOn } from './mustStillBeOn.ts';
import { Refusal } from './refusal.ts';
import { late, within } from '../base/within.ts';

/** Kept on this machine, out of reach of what a workspace brings with it: fingerprints, the last at the end. */
const agreedKey = 'editorTools.agreedRuns';

const maxAgreed = 200;

/** ms: more a timer does not take. */
const longest = 2 ** 31 - 1;

/** The index of that answer. */
const always = 1;

export interface WhatRuns {
  /** Of the tab that asks. */
  readonly title: string;
  /** Follows the name of who wants it. */
  readonly words: string;
  /** All of it that the editor tells, as the user sees it before. */
  readonly code: string;
  /** What a yes for good is called. */
  readonly always: string;
  /** Says exactly what this is; undefined where it could change unseen, and there is no yes for good. */
  readonly exactly: string | undefined;
  /** That it is about, as the client named it, if it named one: it has to be shared still when it is run. */
  readonly file?: string;
}

export interface DefinedRun extends WhatRuns {
  /**
   * All that is known of what the editor runs, as of now: it reads a tasks.json or launch.json again before, so that another
   * definition is another run.
   */
  readonly definition: string;
}

class NotWanted extends Refusal {
  constructor() {
    super('The user does not want this to be run. Nothing was run.');
  }
}

/** Variables that are the same whenever it is run. */
const fixed =
  /^(workspaceFolder|workspaceFolderBasename|workspaceRoot|userHome|pathSeparator|\/|execPath|env)(:|$)/;

/** Variables that stand for what is in front. */
const aboutEditor = /\$\{(file|relativeFile|selectedText|lineNumber|columnNumber)/;

/** Names something that is not in a definition, and could change without it: a file in front, a setting, a command. */
export function namesOthers(definition: string): boolean {
  return [...definition.matchAll(/\$\{([^}]*)\}?/g)].some(([, name = '']) => !fixed.test(name));
}

/** Whether the user wants that something is run: they are asked each time, but for what they have agreed to for good. */
export class MayRun {
  /** What waits for the user, or is being started, by all that it is; and for which call. */
  private readonly begun = new Map<string, { call: ToolCall; beginning: Promise<unknown> }>();

  constructor(
    private readonly questions: LoadQuestions,
    private readonly workspaceState: vscode.Memento,
    private readonly access: Access,
    private readonly calls: Calls,
  ) {}

  /**
   * Where what is run is about the file in front, that is the one that was in front before.
   * @throws Refusal unless the user agrees, and everything that allows it is still so
   */
  async must(what: WhatRuns, call: ToolCall, group: ToolGroup): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const telling = keepTelling(call.tellProgress);
    try {
      if (!(await this.isAgreed(what, call))) {
        this.calls.refused(call);
        throw new NotWanted();
      }
    } finally {
      telling.dispose();
    }
    const isMoved = editor && vscode.window.activeTextEditor?.document !== editor.document;
    if (isMoved && aboutEditor.test(what.code)) {
      const { document, viewColumn } = editor;
      await vscode.window.showTextDocument(document, { ...(viewColumn && { viewColumn }), preview: false });
    }
    await this.mustStill(call, group, what.file);
  }

  /**
   * Of calls that want the same at once, the user is asked for the first, and what comes of that is for all of them; where it
   * is cancelled, the next one asks.
   * @param same all that it is
   * @param begin asks, see `must`, and starts it
   * @throws what `begin` does
   */
  async together<T>(same: string, call: ToolCall, begin: () => Promise<T>): Promise<T> {
    for (;;) {
      const first = this.begun.get(same);
      if (!first) {
        const beginning = begin();
        this.begun.set(same, { call, beginning });
        try {
          return await beginning;
        } finally {
          this.begun.delete(same);
        }
      }
      const telling = keepTelling(call.tellProgress);
      try {
        const questions = await this.questions();
        const begun = first.beginning as Promise<T>;
        const wait = () => within(longest, call.signal, begun);
        const outcome = await this.calls.whileAsking(call, () => questions.show(), wait);
        call.signal.throwIfAborted();
        if (outcome !== late) {
          return outcome;
        }
      } catch (error) {
        call.signal.throwIfAborted();
        if (error instanceof NotWanted && !first.call.signal.aborted) {
          this.calls.refused(call);
        }
        if (!first.call.signal.aborted) {
          throw error;
        }
      } finally {
        telling.dispose();
      }
    }
  }

  /**
   * Once more just before something is run, where that had to wait for the user, a debugger or the editor.
   * @param file see `WhatRuns`
   * @throws Refusal when what allows it was taken back meanwhile, and what the call was aborted with
   */
  async mustStill({ signal }: ToolCall, group: ToolGroup, file?: string): Promise<void> {
    if (file !== undefined) {
      await this.access.checkAgain(file);
    }
    signal.throwIfAborted();
    mustStillBeOn(this.access, group, 'Nothing was run.');
  }

  /** Asks about each anew. @returns about how many it did not */
  async forget(): Promise<number> {
    const { length } = this.agreed;
    await this.workspaceState.update(agreedKey, undefined);
    return length;
  }

  private async isAgreed(what: WhatRuns, call: ToolCall): Promise<boolean> {
    const { session, signal } = call;
    const { title, code, exactly } = what;
    const fingerprint =
      exactly === undefined ? undefined : createHash('sha256').update(exactly).digest('hex');
    signal.throwIfAborted();
    if (fingerprint !== undefined && this.agreed.includes(fingerprint)) {
      return true;
    }
    const words = `${clientName(session)} ${what.words}`;
    const questions = await this.questions();
    const question = {
      title: onOneLine(title),
      words,
      code: `# ${words}\n${code}`, // in the text, too: above it the end is out of view in a narrow column
      language: 'shellscript',
      yes: fingerprint === undefined ? (['Run Once'] as const) : (['Run Once', what.always] as const),
    };
    const ask = () => questions.ask(question, call);
    const answer = await this.calls.whileAsking(call, () => questions.show(), ask);
    if (answer === always && fingerprint !== undefined) {
      await this.workspaceState.update(agreedKey, [...this.agreed, fingerprint].slice(-maxAgreed));
    }
    return answer !== undefined;
  }

  private get agreed(): string[] {
    return this.workspaceState.get<string[]>(agreedKey, []);
  }
}
