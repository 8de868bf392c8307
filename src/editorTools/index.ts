import type { Tool } from '../tools/tool.ts';
import { changedFiles } from './changedFiles.ts';
import { completion } from './completion.ts';
import { hover, signature } from './descriptions.ts';
import { openEditors, readBuffer, selection } from './editors.ts';
import { listDirectory, searchFiles } from './folders.ts';
import { callHierarchy, typeHierarchy } from './hierarchies.ts';
import { locationTools } from './locations.ts';
import { codeActions, diagnostics } from './problems.ts';
import { renamePreview } from './renamePreview.ts';
import { documentSymbols, workspaceSymbols } from './symbols.ts';
import type { Workshop } from './workshop.ts';

/** Every editor tool that only reads, in the order of tools/list; for the others see `editing.ts`. */
export function createEditorTools(workshop: Workshop): Tool[] {
  return [
    ...locationTools(workshop),
    hover(workshop),
    signature(workshop),
    completion(workshop),
    documentSymbols(workshop),
    workspaceSymbols(workshop),
    callHierarchy(workshop),
    typeHierarchy(workshop),
    diagnostics(workshop),
    codeActions(workshop),
    renamePreview(workshop),
    openEditors(workshop),
    selection(workshop),
    readBuffer(workshop),
    listDirectory(workshop),
    searchFiles(workshop),
    changedFiles(workshop),
  ];
}
