// npm run test:integration [-- --floor] [-- --grep TEXT] [-- --update-golden]: the integration tests in a real VS Code.
// Windows share the tests, as they mostly wait: IDE_BRIDGE_TEST_WINDOWS of them, 2 by default; one takes what --grep picks.
// With --activations only the one test that activates the extension itself, again and again.
import { downloadAndUnzipVSCode, runTests } from '@vscode/test-electron';
import { execFileSync, spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { cacheDir } from '../test/host/cache.ts';
import { chooseHost } from '../test/host/chooseHost.ts';
import { testedEnvironment } from '../test/host/environment.ts';
import { ensureChromium, ensureHost } from '../test/host/provision.ts';
import { freePort } from '../test/host/server.ts';
import { testSettings } from '../test/host/settings.ts';
import { forNotebooks, forWindow, provide } from '../test/host/systemPackages.ts';
import { testEnvironment } from '../test/support/testEnvironment.ts';
import { judge, summary, type Run } from './testVerdict.ts';

const root = path.resolve(import.meta.dirname, '..');
const screenshots = path.join(root, 'out/screenshots');

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      activations: { type: 'boolean' },
      floor: { type: 'boolean' },
      grep: { type: 'string' },
      'update-golden': { type: 'boolean' },
    },
  });
  const floor = values.floor ?? false;
  const host = await chooseHost();
  if (host === 'desktop' && lacksDisplay()) return rerunUnderXvfb();
  const lacking = provide([...(host === 'npm' ? forWindow : []), ...forNotebooks]);
  if (lacking.some((name) => forWindow.includes(name))) {
    console.error('No integration test runs: there is no window.');
    console.log(summary({ passed: 0, failed: 0, skipped: 1 }));
    return 0;
  }

  build();
  console.log(`Screenshots of failures go to ${screenshots}`);
  await rm(screenshots, { recursive: true, force: true });
  const temporary = await mkdtemp(path.join(tmpdir(), 'ide-bridge-test-'));
  try {
    const extension = values.activations ? await sleeper(temporary) : root;
    const isOne = values.activations || values.grep !== undefined || values['update-golden'];
    const windows = isOne ? 1 : Number(process.env[testEnvironment.windows] ?? 2);
    const taken = path.join(temporary, 'taken');
    await mkdir(taken);
    const oldest = await oldestVersion();
    // Before there are several windows, each of which would install one for itself.
    const executable =
      host === 'npm'
        ? await npmHost(floor, oldest)
        : await downloadAndUnzipVSCode({
            version: floor ? oldest : 'stable',
            cachePath: path.join(cacheDir(), 'desktop'),
          });
    const runWindow = async (name: string): Promise<Run> => {
      const folder = path.join(temporary, name);
      const resultFile = path.join(folder, 'result.json');
      const ended = await runIn(folder, executable, floor, extension, {
        [testEnvironment.resultFile]: resultFile,
        [testEnvironment.taken]: windows > 1 ? taken : undefined,
        [testEnvironment.window]: windows > 1 ? `${name}| ` : undefined,
        [testEnvironment.grep]: values.activations ? 'fifty activations' : values.grep,
        [testEnvironment.sleeping]: values.activations ? '1' : undefined,
        [testEnvironment.lacking]: lacking.join(),
        [testEnvironment.floor]: floor ? '1' : undefined,
        [testEnvironment.updateGolden]: values['update-golden'] ? '1' : undefined,
        [testEnvironment.screenshots]: screenshots,
        [testEnvironment.retries]: process.env[testEnvironment.retries],
        [testEnvironment.sequences]: process.env[testEnvironment.sequences],
      });
      return { resultFile, ended };
    };
    const verdict = await judge(
      await Promise.all(Array.from({ length: windows }, (_, index) => runWindow(String(index + 1)))),
    );
    for (const message of verdict.messages) console.error(message);
    if (verdict.failed > 0) console.error(`Output of VS Code: ${hostLog('*')}`);
    console.log(summary(verdict));
    return verdict.failed === 0 ? 0 : 1;
  } finally {
    await rm(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const hostLog = (name: string) => path.join(root, 'out', `host.${name}.log`);

/** A copy of the extension that contributes everything and does nothing: a test activates its bundle. */
async function sleeper(temporary: string): Promise<string> {
  const folder = path.join(temporary, 'sleeper');
  for (const part of ['dist', 'media']) {
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as object;
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, main: 'asleep.js' }));
  await writeFile(path.join(folder, 'asleep.js'), 'exports.activate = (context) => context;\n');
  return folder;
}

