import assert from 'node:assert/strict';
import { problemOfKey } from '../../../src/chat/keyProblem.ts';

describe('What is typed as an API key', () => {
  const anthropic = 'https://api.anthropic.com';
  const gateway = 'https://gateway.example/anthropic';
  const key = 'sk-ant-api03-0123456789_-x';

  it('is taken if it looks like one of that API, with spaces around it too', () => {
    for (const url of [anthropic, `${anthropic}/`, gateway]) {
      assert.equal(problemOfKey(key, url), undefined);
      assert.equal(problemOfKey(` ${key}\n`, url), undefined);
    }
    assert.equal(problemOfKey('own-key', gateway), undefined);
  });

  it('is refused if it is none, in words that do not quote it', () => {
    const cases = [
      ['', gateway, /Paste/],
      ['   ', gateway, /Paste/],
      ['two words', gateway, /spaces/],
      ['schlüssel', gateway, /ASCII/],
      ['a'.repeat(2_001), gateway, /long/],
      ['sk-ant-oat01-0123456789', gateway, /login/],
      ['sk-openai-0123456789', anthropic, /sk-ant-/],
      ['sk-ant-', anthropic, /sk-ant-/],
    ] as const;
    for (const [typed, url, expected] of cases) {
      const problem = problemOfKey(typed, url) ?? assert.fail(typed);
      assert.match(problem, expected);
      assert.ok(typed.trim() === '' || typed === 'sk-ant-' || !problem.includes(typed));
    }
  });
});
