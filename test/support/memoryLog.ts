import type { Logger } from '../../src/base/logger.ts';

/** Keeps what is logged, so that a test can look for it. */
export class MemoryLog implements Logger {
  readonly lines: string[] = [];
  readonly trace = (message: string) => void this.lines.push(message);
  readonly info = this.trace;
  readonly warn = this.trace;
  readonly error = this.trace;
}
