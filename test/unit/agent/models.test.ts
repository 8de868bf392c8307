import assert from 'node:assert/strict';
import { parseInitialized } from '../../../src/agent/messages.ts';
import { contextWindowOf, modelsOf } from '../../../src/agent/models.ts';

describe('The models of an agent', () => {
  it('are those that the CLI offers, then the aliases that it does not name', () => {
    const initialized = parseInitialized({
      models: [
        { value: 'default', displayName: 'Default (recommended)', description: 'The newest' },
        { value: 'opus' },
        { displayName: 'without a value' },
      ],
    });
    assert.deepEqual(modelsOf(initialized), modelsOf(undefined), 'a list that is not understood is none');
    const { models } = parseInitialized({
      models: [
        { value: 'default', displayName: 'Default (recommended)', description: 'The newest' },
        { value: 'opus' },
      ],
    });
    assert.deepEqual(
      modelsOf({ commands: [], agents: [], models }).map(({ id, label }) => [id, label]),
      [
        ['default', 'Default (recommended)'],
        ['opus', 'opus'],
        ['sonnet', 'Sonnet'],
        ['haiku', 'Haiku'],
      ],
    );
  });

  it('take so many tokens', () => {
    assert.equal(contextWindowOf('opus'), 200_000);
    assert.equal(contextWindowOf('claude-sonnet-4-5[1m]'), 1_000_000);
  });
});
