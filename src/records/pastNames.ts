/** Where they are kept; as VS Code's `Memento`. */
export interface NameStore {
  get<T>(key: string, fallback: T): T;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Pairs of a conversation's id and what the user has called it here, the last given last. The CLI knows nothing of it. */
type PastNames = readonly (readonly [sessionId: string, name: string])[];

const key = 'pastNames';
/** Beyond these the oldest go: the CLI forgets its conversations, too. */
const maxNames = 500;

export function nameOf(store: NameStore, sessionId: string): string | undefined {
  return store.get<PastNames>(key, []).find(([id]) => id === sessionId)?.[1];
}

/** @param name undefined: as the CLI calls it */
export async function setName(store: NameStore, sessionId: string, name: string | undefined): Promise<void> {
  const others = store.get<PastNames>(key, []).filter(([id]) => id !== sessionId);
  await store.update(key, [...others, ...(name === undefined ? [] : [[sessionId, name]])].slice(-maxNames));
}
