import type { Disposable } from '../base/disposable.ts';
import { commandIds } from '../editor/commandIds.ts';
import { StatusItem } from '../editor/statusItem.ts';
import { type Changes, leftText } from './changes.ts';

/** Shows how much waits for review, wherever the user is. A click, or the key, goes to the next change. */
export class ChangesStatus implements Disposable {
  private readonly item = new StatusItem(
    'ideBridge.changes',
    100.0005,
    'Agent Changes',
    commandIds.nextAgentChange,
  );
  private readonly subscription: Disposable;

  constructor(changes: Changes) {
    this.subscription = changes.onDidChange(() => this.update(changes));
    this.update(changes);
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private update({ all }: Changes): void {
    const text = leftText(all);
    this.item.tell(
      text === undefined
        ? undefined
        : {
            text: `$(git-compare) ${text}`,
            tooltip: `${text} by agents to review: click to go there.`,
          },
    );
  }
}
