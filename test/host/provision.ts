// Installs what a real VS Code needs where its own download is out of reach: VS Code's server as code-server
// publishes it on npm, with the Node that it is built for. Nothing is compiled and no install script runs.
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installOnce, run } from './cache.ts';
import { findChromium } from './findChromium.ts';

export type HostVersion = 'newest' | 'floor';

/** An installed VS Code server. */
export interface Host {
  /** Version of VS Code, for example 1.96.4. */
  readonly vscodeVersion: string;
  /** The Node that this server is built for. */
  readonly node: string;
  /** VS Code's own entry point, out/server-main.js. */
  readonly serverMain: string;
}

interface Recipe {
  codeServer: string;
  vscode: string;
  node: string;
  /** Packages taken in another version than the server asks for. */
  replaced: Record<string, string>;
  /** Large parts that no test needs. */
  unused: string[];
}

/** Part of the cache key: raise it when the steps below change, so that older installs are not used. */
const recipeRevision = 1;

const recipes: Record<HostVersion, Recipe> = {
  newest: {
    codeServer: '4.139.1',
    vscode: '1.139.1',
    node: '24.21.0',
    replaced: {},
    unused: [
      'extensions/copilot',
      'extensions/mermaid-markdown-features',
      'node_modules/@github',
      'node_modules/@microsoft/mxc-sdk',
      'node_modules/@devcontainers',
    ],
  },
  floor: {
    codeServer: '4.96.4',
    vscode: '1.96.4',
    // What VS Code 1.96 itself was built and tested with.
    node: '20.18.1',
    replaced: {
      // This release points to a commit on GitHub, where npm alone does not reach.
      '@vscode/proxy-agent': '0.29.0',
      // The first line of versions with a binary for Linux in the package.
      'node-pty': '1.2.0-beta.15',
      // @vscode/ripgrep of that time downloads rg in an install script; this one carries it.
      '@vscode/ripgrep-universal': '1.18.0',
    },
    unused: [],
  },
};

const platform = `${process.platform}-${process.arch}`;
const npmInstall = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'];

/** Installs a VS Code server into the cache unless it is there. The first time takes some 15 s and 400 MB. */
export async function ensureHost(version: HostVersion): Promise<Host> {
  if (process.platform === 'win32') {
    throw new Error(
      'The VS Code from npm runs on Linux and macOS. On Windows set IDE_BRIDGE_TEST_HOST=desktop.',
    );
  }
  const recipe = recipes[version];
  const node = await ensureNode(recipe.node);
  const name = `code-server-${recipe.codeServer}-${platform}-r${recipeRevision}`;
  const dir = await installOnce(name, async (building) => {
    console.log(`Installing VS Code ${recipe.vscode} (code-server ${recipe.codeServer} from npm) ...`);
    await installServer(building, recipe);
  });
  return { vscodeVersion: recipe.vscode, node, serverMain: path.join(serverDir(dir), 'out/server-main.js') };
}

/** code-server wraps VS Code's own server; only the latter is used. */
const serverDir = (dir: string): string => path.join(dir, 'lib/vscode');

async function installServer(dir: string, recipe: Recipe): Promise<void> {
  const archive = `code-server-${recipe.codeServer}.tgz`;
  await run('npm', ['pack', '--silent', `code-server@${recipe.codeServer}`], dir);
  await run('tar', ['xzf', archive, '--strip-components=1'], dir);
  await rm(path.join(dir, archive));

  const server = serverDir(dir);
  const replaced = Object.entries(recipe.replaced);
  await forgetLocked(path.join(server, 'npm-shrinkwrap.json'), Object.keys(recipe.replaced));
  const specs = replaced.map(([name, version]) => `${name}@${version}`);
  // Not `npm ci`: the published lock is out of step with the manifest.
  await run('npm', [...npmInstall, '--save-exact', ...specs], server);
  // TypeScript, for the built-in language features.
  await run('npm', npmInstall, path.join(server, 'extensions'));

  const modules = path.join(server, 'node_modules');
  await copyFile(stub('spdlog.cjs'), path.join(modules, '@vscode/spdlog/index.js'));
  for (const watchdog of ['@vscode/native-watchdog', 'native-watchdog']) {
    await copyFile(stub('native-watchdog.cjs'), path.join(modules, watchdog, 'index.js')).catch(
      ignoreMissing,
    );
  }
  await keepOnly(path.join(modules, 'node-pty/prebuilds'), platform);
  await keepOnly(path.join(modules, '@vscode/ripgrep-universal/bin'), platform);
  if (recipe.replaced['@vscode/ripgrep-universal']) await provideRipgrep(modules);
  for (const unused of recipe.unused) await rm(path.join(server, unused), { recursive: true, force: true });
}

/** The Node of the newest VS Code, for programs that need a newer one than these tests. @returns its executable */
export function ensureNewestNode(): Promise<string> {
  return ensureNode(recipes.newest.node);
}

/** Installs the given Node and returns the path of its executable. */
async function ensureNode(version: string): Promise<string> {
  const name = `node-${platform}`;
  const dir = await installOnce(`${name}-${version}`, async (building) => {
    console.log(`Installing Node ${version} from npm ...`);
    await writeFile(path.join(building, 'package.json'), '{ "private": true }\n');
    await run('npm', [...npmInstall, `${name}@${version}`], building);
  });
  return path.join(dir, 'node_modules', name, 'bin/node');
}

/** Drops packages from a lock file, else npm fetches the locked source even when told another version. */
async function forgetLocked(lockFile: string, names: string[]): Promise<void> {
  if (names.length === 0) return;
  const lock = JSON.parse(await readFile(lockFile, 'utf8')) as { packages: Record<string, unknown> };
  for (const name of names) delete lock.packages[`node_modules/${name}`];
  await writeFile(lockFile, JSON.stringify(lock));
}

/** Puts ripgrep where the older @vscode/ripgrep looks for it. */
async function provideRipgrep(modules: string): Promise<void> {
  const bin = path.join(modules, '@vscode/ripgrep/bin');
  await mkdir(bin, { recursive: true });
  await copyFile(path.join(modules, '@vscode/ripgrep-universal/bin', platform, 'rg'), path.join(bin, 'rg'));
  await chmod(path.join(bin, 'rg'), 0o755);
}

async function keepOnly(dir: string, kept: string): Promise<void> {
  for (const entry of await readdir(dir).catch(ignoreMissing)) {
    if (entry !== kept) await rm(path.join(dir, entry), { recursive: true });
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): [] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

const stub = (name: string): string => path.join(import.meta.dirname, 'stubs', name);

/** Finds the browser that shows the workbench of a VS Code server. */
export function ensureChromium(): string {
  const found = findChromium();
  if (found !== undefined) return found;
  throw new Error(
    'No Chromium found. Install one (Debian, Ubuntu: "apt-get install chromium"; Fedora: "dnf install chromium"; ' +
      'macOS: "brew install --cask chromium") or set IDE_BRIDGE_CHROMIUM to the path of a Chrome or Chromium.',
  );
}
