/** One line for the summary of a run: the test, why it failed (its first lines: those of a locator say what was waited for), and where. */
export function failureText(title: string, { message, stack = '' }: Error): string {
  const why = message
    .split('\n')
    .slice(0, 4)
    .map((line) => line.trim());
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node_modules'));
  const where = frames.find((line) => line.includes('Context.<anonymous>')) ?? frames[0] ?? '';
  return [`${title}:`, ...why, where.trim()].filter((part) => part !== '').join(' ');
}
