import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { commentCommandNames, loadedCommands } from '../editor/commandIds.ts';
import type { Comments, CommentsDependencies } from './comments.ts';
import { rememberedThreads } from './saved.ts';

/** Comments on lines, for the sessions that have changed them. Loaded once there is something to write about. */
export class CommentsFeature implements Disposable {
  private comments: Promise<Comments> | undefined;
  private readonly store = new DisposableStore();

  constructor(private readonly dependencies: CommentsDependencies) {
    const { proposals, changes, memory } = dependencies;
    for (const event of [proposals.onDidChange, changes.onDidChange]) {
      const first = this.store.add(
        event(() => {
          if (proposals.all.length > 0 || changes.all.length > 0) {
            first.dispose();
            void this.load();
          }
        }),
      );
    }
    if (memory.get<unknown[]>(rememberedThreads, []).length > 0) {
      void this.load();
    }
  }

  commands() {
    return loadedCommands(commentCommandNames, async () => (await this.load()).commands);
  }

  dispose(): void {
    this.store.dispose();
  }

  private load(): Promise<Comments> {
    return (this.comments ??= import('./comments.ts').then(({ Comments }) =>
      this.store.add(new Comments(this.dependencies)),
    ));
  }
}
