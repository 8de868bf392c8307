/** What our own keys pass to a command that says yes or no: they may be held, or meant for what was in front before. */
export const byKey = 'key';

/** What the key for undo passes: the last decision is meant. */
export const lastDecision = 'last';

/** Instead of other arguments: what waits is to be shown, and not to be answered. */
export const forShow = 'show';

/** Instead of other arguments: the command is to do nothing, see `keepKeysInOrder`. */
export const forNothing = 'forNothing';

/**
 * What a key passes, before the row that has the focus in the view that has it. VS Code puts that in where the manifest
 * has `$focusedTreeItem`, as for the titles of views: the one that had the focus when the key was pressed, or none.
 */
export const onRow = 'row';

/** What keys pass where a terminal has the focus, and where none has it; `fromElsewhere` of Ctrl+S where a view has it. */
export const fromTerminal = 'fromTerminal';
export const fromElsewhere = 'fromElsewhere';

/** Instead of a session: the one that asks. */
export const thatAsks = 'thatAsks';

/** Of Agent Changes. */
export const changeCommandNames = [
  'reviewChanges',
  'openChange',
  'keepChangedHunk',
  'revertHunk',
  'revertFile',
  'revertSession',
  'keepFile',
  'keepSession',
  'keepAllChanges',
  'revertAllChanges',
  'copyPatch',
  'keepAndStage',
  'nextAgentChange',
  'previousAgentChange',
  'nextChangedFile',
  'reviewTurn',
  'revertTurn',
  'undoDecision',
  'clearChangeHistory',
] as const;

/** Of comments on lines. */
export const commentCommandNames = [
  'addComment',
  'editComment',
  'saveComment',
  'cancelComment',
  'deleteComment',
  'applySuggestion',
  'resolveComments',
  'reopenComments',
  'commentOnLines',
  'sendReview',
  'removeSentComments',
] as const;

/** Of conversations that were. */
export const pastCommandNames = [
  'openTranscript',
  'resumePastInTerminal',
  'forkPast',
  'pastOfAllFolders',
  'pastOfThisFolder',
  'showMorePast',
  'renamePast',
  'deletePast',
  'searchPast',
  'resumePastInChat',
  'continueInTerminal',
  'continueInChat',
] as const;

/** Of proposals. */
export const proposalCommandNames = [
  'acceptProposal',
  'saveProposal',
  'rejectProposal',
  'acceptAllProposals',
  'rejectAllProposals',
  'openProposal',
  'reviewAllProposals',
  'nextHunk',
  'previousHunk',
  'keepHunk',
  'dropHunk',
  'saveBeforeReview',
  'mergeProposal',
  'openRejected',
] as const;

/** Every command of ours; a test holds them against package.json. */
const commandNames = [
  'run',
  'newSession',
  'newSessionInPanel',
  'newSessionInEditor',
  'newSessionBeside',
  'continueSession',
  'resumeSession',
  'showSession',
  'renameSession',
  'mention',
  'mentionFiles',
  'chooseSharing',
  'showShared',
  'rejectProposalWithReason',
  'acceptOrKeep',
  'rejectOrRevert',
  'runCode',
  'refuseCode',
  'swallowKey',
  'showMenu',
  'showLog',
  'copyMcpConfiguration',
  'askAboutRunsAnew',
  'showCall',
  'copyConnectionInfo',
  'restart',
  'manageTrust',
  'reconnect',
  'doctor',
  'copyReport',
  'showMessages',
  'chatButton',
  'chatOptions',
  'chatMode',
  'chatModel',
  'chatAgent',
  'chatThinking',
  'stopChatSession',
  'setApiKey',
  'removeApiKey',
  ...proposalCommandNames,
  ...changeCommandNames,
  ...commentCommandNames,
  ...pastCommandNames,
] as const;

export type CommandName = (typeof commandNames)[number];
export type CommandHandler = (...args: unknown[]) => unknown;

/** As the editor knows them. */
export const commandIds = Object.fromEntries(commandNames.map((name) => [name, `ideBridge.${name}`])) as {
  readonly [Name in CommandName]: `ideBridge.${Name}`;
};

/** Handlers of which the code is loaded with the first of them. */
export function loadedCommands<Name extends CommandName>(
  names: readonly Name[],
  load: () => Promise<Record<Name, (...args: never[]) => unknown>>,
): Record<Name, CommandHandler> {
  let loaded: ReturnType<typeof load> | undefined;
  const handler =
    (name: Name): CommandHandler =>
    async (...args) =>
      (await (loaded ??= load()))[name](...(args as never[]));
  return Object.fromEntries(names.map((name) => [name, handler(name)])) as Record<Name, CommandHandler>;
}
