import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Disposable } from '../base/disposable.ts';
import type { SnapshotLimits } from './changeSets.ts';
import { setting } from '../editor/settings.ts';

const mebibyte = 1024 * 1024;

export function snapshotLimits(): SnapshotLimits {
  return {
    files: setting('changes.maxFiles'),
    totalBytes: setting('changes.maxTotalSize') * mebibyte,
    fileBytes: setting('changes.maxFileSize') * mebibyte,
  };
}

/** A folder of this window only. A window without a folder has no storage, and nothing to come back to. */
export function changeStorage(storageUri: vscode.Uri | undefined): Disposable & { readonly dir: string } {
  if (storageUri) {
    return { dir: vscode.Uri.joinPath(storageUri, 'changes').fsPath, dispose: () => {} };
  }
  const dir = mkdtempSync(join(tmpdir(), 'ide-bridge-'));
  return { dir, dispose: () => rmSync(dir, { recursive: true, force: true }) };
}
