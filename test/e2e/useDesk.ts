import { Desk, type DeskOptions } from './desk.ts';
import type { CliVersion } from './provisionCli.ts';

/** One desk for the scenarios of the enclosing `describe`. */
export function useDesk(version: CliVersion, options?: DeskOptions): () => Desk {
  let desk: Desk | undefined;

  before(async function () {
    // The first run on a machine installs VS Code and the CLI.
    this.timeout(600_000);
    const extension = process.env.IDE_BRIDGE_E2E_EXTENSION;
    if (extension === undefined) throw new Error('start these tests with `npm run test:cli`');
    desk = await Desk.open(version, extension, options);
  });

  afterEach(async function () {
    this.timeout(60_000);
    const test = this.currentTest;
    const title = test?.fullTitle() ?? '';
    if (test?.state === 'failed') await desk?.leaveBehind(title);
    try {
      await desk?.clear();
    } catch (error) {
      await desk?.leaveBehind(`clearing up after ${title}`);
      throw error;
    }
  });

  after(async function () {
    this.timeout(60_000);
    await desk?.close();
  });

  return () => {
    if (desk === undefined) throw new Error('the desk is not open');
    return desk;
  };
}
