/**
 * Asks every 20 ms until `probe` gives something, and returns it; throws after `limit` ms, naming `what`, and what was
 * `seen` instead. 0 and an empty text are nothing: a file is there before what is written into it.
 */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  limit = 10_000,
  seen?: () => unknown,
): Promise<T> {
  const deadline = Date.now() + limit;
  for (;;) {
    const found = await probe();
    if (found) {
      return found;
    }
    if (Date.now() > deadline) {
      const instead = seen === undefined ? '' : `. Seen instead: ${shown(await seen())}`;
      throw new Error(`Not within ${limit} ms: ${what}${instead}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function shown(state: unknown): string {
  return typeof state === 'string' ? state : JSON.stringify(state);
}
