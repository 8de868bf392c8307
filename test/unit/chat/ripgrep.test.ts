import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ripgrepFolder } from '../../../src/chat/ripgrep.ts';

describe('ripgrep of the editor', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ide-bridge-rg-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  function write(name: string): void {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), '');
  }

  it('is found where the versions of the editor have it, for this system only', () => {
    const find = (platform: NodeJS.Platform, arch: NodeJS.Architecture) =>
      ripgrepFolder(root, { ...process, platform, arch });
    assert.equal(find('linux', 'x64'), undefined);
    const universal = 'node_modules/@vscode/ripgrep-universal/bin/linux-x64';
    write(`${universal}/rg`);
    assert.equal(find('linux', 'x64'), join(root, universal));
    assert.equal(find('linux', 'arm64'), undefined);
    const unpacked = 'node_modules.asar.unpacked/@vscode/ripgrep/bin';
    write(`${unpacked}/rg.exe`);
    assert.equal(find('win32', 'x64'), join(root, unpacked));
  });
});
