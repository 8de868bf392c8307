import { Desk, type DeskOptions } from './desk.ts';
import type { CliVersion } from './provisionCli.ts';

/** One desk for the scenarios of the enclosing `describe`. */
export function useDesk(version: CliVersion, options?: DeskOptions): () => Desk {
  let desk: Desk | undefined;

  async function open(): Promise<void> {
    desk = await Desk.open(version, options);
  }

  before(async function () {
    // The first run on a machine installs VS Code and the CLI.
    this.timeout(600_000);
    await open();
  });

  afterEach(async function () {
    this.timeout(240_000);
    const test = this.currentTest;
    const title = test?.fullTitle() ?? '';
    if (test?.state === 'failed') await desk?.leaveBehind(title);
    try {
      await desk?.clear();
    } catch (error) {
      // The scenario has had its verdict; the next one gets a window that is not in such a state.
      console.log(`      a new window after "${title}": ${String(error).split('\n', 1)[0]}`);
      await desk?.leaveBehind(`clearing up after ${title}`);
      await desk?.close();
      await open();
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
