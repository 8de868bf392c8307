/** Anything that holds a listener, a timer, a socket or a file. Structurally the same as VS Code's. */
export interface Disposable {
  dispose(): void;
}

export function toDisposable(dispose: () => void): Disposable {
  return { dispose };
}

/**
 * Owns disposables. What is added after the store was disposed is disposed at once, so that a client that
 * goes away while something still starts leaves nothing behind.
 */
export class DisposableStore implements Disposable {
  private readonly items = new Set<Disposable>();
  private disposed = false;

  add<T extends Disposable>(item: T): T {
    if (this.disposed) {
      item.dispose();
    } else {
      this.items.add(item);
    }
    return item;
  }

  dispose(): void {
    this.disposed = true;
    const items = [...this.items].reverse();
    this.items.clear();
    for (const item of items) {
      item.dispose();
    }
  }
}
