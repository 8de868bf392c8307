/** A promise that is settled from outside, once. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  private resolvePromise!: (value: T) => void;
  private settled = false;

  constructor() {
    this.promise = new Promise<T>((resolve) => {
      this.resolvePromise = resolve;
    });
  }

  get isSettled(): boolean {
    return this.settled;
  }

  /** @returns whether this call was the one that settled it. */
  settle(value: T): boolean {
    if (this.settled) {
      return false;
    }
    this.settled = true;
    this.resolvePromise(value);
    return true;
  }
}
