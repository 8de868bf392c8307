/** Instead of what was waited for. */
export const late = Symbol('late');

/**
 * @param time in ms
 * @returns `late` when the time is over or the signal is aborted first, also where it is by now, which no listener is told
 */
export async function within<T>(
  time: number,
  signal: AbortSignal,
  work: PromiseLike<T>,
): Promise<T | typeof late> {
  let end = () => {};
  const over = new Promise<typeof late>((resolve) => (end = () => resolve(late)));
  const timer = setTimeout(end, signal.aborted ? 0 : time);
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
