import { type Disposable, toDisposable } from './disposable.ts';

export type Event<T> = (listener: (event: T) => void) => Disposable;

/** Acts on the first, and listens no more. */
export function once<T>(event: Event<T>, act: (value: T) => void): Disposable {
  const listening = event((value) => {
    listening.dispose();
    act(value);
  });
  return listening;
}

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
