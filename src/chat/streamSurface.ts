import * as vscode from 'vscode';
import { commandIds } from '../editor/commandIds.ts';
import { asOpened } from '../editor/workspaceFolders.ts';
import { absolutePath } from '../tools/paths.ts';
import { code } from './markdown.ts';
import { outputUri } from './outputs.ts';
import type { Button, OutputPlace, Surface } from './surface.ts';

/**
 * An answer of the chat. Never with `isTrusted`: a link in what the model or a file says can run no command.
 * Once the request is cancelled the editor takes nothing more, and says so by an error.
 */
export class StreamSurface implements Surface {
  constructor(
    private readonly stream: vscode.ChatResponseStream,
    private readonly token: vscode.CancellationToken,
  ) {}

  markdown(text: string): void {
    if (text !== '') {
      this.push(() => this.stream.markdown(text));
    }
  }

  quote(text: string): void {
    const { MarkdownString, workspace } = vscode;
    const part = new MarkdownString(text);
    // The editor joins parts that follow each other, so that an open fence or comment would take in the next question;
    // but not those of another base. From it links to files of the folder are found, too.
    part.baseUri = vscode.Uri.joinPath(workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/'), '/');
    this.push(() => this.stream.markdown(part));
  }

  file(path: string, line?: number): void {
    // The model names it: a share would be asked, and of some paths the editor makes no address.
    const named = absolutePath.safeParse(path).data;
    if (named === undefined) {
      this.markdown(code(path, 1_000));
      return;
    }
    const uri = vscode.Uri.file(asOpened(named));
    this.push(() =>
      this.stream.anchor(line === undefined ? uri : new vscode.Location(uri, new vscode.Position(line, 0))),
    );
  }

  output(words: string, place: OutputPlace): void {
    this.push(() => this.stream.anchor(outputUri(words, place), words));
  }

  progress(words: string): void {
    this.push(() => this.stream.progress(words));
  }

  buttons(buttons: readonly Button[]): void {
    for (const { title, command, args = [] } of buttons) {
      const id = typeof command === 'string' ? commandIds[command] : command.id;
      this.push(() => this.stream.button({ title, command: id, arguments: [...args] }));
    }
  }

  private push(say: () => void): void {
    if (!this.token.isCancellationRequested) {
      try {
        say();
      } catch {
        // The chat has been closed meanwhile; the turn goes on.
      }
    }
  }
}
