import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { type IdePorts, IdeServer } from '../../../src/chat/ideServer.ts';

describe('the bridge as the IDE of @claude', () => {
  it('takes away the files with a token that a killed extension host has left, and no others', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ide-bridge-left-'));
    const left = '.0123456789abcdef.tmp';
    const others = ['.fedcba9876543210.tmp', 'editor-tools.json', `ide-${process.pid}-1.json`];
    try {
      for (const name of ['ide-0.json', 'ide-99999999-2.json', left, ...others]) {
        writeFileSync(join(folder, name), '{}');
      }
      utimesSync(join(folder, left), 0, 0);
      const quiet = () => {};
      new IdeServer({
        bridge: { endpoints: new Map(), onDidChangeState: () => ({ dispose: quiet }) },
        log: { trace: quiet, info: quiet, warn: quiet, error: quiet },
        storageUri: vscode.Uri.file(folder),
      } as unknown as IdePorts).dispose();
      assert.deepEqual(readdirSync(folder).sort(), others);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
