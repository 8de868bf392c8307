import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { RecordedCli } from '../../support/recordedCli.ts';
import { clickHovered, tooltip } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, endReview, letMomentPass, useDesk } from '../bridge.ts';
import { changesRows } from './edits.ts';

describe('edits before a session connects', function () {
  this.timeout(60_000);
  const desk = useDesk();
  let cli: RecordedCli;

  beforeEach(async () => {
    await vscode.commands.executeCommand('ideBridge.review.focus');
    await desk.client.close();
    const { CLAUDE_CONFIG_DIR } = process.env;
    assert.ok(CLAUDE_CONFIG_DIR, 'the runner sets CLAUDE_CONFIG_DIR');
    const { folder } = desk.scratch;
    cli = new RecordedCli(CLAUDE_CONFIG_DIR, folder, process.pid, '2.1.330', Date.now() - 60_000);
    cli.time = Date.now() - 30_000;
    cli.is('idle');
    cli.prompt('mend <b>both</b> $(bell)\nat once');
  });
  afterEach(async () => {
    cli.removeSessionFile();
    await endReview();
  });

  const rows = () => changesRows(desk.ui).filter({ hasNotText: /all reviewed|History/ });
  const row = (text: string) => rows().filter({ hasText: text }).first();

  async function edit(name: string, before: string, now: string): Promise<string> {
    const path = desk.scratch.write(name, now);
    cli.edited(path, before, [before.trim(), now.trim()]);
    return path;
  }

  it('are listed with its turns, can be seen, and reverted to every byte', async () => {
    const path = await edit('a.txt', '\uFEFFone\n', '\uFEFF1\n');
    writeFileSync(path, '\uFEFF1\r\n'); // of CRLF the record has LF
    await connectClient();
    await row('a.txt').waitFor();
    assert.match((await row('a.txt').textContent()) ?? '', /\+1 −1 · while away/);
    const words = await tooltip(desk.ui, row('a.txt'), 'Changed in: “mend <b>both</b> $(bell)” (');
    assert.match(words, /while this window did not watch, compared with what the CLI/);
    await desk.ui.screenshot('changes-unwatched');
    await row('a.txt').click();
    await desk.ui.page.getByText('one').first().waitFor();
    await clickHovered(row('a.txt'), 'Revert File', letMomentPass);
    await until('every byte', () => readFileSync(path, 'utf8') === '\uFEFFone\r\n');
  });

  it('are not listed again when it comes back, once they are kept', async () => {
    await edit('a.txt', 'one\n', '1\n');
    await edit('b.txt', 'one\n', '1\n');
    const client = await connectClient();
    await row('b.txt').waitFor();
    await clickHovered(row('a.txt'), 'Keep Agent Changes of This File', letMomentPass);
    await row('a.txt').waitFor({ state: 'detached' });
    await client.callForTexts('closeAllDiffTabs');
    cli.time = Date.now() + 1;
    await client.close();
    await edit('c.txt', 'one\n', '1\n');
    await connectClient();
    await row('c.txt').waitFor();
    assert.equal(await row('a.txt').count(), 0);
    assert.equal(await row('b.txt').count(), 1);
  });

  it('name the turn of what is announced from then on', async () => {
    const client = await connectClient();
    await until('the session to be known', async () => {
      await vscode.commands.executeCommand('ideBridge.sessions.focus');
      return desk.ui.page.locator('.pane .monaco-list-row', { hasText: 'Idle' }).count();
    });
    const path = desk.scratch.write('a.txt', 'one\n');
    cli.time = undefined;
    cli.prompt('now this');
    await client.call('getDiagnostics', { uri: `file://${path}` });
    writeFileSync(path, '1\n');
    cli.edited(path, 'one\n', ['one', '1']);
    await client.call('getDiagnostics', {});
    await row('a.txt').waitFor();
    assert.doesNotMatch((await row('a.txt').textContent()) ?? '', /while away/);
    await tooltip(desk.ui, row('a.txt'), 'Changed in: “now this” (');
  });

  it('are not looked for where the user does not want that', async () => {
    await desk.configure('ideBridge.records.enabled', false);
    await edit('a.txt', 'one\n', '1\n');
    const client = await connectClient();
    const path = desk.scratch.write('b.txt', 'one\n');
    await client.call('getDiagnostics', { uri: `file://${path}` });
    writeFileSync(path, '1\n');
    await client.call('getDiagnostics', {});
    await row('b.txt').waitFor();
    await client.close();
    assert.equal(await row('a.txt').count(), 0);
  });
});
