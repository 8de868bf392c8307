/** The proposed side of a diff, and the empty original of a new file. Neither is ever shown to a client. */
export const proposalScheme = 'ide-bridge-proposal';

/** A file as it was before a session edited it. */
export const beforeScheme = 'ide-bridge-before';

/** Pages that we open: of the doctor, of the protocol inspector, of what is shared. */
export const reportScheme = 'ide-bridge-report';

/** Code that a session wants to run, while the user decides. */
export const codeScheme = 'ide-bridge-code';

/** What a tool has said in the chat. */
export const outputScheme = 'ide-bridge-output';

/** What stands for no file of the user's: no client hears of it. */
export const ownPages: readonly string[] = [reportScheme, codeScheme, outputScheme];
