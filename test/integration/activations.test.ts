import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { IdeBridgeExports } from '../../api/ideBridge.d.ts';
import { countingApi, Held } from '../support/countingApi.ts';
import { findLocks } from '../support/ideClient.ts';
import { memoryInUse } from '../support/memory.ts';
import { testEnvironment } from '../support/testEnvironment.ts';
import { until } from '../support/until.ts';
import { connectClient, extensionUnderTest, proposalTabs, propose, Scratch } from './bridge.ts';
import { plainTool } from './api/sample.ts';

interface Extension {
  activate(context: vscode.ExtensionContext): Promise<IdeBridgeExports>;
  deactivate(): Promise<void>;
}

/** The bundle as VS Code loads it, but with an API that counts. */
function load(held: Held): Extension {
  const { extensionPath } = extensionUnderTest();
  const path = join(extensionPath, 'dist', 'extension.js');
  const requireNode = createRequire(path);
  const module = { exports: {} };
  const require = (name: string): unknown =>
    name === 'vscode' ? countingApi(vscode, held) : requireNode(name);
  // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call -- a module loader does so
  new Function('require', 'module', 'exports', readFileSync(path, 'utf8'))(require, module, module.exports);
  return module.exports as Extension;
}

// npm run test:integration -- --activations
describe('fifty activations', function () {
  this.timeout(480_000);
  this.retries(0);

  before(function () {
    if (!process.env[testEnvironment.sleeping]) this.skip(); // else the extension itself is awake
  });

  it('and deactivations, with work between, leave no listener, command, socket, file or process', async () => {
    const held = new Held();
    const context = (await extensionUnderTest().activate()) as vscode.ExtensionContext;
    const extension = load(held);
    const scratch = new Scratch();
    const file = scratch.write('a.txt', 'one\n');
    scratch.write('b.txt', 'one\n');

    const round = async () => {
      const subscriptions: vscode.Disposable[] = [];
      const { getAPI } = await extension.activate(
        Object.create(context, { subscriptions: { value: subscriptions } }) as typeof context,
      );
      const { id } = extensionUnderTest();
      const api = await getAPI(1, id);
      const opened: string[] = [];
      api.sessions.onDidOpen((session) => opened.push(session.id));
      await api.registerTool(plainTool);
      const client = await connectClient();
      await until('the session', () => opened.length === 1);
      const { answer } = await propose(client, file, 'two\n');
      await client.call('getDiagnostics');
      await client.call('openFile', { filePath: file });
      await vscode.commands.executeCommand('ideBridge.doctor');
      await client.call('closeAllDiffTabs');
      assert.deepEqual((await answer)[0], 'DIFF_REJECTED');
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      const ofApi = api.propose({ uri: vscode.Uri.file(scratch.path('b.txt')), newText: 'two\n' });
      await until('its diff', () => proposalTabs().length === 1);
      const deactivated = extension.deactivate(); // VS Code disposes the rest without waiting for it
      vscode.Disposable.from(...subscriptions).dispose();
      await deactivated;
      await client.closed;
      assert.deepEqual(await ofApi, { accepted: false, withdrawn: true });
      const isOver = { name: 'IdeBridgeError', code: 'Deactivated' };
      await assert.rejects(getAPI(1, id), isOver);
      await assert.rejects(api.registerTool(plainTool), isOver);
      await assert.rejects(api.mention({ uri: vscode.Uri.file(file) }), isOver);
    };

    const kept = async () => ({
      held: held.list,
      commands: (await vscode.commands.getCommands()).filter((name) => name.startsWith('ideBridge.')).length,
      locks: findLocks(process.env.CLAUDE_CONFIG_DIR ?? '').length,
      exitListeners: process.listenerCount('exit'),
      children: readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' '),
      sockets: process.getActiveResourcesInfo().filter((name) => /TCP/.test(name)).length,
      descriptors: readdirSync('/proc/self/fd').length,
    });

    await round();
    await round();
    const memory = await memoryInUse();
    const before = await kept();
    assert.deepEqual([before.held, before.locks], [[], 0]);
    for (let i = 0; i < 50; i++) await round();
    // Other extensions live in this process too, and may end what they had before.
    const more = async () => {
      const { held: open, children, ...counts } = await kept();
      return [
        ...open,
        ...children.filter((pid) => !before.children.includes(pid)).map((pid) => `process ${pid}`),
        ...Object.entries(counts).filter(([name, count]) => count > before[name as keyof typeof counts]),
      ];
    };
    await until('nothing more than before', async () => (await more()).length === 0, 20_000, more);
    const grown = (await memoryInUse()) - memory;
    console.log(`fifty activations: ${(grown / 1e6).toFixed(1)} MB more in use`);
    // The whole extension host's, with what VS Code and its other extensions keep: 11 MB were seen.
    assert.ok(grown < 32e6, `${grown} bytes more are in use`);
    scratch.remove();
  });
});
