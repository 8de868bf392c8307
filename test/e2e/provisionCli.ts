import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheDir, installOnce, run } from '../host/cache.ts';

/** The versions under test: the newest, and the two older lines that are still found on people's machines. */
export const cliVersions = { newest: '2.1.330', two: '2.0.77', one: '1.0.128' } as const;
export type CliVersion = (typeof cliVersions)[keyof typeof cliVersions];

/**
 * Installs the Claude Code CLI of that version from npm, once per machine.
 * @returns the folder that holds the executable `claude`, to be put on PATH.
 */
export async function ensureCli(version: CliVersion): Promise<string> {
  await mkdir(path.join(cacheDir(), 'cli'), { recursive: true });
  const dir = await installOnce(`cli/${version}`, async (building) => {
    console.log(`Installing Claude Code ${version} from npm ...`);
    await writeFile(path.join(building, 'package.json'), '{ "private": true }\n');
    await run(
      'npm',
      ['install', '--no-audit', '--no-fund', `@anthropic-ai/claude-code@${version}`],
      building,
    );
    const said = await run(claudeIn(building), ['--version'], building);
    if (!said.startsWith(`${version} `))
      throw new Error(`claude --version says ${said.trim()}, not ${version}`);
  });
  return path.dirname(claudeIn(dir));
}

const claudeIn = (dir: string): string => path.join(dir, 'node_modules/.bin/claude');
