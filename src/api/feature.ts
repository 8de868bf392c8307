import type { IdeBridgeExports } from '../../api/ideBridge.d.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { ApiPorts, Apis } from './apis.ts';

/** What other extensions may use of this one, in few bytes: the rest is loaded when the first of them asks. */
export function apiFeature(ports: ApiPorts): Disposable & { readonly exports: IdeBridgeExports } {
  const store = new DisposableStore();
  let apis: Apis | undefined;
  return {
    exports: {
      async getAPI(version, extensionId) {
        const { Apis } = await import('./apis.ts');
        apis ??= store.add(new Apis(ports));
        return apis.get(version, extensionId);
      },
    },
    dispose: () => store.dispose(),
  };
}
