import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { settingNames, settingRules } from '../../../src/editor/settingNames.ts';
import { setting } from '../../../src/editor/settings.ts';
import { until } from '../../support/until.ts';

describe('a setting that protects', () => {
  const { Global, Workspace } = vscode.ConfigurationTarget;
  const update = (name: string, value: unknown, target: vscode.ConfigurationTarget) =>
    vscode.workspace.getConfiguration('ideBridge').update(name, value, target);

  const cases = [
    ['records.enabled', true, false],
    ['agent.languageModelTools', ['a', 'b'], ['a']],
    ['mention.target', 'lastActive', 'ask'],
    ['share.enabled', true, false],
    ['share.exclude', [], ['*.log']],
    ['share.excludeGitIgnored', false, true],
    ['share.selectionWithEachPrompt', true, false],
    ['diff.takeFocus', true, false],
    ['diff.returnFocus', true, false],
    ['diff.acceptOnSave', true, false],
    ['editorTools.enabled', true, false],
    ['editorTools.editing', true, false],
    ['editorTools.running', true, false],
    ['editorTools.debugging', true, false],
    ['editorTools.languageModelTools', ['a', 'b'], ['a']],
    ['notebook.keepCell', false, true],
    ['notebook.outputLimit', 50_000, 2_000],
  ] as const;

  afterEach(async () => {
    for (const [name] of cases) {
      await update(name, undefined, Workspace);
      await update(name, undefined, Global);
    }
  });

  for (const [name, loose, strict] of cases) {
    it(`${name} is tightened by the workspace, and not loosened`, async () => {
      for (const [user, workspace] of [
        [strict, loose],
        [loose, strict],
      ]) {
        await update(name, user, Global);
        await update(name, workspace, Workspace);
        await until('both', () => {
          const found = vscode.workspace.getConfiguration('ideBridge').inspect(name);
          return (
            JSON.stringify([found?.globalValue, found?.workspaceValue]) === JSON.stringify([user, workspace])
          );
        });
        assert.deepEqual(setting(name), strict, `user ${String(user)}, workspace ${String(workspace)}`);
      }
    });
  }

  it('is one of these', () => {
    assert.deepEqual(
      cases.map(([name]) => name),
      settingNames.filter((name) => typeof settingRules[name] === 'function'),
    );
  });

  it('keeps its value when that of the workspace is of another kind', async () => {
    await update('share.exclude', 'everything', Workspace);
    await update('share.enabled', 'no', Workspace);
    assert.equal(setting('share.enabled'), true);
    assert.ok(setting('share.exclude').includes('**/.env*'));
    await update('share.exclude', ['*.log', 7], Workspace);
    assert.equal(setting('share.exclude').at(-1), '*.log');
  });
});
