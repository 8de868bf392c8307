import assert from 'node:assert/strict';
import { picksIn, withPick, withPicks } from '../../../src/chat/picks.ts';

describe('picks of the chat', () => {
  const options = { folders: ['/ws'], mode: 'default', mayBypass: false } as const;

  it('go before the settings', () => {
    const picks = withPick({ mode: 'plan' }, 'model', 'opus');
    assert.deepEqual(withPicks(options, picks), { ...options, mode: 'plan', model: 'opus' });
    assert.deepEqual(withPick(picks, 'model', undefined), { mode: 'plan' });
  });

  it('do not bypass permissions where the settings do not allow it, whatever is remembered', () => {
    const picks = picksIn({ mode: 'bypassPermissions' });
    assert.equal(withPicks(options, picks).mode, 'default');
    assert.equal(withPicks({ ...options, mayBypass: true }, picks).mode, 'bypassPermissions');
  });

  it('are none where what is remembered cannot be read', () => {
    assert.deepEqual(picksIn(undefined), {});
    assert.deepEqual(picksIn({ mode: 'x', model: 3, agent: '', effort: 7 }), {});
  });
});
