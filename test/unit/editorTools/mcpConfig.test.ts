import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renewMcpConfig, writeMcpConfig } from '../../../src/editorTools/mcpConfig.ts';

describe('the configuration of the editor tools for a CLI', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ide-bridge-mcp-'));
    writeFileSync(join(folder, '4711.lock'), JSON.stringify({ authToken: 'secret' }));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('names the path of the bridge and its token', () => {
    const path = join(folder, 'storage', 'editor-tools.json');
    writeMcpConfig(path, join(folder, '4711.lock'), 'editor');
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), {
      mcpServers: {
        editor: {
          type: 'ws',
          url: 'ws://127.0.0.1:4711/editor',
          headers: { 'X-Claude-Code-Ide-Authorization': 'secret' },
        },
      },
    });
    writeMcpConfig(path, join(folder, '4711.lock'), 'ide');
    assert.match(readFileSync(path, 'utf8'), /"ide":.*:4711\/ide"/);
  });

  it('can be read by this user only, also where it takes the place of another', function () {
    if (process.platform === 'win32') {
      this.skip();
    }
    const path = join(folder, 'editor-tools.json');
    writeFileSync(path, 'old', { mode: 0o666 });
    writeMcpConfig(path, join(folder, '4711.lock'), 'editor');
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('is not written through a link, nor of what is no lock file', () => {
    const other = join(folder, 'other.txt');
    const path = join(folder, 'editor-tools.json');
    writeFileSync(other, 'mine');
    symlinkSync(other, path);
    writeMcpConfig(path, join(folder, '4711.lock'), 'editor');
    assert.equal(readFileSync(other, 'utf8'), 'mine');
    assert.throws(() => writeMcpConfig(path, join(folder, '4712.lock'), 'editor'), /lock file/);
    writeFileSync(join(folder, '4713.lock'), '{}');
    assert.throws(() => writeMcpConfig(path, join(folder, '4713.lock'), 'editor'));
  });

  it('does not outlive the bridge with its token, and is there for who names it', () => {
    const path = join(folder, 'editor-tools.json');
    renewMcpConfig(path, join(folder, '4711.lock'), 'editor');
    assert.ok(!existsSync(path));
    writeMcpConfig(path, join(folder, '4711.lock'), 'editor');
    renewMcpConfig(path, undefined, 'editor');
    assert.equal(readFileSync(path, 'utf8'), '{"mcpServers":{}}');
    writeFileSync(join(folder, '4712.lock'), JSON.stringify({ authToken: 'other' }));
    renewMcpConfig(path, join(folder, '4712.lock'), 'editor');
    assert.match(readFileSync(path, 'utf8'), /:4712\/editor".*"other"/);
  });
});
