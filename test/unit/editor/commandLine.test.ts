import assert from 'node:assert/strict';
import { commandLine } from '../../../src/editor/commandLine.ts';

describe('a command line for the user’s shell', () => {
  it('leaves the command and plain arguments as they are', () => {
    assert.equal(commandLine('npx claude', ['--model', 'opus'], 'linux'), 'npx claude --model opus');
  });

  it('quotes what the shell would take apart', () => {
    assert.equal(commandLine('claude', ['the big one', "it's"], 'linux'), `claude 'the big one' 'it'\\''s'`);
    assert.equal(commandLine('claude', ['the big one', '$HOME'], 'darwin'), `claude 'the big one' '$HOME'`);
    assert.equal(commandLine('claude', ['the big one'], 'win32'), 'claude "the big one"');
  });

  it('quotes on Windows all that one of its shells takes apart, and has no backslash take the quote away', () => {
    const words = ['a,b', '@x', '%PATH%', 'C:\\x', 'C:\\my dir\\', 'say "x"', '--model=opus', './a.b:c'];
    assert.equal(
      commandLine('claude', words, 'win32'),
      'claude "a,b" "@x" "%PATH%" "C:\\x" "C:\\my dir\\\\" "say \\"x\\"" --model=opus ./a.b:c',
    );
    assert.equal(commandLine('claude', ['a,b', '@x'], 'linux'), 'claude a,b @x');
  });
});
