/** As package.json contributes them. */
export const participantId = 'ideBridge.claude';
export const modelVendor = 'ide-bridge-claude-code';
