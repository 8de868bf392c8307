/** The proposed side of a diff, and the empty original of a new file. Neither is ever shown to a client. */
export const proposalScheme = 'ide-bridge-proposal';

/** A file as it was before a session edited it. */
export const beforeScheme = 'ide-bridge-before';

/** Pages that we open: of the doctor, of the protocol inspector, of what is shared. */
export const reportScheme = 'ide-bridge-report';
