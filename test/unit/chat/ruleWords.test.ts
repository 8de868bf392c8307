import assert from 'node:assert/strict';
import { ruleWords } from '../../../src/chat/ruleWords.ts';

const bash = (destination: string) => ({
  type: 'addRules',
  rules: [{ toolName: 'Bash', ruleContent: 'echo hi *' }, { toolName: 'Read' }],
  behavior: 'allow',
  destination,
});

describe('what "always" means', () => {
  it('is spelled out, with where it is noted', () => {
    assert.deepEqual(ruleWords([bash('session')]), [
      { what: 'Bash(echo hi *)', words: 'until this session ends' },
      { what: 'Read', words: 'until this session ends' },
    ]);
    const [first] = ruleWords([bash('localSettings')]) ?? [];
    assert.match(first?.words ?? '', /settings\.local\.json/);
    assert.deepEqual(ruleWords([{ type: 'addDirectories', directories: ['/a'], destination: 'session' }]), [
      { what: '/a', words: 'until this session ends' },
    ]);
    assert.equal(ruleWords([{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }])?.length, 1);
  });

  it('is not offered where nobody could say it, or where it is everything', () => {
    for (const rule of [
      { type: 'somethingNew' },
      { ...bash('session'), behavior: 'deny' },
      bash('elsewhere'),
      { type: 'setMode', mode: 'bypassPermissions', destination: 'session' },
    ]) {
      assert.equal(ruleWords([bash('session'), rule]), undefined, JSON.stringify(rule));
    }
    assert.equal(ruleWords([]), undefined);
  });
});
