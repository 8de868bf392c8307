import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Event } from '../base/emitter.ts';
import { Throttle } from '../base/throttle.ts';
import type { Clients } from './clients.ts';

/** Names the files whose problems changed; for clients that listen to it (the CLI asks by itself). */
export function publishDiagnostics(onDidChange: Event<readonly string[]>, clients: Clients): Disposable {
  const store = new DisposableStore();
  const uris = new Set<string>();
  const throttle = store.add(
    new Throttle(50, () => {
      clients.broadcast('diagnostics_changed', { uris: [...uris] });
      uris.clear();
    }),
  );
  store.add(
    onDidChange((changed) => {
      for (const uri of changed) {
        uris.add(uri);
      }
      if (uris.size > 0) {
        throttle.schedule();
      }
    }),
  );
  return store;
}
