/**
 * Of every editor tool that only reads, in the order of tools/list. No other tool has such a name: `tools.disabled` is
 * about all of them.
 */
export const editorToolNames = [
  'definition',
  'declaration',
  'typeDefinition',
  'implementation',
  'references',
  'hover',
  'signature',
  'documentSymbols',
  'workspaceSymbols',
  'callHierarchy',
  'typeHierarchy',
  'diagnostics',
  'codeActions',
  'renamePreview',
  'openEditors',
  'selection',
  'readBuffer',
  'listDirectory',
  'searchFiles',
  'changedFiles',
] as const;

/** Of those that change files, behind the others. */
export const editingToolNames = ['rename', 'applyCodeAction', 'format', 'organizeImports'] as const;

export type EditorToolName = (typeof editorToolNames)[number];
export type EditingToolName = (typeof editingToolNames)[number];
