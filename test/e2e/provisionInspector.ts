import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installOnce, run } from '../host/cache.ts';
import { ensureNewestNode } from '../host/provision.ts';

/** Of @modelcontextprotocol/inspector, which the maintainers of MCP try servers with. */
const version = '2.12.0';

/**
 * Installs the MCP inspector from npm, once per machine: 111 MB.
 * @returns the words of a shell that begin a command line of it; the Node of these tests may be too old for it
 */
export async function ensureInspector(): Promise<string> {
  const node = await ensureNewestNode();
  const dir = await installOnce(`inspector-${version}`, async (building) => {
    console.log(`Installing the MCP inspector ${version} from npm ...`);
    await writeFile(path.join(building, 'package.json'), '{ "private": true }\n');
    const flags = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...flags, `@modelcontextprotocol/inspector@${version}`], building);
  });
  return `'${node}' '${path.join(dir, 'node_modules/.bin/mcp-inspector')}' --cli`;
}
