import fc from 'fast-check';
import type { Author } from '../../../src/changes/changeSet.ts';
import { authors, type Between, names, renames, World } from '../../support/changesWorld.ts';
import { type GitOperation, gitOperations, GitWorld, undoings } from '../../support/gitWorld.ts';

/** One step: what it is called in a counterexample, and what it does. */
class Step<W extends World> implements fc.AsyncCommand<object, W> {
  constructor(
    private readonly name: string,
    private readonly step: (world: W) => void | Promise<void>,
  ) {}

  check(): boolean {
    return true;
  }

  async run(_model: object, world: W): Promise<void> {
    await this.step(world);
    await world.check();
  }

  toString(): string {
    return this.name;
  }
}

const author = fc.constantFrom(...authors);
const name = fc.constantFrom(...names);
const how = fc.nat(7);
const which = fc.nat(5);
const fileOrFolder = fc.constantFrom(...names, 'dir');

/** A step with arguments that fast-check chooses, by the name of the method. */
function step<T extends unknown[], W extends World = World>(
  method: string,
  act: (world: W, ...values: T) => void | Promise<void>,
  ...values: { [K in keyof T]: fc.Arbitrary<T[K]> }
): fc.Arbitrary<Step<W>> {
  return fc
    .tuple<T>(...values)
    .map((chosen) => new Step(`${method}(${listed(chosen)})`, (world) => act(world, ...chosen)));
}

function listed(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify((value as Partial<Author>)?.label ?? value)).join();
}

const agentEdits = step(
  'agentEdits',
  (world, a: Author, n: string, h: number) => world.agentEdits(a, n, h),
  author,
  name,
  how,
);
const prompts = step('prompts', (world, a: Author) => world.prompts(a), author);
const steps = [
  ...[agentEdits, agentEdits],
  step('announce', (world, a: Author, n: string) => world.announce(a, n), author, name),
  step(
    'shellEdits',
    (world, a: Author, n: string, h: number) => world.shellEdits(a, n, h),
    author,
    name,
    how,
  ),
  step('accepts', (world, a: Author, n: string, h: number) => world.accepts(a, n, h), author, name, how),
  step('timePasses', (world) => world.timePasses()),
  step('userTypes', (world, n: string, s: boolean) => world.userTypes(n, s), name, fc.boolean()),
  step('userTypesInside', (world, n: string, a: number) => world.userTypesInside(n, a), name, which),
  step(
    'userMovesLine',
    (world, n: string, f: number, t: number | undefined) => world.userMovesLine(n, f, t),
    name,
    which,
    fc.option(which, { nil: undefined }),
  ),
  step(
    'userUndoesAndRedoes',
    (world, a: Author, n: string, w: number, t: number, b: Between) =>
      world.userUndoesAndRedoes(a, n, w, t, b),
    author,
    name,
    which,
    which,
    fc.constantFrom('nothing', 'reload', 'crash', 'rename', 'keepPart'),
  ),
  step('userUndoes', (world, n: string) => world.userUndoes(n), name),
  step('userSaves', (world, w: number) => world.userSaves(w), which),
  step('userSaves', (world, w: number) => world.userSaves(w), which),
  step('userSaves typing on', (world, w: number) => world.userSaves(w, 'typing on'), which),
  step('userSaves plainly', (world, w: number) => world.userSaves(w, 'plainly'), which),
  step(
    'userRenames',
    (world, [from, to]: (typeof renames)[number]) => world.userRenames(from, to),
    fc.constantFrom(...renames),
  ),
  step('userDeletes', (world, n: string) => world.userDeletes(n), fileOrFolder),
  step('keepFile', (world, n: string) => world.keepFile(n), name),
  step('keepPart', (world, n: string, w: number) => world.keepPart(n, w), name, which),
  step('keepSession', (world, a: Author) => world.keepSession(a), author),
  step(
    'revertFile',
    (world, w: number, r: 'edit' | 'save' | undefined) => world.revertFile(w, r),
    which,
    fc.constantFrom(undefined, undefined, 'edit' as const, 'save' as const),
  ),
  step('revertSession', (world, a: Author) => world.revertSession(a), author),
  step('revertHunks', (world, a: Author, n: string) => world.revertHunks(a, n), author, name),
  step('undoes', (world, w: number) => world.undoes(w), fc.nat(20)),
  step('undoes', (world, w: number) => world.undoes(w), fc.nat(20)),
  ...[prompts, prompts],
  step('goesBack', (world, a: Author, w: number) => world.goesBack(a, w), author, which),
  step('reload', (world) => world.reload()),
  step('crash', (world) => world.crash()),
];

const plainGit = [
  step('commit', (world) => world.commit()),
  step('checkout', (world) => world.checkout()),
  step('stashes', (world) => world.stashes()),
];

