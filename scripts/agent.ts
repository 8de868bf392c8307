// npm run agent -- [--mode MODE] [--model MODEL] [--resume ID] [--yes] "PROMPT": a session of the engine in this folder, its items printed.
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { AgentSession } from '../src/agent/agentSession.ts';
import { findCli } from '../src/agent/cli.ts';
import { applyDelta } from '../src/agent/conversation.ts';
import type { ConversationState, Delta, Item } from '../src/agent/items.ts';
import { permissionModes, type PermissionMode } from '../src/agent/options.ts';
import type { AskPermission } from '../src/agent/permissions.ts';
import { errorMessage } from '../src/base/errors.ts';
import { ChildProcesses } from '../src/server/childProcesses.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mode: { type: 'string', default: 'default' },
    model: { type: 'string' },
    resume: { type: 'string' },
    yes: { type: 'boolean', default: false },
  },
});

const ask: AskPermission = async ({ tool, input, description }, signal) => {
  console.log(`? ${tool} ${description ?? JSON.stringify(input).slice(0, 200)}`);
  if (values.yes) {
    return { kind: 'allow' };
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    const answer = await terminal.question('  y = allow, anything else is told to the agent: ', { signal });
    return answer === 'y' ? { kind: 'allow' } : { kind: 'deny', reason: answer || 'No.' };
  } finally {
    terminal.close();
  }
};

/** One line for what an item has become. */
function lineOf(item: Item): string {
  const indent = item.parent === undefined ? '' : '  ';
  switch (item.kind) {
    case 'text':
    case 'thinking':
      return `${indent}${item.kind}: ${item.text}`;
    case 'toolUse':
      return `${indent}${item.name} (${item.state}) ${JSON.stringify(item.input ?? {})}${item.result ? ` -> ${item.result.text}` : ''}`;
    default:
      return indent + JSON.stringify(item);
  }
}

async function main(): Promise<number> {
  const mode = permissionModes.find((name) => name === values.mode);
  const [prompt] = positionals;
  if (prompt === undefined || !mode) {
    console.error(`Usage: npm run agent -- [--mode ${permissionModes.join('|')}] "PROMPT"`);
    return 2;
  }
  const processes = new ChildProcesses(() => true, 30_000);
  const log = { trace: () => {}, info: console.error, warn: console.error, error: console.error };
  const cli = await findCli(processes);
  console.error(`Claude Code ${cli.version} at ${cli.path}`);
  const session = new AgentSession(
    { processes, log, ask },
    cli,
    {
      folders: [process.cwd()],
      mode: mode satisfies PermissionMode,
      mayBypass: true,
      ...(values.model === undefined ? {} : { model: values.model }),
    },
    values.resume,
  );
  const items = new Map<string, Item>();
  let state: ConversationState = { isRunning: false };
  const printed = new Map<string, string>();
  const take = (delta: Delta) => {
    state = applyDelta(items, state, delta);
  };
  const ended = new Promise<void>((resolve) => {
    session.conversation.attach((update) => {
      if (update.type === 'snapshot') {
        update.snapshot.items.forEach((item) => take({ type: 'add', item }));
      } else {
        update.deltas.forEach(take);
      }
      for (const item of items.values()) {
        const isOpen = 'state' in item && item.state === 'streaming';
        const line = lineOf(item);
        if (!isOpen && printed.get(item.id) !== line) {
          printed.set(item.id, line);
          console.log(line);
        }
      }
    });
    session.onDidChangeState((now) => {
      if (now === 'none' || (now === 'idle' && session.queued.length === 0)) resolve();
    });
  });
  process.on('SIGINT', () => void session.interrupt());
  session.prompt(prompt);
  await ended;
  await new Promise((resolve) => setImmediate(resolve)); // what was said last is printed
  console.error(`claude --resume ${state.sessionId ?? '?'}`);
  await session.dispose();
  return 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(errorMessage(error));
    process.exit(1);
  },
);
