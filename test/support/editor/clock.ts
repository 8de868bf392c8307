import timersPromises from 'node:timers/promises';

/** Whose timer it is: with that process it ends. */
type Owner = 'host' | 'window' | 'world';

interface Timer {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner;
  readonly act: () => void;
}

/** The time in which a simulated window lives: it stands still until it is moved on, from one timer to the next. */
export class Clock {
  private time = 0;
  private order = 0;
  private timers: Timer[] = [];
  private restore: (() => void) | undefined;
  private readonly held: (() => Promise<unknown>)[] = [];

  /** ms since the beginning. */
  get now(): number {
    return this.time;
  }

  /** @returns takes it back */
  after(ms: number, owner: Owner, act: () => void): () => void {
    const timer = { at: this.time + Math.max(ms, 0), order: ++this.order, owner, act };
    this.timers.push(timer);
    return () => void (this.timers = this.timers.filter((other) => other !== timer));
  }

  sleep(ms: number, owner: Owner): Promise<void> {
    return new Promise((resolve) => this.after(ms, owner, resolve));
  }

  /** Nothing of it ever happens. */
  drop(owner: Owner): void {
    this.timers = this.timers.filter((timer) => timer.owner !== owner);
  }

  /** Until that is done, once every promise has gone on: it takes time, but none of this clock. */
  stopFor(outside: () => Promise<unknown>): void {
    this.held.push(outside);
  }

  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await this.settled();
    for (let next = this.next(end); next; next = this.next(end)) {
      this.timers.splice(this.timers.indexOf(next), 1);
      this.time = next.at;
      next.act();
      await this.settled();
    }
    this.time = end;
  }

  /** From now on the code under test has this time for its own, as the extension host. */
  install(): void {
    const { setTimeout, clearTimeout } = globalThis;
    const { now } = Date;
    const began = now();
    const performanceNow = performance.now.bind(performance);
    const { setTimeout: delay } = timersPromises;
    const handles = new WeakMap<object, () => void>();
    const start = (act: () => void, ms = 0) => {
      const handle = { unref: () => handle, ref: () => handle };
      handles.set(handle, this.after(ms, 'host', act));
      return handle;
    };
    const stop = (handle?: object) => void (handle && handles.get(handle)?.());
    Object.assign(globalThis, { setTimeout: start, clearTimeout: stop });
    Object.assign(timersPromises, { setTimeout: (ms: number) => this.sleep(ms, 'host') });
    Date.now = () => began + this.time;
    performance.now = () => this.time;
    this.restore = () => {
      Object.assign(globalThis, { setTimeout, clearTimeout });
      Object.assign(timersPromises, { setTimeout: delay });
      Date.now = now;
      performance.now = performanceNow;
    };
  }

  uninstall(): void {
    this.restore?.();
  }

  private async settled(): Promise<void> {
    await settled();
    for (let outside = this.held.shift(); outside; outside = this.held.shift()) {
      await outside();
      await settled();
    }
  }

  private next(end: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.timers) {
      const isEarlier = !first || timer.at < first.at || (timer.at === first.at && timer.order < first.order);
      first = timer.at <= end && isEarlier ? timer : first;
    }
    return first;
  }
}

/** Every promise that can go on has done so. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
