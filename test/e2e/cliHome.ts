import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Looks like a key, is accepted by the mock only. The CLI remembers approved keys by their last 20 characters. */
const apiKey = 'sk-ant-mock-0123456789-0123456789-0123456789';

export interface CliHome {
  configDir: string;
  /** For the terminal in which the CLI will be started. */
  env: Record<string, string>;
}

/**
 * A home folder that nobody has ever used, prepared so that the CLI starts without its onboarding: no login, no theme,
 * no trust dialog for `workspace`, no updates, no telemetry.
 */
export async function createCliHome(folder: string, workspace: string): Promise<CliHome> {
  const configDir = join(folder, '.claude');
  await mkdir(configDir, { recursive: true });
  const config = {
    hasCompletedOnboarding: true,
    lastOnboardingVersion: '9.9.9',
    theme: 'dark',
    autoUpdates: false,
    numStartups: 5,
    // Else 2.0 tries to clone its marketplace of plugins.
    officialMarketplaceAutoInstallAttempted: true,
    officialMarketplaceAutoInstalled: true,
    customApiKeyResponses: { approved: [apiKey.slice(-20)], rejected: [] },
    // Without a list of tools, 1.0 crashes.
    projects: { [await realpath(workspace)]: { hasTrustDialogAccepted: true, allowedTools: [] } },
  };
  await writeFile(join(configDir, '.claude.json'), JSON.stringify(config, null, 2));
  // A prompt that is short, always the same, and says nothing about this machine.
  await writeFile(join(folder, '.bashrc'), "PS1='$ '\n");
  return {
    configDir,
    env: {
      HOME: folder,
      SHELL: '/bin/bash',
      CLAUDE_CONFIG_DIR: configDir,
      ANTHROPIC_API_KEY: apiKey,
      // Nobody listens there: a CLI that was not given a mock reaches nothing.
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
      CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL: '1',
    },
  };
}
