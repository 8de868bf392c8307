import type { IdeBridgeExports } from '../../api/ideBridge.d.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { ApiPorts, Apis } from './apis.ts';

/** What other extensions may use of this one. Loaded when the first of them asks. */
export class ApiFeature implements Disposable {
  private readonly store = new DisposableStore();
  private apis: Apis | undefined;

  readonly exports: IdeBridgeExports = {
    getAPI: async (version, extensionId) => {
      const { Apis } = await import('./apis.ts');
      this.apis ??= this.store.add(new Apis(this.ports));
      return this.apis.get(version, extensionId);
    },
  };

  constructor(private readonly ports: ApiPorts) {}

  dispose(): void {
    this.store.dispose();
  }
}
