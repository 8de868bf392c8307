/** What our own keys pass to a command that says yes or no: they may be held, or meant for what was in front before. */
export const byKey = 'key';

/** Instead of other arguments: the command is to do nothing, see `keepKeysInOrder`. */
export const forNothing = 'forNothing';

/**
 * What a key passes, before the row that has the focus in the view that has it. VS Code puts that in where the manifest
 * has `$focusedTreeItem`, as for the titles of views: the one that had the focus when the key was pressed, or none.
 */
export const onRow = 'row';

/** What the key of `run` passes where a terminal has the focus, and where none has it. */
export const fromTerminal = 'fromTerminal';
export const fromElsewhere = 'fromElsewhere';

/** Instead of a session: the one that asks. */
export const thatAsks = 'thatAsks';

export type CommandName = keyof typeof commandIds;
export type CommandHandler = (...args: unknown[]) => unknown;

/** Every command of ours; a test holds them against package.json. */
export const commandIds = {
  run: 'ideBridge.run',
  newSession: 'ideBridge.newSession',
  newSessionInPanel: 'ideBridge.newSessionInPanel',
  newSessionInEditor: 'ideBridge.newSessionInEditor',
  newSessionBeside: 'ideBridge.newSessionBeside',
  continueSession: 'ideBridge.continueSession',
  resumeSession: 'ideBridge.resumeSession',
  showSession: 'ideBridge.showSession',
  renameSession: 'ideBridge.renameSession',
  mention: 'ideBridge.mention',
  mentionFiles: 'ideBridge.mentionFiles',
  chooseSharing: 'ideBridge.chooseSharing',
  showShared: 'ideBridge.showShared',
  acceptProposal: 'ideBridge.acceptProposal',
  saveProposal: 'ideBridge.saveProposal',
  rejectProposal: 'ideBridge.rejectProposal',
  rejectProposalWithReason: 'ideBridge.rejectProposalWithReason',
  acceptAllProposals: 'ideBridge.acceptAllProposals',
  rejectAllProposals: 'ideBridge.rejectAllProposals',
  openProposal: 'ideBridge.openProposal',
  reviewAllProposals: 'ideBridge.reviewAllProposals',
  nextHunk: 'ideBridge.nextHunk',
  previousHunk: 'ideBridge.previousHunk',
  keepHunk: 'ideBridge.keepHunk',
  dropHunk: 'ideBridge.dropHunk',
  saveBeforeReview: 'ideBridge.saveBeforeReview',
  mergeProposal: 'ideBridge.mergeProposal',
  runCode: 'ideBridge.runCode',
  refuseCode: 'ideBridge.refuseCode',
  swallowKey: 'ideBridge.swallowKey',
  showMenu: 'ideBridge.showMenu',
  showLog: 'ideBridge.showLog',
  copyMcpConfiguration: 'ideBridge.copyMcpConfiguration',
  copyConnectionInfo: 'ideBridge.copyConnectionInfo',
  restart: 'ideBridge.restart',
  manageTrust: 'ideBridge.manageTrust',
  reconnect: 'ideBridge.reconnect',
  doctor: 'ideBridge.doctor',
  copyReport: 'ideBridge.copyReport',
  showMessages: 'ideBridge.showMessages',
  reviewChanges: 'ideBridge.reviewChanges',
  openChange: 'ideBridge.openChange',
  keepChangedHunk: 'ideBridge.keepChangedHunk',
  revertHunk: 'ideBridge.revertHunk',
  revertFile: 'ideBridge.revertFile',
  revertSession: 'ideBridge.revertSession',
  keepFile: 'ideBridge.keepFile',
  keepSession: 'ideBridge.keepSession',
  keepAllChanges: 'ideBridge.keepAllChanges',
  revertAllChanges: 'ideBridge.revertAllChanges',
  copyPatch: 'ideBridge.copyPatch',
  keepAndStage: 'ideBridge.keepAndStage',
  nextAgentChange: 'ideBridge.nextAgentChange',
  previousAgentChange: 'ideBridge.previousAgentChange',
  nextChangedFile: 'ideBridge.nextChangedFile',
  undoDecision: 'ideBridge.undoDecision',
  chatButton: 'ideBridge.chatButton',
  chatOptions: 'ideBridge.chatOptions',
  chatMode: 'ideBridge.chatMode',
  chatModel: 'ideBridge.chatModel',
  chatAgent: 'ideBridge.chatAgent',
  chatThinking: 'ideBridge.chatThinking',
  clearChangeHistory: 'ideBridge.clearChangeHistory',
} as const;
