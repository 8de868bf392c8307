import { ChildProcesses } from '../../src/server/childProcesses.ts';
import { Git } from '../../src/server/git.ts';

/** As in a window that is trusted. */
export const trustedProcesses = new ChildProcesses(() => true);
export const trustedGit = new Git(trustedProcesses);
