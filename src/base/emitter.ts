import { type Disposable, toDisposable } from './disposable.ts';

export type Event<T> = (listener: (event: T) => void) => Disposable;

/** The event half of VS Code's `EventEmitter`, for the layers that do not know VS Code. */
export class Emitter<T> implements Disposable {
  private readonly listeners = new Set<{ readonly call: (event: T) => void }>();

  readonly event: Event<T> = (call) => {
    const entry = { call };
    this.listeners.add(entry);
    return toDisposable(() => this.listeners.delete(entry));
  };

  fire(event: T): void {
    for (const { call } of [...this.listeners]) {
      call(event);
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}
