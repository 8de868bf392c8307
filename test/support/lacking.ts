import type { PackageName } from '../host/systemPackages.ts';
import { testEnvironment } from './testEnvironment.ts';

/** Skips a test, or all tests of a hook, where the runner has found that this is not installed. */
export function skipWithout(name: PackageName, test: Mocha.Context): void {
  if (process.env[testEnvironment.lacking]?.split(',').includes(name)) {
    test.skip();
  }
}
