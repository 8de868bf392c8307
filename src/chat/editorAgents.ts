import * as vscode from 'vscode';
import { readAgents, watchAgents } from '../agent/agentDefinitions.ts';
import { workspace } from '../editor/workspaceFolders.ts';

/** What the editor takes as a custom agent. */
interface AgentResource {
  readonly uri: vscode.Uri;
  readonly name: string;
  readonly description: string;
}

/** Claude Code's agents for the editor's own chat, which reads those of `.github` by itself. */
export class EditorAgents implements vscode.Disposable {
  private watches: readonly vscode.Disposable[] = [];

  /** @param onChange they may be others now */
  constructor(private readonly onChange: () => void) {}

  provide(): AgentResource[] {
    const folders = vscode.workspace.isTrusted ? workspace.folders.map(({ path }) => path) : [];
    this.dispose();
    this.watches = folders.map((folder) => watchAgents(folder, this.onChange));
    return readAgents(folders)
      .agents.filter(({ isClaude }) => isClaude)
      .map(({ path, name, description }) => ({ uri: vscode.Uri.file(path), name, description }));
  }

  dispose(): void {
    for (const watch of this.watches) {
      watch.dispose();
    }
  }
}