const operation = fc.constantFrom(...(Object.keys(gitOperations) as GitOperation[]));
const userRuns = step('userRuns', (world: GitWorld, o: GitOperation) => world.userRuns(o), operation);
const prompt = step('prompt', (world: GitWorld) => world.prompt());
const shellEdits = step(
  'shellEdits',
  (world, a: Author, n: string, h: number) => world.shellEdits(a, n, h),
  author,
  name,
  how,
);
const userWrites = step(
  'userWritesInTerminal',
  (world: GitWorld, n: string) => world.userWritesInTerminal(n),
  name,
);
const commitsAndUndoes = step(
  'userCommitsAndUndoes',
  (world: GitWorld, how: (typeof undoings)[number]) => world.userCommitsAndUndoes(how),
  fc.constantFrom(...undoings),
);
const realGit = [
  ...[userRuns, userRuns, userRuns, commitsAndUndoes],
  ...[prompt, prompt, userWrites, shellEdits, shellEdits],
];

/**
 * The same sequences in every run, as many as its time allows; as many others as are asked for, where a law that is broken
 * is seen again by the seed that fast-check prints.
 */
const { IDE_BRIDGE_MODEL_RUNS: runs, IDE_BRIDGE_MODEL_SEED: seed } = process.env;
const parameters = (numRuns: number, maxTime: number) => ({
  ...(runs === undefined
    ? { numRuns, interruptAfterTimeLimit: maxTime, seed: 12 }
    : { numRuns: Number(runs) }),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
});

describe('the laws of agent changes', function () {
  this.timeout(0);
  const [first, second] = authors as [Author, Author];

  // What random sequences have found once, and come upon too seldom to be sure of it.
  const found: Readonly<Record<string, (world: World) => readonly (() => unknown)[]>> = {
    'a keep is undone after what was accepted before it, and listed anew': (world) => [
      () => world.shellEdits(second, 'a.txt', 1),
      () => world.accepts(first, 'a.txt', 0),
      () => world.keepSession(second),
      () => world.announce(second, 'a.txt'),
      () => world.undoes(0),
      () => world.undoes(0),
    ],
    'a revert is undone, in whose place another file of the session has been renamed': (world) => [
      () => world.shellEdits(second, 'dir/c.txt', 1),
      () => world.userTypes('dir/c.txt', false),
      () => world.agentEdits(second, 'b.txt', 0),
      () => world.userSaves(0),
      () => world.stashes(),
      () => world.revertFile(0),
      () => world.userRenames('b.txt', 'dir/c.txt'),
      () => world.checkout(),
      () => world.undoes(0),
    ],
    'a keep is undone after an earlier one was, between which a part was kept': (world) => [
      () => world.shellEdits(first, 'b.txt', 0),
      () => world.userUndoesAndRedoes(first, 'b.txt', 1, 0, 'keepPart'),
      () => world.keepPart('b.txt', 0),
      () => world.agentEdits(second, 'b.txt', 0),
      () => world.undoes(0),
      () => world.keepSession(first),
      () => world.userUndoesAndRedoes(first, 'b.txt', 0, 0, 'nothing'),
      () => world.undoes(0),
      () => world.undoes(0),
    ],
    'a keep is undone after one that came next was, and before one that came last': (world) => [
      () => world.agentEdits(first, 'a.txt', 0),
      () => world.userUndoesAndRedoes(second, 'a.txt', 0, 0, 'keepPart'),
      () => world.keepSession(second),
      () => world.userUndoesAndRedoes(first, 'a.txt', 0, 0, 'keepPart'),
      () => world.checkout(),
      () => world.undoes(10),
      () => world.undoes(0),
    ],
    'a keep is undone, since which the user has saved a line that another session has taken out': (world) => [
      () => world.userTypes('a.txt', false),
      () => world.announce(first, 'a.txt'),
      () => world.userSaves(0),
      () => world.stashes(),
      () => world.keepFile('a.txt'),
      () => world.userTypes('a.txt', true),
      () => world.userSaves(0),
      () => world.shellEdits(second, 'a.txt', 2),
      () => world.undoes(0),
    ],
  };
  for (const [where, acts] of Object.entries(found)) {
    it(`hold where ${where}`, async () => {
      const world = new World();
      try {
        for (const act of acts(world)) {
          await act();
          await world.check();
        }
      } finally {
        world.dispose();
      }
    });
  }

  async function hold<W extends World>(
    create: () => W,
    commands: fc.Arbitrary<Iterable<fc.AsyncCommand<object, W>>>,
    limits: ReturnType<typeof parameters>,
  ): Promise<void> {
    let count = 0;
    const property = fc.asyncProperty(commands, async (chosen) => {
      count++;
      const world = create();
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: world }), chosen);
      } finally {
        world.dispose();
      }
    });
    await fc.assert(property, limits);
    console.log(`      ${count} sequences`);
  }

  it('hold in any sequence of what agents, user, git and crashes do', async () => {
    const commands = fc.commands([...steps, ...plainGit], { maxCommands: 40, size: 'max' });
    await hold(() => new World(), commands, parameters(2_000, 20_000));
  });

  it('hold over a real repository, with what its git does for the user', async () => {
    const commands = fc.commands([...steps, ...realGit], { maxCommands: 30, size: 'max' });
    await hold(() => new GitWorld(), commands, parameters(100, 10_000));
  });
});
