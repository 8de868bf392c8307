/** What is asked for seldom of a session: one chunk, loaded when it is first used. */
export { renameSession } from './renameSession.ts';
export { showSession } from './sessionCommands.ts';
