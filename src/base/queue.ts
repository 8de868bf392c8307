/** Runs steps one after the other, also when the one before has failed. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  /** @returns settles as the step does */
  run<T>(step: () => Promise<T>): Promise<T> {
    const done = this.last.then(step, step);
    this.last = done;
    return done;
  }
}
