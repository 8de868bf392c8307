import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOnPath, programOf } from '../../../src/sessions/isOnPath.ts';

describe('the program of a command', () => {
  let root: string;
  const program = (name: string) => writeFileSync(join(root, name), '');

  before(() => {
    root = mkdtempSync(join(tmpdir(), 'on path '));
    mkdirSync(join(root, 'empty'));
  });
  after(() => rmSync(root, { recursive: true }));

  it('is its first word, which may be quoted', () => {
    assert.equal(programOf(' claude --continue'), 'claude');
    assert.equal(programOf('"/a b/claude" --continue'), '"/a b/claude"');
    assert.equal(programOf("& 'C:\\a b\\claude.exe' --continue"), "'C:\\a b\\claude.exe'");
  });

  it('is looked for in the folders of the PATH', () => {
    program('claude');
    const path = `${join(root, 'empty')}:${root}`;
    assert.equal(isOnPath('claude --continue', path, 'linux'), true);
    for (const missing of ['claud', 'claude.exe']) {
      assert.equal(isOnPath(missing, path, 'linux'), false, missing);
    }
    assert.equal(isOnPath('claude', join(root, 'empty'), 'linux'), false);
  });

  it('may have an ending of its own on Windows', () => {
    program('tool.CMD');
    program('script.ps1');
    const path = `${join(root, 'empty')};${root}`;
    for (const found of ['tool', 'tool.CMD', 'script']) {
      assert.equal(isOnPath(found, path, 'win32'), true, found);
    }
    assert.equal(isOnPath('tool', path.replace(';', ':'), 'linux'), false);
  });

  it('is where its path says, and is taken as found where only the shell knows', () => {
    program('claude');
    assert.equal(isOnPath(`"${join(root, 'claude')}" -c`, '', 'linux'), true);
    assert.equal(isOnPath(`& "${join(root, 'gone')}"`, root, 'win32'), false);
    for (const unknown of ['~/bin/claude', '$HOME/claude', '%APPDATA%\\claude', './claude']) {
      assert.equal(isOnPath(unknown, '', 'linux'), true, unknown);
    }
  });
});
