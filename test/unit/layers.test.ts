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

describe('layers', function () {
  this.timeout(30_000);

  const forbidden = [
    ['src/protocol/x.ts', 'node:fs'],
    ['src/protocol/x.ts', '../server/session.ts'],
    ['src/server/x.ts', '../editor/tabs.ts'],
    ['src/server/x.ts', 'vscode'],
    ['src/tools/x.ts', 'vscode'],
    ['src/tools/x.ts', '../editor/tabs.ts'],
    ['src/context/x.ts', '../tools/tool.ts'],
    ['src/editor/x.ts', '../ui/menu.ts'],
  ] as const;
  for (const [path, from] of forbidden) {
    it(`${path} may not import ${from}`, async () => {
      assert.match((await complaints(path, from)).join(), /no-restricted-imports/);
    });
  }

  const allowed = [
    ['src/server/x.ts', '../protocol/mcp.ts'],
    ['src/server/x.ts', 'node:fs'],
    ['src/editor/x.ts', '../tools/openDiff.ts'],
    ['src/ui/x.ts', 'vscode'],
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
