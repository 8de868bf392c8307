import * as vscode from 'vscode';
import type { RunQuestions } from './runQuestions.ts';
import { codeScheme } from '../editor/schemes.ts';
import { commandIds } from '../editor/commandIds.ts';
import { withoutIcons } from '../editor/plainLabel.ts';

/** Characters of a line that may be in view: what stands behind them, after many spaces, is not to be overlooked. */
const maxSeen = 120;

/** Above code that waits for the user's consent: the answers, and who wants to run it where. */
export class RunLenses implements vscode.CodeLensProvider, vscode.Disposable {
  readonly onDidChangeCodeLenses: vscode.Event<void>;
  private readonly registration: vscode.Disposable;

  constructor(private readonly questions: RunQuestions) {
    this.onDidChangeCodeLenses = questions.onDidChangeQuestion;
    this.registration = vscode.languages.registerCodeLensProvider({ scheme: codeScheme }, this);
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    const question = this.questions.find(uri);
    if (!question) {
      return [];
    }
    const { words, code, yes, isConsidered } = question;
    const longest = code.split(/\r\n?|\n/).reduce((length, line) => Math.max(length, line.length), 0);
    // In the order in which it must not be cut off, where the column is narrow: the tab's title asks the question, too.
    return [
      ...(longest > maxSeen ? [lens(`$(warning) A line has ${longest} characters: scroll`)] : []),
      lens('$(circle-slash) Refuse', commandIds.refuseCode),
      // Text only, for a moment: a click that was meant for what was there before is no consent.
      ...yes.map((title, index) => lens(`$(play) ${title}`, isConsidered ? commandIds.runCode : '', index)),
      lens(withoutIcons(words)),
    ];
  }

  dispose(): void {
    this.registration.dispose();
  }
}

/** Without a command it is plain text. */
function lens(title: string, command = '', ...args: unknown[]): vscode.CodeLens {
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title, command, arguments: args });
}
