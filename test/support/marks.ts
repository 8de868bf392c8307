import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Programs that do nothing but leave a mark: that they were run, with which arguments, and by which process. */
export class Marks {
  private readonly file: string;

  /** @param folder where they are; it may be put on the PATH */
  constructor(readonly folder: string) {
    mkdirSync(folder, { recursive: true });
    this.file = path.join(folder, 'marks.log');
  }

  /** Makes one of that name, and tells its path. */
  program(name: string): string {
    const program = path.join(this.folder, name);
    // Nothing but what the shell has within: the programs that it would call may be such as this one.
    writeFileSync(program, `#!/bin/sh\necho "\${0##*/} $* (by process $PPID)" >>'${this.file}'\nexit 1\n`, {
      mode: 0o755,
    });
    return program;
  }

  /** A line for each that was run. */
  read(): string[] {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8').trimEnd().split('\n') : [];
  }

  clear(): void {
    rmSync(this.file, { force: true });
  }
}
