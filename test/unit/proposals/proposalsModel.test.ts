import fc from 'fast-check';
import { type Name, names, ProposalsWorld, type Setup } from '../../support/proposalsWorld.ts';

type Act = (world: ProposalsWorld) => void | Promise<void>;

/** One step: what it is called in a counterexample, what happens, and how much time passes until the next. */
class Step implements fc.AsyncCommand<object, ProposalsWorld> {
  constructor(
    private readonly name: string,
    private readonly act: Act,
    private readonly pause: number,
  ) {}

  check(): boolean {
    return true;
  }

  async run(_model: object, world: ProposalsWorld): Promise<void> {
    await this.act(world);
    await world.pass(this.pause);
  }

  toString(): string {
    return `${this.name} +${this.pause}ms`;
  }
}

const pause = fc.constantFrom(0, 3, 30, 150, 400, 1_200, 3_000, 8_000);

function step<T extends unknown[]>(
  name: string,
  act: (world: ProposalsWorld, ...values: T) => void | Promise<void>,
  ...values: { [K in keyof T]: fc.Arbitrary<T[K]> }
): fc.Arbitrary<Step> {
  return fc
    .tuple(fc.tuple<T>(...values), pause)
    .map(
      ([chosen, ms]) =>
        new Step(
          `${name}(${chosen.map((value) => JSON.stringify(value)).join()})`,
          (world) => act(world, ...chosen),
          ms,
        ),
    );
}

const which = fc.nat(5);
const client = fc.nat(1);
const name = fc.constantFrom(...names);
const atStart = fc.boolean();
const answer = fc.constantFrom('save' as const, 'discard' as const, 'cancel' as const);

const proposes = step('proposes', (world, c: number, n: Name) => world.proposes(c, n), client, name);
const types = step('types', (world, w: number, s: boolean) => world.types(w, s), which, atStart);
const steps = [
  proposes,
  proposes,
  proposes,
  types,
  types,
  types,
  step('typesIntoTab', (world, w: number, s: boolean) => world.typesIntoTab(w, s), which, atStart),
  step('typesIntoFile', (world, n: Name, s: boolean) => world.typesIntoFile(n, s), name, atStart),
  step('savesFile', (world, n: Name) => world.savesFile(n), name),
  step('somebodyWrites', (world, n: Name) => world.somebodyWrites(n), name),
  step('goesTo', (world, w: number) => world.goesTo(w), which),
  step('saves', (world) => world.saves()),
  step('savesByKey', (world) => world.savesByKey()),
  step('savesAll', (world) => world.savesAll()),
  step('accepts', (world, w: number) => world.accepts(w), which),
  step('answers', (world, w: number) => world.answers(w), fc.nat(3)),
  step('rejects', (world, w: number) => world.rejects(w), which),
  step('savesFileFirst', (world, w: number) => world.savesFileFirst(w), which),
  step(
    'decidesHunk',
    (world, w: number, l: number, v: 'keep' | 'drop') => world.decidesHunk(w, l, v),
    which,
    fc.nat(4),
    fc.constantFrom('keep' as const, 'drop' as const),
  ),
  step('merges', (world, w: number) => world.merges(w), which),
  step('reviewsAll', (world) => world.reviewsAll()),
  step('closesAnyTab', (world, w: number, a) => world.closesAnyTab(w, a), which, answer),
  step('leavesWindow', (world) => world.leavesWindow()),
  step('closesTab', (world, w: number) => world.closesTab(w), which),
  step('isPrompted', (world, c: number) => world.isPrompted(c), client),
  step('drops', (world, c: number) => world.drops(c), client),
  step('reloads', (world, first: boolean) => world.reloads(first), fc.boolean()),
  step('crashesHost', (world) => world.crashesHost()),
  step('crashesWindow', (world) => world.crashesWindow()),
];

