import { printable } from './printable.ts';

/**
 * The part of VS Code's `LogOutputChannel` that we use. info = a state change, trace = redacted traffic. Never a token,
 * never the text of a file.
 */
export interface Logger {
  trace(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** Whatever others have put into a message, it is one line in the log. */
export function oneLine(log: Logger): Logger {
  return {
    trace: (message) => log.trace(printable(message, 1_000)),
    info: (message) => log.info(printable(message, 1_000)),
    warn: (message) => log.warn(printable(message, 1_000)),
    error: (message) => log.error(printable(message, 1_000)),
  };
}
