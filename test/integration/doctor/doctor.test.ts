import assert from 'node:assert/strict';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { connectUi, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, currentLock } from '../bridge.ts';

describe('the doctor', () => {
  let ui: Ui;

  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());
  afterEach(async () => {
    ghosts.splice(0).forEach((ghost) => rmSync(ghost, { force: true }));
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const ghosts: string[] = [];
  const page = () => vscode.window.activeTextEditor?.document;

  async function report(): Promise<string> {
    await vscode.commands.executeCommand('ideBridge.doctor');
    const document = page();
    assert.equal(document?.uri.scheme, 'ide-bridge-report');
    assert.equal(document?.languageId, 'markdown');
    return document.getText();
  }

  it('says what is in order, and tells neither the token nor the name of the home', async () => {
    const { port, authToken } = await currentLock();
    const client = await connectClient();
    const text = await until(
      'its session',
      async () => {
        const text = await report();
        return text.includes('1 connected') && text;
      },
      10_000,
      () => page()?.getText(),
    );
    await client.close();
    assert.match(text, new RegExp(`listens on 127\\.0\\.0\\.1:${port}, 1 connected`));
    assert.match(text, /only you can read it/);
    assert.match(text, /Session \d+: claude-code 2\.1\.330/);
    assert.ok(!text.includes(authToken));
    assert.ok(!text.includes(process.env.HOME ?? 'no home'));
    await ui.page.getByText('Check again').waitFor();
    await ui.screenshot('doctor');
  });

  it('finds a ghost, and offers to sweep it', async () => {
    const lock = await currentLock();
    const ghost = join(dirname(lock.path), '1.lock');
    const { pid, workspaceFolders, ideName, transport } = lock;
    const content = { pid, workspaceFolders, ideName, transport, runningInWindows: false, authToken: 'x' };
    ghosts.push(ghost);
    writeFileSync(ghost, JSON.stringify({ ...content, bridge: 'ide-bridge-for-claude-code' }));
    await until('a page with it', async () => /1\.lock is a ghost/.test(await report()));
    const link = ui.page.locator('.codelens-decoration a', { hasText: 'Restart Bridge' }).first();
    await link.waitFor();
    await ui.screenshot('doctor-ghost');
    const workbench = vscode.workspace.getConfiguration('workbench');
    await workbench.update('colorTheme', 'Default Dark Modern', vscode.ConfigurationTarget.Global);
    await ui.page.locator('.monaco-workbench.vs-dark').waitFor();
    await ui.screenshot('doctor-ghost-dark');
    await workbench.update('colorTheme', undefined, vscode.ConfigurationTarget.Global);
    await ui.page.locator('.monaco-workbench.vs-dark').waitFor({ state: 'detached' });
    await link.click();
    await until('the ghost to go', () => !existsSync(ghost));
    await until('a page without it', async () => !/is a ghost/.test(await report()));
  });

  it('finds a setting that gives terminals another configuration folder', async () => {
    const terminals = vscode.workspace.getConfiguration('terminal.integrated.env');
    await terminals.update('linux', { CLAUDE_CONFIG_DIR: '/else/where' }, vscode.ConfigurationTarget.Global);
    try {
      const expected = 'Terminals have another CLAUDE_CONFIG_DIR (/else/where)';
      await until('a page with it', async () => (await report()).includes(expected));
    } finally {
      await terminals.update('linux', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('says what the shell says of a CLI that does not run, and offers the setting', async () => {
    const settings = vscode.workspace.getConfiguration('ideBridge');
    await settings.update('command', 'no-such-claude', vscode.ConfigurationTarget.Global);
    try {
      assert.match(
        await until('a page with it', async () => {
          const text = await report();
          return text.includes('no-such-claude') && text;
        }),
        /does not run: .*no-such-claude: .*not found$/m,
      );
      const link = ui.page.locator('.codelens-decoration a', { hasText: 'Open Settings' });
      await link.waitFor();
      await ui.screenshot('doctor-no-cli');
      await link.click();
      await ui.page.locator('.settings-editor').getByText('The command of the Claude Code CLI').waitFor();
    } finally {
      await settings.update('command', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('renders nothing that others have written as a link, an image or a tag', async () => {
    const { path, workspaceFolders } = await currentLock();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const ghost = join(dirname(path), `${typeof address === 'object' ? address?.port : 0}.lock`);
    ghosts.push(ghost);
    const ideName = '<img src=x> [a](command:b) ![c](d) <b:e> `f` **g**';
    const content = { pid: process.pid, workspaceFolders, ideName, transport: 'ws' };
    writeFileSync(ghost, JSON.stringify({ ...content, runningInWindows: false, authToken: 'x' }));
    const text = await until('a page with it', async () => {
      const page = await report();
      return page.includes('serves') && page;
    });
    server.close();
    const html = await vscode.commands.executeCommand<string>('markdown.api.render', text);
    assert.match(html, /&lt;img src=x&gt;/);
    assert.doesNotMatch(html, /<a |<img|<code|<strong>g/);
  });

  it('copies the same as Markdown for an issue', async () => {
    const { authToken } = await currentLock();
    await vscode.commands.executeCommand('ideBridge.copyReport');
    const copied = await vscode.env.clipboard.readText();
    assert.match(copied, /^# .* a CLI from connecting/);
    assert.ok(!copied.includes(authToken));
  });

  it('heals a lock that others could read before anybody has to ask', async () => {
    const { path } = await currentLock();
    chmodSync(path, 0o644);
    await until('a private one', async () => /only you can read it/.test(await report()), 15_000);
  });
});

describe('the protocol inspector', () => {
  it('shows the last messages of every session without their texts', async () => {
    const client = await connectClient();
    await client.call('getDiagnostics', { uri: 'file:///ws/a.ts' });
    await client.call('openFile', { filePath: '/no/such/file', startText: 'my secret' });
    const text = await until('the messages', async () => {
      await vscode.commands.executeCommand('ideBridge.showMessages');
      const page = vscode.window.activeTextEditor?.document.getText() ?? '';
      return page.includes('/no/such/file') && page;
    });
    await client.close();
    assert.match(text, /→ .*"method":"initialize"/);
    assert.match(text, /"name":"getDiagnostics","arguments":\{"uri":"file:\/\/\/ws\/a\.ts"\}/);
    assert.ok(!text.includes('my secret'));
    assert.ok(!text.includes((await currentLock()).authToken));
    const ui = await connectUi();
    await ui.page.getByText('Show the latest').waitFor();
    await ui.screenshot('inspector');
    await ui.close();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
});

describe('a bridge that is restarted 50 times', () => {
  it('has the same port and token, one lock, and no more listeners, sockets or files than before', async () => {
    const before = await currentLock();
    const restart = () => vscode.commands.executeCommand('ideBridge.restart');
    const held = () =>
      process.getActiveResourcesInfo().filter((name) => /TCP|Server|FSReq/.test(name)).length;
    await restart();
    const resources = held();
    for (let i = 0; i < 50; i++) {
      const client = await connectClient();
      await restart();
      await client.closed;
    }
    const after = await currentLock();
    assert.deepEqual([after.port, after.authToken], [before.port, before.authToken]);
    await until('what closes slowly', () => held() <= resources);
  });
});
