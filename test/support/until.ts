/** ms between the first two looks, and at most: what asks a screen that draws by itself slows it down. */
const [shortest, longest] = [10, 100];

/**
 * Asks, ever more seldom, until `probe` gives something, and returns it; throws after `limit` ms, naming `what`, and
 * what was `seen` instead. 0 and an empty text are nothing: a file is there before what is written into it.
 */
export async function until<T>(
  what: string,
  probe: () => T | undefined | false | Promise<T | undefined | false>,
  limit = 10_000,
  seen?: () => unknown,
): Promise<T> {
  const deadline = Date.now() + limit;
  for (let pause = shortest; ; pause = Math.min(pause * 1.3, longest)) {
    const found = await probe();
    if (found) {
      return found;
    }
    if (Date.now() > deadline) {
      const instead = seen === undefined ? '' : `. Seen instead: ${shown(await seen())}`;
      throw new Error(`Not within ${limit} ms: ${what}${instead}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function shown(state: unknown): string {
  return typeof state === 'string' ? state : JSON.stringify(state);
}
