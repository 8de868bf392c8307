import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { EditorAgents } from '../../../src/chat/editorAgents.ts';
import { until } from '../../support/until.ts';

describe('the agents that the editor’s own chat is offered', () => {
  it('are those of .claude, whenever they change', async () => {
    const folder = join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', '.claude');
    let changes = 0;
    const agents = new EditorAgents(() => changes++);
    try {
      assert.deepEqual(agents.provide(), []);
      const file = join(folder, 'agents', 'plum.md');
      mkdirSync(join(folder, 'agents'), { recursive: true });
      writeFileSync(file, '---\nname: plum\ndescription: Picks plums\n---\nPick.');
      await until('the change', () => changes > 0);
      assert.deepEqual(
        agents.provide().map(({ uri, name, description }) => [uri.fsPath, name, description]),
        [[file, 'plum', 'Picks plums']],
      );
    } finally {
      agents.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
