/** As package.json contributes them; a test holds them to it. */
export const ownCommands = {
  help: 'List the commands, those of Claude Code too',
  mode: 'Choose the permission mode',
  model: 'Choose the model',
  agents: 'Choose the agent',
  review: 'Review what agents have changed',
  resume: 'Go on with a past conversation',
} as const;
