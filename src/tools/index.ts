import { checkDocumentDirty } from './checkDocumentDirty.ts';
import { closeAllDiffTabs, type WithdrawableProposals } from './closeAllDiffTabs.ts';
import { closeTab, type ClosableTabs } from './closeTab.ts';
import type { Documents } from './documents.ts';
import { type CodeRunner, executeCode } from './executeCode.ts';
import { type ActiveSelection, getCurrentSelection } from './getCurrentSelection.ts';
import { type DiagnosticsSource, type EditListener, getDiagnostics } from './getDiagnostics.ts';
import { getLatestSelection, type LatestSelection } from './getLatestSelection.ts';
import { getOpenEditors } from './getOpenEditors.ts';
import { getWorkspaceFolders, type Workspace } from './getWorkspaceFolders.ts';
import { type Formatter, getAllOpenedFilePaths, openFiles, reformatFile } from './jetBrains.ts';
import { openDiff, type ProposalReviewer } from './openDiff.ts';
import type { OpenEditors } from './openEditors.ts';
import { type FileOpener, openFile } from './openFile.ts';
import { saveDocument } from './saveDocument.ts';
import type { Tool } from './tool.ts';

/** What the tools need of the editor. */
export interface ToolPorts {
  proposals: ProposalReviewer & WithdrawableProposals;
  tabs: ClosableTabs & OpenEditors;
  diagnostics: DiagnosticsSource;
  edits: EditListener;
  files: FileOpener & Documents & Formatter;
  selections: ActiveSelection & LatestSelection;
  workspace: Workspace;
  notebooks: CodeRunner;
}

/** Every tool, in the order of tools/list: that of the official extension, then the JetBrains dialect. */
export function createTools({
  proposals,
  tabs,
  diagnostics,
  edits,
  files,
  selections,
  workspace,
  notebooks,
}: ToolPorts): Tool[] {
  return [
    openDiff(proposals),
    getDiagnostics(diagnostics, edits),
    closeTab(tabs),
    closeAllDiffTabs(proposals),
    openFile(files),
    getOpenEditors(tabs),
    getWorkspaceFolders(workspace),
    getCurrentSelection(selections),
    checkDocumentDirty(files),
    saveDocument(files),
    getLatestSelection(selections),
    executeCode(notebooks),
    openFiles(files),
    getAllOpenedFilePaths(tabs),
    reformatFile(files),
  ];
}
