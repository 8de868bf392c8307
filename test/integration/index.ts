// Runs inside the extension host: VS Code calls run() of the path given as --extensionTestsPath.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { failureText } from '../support/failureText.ts';
import { secondTries, testEnvironment, type TestResult } from '../support/testEnvironment.ts';
import { testLine } from '../support/testLine.ts';
import { SuiteTimes } from '../support/suiteTimes.ts';
import { connectUi } from '../support/ui.ts';

/**
 * What the newest VS Code has run, and what says nothing about another version: conversations over the socket, texts of
 * reports, rules of settings and of what is shared, who reads a terminal, what the CLI writes down, what comes out of a
 * kernel, and how changes on the disk and merges add up. What touches tabs, diffs, lenses, keys, views, terminals or
 * notebooks runs in the oldest one, too. A file, or one `describe` of it.
 */
const sameInEveryVersion = [
  'changes/changeSequences',
  'changes/changes: by shell commands',
  'changes/changes: reverting',
  'changes/unwatched',
  'chat/resumed',
  'doctor/doctor',
  'editor/settings',
  'editorTools/realPackage',
  'editorTools/transports',
  'hostile',
  'mentions/otherScreens',
  'mentions/reasons',
  'notebooks/notebooks: that the user has let run code',
  'proposals/review: for an older text of the file',
  'sessions/absentClis',
  'sessions/records',
  'sessions/resume',
  'sharing/sharing',
  'tools/golden',
  'tools/sdkClient',
];

export async function run(): Promise<void> {
  const resultFile = process.env[testEnvironment.resultFile];
  if (!resultFile) throw new Error('Start the tests with "npm run test:integration".');
  const grep = process.env[testEnvironment.grep];

  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => print(format(...args));
  photographFailures();
  ignoreOtherExtensions();
  const mocha = new LoadedMocha({
    ui: 'bdd',
    timeout: 60_000, // which a busy machine with two cores needs
    retries: secondTries(),
    color: false,
    ...(grep ? { grep } : {}),
  });
  const files = readdirSync(__dirname, { recursive: true, encoding: 'utf8' });
  for (const file of files.sort()) {
    if (file.endsWith('.test.js')) mocha.addFile(path.join(__dirname, file));
  }
  mocha.load();
  const isFloor = process.env[testEnvironment.floor] !== undefined;
  for (const name of sameInEveryVersion) {
    const [file = '', title] = name.split(': ');
    const isNamed = (suite: Mocha.Suite) =>
      suite.file === path.join(__dirname, `${file}.test.js`) &&
      (title === undefined ? suite.parent?.root === true : suite.title === title);
    if (leaveOut(mocha.suite, isFloor, isNamed) === 0) throw new Error(`There is no suite ${name}.`);
  }
  shareSuites(mocha.suite);

  await new Promise<void>((resolve, reject) => {
    const faults: string[] = [];
    const times = new SuiteTimes();
    const runner = mocha.run((failures) => {
      print(times.table());
      const { passes = 0, pending = 0 } = runner.stats ?? {};
      const result: TestResult = { passes, failures, pending, faults };
      writeFileSync(resultFile, JSON.stringify(result));
      if (failures === 0) resolve();
      else reject(new Error(`${failures} failed`));
    });
    times.watch(runner);
    runner.on('retry', (test: Mocha.Test, error: Error) =>
      print(`retried: ${failureText(test.fullTitle(), error)}`),
    );
    runner.on('fail', (test, error: Error) => faults.push(failureText(test.fullTitle(), error)));
  });
}

/** Its suites can be looked at before they run. */
class LoadedMocha extends Mocha {
  load(): void {
    this.loadFiles();
    this.files = []; // else run() loads them once more
  }
}

/** How many suites in `parent` are so; they are taken out of it if `really`. */
function leaveOut(parent: Mocha.Suite, really: boolean, isSo: (suite: Mocha.Suite) => boolean): number {
  const found = parent.suites.filter(isSo);
  if (really) parent.suites = parent.suites.filter((suite) => !found.includes(suite));
  return parent.suites.reduce((count, suite) => count + leaveOut(suite, really, isSo), found.length);
}

/** ms that its tests may take: many, or some that say that they need long. */
function allowedTime(suite: Mocha.Suite): number {
  let sum = 0;
  suite.eachTest((test: Mocha.Test) => (sum += test.timeout()));
  return sum;
}

/**
 * Leaves to the other windows of this run the outermost suites that they have taken, when their turn comes here: the
 * longest first, so that all come to their end together.
 */
function shareSuites(root: Mocha.Suite): void {
  const taken = process.env[testEnvironment.taken];
  if (!taken) return;
  root.suites.sort((a, b) => allowedTime(b) - allowedTime(a));
  const isTaken = (suite: Mocha.Suite): boolean => {
    if (suite.parent !== root) return false;
    try {
      mkdirSync(path.join(taken, String(root.suites.indexOf(suite))));
      return false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true;
      throw error;
    }
  };
  const prototype = Mocha.Runner.prototype as unknown as {
    runSuite(suite: Mocha.Suite, done: () => void): void;
  };
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its runner below
  const original = prototype.runSuite;
  prototype.runSuite = function (suite, done) {
    if (isTaken(suite)) done();
    else original.call(this, suite, done);
  };
}

/**
 * Other extensions run in this process too (VS Code's Git writes to processes whose repository a test has deleted), and
 * what they fail to catch is no fault of the test that runs. VS Code wraps the listeners of uncaught exceptions, so
 * mocha's cannot be taken off: it is the method behind it that is asked first.
 */
function ignoreOtherExtensions(): void {
  const prototype = Mocha.Runner.prototype as unknown as { _uncaught(error: unknown): void };
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its runner below
  const original = prototype._uncaught;
  prototype._uncaught = function (error) {
    const isTheirs = error instanceof Error && error.stack?.includes('/lib/vscode/extensions/');
    if (!isTheirs) original.call(this, error);
  };
}

/** Takes a screenshot of each failure before any hook cleans up, which mocha's own hooks and events cannot. */
function photographFailures(): void {
  const { prototype } = Mocha.Runnable;
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its runnable below
  const original = prototype.run;
  prototype.run = function (done) {
    original.call(this, (error?: unknown) => {
      if (error) void photograph(this.fullTitle()).finally(() => done(error));
      else done();
    });
  };
}

async function photograph(title: string): Promise<void> {
  try {
    const ui = await connectUi();
    print(`screenshot: ${await ui.screenshot(title)}`);
    await ui.close();
  } catch (error) {
    print(`no screenshot: ${String(error)}`);
  }
}

/** To the runner's output; in one call per line, so that each line carries its mark, and that of its window. */
function print(text: string): void {
  const window = process.env[testEnvironment.window] ?? '';
  for (const line of text.split('\n')) console.log(testLine.write(`${window}${line}`));
}
