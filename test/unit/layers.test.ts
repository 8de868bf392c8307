import assert from 'node:assert/strict';
import { ESLint } from 'eslint';

/** Messages of the layer rule for a file at `path` that imports `from`. */
async function complaints(path: string, from: string): Promise<string[]> {
  const eslint = new ESLint({
    overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-imports',
  });
  const [result] = await eslint.lintText(`import '${from}';\n`, { filePath: path });
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
});
