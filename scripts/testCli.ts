// npm run test:cli [-- --grep TEXT] [-- --reload]: the end-to-end tests with the real Claude Code CLI in a real VS Code.
// IDE_BRIDGE_E2E_EXTENSION names a .vsix or a built folder to test instead of packaging this one.
import Mocha from 'mocha';
import { execFileSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { forNotebooks, forTerminals, forWindow, provide } from '../test/host/systemPackages.ts';
import { SuiteTimes } from '../test/support/suiteTimes.ts';
import { failureText } from '../test/support/failureText.ts';
import { secondTries, testEnvironment } from '../test/support/testEnvironment.ts';
import { summary } from './testVerdict.ts';

const root = path.resolve(import.meta.dirname, '..');
const output = path.join(root, 'out/e2e');

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { grep: { type: 'string' }, reload: { type: 'boolean' } } });
  const lacking = provide([...forWindow, ...forNotebooks, ...forTerminals]);
  if (lacking.some((name) => forWindow.includes(name))) {
    console.error('No test runs: there is no window.');
    console.log(summary({ passed: 0, failed: 0, skipped: 1 }));
    return 0;
  }
  process.env[testEnvironment.lacking] = lacking.join();
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  execFileSync(process.execPath, ['esbuild.mjs', '--tests'], { cwd: root, stdio: 'inherit' });
  process.env.IDE_BRIDGE_E2E_EXTENSION ??= packageExtension();

  if (values.reload) process.env[testEnvironment.everyAutoSave] = '1'; // which takes minutes

  const mocha = new Mocha({ timeout: 120_000, slow: 20_000, retries: secondTries() });
  if (values.grep !== undefined) mocha.grep(values.grep);
  const names = [
    'agent',
    'agentEdits',
    'agentProxy',
    'restrictedMode',
    'hostileFolders',
    'extensionsView',
    'workspaceFile',
    'typedText',
    'codeQuestion',
    'runQuestion',
    'chatCrash',
    'firstTerminal',
    'handsWithTheCli',
    'reload',
    'claudeCode',
  ];
  for (const name of names) {
    mocha.addFile(path.join(root, `test/e2e/${name}.test.ts`));
  }
  const times = new SuiteTimes();
  const { passes, failures, pending } = await new Promise<Mocha.Stats>((resolve, reject) => {
    const runner = mocha.run(() => {
      if (runner.stats) resolve(runner.stats);
      else reject(new Error('mocha has counted nothing'));
    });
    times.watch(runner);
    runner.on('retry', (test: Mocha.Test, error: Error) =>
      console.log(`retried: ${failureText(test.fullTitle(), error)}`),
    );
  });
  console.log(times.table());
  const nothing = passes + failures === 0;
  if (nothing) console.error('No test ran.');
  if (failures > 0) console.error(`What the failed ones had on the screen and on the wire is in ${output}`);
  console.log(summary({ passed: passes, failed: failures + (nothing ? 1 : 0), skipped: pending }));
  return failures > 0 || nothing ? 1 : 0;
}

function packageExtension(): string {
  const vsix = path.join(output, 'extension.vsix');
  execFileSync('npm', ['run', '--silent', 'package', '--', '--out', vsix], { cwd: root, stdio: 'inherit' });
  return vsix;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  },
);
