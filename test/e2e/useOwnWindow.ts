import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openWorkbench, type Workbench, type WorkbenchOptions } from '../host/workbench.ts';
import { keybindings } from './editorWindow.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';

export interface OwnWindow {
  /** A temporary folder. */
  readonly root: string;
  /** A VS Code with the extension, whose data lies in that folder; it is closed after the test. */
  open(options: WorkbenchOptions): Promise<Workbench>;
}

/** For each test of the enclosing `describe` a window that no other has used; a desk is for many. */
export function useOwnWindow(): OwnWindow {
  let root = '';
  let workbench: Workbench | undefined;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'ide-bridge-e2e-')));
  });
  afterEach(async () => {
    await workbench?.close();
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  return {
    get root() {
      return root;
    },
    async open(options) {
      workbench = await openWorkbench({
        dataDir: path.join(root, 'vscode'),
        ...extensionUnderTest(),
        keybindings,
        ...options,
      });
      return workbench;
    },
  };
}
