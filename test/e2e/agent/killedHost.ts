// A program for a test to kill: runs one agent session, allows all, and prints the pid of its CLI when it is asked.
// Arguments: the version of the CLI, its options as JSON.
import { AgentSession } from '../../../src/agent/agentSession.ts';
import type { AgentOptions } from '../../../src/agent/options.ts';
import { ChildProcesses } from '../../../src/server/childProcesses.ts';
import { cliVersions } from '../provisionCli.ts';
import { cliOf } from './agentDesk.ts';

const [wanted, options = ''] = process.argv.slice(2);
const version = Object.values(cliVersions).find((each) => each === wanted);
if (!version) throw new Error('There is no such version.');
const quiet = () => {};
void cliOf(version).then((cli) => {
  const session = new AgentSession(
    {
      processes: new ChildProcesses(() => true, 30_000),
      log: { trace: quiet, info: quiet, warn: quiet, error: quiet },
      ask: () => {
        console.log(session.pid);
        return Promise.resolve({ kind: 'allow' });
      },
    },
    cli,
    JSON.parse(options) as AgentOptions,
  );
  session.prompt('wait');
});
