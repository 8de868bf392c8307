import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { delimiter } from 'node:path';
import type { Scratch } from './bridge.ts';

/** A git that writes down what it is asked, and passes it on. The editor's own knows its git by path. */
export class GitSpy {
  private readonly log: string;
  private readonly path = process.env.PATH ?? '';

  constructor(scratch: Scratch) {
    this.log = scratch.path('spy/log.txt');
    const git = scratch.write(
      'spy/git',
      `#!/bin/sh\necho "$*" >> "${this.log}"\nPATH="${this.path}"\nexec git "$@"\n`,
    );
    chmodSync(git, 0o755);
    process.env.PATH = scratch.path('spy') + delimiter + this.path;
  }

  /** The arguments of each run so far. */
  get runs(): string[] {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8').trim().split('\n') : [];
  }

  remove(): void {
    process.env.PATH = this.path;
  }
}
