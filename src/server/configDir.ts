import { homedir } from 'node:os';
import { join } from 'node:path';

/** The CLI's configuration folder: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
export function configDir(env: NodeJS.ProcessEnv = process.env): string {
  return env.CLAUDE_CONFIG_DIR || join(homedir(), '.claude');
}

/** Where the CLI looks for editors. */
export function lockDir(env: NodeJS.ProcessEnv = process.env): string {
  return join(configDir(env), 'ide');
}
