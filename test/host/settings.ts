import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

const manifest = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  contributes: { configuration: { properties: Record<string, { scope?: string }> } };
};

/** What a quiet, offline VS Code needs. */
export const quietSettings = {
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoCheckUpdates': false,
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  // Else an agent process starts, logs in a loop and costs 2-3 s.
  'chat.disableAIFeatures': true,
  // As on the desktop; in the browser it defaults to afterDelay.
  'files.autoSave': 'off',
};

/** What tests need on top. */
export const testSettings = {
  ...quietSettings,
  // Else the editor tells of the ports of whatever else runs on this machine.
  'remote.autoForwardPorts': false,
  // Rows of terminals are then elements that can be read.
  'terminal.integrated.gpuAcceleration': 'off',
  // Quick inputs, menus and notifications that slide cost a test a third of its time, where no GPU draws them.
  'workbench.reduceMotion': 'on',
  // Drawn without a GPU it takes an eighth of what a run needs of the machine.
  'editor.minimap.enabled': false,
  // Else Enter in typed text now and then accepts a suggestion that has just popped up.
  'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
};

/**
 * Writes the user's settings.json of a data folder, and the settings of ours that are the machine's into that of the
 * machine: a window on a server takes those from the user's until it reads that file again, and then no more.
 */
export async function writeUserSettings(
  dataDir: string,
  settings: Record<string, unknown>,
  flag: 'w' | 'wx' = 'w',
): Promise<void> {
  const { properties } = manifest.contributes.configuration;
  const ofMachine = Object.entries(settings).filter(([name]) => properties[name]?.scope === 'machine');
  const files = { User: settings, Machine: Object.fromEntries(ofMachine) };
  for (const [name, contents] of Object.entries(files)) {
    const folder = path.join(dataDir, 'user', name);
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'settings.json'), `${JSON.stringify(contents, undefined, 2)}\n`, {
      flag,
    });
  }
}

/** Writes the user's keybindings.json of a data folder. */
export async function writeUserKeybindings(
  dataDir: string,
  keybindings: readonly { key: string; command: string; args?: unknown }[],
): Promise<void> {
  const folder = path.join(dataDir, 'user', 'User');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'keybindings.json'), JSON.stringify(keybindings));
}
