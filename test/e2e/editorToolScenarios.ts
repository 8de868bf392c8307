import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Desk } from './desk.ts';
import { MockApi, text, toolUse } from './mockApi.ts';
import { ensureInspector } from './provisionInspector.ts';

const tool = 'mcp__editor__references';

/** With a prompt in its arguments the CLI would ask the model before our server has told its tools, on a busy machine. */
const environment = ({ url }: MockApi) => ({ ANTHROPIC_BASE_URL: url, MCP_CONNECTION_NONBLOCKING: 'false' });

/** What the model gets of the editor's language servers, in a session that the extension has started. */
export function editorToolScenarios(desk: () => Desk): void {
  /** @param then what is said once it is on the clipboard */
  async function copied(client: string, then: string): Promise<string> {
    const { page } = desk().window;
    await desk().window.pickFrom('IDE Bridge: Copy MCP Configuration', client);
    await page.locator('.notification-toast', { hasText: then }).waitFor();
    return page.evaluate<string>('navigator.clipboard.readText()');
  }

  it('lets the model find references by the language server, if the user wants that', async () => {
    const api = await MockApi.start();
    try {
      await desk().file('tsconfig.json', '{}');
      const { path } = await desk().file('shape.ts', 'export const side = 3;\n');
      const uses = await desk().file(
        'uses.ts',
        "import { side } from './shape';\nexport const area = side * side;\n",
      );
      await desk().configure({
        'ideBridge.editorTools.enabled': true,
        'ideBridge.environment': environment(api),
        'ideBridge.arguments': ['-p', 'who uses side', '--allowedTools', tool],
      });
      // The CLI makes the model load the tools of servers first.
      api.script([
        toolUse('ToolSearch', { query: `select:${tool}`, max_results: 1 }),
        toolUse(tool, { file: path, symbol: 'side' }),
        text('these do'),
      ]);
      await desk().window.runCommand('IDE Bridge: Open Claude Code in the Panel');
      const result = await api.nextResult(tool);
      assert.equal(result.isError, false, result.text);
      assert.match(result.text, /4 places[^]*shape\.ts:1:14 {2}export const side = 3;[^]*uses\.ts:2:21/);
      assert.ok(uses.exists());
    } finally {
      await api.close();
    }
  });

  it('lets the model rename by the language server what the user accepts, file by file', async () => {
    const api = await MockApi.start();
    const renaming = 'mcp__editor__rename';
    try {
      await desk().file('tsconfig.json', '{}');
      const file = await desk().file('width.ts', 'export const width = 3;\r\n');
      const uses = await desk().file(
        'widths.ts',
        "import { width } from './width';\nexport const area = width * width;\n",
      );
      await desk().configure({
        'ideBridge.editorTools.enabled': true,
        'ideBridge.editorTools.editing': true,
        'ideBridge.environment': environment(api),
        'ideBridge.arguments': ['-p', 'call it breadth', '--allowedTools', renaming],
      });
      api.script([
        toolUse('ToolSearch', { query: `select:${renaming}`, max_results: 1 }),
        toolUse(renaming, { file: file.path, symbol: 'width', newName: 'breadth' }),
        text('done'),
      ]);
      await desk().window.runCommand('IDE Bridge: Open Claude Code in the Panel');
      for (const name of ['width.ts', 'widths.ts']) {
        const diff = await desk().window.diffOf(name);
        await diff.accept();
        await diff.gone();
      }
      const result = await api.nextResult(renaming);
      assert.equal(result.isError, false, result.text);
      assert.match(
        result.text,
        /^Renamed; 2 files written\.\n.*\bwidth\.ts {2}accepted as proposed\n.*\bwidths\.ts {2}accepted as proposed$/,
      );
      assert.equal(await file.text(), 'export const breadth = 3;\r\n');
      assert.equal(
        await uses.text(),
        "import { breadth } from './width';\nexport const area = breadth * breadth;\n",
      );
    } finally {
      await api.close();
    }
  });

  it('lets the model run a task, once the user has seen what it runs and agreed', async () => {
    const api = await MockApi.start();
    const running = 'mcp__editor__runTask';
    const folder = join(desk().workspace, '.vscode');
    try {
      await mkdir(folder);
      await writeFile(
        join(folder, 'tasks.json'),
        JSON.stringify({
          version: '2.0.0',
          tasks: [{ label: 'count', type: 'shell', command: 'echo counted && exit 2' }],
        }),
      );
      await desk().configure({
        'ideBridge.editorTools.enabled': true,
        'ideBridge.editorTools.running': true,
        'ideBridge.environment': environment(api),
        'ideBridge.arguments': ['-p', 'count', '--allowedTools', running],
      });
      api.script([
        toolUse('ToolSearch', { query: `select:${running}`, max_results: 1 }),
        toolUse(running, { name: 'count' }),
        text('counted'),
      ]);
      await desk().window.runCommand('IDE Bridge: Open Claude Code in the Panel');
      const { page } = desk().window;
      const asked = page.locator('.codelens-decoration', {
        hasText: 'Claude Code wants to run the task "count"',
      });
      await asked.waitFor({ timeout: 60_000 });
      await asked.locator('a', { hasText: 'Run Once' }).click();
      const result = await api.nextResult(running);
      assert.equal(result.isError, false, result.text);
      // The older of our editors does not tell what a task has printed in a new terminal.
      assert.match(result.text, /^count \(run 1\): ended with exit code 2 after [\d.]+ s\n/);
    } finally {
      await rm(folder, { recursive: true, force: true });
      await api.close();
    }
  });

  it('lets the model of any other terminal do so, once its user has run the command that is copied', async () => {
    const api = await MockApi.start();
    try {
      await desk().file('tsconfig.json', '{}');
      const { path } = await desk().file('line.ts', 'export const length = 3;\nconsole.log(length);\n');
      await desk().configure({ 'ideBridge.editorTools.enabled': true });
      const added = await desk().shell(await copied('Claude Code', 'paste it into a terminal'));
      assert.match(added, /editor/);
      api.script([
        toolUse('ToolSearch', { query: `select:${tool}`, max_results: 1 }),
        toolUse(tool, { file: path, symbol: 'length' }),
        text('it does'),
      ]);
      const said = await desk().shell(`claude -p 'who uses length' --allowedTools ${tool} < /dev/null`, {
        ...environment(api),
      });
      assert.match(said, /it does/);
      const result = await api.nextResult(tool);
      assert.equal(result.isError, false, result.text);
      assert.match(result.text, /2 places[^]*line\.ts:2:13 {2}console\.log\(length\);/);
    } finally {
      await desk().shell('claude mcp remove --scope user editor');
      await api.close();
    }
  });

  // It has no WebSocket: there the official library's client does the same, in the integration tests of the transports.
  it('answers the MCP inspector, by a program and over HTTP, as it is configured by what is copied', async () => {
    const inspector = await ensureInspector();
    await desk().file('tsconfig.json', '{}');
    const { path: file } = await desk().file('depth.ts', 'export const depth = 3;\nconsole.log(depth);\n');
    await desk().configure({ 'ideBridge.editorTools.enabled': true });
    for (const [client, then] of [
      ['by a Program', 'paste it into the settings of the client'],
      ['by HTTP', 'for a file of yours alone'],
    ] as const) {
      const configuration = await desk().file('mcp.json', await copied(client, then));
      const ask = async (line: string) =>
        JSON.parse(
          await desk().shell(
            `${inspector} --config '${configuration.path}' --server editor ${line} < /dev/null`,
            { MCP_INSPECTOR_SECRET_STORE: 'memory' },
          ),
        ) as { tools?: { name: string }[]; content?: { text: string }[]; structuredContent?: object };
      const { tools = [] } = await ask('--method tools/list --strict'); // which fails where a schema is not portable
      assert.ok(tools.length > 15, `${client}: ${tools.length} tools`);
      const args = JSON.stringify({ file, symbol: 'depth' });
      const found = await ask(`--method tools/call --tool-name references --tool-args-json '${args}'`);
      assert.match(found.content?.[0]?.text ?? '', /2 places[^]*depth\.ts:2:13 {2}console\.log\(depth\);/);
      assert.ok(found.structuredContent, client);
      await desk().window.runCommand('Notifications: Clear All Notifications');
    }
  });
}
