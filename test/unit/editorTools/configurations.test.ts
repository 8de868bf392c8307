import assert from 'node:assert/strict';
import { claudeCommand, stdioConfiguration } from '../../../src/editorTools/configurations.ts';

describe('what is copied for a client that starts a program', () => {
  const { CLAUDE_CONFIG_DIR } = process.env;
  afterEach(() => {
    if (CLAUDE_CONFIG_DIR === undefined) {
      delete process.env.CLAUDE_CONFIG_DIR;
    } else {
      process.env.CLAUDE_CONFIG_DIR = CLAUDE_CONFIG_DIR;
    }
  });
  const editor = () =>
    (JSON.parse(stdioConfiguration('/r.js', '/ws')) as { mcpServers: { editor: object } }).mcpServers.editor;

  it('names the folder of the lock files where that is not the usual one', () => {
    process.env.CLAUDE_CONFIG_DIR = '/my config';
    const env = { CLAUDE_CONFIG_DIR: '/my config' };
    assert.deepEqual(editor(), { command: 'node', args: ['/r.js', '--folder', '/ws'], env });
    assert.equal(
      claudeCommand('claude', '/r.js', 'linux'),
      "claude mcp add --env 'CLAUDE_CONFIG_DIR=/my config' --scope user editor node /r.js",
    );
  });

  it('has no environment else', () => {
    delete process.env.CLAUDE_CONFIG_DIR;
    assert.deepEqual(editor(), { command: 'node', args: ['/r.js', '--folder', '/ws'] });
  });

  it('has no quotes within quotes, of which PowerShell makes other words than cmd.exe does', () => {
    delete process.env.CLAUDE_CONFIG_DIR;
    assert.equal(
      claudeCommand('claude', 'C:\\my files\\r.js', 'win32'),
      'claude mcp add --scope user editor node "C:\\my files\\r.js"',
    );
  });
});
