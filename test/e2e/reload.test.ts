import assert from 'node:assert/strict';
import path from 'node:path';
import { until } from '../support/until.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';
import { type AutoSave, ReloadDesk } from './reloadDesk.ts';

interface Way {
  interrupt: (desk: ReloadDesk) => Promise<void>;
  /** Terminals from before name the port. */
  keepsPort: boolean;
}

// `workbench.action.restartExtensionHost` is in the desktop only.
const ways: Record<string, Way> = {
  'the window was reloaded': { interrupt: (desk) => desk.reload(), keepsPort: true },
  'the extension host was killed': { interrupt: (desk) => desk.killExtensionHost(), keepsPort: true },
  // Its extension host lives on for a while, with its port.
  'the window has crashed': { interrupt: (desk) => desk.crashWindow(), keepsPort: false },
  'all of it was killed': { interrupt: (desk) => desk.killAll(), keepsPort: true },
};

const modes = ['off', 'afterDelay', 'onFocusChange', 'onWindowChange'] satisfies AutoSave[];

for (const mode of modes) {
  describe(`With auto-save ${mode}`, function () {
    this.timeout(180_000);
    this.retries(0); // they look at what one interruption has left
    let desk: ReloadDesk | undefined;
    const here = () => desk ?? assert.fail('the window is not open');

    before(async function () {
      // VS Code does not start a host again in which something is under development.
      if (extensionUnderTest().vsix.length === 0) this.skip();
      desk = await ReloadDesk.open(mode);
    });
    after(() => desk?.close());

    for (const [way, { interrupt, keepsPort }] of Object.entries(ways)) {
      describe(`after ${way}`, () => {
        let port: number;

        before(async () => {
          await here().leave();
          ({ port } = here());
          await interrupt(here());
          await here().comeBack();
        });
        afterEach(async function () {
          const { currentTest } = this;
          if (currentTest?.state !== 'failed') return;
          const name = currentTest
            .fullTitle()
            .toLowerCase()
            .replaceAll(/[^a-z0-9]+/g, '-');
          await here().photograph(path.resolve('out/e2e', `${name}.png`));
        });
        after(() => here().clear());

        it('what was typed into proposals is in documents of its own, and their diffs are gone', async () => {
          const labels = () => here().tabLabels();
          const isTyped = (label: string) => label.startsWith('proposed and typed into');
          const isDiff = (label: string) => label.includes('(proposed');
          await until(
            'both texts',
            async () => (await labels()).filter(isTyped).length === 2,
            15_000,
            labels,
          );
          await until('no diff', async () => !(await labels()).some(isDiff), 15_000, labels);
        });

        it('the session has its name, and the bridge its port', async () => {
          if (keepsPort) assert.equal(here().port, port);
          await here().showViews();
          const labels = () => here().sessionLabels();
          const isNamed = (label: string) => label.includes(here().label);
          await until(here().label, async () => (await labels()).some(isNamed), 10_000, labels);
        });

        it('the mention that waited arrives', async () => {
          const mentions = () => here().mentions();
          await until('it', () => mentions().includes(here().file('mentioned.txt')), 5_000, mentions);
        });

        it('the changes of the agent are listed, and reverted to every byte', async () => {
          await here().showViews();
          await here().revertChanges();
          await until('every byte', () => here().isAsBefore());
        });
      });
    }
  });
}
