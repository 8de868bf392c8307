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
  'completion',
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

/** Of those that run something, behind these. */
export const runningToolNames = ['tasks', 'runTask', 'taskOutput', 'runTests', 'terminals'] as const;

/** Of those that debug, behind these. */
export const debuggingToolNames = [
  'debugSessions',
  'startDebugging',
  'stepDebugging',
  'stopDebugging',
  'stack',
  'variables',
  'evaluate',
  'breakpoints',
  'setBreakpoint',
] as const;

/** Those that the user switches on by a setting of their own, `editorTools.<group>`, in the order of tools/list. */
export const toolGroups = {
  editing: { names: editingToolNames, what: 'changes files' },
  running: { names: runningToolNames, what: 'is about what runs in this editor' },
  debugging: { names: debuggingToolNames, what: 'debugs' },
} as const;

export type ToolGroup = keyof typeof toolGroups;
export type ToolName = (typeof editorToolNames)[number] | (typeof toolGroups)[ToolGroup]['names'][number];
