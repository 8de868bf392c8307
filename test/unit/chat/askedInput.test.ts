import assert from 'node:assert/strict';
import { askedInput } from '../../../src/chat/askedInput.ts';

describe('what the user is asked about', () => {
  it('is the command, and all that is asked for with it', () => {
    assert.deepEqual(
      askedInput('Bash', {
        command: 'npm test',
        description: 'Tests it',
        dangerouslyDisableSandbox: true,
        timeout: 600_000,
      }),
      [
        ['npm test', 'sh'],
        ['{\n  "dangerouslyDisableSandbox": true,\n  "timeout": 600000\n}', 'json'],
      ],
    );
  });

  it('is the command alone where nothing else is', () => {
    for (const input of [{ command: 'npm test' }, { command: 'npm test', description: 'Tests it' }]) {
      assert.deepEqual(askedInput('Bash', input), [['npm test', 'sh']]);
    }
  });

  it('is the whole input of any other tool', () => {
    const input = { command: 'create', description: 'a view' };
    assert.deepEqual(askedInput('mcp__views__make', input), [[JSON.stringify(input, null, 2), 'json']]);
    assert.deepEqual(askedInput('Bash', { command: '' }), [['{\n  "command": ""\n}', 'json']]);
  });
});
