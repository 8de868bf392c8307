import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { RecordedCli } from '../../support/recordedCli.ts';
import { useDesk } from '../bridge.ts';
import { closeTerminals, configure, FakeCli } from '../fakeCli.ts';

describe('resuming a conversation', function () {
  this.timeout(60_000);
  const desk = useDesk();
  let fake: FakeCli;
  let written: RecordedCli[];
  const folder = realpathSync(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');

  beforeEach(async () => {
    fake = await FakeCli.install(desk.scratch);
    written = [];
  });
  afterEach(async () => {
    written.forEach((each) => each.remove());
    await configure('command', undefined);
    await configure('records.enabled', undefined);
    await closeTerminals(fake);
  });

  /** What a CLI has written down that was begun in the folder of this window. */
  function conversation(prompt: string): RecordedCli {
    const { CLAUDE_CONFIG_DIR } = process.env;
    assert.ok(CLAUDE_CONFIG_DIR, 'the runner sets CLAUDE_CONFIG_DIR');
    const cli = new RecordedCli(CLAUDE_CONFIG_DIR, folder, process.pid);
    written.push(cli);
    cli.prompt(prompt);
    return cli;
  }

  const list = () => desk.ui.page.locator('.quick-input-widget:visible');
  const item = (text: string) => list().locator('.monaco-list-row', { hasText: text });
  const resume = () => void vscode.commands.executeCommand('ideBridge.resumeSession');

  it('shows title, turns and files of each, and goes on with the chosen one where it was held', async () => {
    const greeting = conversation('greet $(bell)\nand more');
    greeting.wrote(join(folder, 'greet.ts'), 'hello');
    greeting.answer('done');
    greeting.prompt('and again');
    greeting.answer('done');
    conversation('only a question').answer('an answer');
    resume();
    await item('2 turns · 1 file: greet.ts').filter({ hasText: 'greet $(bell)' }).waitFor();
    await item('1 turn · no file edited').filter({ hasText: 'only a question' }).waitFor();
    await desk.ui.screenshot('past-sessions');
    await list().locator('input:visible').fill('greet.ts'); // what it says of files is searched, too
    await item('only a question').waitFor({ state: 'hidden' });
    await item('greet $(bell)').click();
    const { args } = await fake.run(1);
    assert.equal(args, `--resume ${greeting.sessionId}`);
    const [terminal] = vscode.window.terminals;
    assert.equal((terminal?.creationOptions as vscode.TerminalOptions).cwd, folder);
  });

  it('shows who has the conversation open, instead of a second CLI in it', async () => {
    const cli = conversation('held elsewhere');
    cli.is('idle');
    resume();
    await item('held elsewhere').filter({ hasText: 'open now' }).click();
    const said = `runs outside of the terminals of this window (process ${process.pid})`;
    await desk.ui.page.locator('.notification-toast', { hasText: said }).waitFor();
    assert.equal(vscode.window.terminals.length, 0);
  });

  it('goes by the list of the CLI itself, where the user wants it so', async () => {
    conversation('a question').answer('an answer');
    resume();
    await item('Choose in a terminal').click();
    assert.equal((await fake.run(1)).args, '--resume');
  });

  it('goes by it where the records may not be read', async () => {
    conversation('a question').answer('an answer');
    await configure('records.enabled', false);
    resume();
    assert.equal((await fake.run(1)).args, '--resume');
  });

  it('does nothing when the list is left', async () => {
    conversation('a question').answer('an answer');
    resume();
    await item('a question').waitFor();
    await desk.ui.page.keyboard.press('Escape');
    await list().waitFor({ state: 'hidden' });
    assert.equal(vscode.window.terminals.length, 0);
  });

  it('begins no second CLI while that of the conversation starts', async () => {
    conversation('only once').answer('an answer');
    resume();
    await item('only once').click();
    await fake.run(1);
    resume();
    await item('only once').click();
    await desk.ui.page
      .locator('.notification-toast', { hasText: 'is about to be open in a terminal' })
      .waitFor();
    assert.equal(vscode.window.terminals.length, 1);
  });
});
