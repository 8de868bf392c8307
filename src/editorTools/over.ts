/**
 * @param time in ms
 * @returns settles when the time is over or the signal is aborted, also where it is by now, which no listener is told
 */
export function whenOver(signal: AbortSignal, time: number): Promise<undefined> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve(undefined);
    };
    const timer = setTimeout(end, signal.aborted ? 0 : time);
    signal.addEventListener('abort', end, { once: true });
  });
}
