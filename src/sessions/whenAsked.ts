/** What is asked for seldom of a session: one chunk, loaded when it is first used. */
export { nameConversation } from './nameConversation.ts';
export { renameSession } from './renameSession.ts';
export { showSession } from './sessionCommands.ts';
