import * as vscode from 'vscode';

/**
 * A notification that goes by itself when it is about nothing any more. Of all that VS Code shows, an extension can take
 * back only that of a progress; it has no buttons, but its text may have a link.
 * @param message made printable, so that no other link is in it; so are the details, of which the end may be cut off
 */
export function notifyUntil(
  over: Promise<void>,
  message: string,
  link: vscode.Command,
  details: string,
): void {
  const query = encodeURIComponent(JSON.stringify(link.arguments ?? []));
  const title = `${message} ([${link.title}](command:${link.command}?${query})). ${details}`;
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, (progress) => {
    progress.report({ increment: 100 }); // else a bar runs on and on
    return over;
  });
}
