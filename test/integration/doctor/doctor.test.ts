import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { connectUi, inWebview, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, currentLock, Scratch } from '../bridge.ts';
import { configure } from '../fakeCli.ts';

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
  // A page that is written anew has another frame.
  const gone = () => undefined;
  const page = () => inWebview(ui, 'h1', 'a CLI from connecting');

  async function report(): Promise<string> {
    await vscode.commands.executeCommand('ideBridge.doctor');
    return until('the page', async () => (await page())?.locator('body').innerText().catch(gone));
  }

  async function copied(): Promise<string> {
    await vscode.commands.executeCommand('ideBridge.copyReport');
    return vscode.env.clipboard.readText();
  }

  async function click(title: string): Promise<void> {
    await until(`a page with ${title}`, async () => {
      const frame = await inWebview(ui, 'a', title);
      return frame
        ?.locator('a', { hasText: title })
        .first()
        .click()
        .then(() => true, gone);
    });
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
      report,
    );
    await client.close();
    assert.match(text, new RegExp(`listens on 127\\.0\\.0\\.1:${port}, 1 connected`));
    assert.match(text, /only you can read it/);
    assert.match(text, /Session \d+: claude-code 2\.1\.330/);
    assert.ok(!text.includes(authToken));
    assert.ok(!text.includes(process.env.HOME ?? 'no home'));
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
    await ui.screenshot('doctor-ghost');
    const workbench = vscode.workspace.getConfiguration('workbench');
    await workbench.update('colorTheme', 'Default Dark Modern', vscode.ConfigurationTarget.Global);
    await ui.page.locator('.monaco-workbench.vs-dark').waitFor();
    await ui.screenshot('doctor-ghost-dark');
    await workbench.update('colorTheme', undefined, vscode.ConfigurationTarget.Global);
    await ui.page.locator('.monaco-workbench.vs-dark').waitFor({ state: 'detached' });
    await click('Restart Bridge');
    await until('the ghost to go', () => !existsSync(ghost));
    await until('a page without it', async () => !(await inWebview(ui, 'li', 'is a ghost')));
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
      await ui.screenshot('doctor-no-cli');
      await click('Open Settings');
      await ui.page.locator('.settings-editor').getByText('The command of the Claude Code CLI').waitFor();
    } finally {
      await settings.update('command', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('shows at once what it knows, and what it still looks at, also where it looks again before that has ended', async () => {
    const scratch = new Scratch();
    const log = scratch.path('runs.txt');
    const command = scratch.write(
      'slow-claude',
      `#!/bin/sh\necho run >> "${log}"\nrun=$(grep -c run "${log}")\nuntil [ -e "${log}.$run" ]; do sleep 0.1; done\necho "run $run"\n`,
    );
    chmodSync(command, 0o755);
    const runs = () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0);
    const end = (run: number) => writeFileSync(`${log}.${run}`, '');
    const shows = (...words: string[]) =>
      until(`a page with ${words.join(', ')}`, async () => {
        const text = await (await inWebview(ui, 'h1', 'C'))?.locator('body').innerText().catch(gone);
        return words.every((each) => text?.includes(each)) && text;
      });
    await configure('command', command);
    try {
      void vscode.commands.executeCommand('ideBridge.doctor');
      const first = await shows(
        'Checking…',
        'Still looked at: the Claude Code command.',
        'listens on 127.0.0.1',
      );
      assert.doesNotMatch(first, /a CLI from connecting|slow-claude/);
      await ui.screenshot('doctor-checking');

      await connectClient();
      await until('another look', () => runs() === 2);
      end(1);
      await shows(
        'slow-claude is installed: run 1.',
        '1 connected',
        'Still looked at: the Claude Code command.',
      );
      end(2);
      assert.doesNotMatch(await shows('slow-claude is installed: run 2.'), /looked at/);
    } finally {
      [1, 2, 3, 4].forEach(end);
      await configure('command', undefined);
      scratch.remove();
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
    const shown = '<img src=x> [a] (command:b) ![c] (d) <b:e> `f` **g** serves';
    await until('a page with it', async () => (await report()).includes(shown));
    const links = await until('the links', async () =>
      (await page())
        ?.locator('a, img, script, code, iframe')
        .evaluateAll((all) => all.map((each) => each.getAttribute('href')))
        .catch(gone),
    );
    const own = /^command:ideBridge\.(doctor|copyReport|showMessages|restart|reconnect)$/;
    assert.deepEqual(
      links.filter((link) => !own.test(link ?? '') && !link?.includes('ideBridge.command')),
      [],
    );
    await ui.screenshot('doctor-hostile');
    const html = await vscode.commands.executeCommand<string>('markdown.api.render', await copied());
    server.close();
    assert.match(html, /&lt;img src=x&gt;/);
    assert.doesNotMatch(html, /<a |<img|<code|<strong>g/);
  });

  it('is looked at anew when something changes, and is no text of which sessions hear', async () => {
    await until('a page', async () => (await report()).includes('0 connected'));
    const client = await connectClient();
    await until('the session', () => inWebview(ui, 'li', '1 connected'));
    const [editors] = await client.callForTexts('getOpenEditors');
    assert.doesNotMatch(editors ?? '', /Doctor/);
    await client.close();
    await until('no session', () => inWebview(ui, 'li', '0 connected'));
  });

  it('copies the same as Markdown for an issue', async () => {
    const { authToken } = await currentLock();
    await report();
    await vscode.env.clipboard.writeText('');
    await click('Copy Report');
    const text = await until('the copy', async () => vscode.env.clipboard.readText());
    assert.match(text, /^# .* a CLI from connecting/);
    assert.match(text, /^- IDE Bridge /m);
    assert.ok(!text.includes(authToken));
    assert.ok(!text.includes(process.env.HOME ?? 'no home'));
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
