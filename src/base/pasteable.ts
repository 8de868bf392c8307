/** Among them ESC, with which a text could end its own paste, and Enter. */
const controls = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/**
 * The text as one line that may be pasted into the CLI, whatever is on its screen, and is taken for words. At the start
 * of a prompt `!` begins a shell command, `/` a slash command, `#` a memory; CLIs up to 2.0.77 take a digit that is
 * pasted for the answer to a question.
 */
export function pasteable(text: string): string {
  const line = text.replaceAll(controls, ' ').trim();
  return /^\p{L}./u.test(line) ? line : `Reason: ${line}`;
}

/** The same as several lines, which the CLI takes as one paste. It has to begin with a word. */
export function pasteableLines(text: string): string {
  const lines = text.replaceAll('\t', '    ').split(/\r\n|[\r\n\u2028\u2029]/);
  return lines.map((line) => line.replaceAll(controls, ' ').trimEnd()).join('\n');
}
