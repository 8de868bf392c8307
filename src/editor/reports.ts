import * as vscode from 'vscode';
import { RecentReports } from './recentReports.ts';
import { reportScheme } from './schemes.ts';

/** A page, and the commands that its lines offer. */
export interface Report {
  text: string;
  /** 0-based lines */
  actions: (vscode.Command & { line: number })[];
}

/**
 * The last page of each name, as long as not too much was shown since. Actions are code lenses: the Markdown preview runs no commands.
 * A page that offers none is rendered; a button in the preview's title shows the source.
 */
export class Reports
  implements vscode.TextDocumentContentProvider, vscode.CodeLensProvider, vscode.Disposable
{
  private readonly reports = new RecentReports();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly lensesChanged = new vscode.EventEmitter<void>();
  // Before the registrations, which look for them.
  readonly onDidChange = this.changed.event;
  readonly onDidChangeCodeLenses = this.lensesChanged.event;
  private readonly subscriptions = [
    vscode.workspace.registerTextDocumentContentProvider(reportScheme, this),
    vscode.languages.registerCodeLensProvider({ scheme: reportScheme }, this),
  ];

  /** @param name of the tab; a page of that name that is open is replaced. Its extension gives the language. */
  async show(name: string, report: Report): Promise<void> {
    const uri = vscode.Uri.from({ scheme: reportScheme, path: `/${name}` });
    const isNew = this.reports.get(uri.path)?.text !== report.text;
    this.reports.put(uri.path, report);
    if (isNew) {
      // The editor keeps the text of a closed page for a while. Once only: each event breaks off the update before.
      this.changed.fire(uri);
    }
    const document = await vscode.workspace.openTextDocument(uri);
    this.lensesChanged.fire();
    if (report.actions.length > 0 || !(await showRendered(uri))) {
      await vscode.window.showTextDocument(document, { preview: false });
    }
  }

  provideTextDocumentContent({ path }: vscode.Uri): string {
    return this.reports.get(path)?.text ?? 'Run the command again: this page was not kept.';
  }

  provideCodeLenses({ uri }: vscode.TextDocument): vscode.CodeLens[] {
    return (this.reports.get(uri.path)?.actions ?? []).map(
      ({ line, ...command }) => new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command),
    );
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions, this.changed, this.lensesChanged).dispose();
  }
}

/** @returns whether it is; the user may have disabled the editor's Markdown */
async function showRendered(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.commands.executeCommand('markdown.showPreview', uri);
    // One that was open is only brought to the front, whatever the text has become.
    await vscode.commands.executeCommand('markdown.preview.refresh');
    return true;
  } catch {
    return false;
  }
}
