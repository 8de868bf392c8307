// npm start [-- [--embedded] FOLDER]: a VS Code with the extension of this clone, to try it out.
import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdtemp, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cacheDir, run } from '../test/host/cache.ts';
import { userEnvironment } from '../test/host/environment.ts';
import { ensureHost, type Host } from '../test/host/provision.ts';
import { installVsix, startServer } from '../test/host/server.ts';
import { quietSettings, writeUserSettings } from '../test/host/settings.ts';
import { watchBridge } from './bridgeWatch.ts';

const root = path.resolve(import.meta.dirname, '..');
const usage = 'Usage: npm start [-- [--embedded] FOLDER]';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { embedded: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (positionals.length > 1) throw new Error(usage);
  const [given] = positionals;
  const folder = given === undefined ? await sampleFolder() : await existingFolder(given);

  const editor = values.embedded ? undefined : desktopEditor();
  if (editor) openDesktop(editor, folder);
  // VS Code asks whether a folder is to be trusted; our own sample is.
  else await openEmbedded(folder, given !== undefined);
  watchBridge(folder);
}

/** The first editor on PATH that this extension is for. */
function desktopEditor(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return ['code', 'codium', 'cursor'].find((name) =>
    folders.some((folder) => spawnSync(path.join(folder, name), ['--version']).status === 0),
  );
}

function openDesktop(editor: string, folder: string): void {
  execFileSync(process.execPath, ['esbuild.mjs'], { cwd: root, stdio: 'inherit' });
  const args = [`--extensionDevelopmentPath=${root}`, '--new-window', folder];
  const { status } = spawnSync(editor, args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`"${editor}" did not start. Try "npm start -- --embedded".`);
  console.log(`${editor} opens ${folder}. Ctrl+C ends this watch, not the editor.`);
}

/** Serves a VS Code of its own to the user's browser. Its data is kept, so that settings stay from run to run. */
async function openEmbedded(folder: string, workspaceTrust: boolean): Promise<void> {
  const host = await ensureHost('newest');
  const dataDir = path.join(cacheDir(), 'start');
  await installThisExtension(host, dataDir);
  // Else this VS Code opens the folder in Restricted Mode, where the bridge stays off, without a question.
  const settings = { ...quietSettings, 'security.workspace.trust.startupPrompt': 'once' };
  await writeUserSettings(dataDir, settings, 'wx').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const server = await startServer({
    host,
    dataDir,
    env: userEnvironment(),
    workspaceTrust,
    // The user may close the browser and come back.
    endWhenUnused: false,
    onLine: () => undefined,
  });
  void server.exit.then((code) => {
    console.error(`VS Code's server has ended (exit code ${code}).`);
    process.exit(code || 1);
  });
  console.log(`VS Code ${host.vscodeVersion} with the extension on ${folder}. Open:\n`);
  console.log(`  ${server.windowUrl(folder)}\n`);
  console.log('The address holds a token: whoever has it can run commands as you. Ctrl+C ends VS Code.');
}

async function installThisExtension(host: Host, dataDir: string): Promise<void> {
  console.log('Packaging the extension ...');
  const temporary = await mkdtemp(path.join(tmpdir(), 'ide-bridge-start-'));
  try {
    const vsix = path.join(temporary, 'extension.vsix');
    await run(process.execPath, ['esbuild.mjs', '--production'], root);
    const vsce = path.join(root, 'node_modules/@vscode/vsce/vsce');
    await run(process.execPath, [vsce, 'package', '--no-dependencies', '--out', vsix], root);
    await installVsix(host, dataDir, vsix);
  } finally {
    await rm(temporary, { recursive: true });
  }
}

/** A small project to play with; made once, so that what the user does there stays. */
async function sampleFolder(): Promise<string> {
  const sample = path.join(cacheDir(), 'sample');
  await cp(path.join(root, 'test/fixtures/workspace'), sample, { recursive: true, force: false });
  return realpath(sample);
}

async function existingFolder(given: string): Promise<string> {
  // npm runs scripts in the folder of package.json and tells where the user is.
  const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), given);
  const found = await stat(folder).catch(() => undefined);
  if (!found) throw new Error(`There is no folder ${folder}.\n${usage}`);
  if (!found.isDirectory()) throw new Error(`Not a folder: ${folder}\n${usage}`);
  return realpath(folder);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