/** Runs the tests in a VS Code that sees nothing of this user; returns the error of a run that did not end with 0. */
async function runIn(
  folder: string,
  executable: string,
  floor: boolean,
  extension: string,
  environment: Record<string, string | undefined>,
): Promise<Error | undefined> {
  const workspace = path.join(folder, 'workspace');
  const home = path.join(folder, 'home');
  const userData = path.join(folder, 'data');
  // A copy, since tests change it.
  await cp(path.join(root, 'test/fixtures/workspace'), workspace, { recursive: true });
  await mkdir(home);
  await mkdir(path.join(userData, 'User'), { recursive: true });
  await writeFile(path.join(userData, 'User/settings.json'), JSON.stringify(testSettings));

  const port = await freePort();
  const kept = testedEnvironment();
  const dropped = Object.keys(process.env).filter((name) => !(name in kept));
  return runTests({
    vscodeExecutablePath: executable,
    extensionDevelopmentPath: [
      extension,
      path.join(root, 'out/test/kernel'),
      path.join(root, 'out/test/jupyter'),
      path.join(root, 'out/test/models'),
      path.join(root, 'out/test/sample'),
      path.join(root, 'out/test/python'),
    ],
    extensionTestsPath: path.join(root, 'out/test/integration/index.js'),
    launchArgs: [
      workspace,
      `--user-data-dir=${userData}`,
      `--extensions-dir=${path.join(folder, 'extensions')}`,
      `--remote-debugging-port=${port}`,
      '--disable-extensions',
    ],
    extensionTestsEnv: {
      ...Object.fromEntries(dropped.map((name) => [name, undefined])),
      HOME: home,
      // Not the one of the throwaway home.
      IDE_BRIDGE_CACHE: cacheDir(),
      CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
      IDE_BRIDGE_TEST_HOST_VERSION: floor ? 'floor' : 'newest',
      IDE_BRIDGE_HOST_LOG: hostLog(path.basename(folder)),
      [testEnvironment.userData]: userData,
      [testEnvironment.cdp]: `http://127.0.0.1:${port}`,
      ...environment,
    },
  }).then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
}

/** The launcher that stands in for `code`, once all that it needs is installed. */
async function npmHost(floor: boolean, oldest: string): Promise<string> {
  const { vscodeVersion } = await ensureHost(floor ? 'floor' : 'newest');
  ensureChromium();
  if (floor && minor(vscodeVersion) !== minor(oldest)) {
    throw new Error(
      `engines.vscode allows VS Code ${oldest}, but the floor host is ${vscodeVersion}: ` +
        'name a code-server of that version in test/host/provision.ts.',
    );
  }
  console.log(`VS Code ${vscodeVersion} from npm, in headless Chromium`);
  return path.join(root, 'test/host/code-shim.mjs');
}

const minor = (version: string): string => version.split('.').slice(0, 2).join('.');

/** The lowest version that engines.vscode in package.json allows. */
async function oldestVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    engines: { vscode: string };
  };
  return manifest.engines.vscode.replace(/^[^\d]*/, '');
}

function lacksDisplay(): boolean {
  return process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY;
}

function rerunUnderXvfb(): number {
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const { error, status } = spawnSync('xvfb-run', ['-a', ...self], {
    stdio: 'inherit',
    env: { ...process.env, IDE_BRIDGE_TEST_HOST: 'desktop' },
  });
  if (error) {
    throw new Error('A desktop VS Code needs a display. Install xvfb, or set IDE_BRIDGE_TEST_HOST=npm.', {
      cause: error,
    });
  }
  return status ?? 1;
}

function build(): void {
  for (const args of [[], ['--tests']]) {
    execFileSync(process.execPath, ['esbuild.mjs', ...args], { cwd: root, stdio: 'inherit' });
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
