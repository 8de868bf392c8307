import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as vscode from 'vscode';
import { tooltip } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, proposalTabs, proposedSide, useDesk } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { answer, FolderSettings, question } from './runQuestion.ts';
import { callTool, connectTools } from './toolClient.ts';

describe('what clients of the editor tools do, in the view of the sessions,', function () {
  this.timeout(90_000);
  const desk = useDesk();
  let tasks: FolderSettings;
  const clients: Client[] = [];

  before(async () => {
    tasks = new FolderSettings('tasks.tasks');
    await configure('editorTools.enabled', true);
  });
  after(() => configure('editorTools.enabled', undefined));
  beforeEach(async () => {
    await desk.configure('ideBridge.editorTools.running', true);
    await desk.configure('ideBridge.editorTools.editing', true);
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await until('the question to be gone', async () => (await question(desk, 'wants to').count()) === 0);
    tasks.remove();
    await vscode.commands.executeCommand('workbench.view.explorer');
  });

  async function connect(name: string): Promise<Client> {
    const client = await connectTools(name);
    clients.push(client);
    return client;
  }

  const define = (...labels: string[]) =>
    tasks.write(
      '2.0.0',
      labels.map((label, index) => ({
        label,
        type: 'shell',
        command: `touch '${desk.scratch.path(`ran-${index}`)}'`,
      })),
    );
  const ran = (index = 0) => existsSync(desk.scratch.path(`ran-${index}`));
  const run = (client: Client, name: string) => callTool(client, 'runTask', { name }).catch(() => undefined);

  const rows = () => desk.ui.page.locator('.pane', { hasText: 'Sessions' }).locator('.monaco-list-row');
  const row = (...words: (string | RegExp)[]) =>
    words.reduce((found, hasText) => found.filter({ hasText }), rows()).first();
  /** What stands below a client. */
  const open = async (name: string) => {
    const client = row(name, 'editor tools');
    await client.waitFor();
    const isOpen = async () => (await client.getAttribute('aria-expanded')) === 'true';
    await until('it to be open', async () => {
      if (!(await isOpen())) {
        await client.locator('.monaco-tl-twistie').click(); // is lost while the view is drawn
        await sleep(500);
      }
      return isOpen();
    });
  };
  const icon = (found: ReturnType<typeof row>) =>
    found.locator('.custom-view-tree-node-item-icon').first().getAttribute('class');
  const badge = () => desk.ui.page.locator('.activitybar .action-item', { hasText: /^\d/ }).allInnerTexts();

  it('asks, runs and is done, with the way to its question, and to all of it', async () => {
    await define('check');
    const client = await connect('asking');
    const running = run(client, 'check');
    await question(desk, 'wants to run the task').waitFor();
    await row('asking', 'Asks: runTask: check · editor tools').waitFor();
    await row('Run Claude Code').waitFor({ state: 'detached' }); // a session is there, too
    await open('asking');
    const call = row('runTask: check', /Asks · /);
    await call.waitFor();
    assert.match((await icon(call)) ?? '', /codicon-question/);

    const file = await vscode.workspace.openTextDocument(desk.scratch.write('in-front.txt', ''));
    await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.Two });
    await until('the question out of view', async () => !(await question(desk, 'wants to').isVisible()));
    await call.click();
    await question(desk, 'wants to run the task').waitFor();
    assert.equal(vscode.window.activeTextEditor?.document.uri.scheme, 'ide-bridge-code');
    assert.ok(!ran(), 'to look at it is no yes');
    await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.Two });
    await row('asking', 'Asks: runTask: check').click(); // the client itself leads there, too
    await answer(desk, 'Run Once', 'wants to run the task');
    await running;
    assert.ok(ran());
    const over = row('runTask: check', /Done .*· /);
    await over.waitFor();
    assert.match((await icon(over)) ?? '', /codicon-pass/);
    await row('asking', 'Done: runTask: check · editor tools').waitFor();

    await over.click();
    const report = await until('all of it', () => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.uri.scheme === 'ide-bridge-report' ? document.getText() : undefined;
    });
    assert.match(report, /^runTask, done\nCalled by asking at .*\nEnded after [\d.]+ s\n\nIt was given:\n/);
    assert.match(report, /"name": "check"/);
    assert.match(report, /asking was told:\ncheck \(run \d+\): ended with exit code 0/);
    await desk.ui.screenshot('editor-tool-calls');
  });

  it('shows no call that only reads', async () => {
    const client = await connect('reading');
    await callTool(client, 'openEditors');
    await callTool(client, 'tasks');
    await callTool(client, 'taskOutput');
    await define('none');
    const running = run(client, 'none');
    await answer(desk, 'Refuse', 'wants to run the task');
    await running;
    await open('reading');
    await row('runTask: none', /Refused · /).waitFor();
    for (const tool of ['openEditors', 'tasks:', 'taskOutput']) {
      assert.equal(await rows().filter({ hasText: tool }).count(), 0, tool);
    }
    assert.match((await icon(row('runTask: none', /Refused · /))) ?? '', /codicon-circle-slash/);
  });

  it('shows an edit under review, leads to its diff, and says when all of it was rejected', async () => {
    const client = await connect('editing');
    desk.scratch.write('loose.ts', 'export const  loose=1;\n');
    const file = `${basename(desk.scratch.folder)}/loose.ts`;
    const formatting = callTool(client, 'format', { file });
    await proposedSide('loose.ts');
    await open('editing');
    const other = await vscode.workspace.openTextDocument(desk.scratch.write('other.txt', ''));
    await vscode.window.showTextDocument(other, { preview: false });
    await row('format: loose.ts', /Asks · /).click();
    await until(
      'the diff in front',
      () => vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputTextDiff,
    );
    await vscode.commands.executeCommand('ideBridge.rejectProposal', await proposedSide('loose.ts'));
    assert.match((await formatting).text, /rejected/);
    await row('format: loose.ts', 'Refused').waitFor();
    await until('the diff to be gone', () => proposalTabs().length === 0);
    assert.equal(readFileSync(desk.scratch.path('loose.ts'), 'utf8'), 'export const  loose=1;\n');
  });

  it('is cancelled when its client leaves while it asks, and stays to be seen', async () => {
    await define('left');
    const client = await connect('leaving');
    const running = run(client, 'left');
    await question(desk, 'wants to run the task').waitFor();
    await open('leaving');
    await row('runTask: left', /Asks · /).waitFor();
    await client.close();
    await running;
    await row('runTask: left', 'Cancelled: The client has left.').waitFor();
    await row('leaving', 'Cancelled: runTask: left · has left · editor tools').waitFor();
    assert.ok(!ran());
    const back = await connect('leaving');
    const again = run(back, 'left');
    await answer(desk, 'Refuse', 'wants to run the task');
    await again;
    await row('leaving', /Refused: runTask: left · editor tools$/).waitFor();
    await row('runTask: left', 'Cancelled').waitFor();
    assert.equal(await rows().filter({ hasText: 'leaving' }).count(), 1);
  });

  it('asks for two clients at a time, each at its own', async () => {
    await define('first', 'second');
    const [one, two] = [await connect('one of two'), await connect('two of two')];
    const first = run(one, 'first');
    await question(desk, 'one of two wants').waitFor();
    const second = run(two, 'second');
    await row('one of two', 'Asks: runTask: first').waitFor();
    await row('two of two', 'Asks: runTask: second').waitFor();
    await until('both to be counted', async () => (await badge()).some((words) => words.includes('2')));
    await open('two of two');
    await row('runTask: second').click();
    await question(desk, 'one of two wants').waitFor(); // which is asked first
    await two.close();
    await row('runTask: second', 'Cancelled').waitFor();
    await row('one of two', 'Asks: runTask: first').waitFor();
    await answer(desk, 'Refuse', 'one of two wants');
    await Promise.all([first, second]);
    await row('one of two', 'Refused: runTask: first').waitFor();
    assert.deepEqual([ran(0), ran(1)], [false, false]);

    const [same, other] = [await connect('the same'), await connect('the same')];
    await Promise.all([run(same, 'no such'), run(other, 'no such either')]);
    await row('the same', /Failed: runTask: no such · since /).waitFor();
    await row('the same', /Failed: runTask: no such either · since /).waitFor();
  });

  it('has failed while nothing is shared, and says why', async () => {
    await define('paused');
    const client = await connect('pausing');
    const running = run(client, 'paused');
    await question(desk, 'wants to run the task').waitFor();
    await desk.configure('ideBridge.share.enabled', false);
    await answer(desk, 'Run Once', 'wants to run the task');
    await running;
    await open('pausing');
    await row('runTask: paused', 'Failed: Sharing is off').waitFor();
    assert.ok(!ran());
  });

  it('shows names as they are: no Markdown, no icon, nothing turned round', async () => {
    const hostile = '**bold** [yes](command:ideBridge.runCode) $(error) <b>x</b>';
    const client = await connect(`mark ${hostile}`);
    await run(client, `${hostile}\u202Etxt`);
    await open('mark **bold**');
    const call = row('runTask: **bold**', 'Failed: The editor');
    await call.waitFor();
    const shown = await call.locator('.label-name').innerText();
    assert.match(
      shown,
      /^runTask: \*\*bold\*\* \[yes\] \(command:ideBridge\.runCode\) \$\(error\) <b>x<\/b>\uFFFDtxt/,
    );
    assert.equal(await call.locator('.label-name').locator('a, b, .codicon').count(), 0);
    assert.match(await tooltip(desk.ui, call, 'Called by'), /\*\*bold\*\* \[yes\] \(command:/);
    const hover = desk.ui.page.locator('.monaco-hover', { hasText: 'Called by' });
    assert.equal(await hover.locator('a, b, strong, .codicon').count(), 0);
    await call.click();
    const report = await until('all of it', () => {
      const { document } = vscode.window.activeTextEditor ?? {};
      return document?.uri.scheme === 'ide-bridge-report' ? document.getText() : undefined;
    });
    assert.doesNotMatch(report, /\u202E/);
  });

  it('offers to run the CLI where only a client of the tools is there', async () => {
    await desk.client.close();
    const client = await connect('alone');
    await run(client, 'no such');
    await row('alone', 'Failed: runTask: no such').waitFor();
    await row('Run Claude Code').waitFor();
    await connectClient();
    await row('Run Claude Code').waitFor({ state: 'detached' });
  });
});