const setup: fc.Arbitrary<Setup> = fc.record({
  autoSave: fc.constantFrom('off', 'afterDelay', 'onFocusChange', 'onWindowChange'),
  autoSaveDelay: fc.constantFrom(50, 1_000),
  acceptOnSave: fc.boolean(),
  keepOpenAfterAccept: fc.boolean(),
  takeFocus: fc.boolean(),
  seed: fc.nat(1_000_000),
});

/** The same sequences in every run, and others where they are asked for; the seed that fast-check prints shows one again. */
const { IDE_BRIDGE_MODEL_RUNS: runs, IDE_BRIDGE_MODEL_SEED: seed } = process.env;

async function held(setup: Setup, happens: (world: ProposalsWorld) => Promise<void>): Promise<void> {
  const world = new ProposalsWorld(setup);
  try {
    await world.open();
    await happens(world);
    await world.checkAtEnd();
  } finally {
    world.dispose();
  }
}

describe('the laws of proposals', function () {
  this.timeout(0);

  it('hold in any sequence of what sessions, user, auto-save, reloads and crashes do', async () => {
    const commands = fc.commands(steps, { maxCommands: 25, size: 'max' });
    let count = 0;
    const deadline = Date.now() + (runs === undefined ? 10_000 : Infinity);
    const property = fc.asyncProperty(setup, commands, async (chosen, sequence) => {
      // fast-check would break off in the middle of one, which has the clock.
      if (Date.now() > deadline) return;
      count++;
      await held(chosen, (world) => fc.asyncModelRun(() => ({ model: {}, real: world }), sequence));
    });
    await fc.assert(property, {
      ...(runs === undefined ? { numRuns: 2_000, seed: 12 } : { numRuns: Number(runs) }),
      ...(seed === undefined ? {} : { seed: Number(seed) }),
    });
    console.log(`      ${count} sequences`);
  });

  // What such sequences have found.
  const plain: Setup = {
    ...{
      autoSave: 'off',
      autoSaveDelay: 50,
      acceptOnSave: false,
      keepOpenAfterAccept: false,
      takeFocus: false,
    },
    seed: 0,
  };

  for (const autoSave of ['off', 'afterDelay'] as const) {
    it(`hold for what is typed into a dead proposal among others in one editor, with auto-save ${autoSave}`, () =>
      held({ ...plain, autoSave }, async (world) => {
        world.proposes(0, 'a.txt');
        await world.pass(1_200);
        world.proposes(0, 'new.txt');
        await world.pass(1_200);
        world.reviewsAll();
        await world.pass(8_000);
        world.closesTab(1);
        await world.pass(1_200);
        await world.pass(8_000);
        world.typesIntoTab(2, false);
        await world.pass(8_000);
        world.rejects(0);
      }));
  }

  it('hold when the host ends just after a tab of an earlier one was saved', () =>
    held({ ...plain, autoSave: 'onFocusChange', takeFocus: true, seed: 695_452 }, async (world) => {
      world.proposes(0, 'new.txt');
      await world.pass(1_200);
      await world.reloads(false);
      await world.pass(30);
      world.typesIntoTab(0, false);
      await world.pass(3);
      world.savesByKey();
      await world.pass(3);
      await world.reloads(false);
    }));

  it('hold when the editor has an older text than the disk, and the window is gone before both are unsaved documents', () =>
    held(plain, async (world) => {
      world.proposes(0, 'a.txt');
      await world.pass(1_200);
      world.types(0, false);
      await world.pass(8_000);
      world.types(0, false);
      await world.pass(400);
      world.crashesWindow();
      await world.pass(0);
      await world.typesIntoFile('a.txt', false);
      await world.pass(0);
      await world.reloads(false);
    }));

  it('hold when two hosts and their window end while a tab of the first is being saved', () =>
    held({ ...plain, seed: 380_898 }, async (world) => {
      await world.reloads(false);
      await world.pass(0);
      world.proposes(0, 'a.txt');
      await world.pass(150);
      world.types(0, false);
      await world.pass(0);
      await world.crashesHost();
      await world.pass(30);
      await world.crashesHost();
      await world.pass(30);
      world.crashesWindow();
    }));
});
