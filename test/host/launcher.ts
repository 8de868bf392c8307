// The part of VS Code's command line that @vscode/test-electron uses, answered by the VS Code from npm.
import { createWriteStream } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureHost } from './provision.ts';
import { openWorkbench } from './workbench.ts';
import { testLine } from '../support/testLine.ts';

/** Exit code for tests that do not come to an end, as of timeout(1). */
const hung = 124;

/**
 * Opens a window as told by `code`'s arguments, prints what the tests print, and exits with their code. Three ends
 * that VS Code itself would hide or sit through come out as failures: the extension host dies, the tests hang, and
 * the runner that started us is gone.
 *
 * Environment: IDE_BRIDGE_TEST_HOST_VERSION (newest or floor), IDE_BRIDGE_TEST_LIMIT (seconds),
 * IDE_BRIDGE_HOST_LOG (file for the whole output of the host).
 */
async function launch(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    strict: false, // Flags of the desktop that mean nothing here are many.
    allowPositionals: true,
    options: {
      extensionDevelopmentPath: { type: 'string', multiple: true },
      extensionTestsPath: { type: 'string' },
      'user-data-dir': { type: 'string' },
      'install-extension': { type: 'string', multiple: true },
      'remote-debugging-port': { type: 'string' },
      version: { type: 'boolean' },
    },
  });
  const text = (value: string | boolean | undefined) => (typeof value === 'string' ? value : undefined);
  const texts = (list: (string | boolean)[] | undefined) => (list ?? []).map(String);
  const version = process.env.IDE_BRIDGE_TEST_HOST_VERSION === 'floor' ? 'floor' : 'newest';

  if (values.version) {
    console.log((await ensureHost(version)).vscodeVersion);
    return;
  }

  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) process.exit(1);
  }, 1000).unref();

  const logFile = process.env.IDE_BRIDGE_HOST_LOG;
  const log = logFile ? createWriteStream(logFile) : undefined;
  const tests = text(values.extensionTestsPath);
  const dataDir = text(values['user-data-dir']);
  const debuggingPort = Number(text(values['remote-debugging-port']) ?? 0);
  const [folder] = positionals;

  const workbench = await openWorkbench({
    version,
    // The runner has put the environment together; nothing of it is to be dropped.
    env: process.env,
    extensionDevelopmentPaths: texts(values.extensionDevelopmentPath),
    vsix: texts(values['install-extension']),
    onLog: (line) => {
      log?.write(`${line}\n`);
      const printed = testLine.read(line);
      if (printed !== undefined) console.log(printed);
    },
    ...(folder === undefined ? {} : { folder: path.resolve(folder) }),
    ...(tests === undefined ? {} : { extensionTestsPath: tests }),
    ...(dataDir === undefined ? {} : { dataDir }),
    ...(debuggingPort ? { remoteDebuggingPort: debuggingPort } : {}),
  });

  const seconds = Number(process.env.IDE_BRIDGE_TEST_LIMIT ?? 5400);
  const limit = new Promise<number>((resolve) => {
    setTimeout(() => {
      console.error(`The tests did not end within ${seconds} s; ended by force.`);
      resolve(hung);
    }, seconds * 1000).unref();
  });
  const code = await Promise.race([workbench.exit, limit]);
  await workbench.close();
  process.exit(code);
}

launch(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
