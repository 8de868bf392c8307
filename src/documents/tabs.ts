import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Session } from '../server/session.ts';
import type { ClosableTabs } from '../tools/closeTab.ts';
import type { OpenEditor, OpenEditors } from '../tools/openEditors.ts';
import { isSame } from '../editor/documents.ts';
import { fileUris } from '../editor/paths.ts';
import { rawFileUri, rawUri } from '../editor/rawUri.ts';
import type { Proposals } from '../proposals/proposals.ts';
import { beforeScheme, proposalScheme } from '../editor/schemes.ts';
import type { Sharing } from '../sharing/sharing.ts';
import { allTabs, contentOf } from '../editor/tabContent.ts';
import { toRange } from '../editor/toRange.ts';

export class Tabs implements ClosableTabs, OpenEditors {
  constructor(
    private readonly proposals: Proposals,
    private readonly sharing: Sharing,
  ) {}

  async closeTab(session: Session, name: string): Promise<string[]> {
    if ((await this.proposals.withdraw(session, name)) > 0) {
      return [];
    }
    const names = [name, ...fileUris(name).map(({ fsPath }) => fsPath)];
    const named = allTabs().filter(({ label, input }) => {
      const { kind, uri } = contentOf(input) ?? {};
      const isFile = kind !== 'diff' && ['file', 'untitled'].includes(uri?.scheme ?? '');
      return isFile && (label === name || names.includes(uri?.fsPath ?? ''));
    });
    const [dirty, clean] = [named.filter(({ isDirty }) => isDirty), named.filter(({ isDirty }) => !isDirty)];
    await vscode.window.tabGroups.close(clean, true);
    return dirty.map(({ label }) => label);
  }

  list(): OpenEditor[] {
    // Asked for once: with each look the editor makes the list anew.
    const documents = new Map(vscode.workspace.textDocuments.map((each) => [each.uri.toString(), each]));
    return vscode.window.tabGroups.all.flatMap((group, groupIndex) =>
      group.tabs
        .filter(({ input }) => this.isShared(input))
        .flatMap((tab) => toOpenEditor(tab, groupIndex, documents) ?? []),
    );
  }

  private isShared(input: unknown): boolean {
    const content = contentOf(input);
    return [content?.uri, content?.original].every((uri) => !uri || this.sharing.allows(uri));
  }
}

/** Undefined for what has no document: terminals, web views, settings. */
function toOpenEditor(
  tab: vscode.Tab,
  groupIndex: number,
  documents: ReadonlyMap<string, vscode.TextDocument>,
): OpenEditor | undefined {
  const content = contentOf(tab.input);
  if (!content) {
    return undefined;
  }
  const { kind, uri, original } = content;
  const document = documents.get(uri.toString());
  const isUntitled = uri.scheme === 'untitled';
  const selection = tab.isActive ? visibleSelection(uri, tab) : undefined;
  const cellIndex = kind === 'notebook' && tab.isActive ? selectedCell(uri, tab) : undefined;
  return {
    kind,
    uri: realUri(uri),
    ...(original && { originalUri: realUri(original) }),
    isActive: tab.isActive,
    isPinned: tab.isPinned,
    isPreview: tab.isPreview,
    isDirty: tab.isDirty,
    label: tab.label,
    groupIndex,
    viewColumn: tab.group.viewColumn,
    isGroupActive: tab.group.isActive,
    fileName: isUntitled ? uri.path : basename(uri.fsPath),
    ...(document && { languageId: document.languageId, lineCount: document.lineCount }),
    isUntitled,
    ...(cellIndex !== undefined && { cellIndex }),
    ...(selection && { selection }),
  };
}

/** Our virtual documents stand for the file of which they are a version. */
function realUri(uri: vscode.Uri): string {
  return [proposalScheme, beforeScheme].includes(uri.scheme) ? rawFileUri(uri.fsPath) : rawUri(uri);
}

function selectedCell(uri: vscode.Uri, { group }: vscode.Tab): number | undefined {
  const editor = vscode.window.visibleNotebookEditors.find(
    ({ notebook, viewColumn }) => isSame(notebook.uri, uri) && viewColumn === group.viewColumn,
  );
  return editor?.selections[0]?.start; // a notebook without cells has no selection
}

function visibleSelection(uri: vscode.Uri, { group }: vscode.Tab): OpenEditor['selection'] {
  const editor = vscode.window.visibleTextEditors.find(
    ({ document, viewColumn }) => isSame(document.uri, uri) && viewColumn === group.viewColumn,
  );
  return editor && { ...toRange(editor.selection), isReversed: editor.selection.isReversed };
}
