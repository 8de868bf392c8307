import { Emitter } from '../base/emitter.ts';
import type { Disposable } from '../base/disposable.ts';
import type { ConversationState, Delta, Item, Snapshot } from './items.ts';

/** What a surface gets: all that there is, or what has come since its last update. */
export type Update =
  | { readonly type: 'snapshot'; readonly snapshot: Snapshot }
  | { readonly type: 'deltas'; readonly seq: number; readonly deltas: readonly Delta[] };

/**
 * Deltas that are kept for surfaces which are behind, and how large they are together, as JSON in UTF-16 units; up to
 * twice as much before the oldest go. A surface that is further behind begins anew.
 */
const maxKept = { count: 2_000, size: 4_000_000 };

/**
 * A conversation as any surface can show it, and as several may at once. Surfaces pull: one that is slow or gone costs
 * nothing and misses nothing.
 */
export class Conversation {
  private readonly items = new Map<string, Item>();
  private state: ConversationState = { isRunning: false };
  private seq = 0;
  /** The last ones; its first has the number `seq - kept.length + 1`. */
  private kept: { readonly delta: Delta; readonly size: number }[] = [];
  private keptSize = 0;
  private readonly changed = new Emitter<void>();

  get current(): ConversationState {
    return this.state;
  }

  get(id: string): Item | undefined {
    return this.items.get(id);
  }

  snapshot(): Snapshot {
    return { seq: this.seq, items: [...this.items.values()], state: this.state };
  }

  apply(delta: Delta): void {
    this.state = applyDelta(this.items, this.state, delta);
    this.seq++;
    const size = JSON.stringify(delta).length;
    this.kept.push({ delta, size });
    this.keptSize += size;
    if (this.kept.length > 2 * maxKept.count || this.keptSize > 2 * maxKept.size) {
      this.forget();
    }
    this.changed.fire();
  }

  private forget(): void {
    let gone = 0;
    for (const { size } of this.kept) {
      if (this.kept.length - gone <= maxKept.count && this.keptSize <= maxKept.size) {
        break;
      }
      this.keptSize -= size;
      gone++;
    }
    this.kept = this.kept.slice(gone);
  }

  /** @param after what the surface has seen; undefined for all */
  updateSince(after: number | undefined): Update | undefined {
    if (after === this.seq) {
      return undefined;
    }
    const missed = this.seq - (after ?? 0);
    if (after === undefined || missed < 0 || missed > this.kept.length) {
      return { type: 'snapshot', snapshot: this.snapshot() };
    }
    const deltas = this.kept.slice(this.kept.length - missed).map(({ delta }) => delta);
    return { type: 'deltas', seq: this.seq, deltas: joined(deltas) };
  }

  /**
   * Hands updates to a surface, one at a time: the next when `show` has settled, with all that has come meanwhile.
   * @param after what it had when it was detached; undefined for all
   */
  attach(show: (update: Update) => Promise<void> | void, after?: number): Disposable {
    let seen = after;
    let isShowing = false;
    let isDetached = false;
    const next = async () => {
      if (isShowing) {
        return;
      }
      isShowing = true;
      try {
        // What comes in one go is one update.
        await Promise.resolve();
        for (let update; !isDetached && (update = this.updateSince(seen));) {
          seen = update.type === 'snapshot' ? update.snapshot.seq : update.seq;
          await show(update);
        }
      } catch {
        isDetached = true; // a surface that fails is gone
        listening.dispose();
      } finally {
        isShowing = false;
      }
    };
    const listening = this.changed.event(() => void next());
    void next();
    return {
      dispose: () => {
        isDetached = true;
        listening.dispose();
      },
    };
  }
}

/** Changes `items` in place. @returns the state after it. A delta of what is not there changes nothing. */
export function applyDelta(
  items: Map<string, Item>,
  state: ConversationState,
  delta: Delta,
): ConversationState {
  switch (delta.type) {
    case 'add':
      items.set(delta.item.id, delta.item);
      return state;
    case 'append': {
      const item = items.get(delta.id);
      if (item?.kind === 'toolUse') {
        items.set(delta.id, { ...item, inputText: item.inputText + delta.text });
      } else if (item?.kind === 'text' || item?.kind === 'thinking') {
        items.set(delta.id, { ...item, text: item.text + delta.text });
      }
      return state;
    }
    case 'change': {
      const item = items.get(delta.id);
      if (item) {
        items.set(delta.id, { ...item, ...delta.fields });
      }
      return state;
    }
    case 'remove':
      items.delete(delta.id);
      return state;
    case 'state':
      return { ...state, ...delta.fields };
  }
}

/** Text that was appended in many pieces, as one. */
function joined(deltas: readonly Delta[]): Delta[] {
  const result: Delta[] = [];
  for (const delta of deltas) {
    const last = result.at(-1);
    if (delta.type === 'append' && last?.type === 'append' && last.id === delta.id) {
      result[result.length - 1] = { ...last, text: last.text + delta.text };
    } else {
      result.push(delta);
    }
  }
  return result;
}
