import type { Disposable } from './disposable.ts';

/**
 * Runs `action` once per burst of `schedule()` calls, `delay` ms after the first of them: a burst that never
 * ends still gets an answer every `delay` ms.
 */
export class Throttle implements Disposable {
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly delay: number,
    private readonly action: () => void,
  ) {}

  schedule(): void {
    this.timer ??= setTimeout(() => this.flush(), this.delay);
  }

  /** Runs the action now if it is scheduled. */
  flush(): void {
    if (this.timer !== undefined) {
      this.dispose();
      this.action();
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}
