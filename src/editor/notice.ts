import * as vscode from 'vscode';
import { Deferred } from '../base/deferred.ts';

/**
 * A notification that can be worded anew, and goes when it is about nothing any more. Of all that VS Code shows, an
 * extension can take back only that of a progress; it has no buttons, but its text may have links.
 */
export class Notice {
  private readonly over = new Deferred<void>();
  private readonly shown = new Deferred<vscode.Progress<{ message: string; increment: number }>>();
  private words: string | undefined;

  constructor() {
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification }, (progress) => {
      this.shown.settle(progress);
      return this.over.promise;
    });
  }

  /** @param message made printable, so that no other link is in it; so are the details, of which the end may be cut off */
  say(message: string, link: vscode.Command | readonly vscode.Command[], details = ''): void {
    const links = [link].flat().map(({ title, command, arguments: all = [] }) => {
      return `[${title}](command:${command}?${encodeURIComponent(JSON.stringify(all))})`;
    });
    const words = `${message} (${links.join(', ')}). ${details}`.trim();
    if (words !== this.words) {
      this.words = words;
      // Else a bar runs on and on.
      void this.shown.promise.then((progress) => progress.report({ message: words, increment: 100 }));
    }
  }

  end(): void {
    this.over.settle();
  }
}
