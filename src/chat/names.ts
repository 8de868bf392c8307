/** As package.json contributes them. */
export const participantId = 'ideBridge.claude';
export const modelVendor = 'ide-bridge-claude-code';

/** Instead of the choice of a button: a folder is to be one of an editor window. */
export const bringFolder = 'bring folder';
