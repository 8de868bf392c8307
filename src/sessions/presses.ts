import { setTimeout as sleep } from 'node:timers/promises';
import { repeatTime } from '../proposals/inFront.ts';

/** ms within which a key that is held comes once more, when it has come again, as keyboards are set by default. */
const nextRepeatTime = 120;

/** Tells presses of a key from the repeats of one that is held down, of which VS Code says nothing. */
export class Presses {
  private last = -Infinity;

  /** To be asked for each. One that comes soon is a press of its own if no other follows at once. */
  async isOwn(): Promise<boolean> {
    const now = performance.now();
    const since = now - this.last;
    this.last = now;
    if (since >= repeatTime) {
      return true;
    }
    if (since >= nextRepeatTime) {
      await sleep(nextRepeatTime);
      await sleep(0); // where all stood still meanwhile, what has come is heard after timers
      return this.last === now;
    }
    return false;
  }
}
