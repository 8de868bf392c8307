/** Of every editor tool, in the order of tools/list. Each of the other kind has another: `tools.disabled` is about both. */
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

export type EditorToolName = (typeof editorToolNames)[number];
