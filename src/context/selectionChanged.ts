import { type Disposable, DisposableStore, toDisposable } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { Throttle } from '../base/throttle.ts';
import type { SelectionChanged } from '../protocol/ide.ts';
import type { Clients } from './clients.ts';

export interface SelectionSource {
  /** What is selected, or where the cursor is; the last one while the focus is elsewhere. */
  readonly current: SelectionChanged | undefined;
  readonly onDidChange: Event<void>;
}

/** To say that nothing is open as the CLI takes it; null fields would be ignored. */
export const nothing: SelectionChanged = {
  text: '',
  filePath: '',
  fileUrl: '',
  selection: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 }, isEmpty: true },
};

/**
 * ms after `ide_connected`. The CLI says it before it listens: what comes in the same moment is lost on 1.0, 2.0 and
 * 2.1, at 20 ms still on 2.0, and later on a busy machine.
 */
const introductions = [0, 100, 500, 2000];

/**
 * ms after a tool call. The CLI uses the selection up when it sends a prompt, some time after the call that tells us of
 * it: mostly within the first, on a busy machine later.
 */
const untilUsedUp = [1_000, 4_000];

/**
 * At most one message per 50 ms, and none that says the same as the last.
 * @param isSharedAnew whether to say it again after each prompt
 */
export function publishSelection(
  source: SelectionSource,
  clients: Clients,
  isSharedAnew: () => boolean,
): Disposable {
  const store = new DisposableStore();
  let last = '';
  const throttle = store.add(
    new Throttle(50, () => {
      const selection = source.current ?? nothing;
      const key = JSON.stringify(selection);
      if (key !== last) {
        last = key;
        clients.broadcast('selection_changed', selection);
      }
    }),
  );
  store.add(source.onDidChange(() => throttle.schedule()));
  // A client that (re)connects knows nothing yet, and is not told by the next equal value. Repeating it does no harm
  // until a prompt uses it up.
  const timers = new Set<ReturnType<typeof setTimeout>>();
  store.add(toDisposable(() => timers.forEach(clearTimeout)));
  store.add(
    clients.onDidIdentify((session) => {
      for (const delay of introductions) {
        const timer = setTimeout(() => {
          timers.delete(timer);
          if (source.current && session.lastUsed === 0) {
            session.notify('selection_changed', source.current);
          }
        }, delay);
        timers.add(timer);
      }
    }),
  );
  // The CLI calls tools when a prompt is sent: let it go with what is selected now.
  store.add(clients.onDidUse(() => throttle.flush()));
  for (const delay of untilUsedUp) {
    const anew = store.add(
      new Throttle(delay, () => {
        if (source.current && isSharedAnew()) {
          clients.broadcast('selection_changed', source.current);
        }
      }),
    );
    store.add(clients.onDidUse(() => anew.schedule()));
  }
  return store;
}
