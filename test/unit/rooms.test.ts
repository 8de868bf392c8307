import assert from 'node:assert/strict';
import { ESLint } from 'eslint';

/** Messages of the rules about imports for a file at `path` that has this one. */
async function complaints(path: string, from: string, statement = `import '${from}';`): Promise<string[]> {
  const eslint = new ESLint({
    overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    ruleFilter: ({ ruleId }) => ['no-restricted-imports', 'no-restricted-syntax'].includes(ruleId),
  });
  const [result] = await eslint.lintText(`${statement}\n`, { filePath: path });
  return result?.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`) ?? [];
}

describe('rooms', function () {
  this.timeout(30_000);

  const forbidden = [
    ['src/base/x.ts', '../protocol/ide.ts'],
    ['src/protocol/x.ts', 'node:fs'],
    ['src/protocol/x.ts', '../server/session.ts'],
    ['src/server/x.ts', '../tools/tool.ts'],
    ['src/server/x.ts', 'vscode'],
    ['src/relay/x.ts', 'vscode'],
    ['src/agent/x.ts', 'vscode'],
    ['src/agent/x.ts', '../editor/paths.ts'],
    ['src/records/x.ts', 'vscode'],
    ['src/records/x.ts', '../agent/agentSession.ts'],
    ['src/records/x.ts', '../editor/paths.ts'],
    ['src/context/x.ts', '../tools/tool.ts'],
    ['src/tools/x.ts', 'vscode'],
    ['src/tools/x.ts', '../editor/paths.ts'],
    ['src/editor/x.ts', '../sharing/sharing.ts'],
    ['src/sharing/x.ts', '../proposals/proposals.ts'],
    ['src/proposals/x.ts', '../notebooks/notebooks.ts'],
    ['src/notebooks/x.ts', '../sessions/attention.ts'],
    ['src/sessions/x.ts', '../documents/tabs.ts'],
    ['src/documents/x.ts', '../editorTools/feature.ts'],
    ['src/editorTools/x.ts', '../changes/changes.ts'],
    ['src/changes/x.ts', '../mentions/mentions.ts'],
    ['src/mentions/x.ts', '../comments/comments.ts'],
    ['src/comments/x.ts', '../doctor/doctor.ts'],
    ['src/doctor/x.ts', '../chat/view.ts'],
    ['src/chat/x.ts', '../api/apis.ts'],
    ['src/api/x.ts', '../ui/menu.ts'],
    ['src/chat/x.ts', '../past/past.ts'],
    ['src/past/x.ts', '../ui/menu.ts'],
  ] as const;
  for (const [path, from] of forbidden) {
    it(`${path} may not import ${from}`, async () => {
      assert.match((await complaints(path, from)).join(), /no-restricted-imports/);
    });
  }

  const allowed = [
    ['src/server/x.ts', '../protocol/mcp.ts'],
    ['src/server/x.ts', 'node:fs'],
    ['src/records/x.ts', 'node:fs'],
    ['src/agent/x.ts', '../records/records.ts'],
    ['src/relay/x.ts', '../server/sweep.ts'],
    ['src/sessions/x.ts', '../records/records.ts'],
    ['src/proposals/x.ts', '../tools/openDiff.ts'],
    ['src/proposals/x.ts', './hunks.ts'],
    ['src/changes/x.ts', 'vscode'],
    ['src/api/x.ts', '../chat/feature.ts'],
    ['src/ui/x.ts', '../doctor/doctor.ts'],
  ] as const;
  for (const [path, from] of allowed) {
    it(`${path} may import ${from}`, async () => {
      assert.deepEqual(await complaints(path, from), []);
    });
  }

  const processes = [
    ['src/server/x.ts', 'node:child_process'],
    ['src/editor/x.ts', 'child_process'],
    ['src/ui/x.ts', 'node:cluster'],
    ['src/extension.ts', 'node:child_process'],
  ] as const;
  for (const [path, from] of processes) {
    it(`${path} may not start processes by ${from}, however it is imported`, async () => {
      for (const statement of [`import '${from}';`, `export * from '${from}';`, `await import('${from}');`]) {
        assert.match(
          (await complaints(path, from, statement)).join(),
          /started in src\/server\/childProcesses/,
        );
      }
    });
  }

  it('src/server/childProcesses.ts may', async () => {
    assert.deepEqual(await complaints('src/server/childProcesses.ts', 'node:child_process'), []);
  });
});
