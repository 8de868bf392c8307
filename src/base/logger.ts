/**
 * The part of VS Code's `LogOutputChannel` that we use. info = a state change, debug = a decision,
 * trace = redacted traffic. Never a token, never the text of a file.
 */
export interface Logger {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
