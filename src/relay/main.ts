#!/usr/bin/env node
// The editor tools for MCP clients that start a program: finds the window by its lock file, and talks to it.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lockDir } from '../server/configDir.ts';
import { JsonLines } from '../server/jsonLines.ts';
import { connect } from './connection.ts';
import { openWindows, type Wanted } from './findWindow.ts';
import { type Last, Relay } from './relay.ts';

const usage = `Offers the tools of an editor window with IDE Bridge for Claude Code as an MCP server on stdin and stdout.

  --folder PATH   of the window that has this folder open, or one above it; the current folder by default
  --port NUMBER   of the window whose bridge listens on this port
  --help

The setting ideBridge.editorTools.enabled of that window has to be on. CLAUDE_CONFIG_DIR says where lock files are.
`;

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** @throws when they make no sense */
function wantedBy(args: string[]): Wanted {
  const { values } = parseArgs({ args, options: { folder: { type: 'string' }, port: { type: 'string' } } });
  if (values.port !== undefined && !/^\d{1,5}$/.test(values.port)) {
    throw new Error(`"${values.port}" is no port.`);
  }
  const port = values.port === undefined ? undefined : Number(values.port);
  return { port, folder: resolve(values.folder ?? '.') };
}

/** Where nothing else is wanted: the window in whose terminal this runs, while there is such a window. */
function windowOfTerminal(args: string[]): Last | undefined {
  const here = Number(process.env.CLAUDE_CODE_SSE_PORT); // the CLI has it, and passes it on
  return args.length === 0 && openWindows(lockDir()).some(({ port }) => port === here)
    ? { port: here }
    : undefined;
}

async function main(args: string[]): Promise<number> {
  if (args.includes('--help')) {
    process.stdout.write(usage);
    return 0;
  }
  let wanted: Wanted;
  try {
    wanted = wantedBy(args);
  } catch (error) {
    say(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  const relay = new Relay(
    (patience, last) => connect({ ...wanted, ...last }, patience),
    (text) => process.stdout.write(`${text}\n`),
    say,
    windowOfTerminal(args),
  );
  process.stdout.on('error', () => process.exit(0)); // nobody reads any more
  process.stderr.on('error', () => {}); // nobody reads that
  // Not by Node's readline, in which U+2028 ends a line since 24: it stands in strings of JSON.
  const lines = new JsonLines({
    onJson: (json) => void relay.take(json),
    onUnreadable: () => relay.refuse(),
  });
  for await (const chunk of process.stdin) {
    lines.push(chunk as Buffer);
  }
  lines.end();
  await relay.end();
  return 0;
}

void main(process.argv.slice(2)).then((code) => {
  process.stdout.write('', () => process.exit(code)); // after what is still to be written
});
