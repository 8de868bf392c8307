/** A promise that is settled from outside, once. */
export class Deferred<T> {
  readonly promise: Promise<T>;
  private resolvePromise!: (value: T) => void;
  private isSettled = false;

  constructor() {
    this.promise = new Promise<T>((resolve) => {
      this.resolvePromise = resolve;
    });
  }

  /** @returns whether this call was the one that settled it. */
  settle(value: T): boolean {
    if (this.isSettled) {
      return false;
    }
    this.isSettled = true;
    this.resolvePromise(value);
    return true;
  }
}
