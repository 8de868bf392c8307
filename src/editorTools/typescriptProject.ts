import * as vscode from 'vscode';
import { tokenOf } from '../editor/cancellation.ts';

/** ms after which a project that is still read is no longer waited for. */
const patience = 20_000;

/**
 * Once TypeScript has read the project of a file. Until then VS Code's own extension has a second server answer, which
 * knows of open files only (`typescript.tsserver.useSyntaxServer`, seen in 1.139: one of four references was found). What
 * it asks about problems waits for the first server.
 */
export class TypeScriptProject {
  private readonly read = new WeakSet<vscode.TextDocument>();

  async isRead(document: vscode.TextDocument, signal: AbortSignal): Promise<void> {
    const { languageId, uri } = document;
    if (this.read.has(document) || !isOfTypeScript(languageId) || uri.scheme !== 'file') {
      return;
    }
    const cancellation = tokenOf(AbortSignal.any([signal, AbortSignal.timeout(patience)]));
    try {
      await vscode.extensions.getExtension('vscode.typescript-language-features')?.activate();
      await vscode.commands.executeCommand(
        'typescript.tsserverRequest',
        'semanticDiagnosticsSync',
        { file: uri },
        undefined,
        cancellation.token,
      );
      this.read.add(document);
    } catch {
      // Another extension is in its place, or it is off.
    } finally {
      cancellation.dispose();
    }
  }
}

function isOfTypeScript(languageId: string): boolean {
  return /^(typescript|javascript)(react)?$/.test(languageId);
}
