import assert from 'node:assert/strict';
import { type Machine, type PackageName, provide } from '../host/systemPackages.ts';

/** A machine that has `there`, and can get `available`. */
class FakeMachine implements Machine {
  readonly said: string[] = [];
  mayInstall = false;
  isCi = false;
  installed: PackageName[] = [];

  constructor(
    private readonly there: PackageName[],
    private readonly available: PackageName[] = [],
  ) {}

  isThere = (name: PackageName) => this.there.includes(name);
  say = (line: string) => this.said.push(line);
  install = (names: readonly PackageName[]) => {
    this.installed = [...names];
    this.there.push(...names.filter((name) => this.available.includes(name)));
  };
}

describe('system packages', () => {
  const wanted: PackageName[] = ['chromium', 'python3-ipykernel'];

  it('says nothing when all are there', () => {
    const machine = new FakeMachine([...wanted]);
    assert.deepEqual(provide(wanted, machine), []);
    assert.deepEqual(machine.said, []);
  });

  it('installs what is missing where it may', () => {
    const machine = new FakeMachine(['chromium'], wanted);
    machine.mayInstall = true;
    assert.deepEqual(provide(wanted, machine), []);
    assert.deepEqual(machine.installed, ['python3-ipykernel']);
  });

  it('says what is missing, and how to get it, where it may not', () => {
    const machine = new FakeMachine(['chromium'], wanted);
    assert.deepEqual(provide(wanted, machine), ['python3-ipykernel']);
    assert.deepEqual(machine.installed, []);
    assert.match(machine.said.join('\n'), /Missing: python3-ipykernel, a kernel for notebooks/);
    assert.match(machine.said.join('\n'), /sudo apt-get install python3-ipykernel\n.*skipped/);
  });

  it('says so too when it could not be installed', () => {
    const machine = new FakeMachine([], ['python3-ipykernel']);
    machine.mayInstall = true;
    assert.deepEqual(provide(wanted, machine), ['chromium']);
    assert.match(machine.said.join('\n'), /sudo apt-get install chromium$/m);
  });

  it('lets nothing be skipped in CI', () => {
    const machine = new FakeMachine(['chromium']);
    machine.isCi = true;
    assert.throws(() => provide(wanted, machine), /all of them have to be there/);
    assert.match(machine.said.join('\n'), /Missing: python3-ipykernel/);
  });
});
