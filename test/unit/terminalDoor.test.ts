import assert from 'node:assert/strict';
import { ESLint } from 'eslint';

async function complaints(path: string, code: string): Promise<string[]> {
  const eslint = new ESLint({
    overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
    ruleFilter: ({ ruleId }) => ruleId === 'no-restricted-syntax',
  });
  const [result] = await eslint.lintText(`${code}\n`, { filePath: path });
  return result?.messages.map(({ ruleId, message }) => `${ruleId}: ${message}`) ?? [];
}

describe('the one door to terminals', function () {
  this.timeout(30_000);

  const writing = [
    "terminal.sendText('x', false);",
    "vscode.window.activeTerminal?.sendText('x');",
    "terminal.shellIntegration?.executeCommand('x');",
    "shell.executeCommand('x');",
    "void vscode.commands.executeCommand('workbench.action.terminal.sendSequence', { text: 'x' });",
    "void vscode.commands.executeCommand('workbench.action.terminal.paste');",
    "void commands.executeCommand('workbench.action.terminal.runSelectedText');",
  ];
  for (const code of writing) {
    it(`nobody else may write ${code}`, async () => {
      assert.match((await complaints('src/ui/x.ts', code)).join(), /Only src\/editor\/terminalInput\.ts/);
    });
  }

  it('it may write itself, and others may run commands and show terminals', async () => {
    assert.deepEqual(await complaints('src/editor/terminalInput.ts', writing.join('\n')), []);
    const harmless =
      "terminal.show();\nvoid vscode.commands.executeCommand('workbench.action.terminal.focus');";
    assert.deepEqual(await complaints('src/ui/x.ts', harmless), []);
  });
});
