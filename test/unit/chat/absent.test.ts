import assert from 'node:assert/strict';
import Module from 'node:module';
import type { ChatDependencies } from '../../../src/chat/chat.ts';

type Load = (name: string, ...more: unknown[]) => unknown;

describe('an editor without a chat', () => {
  const modules = Module as unknown as { _load: Load };
  const told: string[] = [];
  let load: Load;
  let cached: Set<string>;

  before(() => {
    load = modules._load;
    cached = new Set(Object.keys(require.cache));
    const vscode = {
      EventEmitter: class {
        readonly event = () => {};
        readonly dispose = () => {};
      },
      window: { showInformationMessage: (words: string) => void told.push(words) },
    };
    modules._load = (name, ...more) => (name === 'vscode' ? vscode : load(name, ...more));
  });

  after(() => {
    modules._load = load;
    // They have this editor: other tests load them with their own.
    for (const name of Object.keys(require.cache)) {
      if (!cached.has(name)) {
        delete require.cache[name];
      }
    }
  });

  it('has no @claude, says so where it is wanted, and does nothing else', async () => {
    const { ChatFeature } = await import('../../../src/chat/feature.ts');
    const feature = new ChatFeature({} as ChatDependencies);
    assert.equal(feature.ready, undefined);
    const commands = feature.commands({ refuseClick: () => false });
    await commands.chatModel();
    await commands.chatButton('id', 'allow');
    commands.stopChatSession(undefined);
    assert.deepEqual(told, ['This editor has no chat for extensions.']);
    assert.deepEqual([feature.participant, feature.sessions], [undefined, []]);
    feature.dispose();
  });
});
