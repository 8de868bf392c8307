/** What the runner tells the tests inside the extension host, by environment variables. */
export const testEnvironment = {
  /** File that receives the result; its absence means that the extension host died. */
  resultFile: 'IDE_BRIDGE_TEST_RESULT',
  /** How many windows share the tests. */
  windows: 'IDE_BRIDGE_TEST_WINDOWS',
  /** Folder in which the windows that share the tests write down which suites they have taken. */
  taken: 'IDE_BRIDGE_TEST_TAKEN',
  /** What each printed line begins with, where several windows share the tests. */
  window: 'IDE_BRIDGE_TEST_WINDOW',
  /** How many more times a test that fails may try, which is printed; none by default. */
  retries: 'IDE_BRIDGE_TEST_RETRIES',
  /** Runs only tests whose full title contains this. */
  grep: 'IDE_BRIDGE_TEST_GREP',
  /** Set when the golden conversations are to be written anew. */
  updateGolden: 'IDE_BRIDGE_UPDATE_GOLDEN',
  /** Set when the extension sleeps: `activate` only hands out its context, and a test activates the bundle. */
  sleeping: 'IDE_BRIDGE_TEST_SLEEPING',
  /** Set when this is the oldest VS Code that package.json allows. */
  floor: 'IDE_BRIDGE_TEST_FLOOR',
  /** Names of the system packages that are not installed, with commas between them. */
  lacking: 'IDE_BRIDGE_TEST_LACKING',
  /** Address of the DevTools protocol of this very window. */
  cdp: 'IDE_BRIDGE_CDP',
  /** How many random sequences to run of each area, instead of the same few. */
  sequences: 'IDE_BRIDGE_TEST_SEQUENCES',
  /** Folder in which the window keeps all of its own, and the extension's storage somewhere below. */
  userData: 'IDE_BRIDGE_TEST_USER_DATA',
  /** Set when windows are interrupted in every mode of auto-save. */
  everyAutoSave: 'IDE_BRIDGE_TEST_EVERY_AUTO_SAVE',
  /** Folder for screenshots. */
  screenshots: 'IDE_BRIDGE_SCREENSHOTS',
} as const;

/** See `testEnvironment.retries`. */
export function secondTries(): number {
  return Number(process.env[testEnvironment.retries] ?? 0);
}

/** Content of the result file. */
export interface TestResult {
  passes: number;
  failures: number;
  pending: number;
  /** Of each test or hook that failed; see `failureText`. */
  faults: string[];
}
