import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { testEnvironment } from '../support/testEnvironment.ts';
import { until } from '../support/until.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';
import { type AutoSave, ReloadDesk } from './reloadDesk.ts';

type Way = [name: string, interrupt: (desk: ReloadDesk) => Promise<void>];

// `workbench.action.restartExtensionHost` is in the desktop only.
const ways: Way[] = [
  ['the window was reloaded', (desk) => desk.reload()],
  ['the extension host was killed', (desk) => desk.killExtensionHost()],
  ['the window has crashed', (desk) => desk.crashWindow()],
  ['all of it was killed', (desk) => desk.killAll()],
];

/** In every run the one in which the most is lost by mistake: the editor has saved what nobody has kept. */
const modes: AutoSave[] =
  process.env[testEnvironment.everyAutoSave] === undefined
    ? ['afterDelay']
    : ['off', 'afterDelay', 'onFocusChange', 'onWindowChange'];

for (const mode of modes) {
  describe(`With auto-save ${mode}`, function () {
    this.retries(0); // there is nothing to be had from looking again
    const { desk, clear } = useReloadDesk(mode);

    for (const [way, interrupt] of ways) {
      describe(`after ${way}`, () => {
        let port: number;
        useInterruption(desk, async () => {
          ({ port } = desk());
          await interrupt(desk());
        });
        after(clear);

        keepsTyped(desk);
        keepsMention(desk);

        it('the session has its name, and the bridge its port', async () => {
          assert.equal(desk().port, port);
          await hasName(desk());
        });

        it('the changes of the agent are listed, and reverted to every byte', async () => {
          await desk().showViews();
          await desk().revertChanges();
          await until('every byte', () => desk().isAsBefore());
        });
      });
    }

    // The editor gives the next window another storage, so that port and changes are not there.
    if (mode === 'afterDelay') {
      describe('after the window has crashed, while its extension host lives on', () => {
        useInterruption(desk, () => desk().crashWindowAlone());
        after(clear);
        keepsTyped(desk);
        keepsMention(desk);
        it('the session has its name', () => hasName(desk()));
      });
    }
  });
}

/** One window for the rows of the enclosing `describe`; a new one after a row that cannot be cleared away. */
function useReloadDesk(mode: AutoSave): { desk: () => ReloadDesk; clear: () => Promise<void> } {
  let open: ReloadDesk | undefined;
  const desk = () => open ?? assert.fail('the window is not open');

  before(async function () {
    this.timeout(120_000);
    // VS Code does not start a host again in which something is under development.
    if (extensionUnderTest().vsix.length === 0) this.skip();
    open = await ReloadDesk.open(mode);
  });
  after(async function () {
    this.timeout(60_000);
    await open?.close();
  });

  return {
    desk,
    async clear() {
      try {
        await desk().clear();
      } catch (error) {
        console.log(`      a new window: ${String(error).split('\n', 1)[0]}`);
        await desk().close();
        open = await ReloadDesk.open(mode);
      }
    },
  };
}

/** Sets all up, interrupts it once, and has the tests of the enclosing `describe` look at what is left. */
function useInterruption(desk: () => ReloadDesk, interrupt: () => Promise<void>): void {
  before(async function () {
    this.timeout(120_000);
    await desk().leave();
    await interrupt();
    await desk().comeBack();
  });
  afterEach(async function () {
    const { currentTest } = this;
    if (currentTest?.state === 'failed') await desk().leaveBehind(currentTest.fullTitle());
  });
}

function keepsTyped(desk: () => ReloadDesk): void {
  it('what was typed into proposals is in unsaved documents of their own, and the diffs are gone', async () => {
    const typed = ['early.txt', 'late.txt'].map((name) => `proposed and typed into ${desk().nameOf(name)}`);
    // A window that crashes has not put down yet what was closed in the row before: it comes back, and is empty.
    const others = /mentioned|^Untitled-\d+$/;
    const labels = async () => (await desk().tabLabels()).filter((label) => !others.test(label));
    // The editor may bring a diff back after it was closed: it goes again.
    await until(
      'both texts, and no diff',
      async () =>
        isDeepStrictEqual((await labels()).sort(), typed) &&
        (await desk().dirtyTabs.count()) === typed.length,
      15_000,
      labels,
    );
    assert.deepEqual(await desk().questions(), []);
  });
}

function keepsMention(desk: () => ReloadDesk): void {
  it('the mention that waited arrives, on the word of the user', async () => {
    const mentions = () => desk().mentions();
    await desk().sendNow();
    await until('it', () => mentions().includes(desk().file('mentioned.txt')), 5_000, mentions);
  });
}

async function hasName(desk: ReloadDesk): Promise<void> {
  await desk.showViews();
  const labels = () => desk.sessionLabels();
  const isNamed = (label: string) => label.includes(desk.label);
  await until(desk.label, async () => (await labels()).some(isNamed), 10_000, labels);
}
