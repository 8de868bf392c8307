import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as vscode from 'vscode';
import type { IdeBridgeApi } from '../../../api/ideBridge.d.ts';
import type { Sample } from '../../fixtures/sample/extension.ts';
import { reviewRows } from '../../support/reviewRows.ts';
import { until } from '../../support/until.ts';
import { ipynb } from '../notebooks/ipynb.ts';
import { askForReason, connectClient, proposalTabs, proposedSide, useDesk } from '../bridge.ts';
import { activateSample } from './sample.ts';

describe('proposals of other extensions', function () {
  this.timeout(60_000);
  let source: vscode.CancellationTokenSource;
  beforeEach(() => (source = new vscode.CancellationTokenSource()));
  afterEach(() => source.cancel()); // before the desk waits for their diffs to close
  const desk = useDesk();
  let sample: Sample;
  let api: IdeBridgeApi;

  before(async () => {
    sample = await activateSample();
    ({ api } = sample);
  });

  const onDisk = (name: string) => readFileSync(desk.scratch.path(name), 'utf8');
  const file = (name: string, text: string | Buffer = 'b\na\n') =>
    vscode.Uri.file(desk.scratch.write(name, text));
  const noneIsOpen = () => until('the diffs to be gone', () => proposalTabs().length === 0);

  it('are reviewed under the name of the extension, and written as the user has them', async () => {
    const uri = file('a.txt', '\uFEFFb\r\na\r\n');
    const outcome = sample.sortLines(uri, source.token);
    const proposed = await proposedSide('a.txt');
    assert.deepEqual(proposalTabs(), ['a.txt (proposed edit, extension Sample Words: Sort Lines)']);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(proposed, new vscode.Position(2, 0), 'mine\n');
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.equal(onDisk('a.txt'), '\uFEFFb\r\na\r\n');
    await vscode.commands.executeCommand('ideBridge.acceptProposal', proposed);
    assert.deepEqual(await outcome, { accepted: true, text: 'a\nb\nmine\n' });
    assert.equal(onDisk('a.txt'), '\uFEFFa\r\nb\r\nmine\r\n');
    await noneIsOpen();
    await vscode.commands.executeCommand('ideBridge.review.focus');
    const row = reviewRows(desk.ui.page);
    await row.filter({ hasText: /extension Sample Words: Sort Lines.*all reviewed/ }).waitFor();
    assert.equal(await row.filter({ hasText: 'a.txt' }).count(), 0, 'to be reviewed once more');
  });

  it('are rejected, with what the user wants instead if they say so', async () => {
    const outcome = sample.sortLines(file('a.txt'), source.token);
    await vscode.commands.executeCommand('ideBridge.rejectProposal', await proposedSide('a.txt'));
    assert.deepEqual(await outcome, { accepted: false, withdrawn: false });
    await noneIsOpen();
    const again = sample.sortLines(file('b.txt'), source.token);
    await proposedSide('b.txt');
    const input = await askForReason(desk.ui);
    await input.fill('The other way');
    await input.press('Enter');
    assert.deepEqual(await again, { accepted: false, withdrawn: false, reason: 'The other way' });
    const back = api.propose({ uri: file('c.txt'), newText: 'new\n' }, source.token);
    const proposed = await proposedSide('c.txt');
    const document = await vscode.workspace.openTextDocument(proposed);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(proposed, new vscode.Range(0, 0, document.lineCount, 0), 'b\na\n');
    await vscode.workspace.applyEdit(edit);
    await vscode.commands.executeCommand('ideBridge.acceptProposal', proposed);
    const { accepted } = await back;
    assert.equal(accepted, false, 'the user has taken back all of it');
    assert.deepEqual([onDisk('a.txt'), onDisk('b.txt'), onDisk('c.txt')], ['b\na\n', 'b\na\n', 'b\na\n']);
  });

  it('are withdrawn by their token, and by the next for the same file', async () => {
    const outcome = sample.sortLines(file('a.txt'), source.token);
    await proposedSide('a.txt');
    source.cancel();
    assert.deepEqual(await outcome, { accepted: false, withdrawn: true });
    await noneIsOpen();
    assert.deepEqual(await sample.sortLines(file('a.txt'), source.token), {
      accepted: false,
      withdrawn: true,
    });
    assert.deepEqual(proposalTabs(), []);
    const other = new vscode.CancellationTokenSource();
    const uri = file('b.txt');
    const [first, second] = [1, 2].map((n) => api.propose({ uri, newText: `${n}\n` }, other.token));
    assert.deepEqual(await first, { accepted: false, withdrawn: true });
    await until('one diff', () => proposalTabs().length === 1);
    await vscode.commands.executeCommand('ideBridge.acceptProposal', await proposedSide('b.txt'));
    assert.deepEqual(await second, { accepted: true, text: '2\n' });
    assert.equal(onDisk('a.txt'), 'b\na\n');
  });

  it('that change nothing are accepted without a question', async () => {
    const uri = file('a.txt', 'a\r\nb\r\n');
    assert.deepEqual(await api.propose({ uri, newText: 'a\nb\n' }), { accepted: true, text: 'a\nb\n' });
    assert.equal(onDisk('a.txt'), 'a\r\nb\r\n');
    assert.deepEqual(proposalTabs(), []);
  });

  it('stay when the sessions go, and do not touch those of a session', async () => {
    const uri = file('a.txt');
    const outcome = sample.sortLines(uri, source.token);
    const proposed = await proposedSide('a.txt');
    const client = await connectClient(process.ppid);
    await client.callForTexts('closeAllDiffTabs');
    await client.close();
    assert.equal(proposalTabs().length, 1);
    await vscode.commands.executeCommand('ideBridge.acceptProposal', proposed);
    assert.deepEqual(await outcome, { accepted: true, text: 'a\nb\n' });
  });

  it('that cannot be written, or are none, are refused before anything is shown', async () => {
    const uri = file('a.txt');
    const dirty = file('dirty.txt');
    const edit = new vscode.WorkspaceEdit();
    edit.insert(dirty, new vscode.Position(0, 0), 'x');
    await vscode.workspace.applyEdit(edit);
    mkdirSync(desk.scratch.path('folder'));
    execFileSync('mkfifo', [desk.scratch.path('pipe')]);
    symlinkSync('/etc/hostname', desk.scratch.path('link'));
    const path = (name: string) => vscode.Uri.file(desk.scratch.path(name));
    const newText = 'new\n';
    const cases: [object | undefined, unknown, string, RegExp][] = [
      [undefined, undefined, 'InvalidArgument', /^A proposal: .*expected object/],
      [{ uri: uri.fsPath, newText }, undefined, 'InvalidArgument', /expected a Uri/],
      [{ uri }, undefined, 'InvalidArgument', /at newText/],
      [{ uri, newText: 'x'.repeat(11 * 1024 * 1024) }, undefined, 'InvalidArgument', /Too big/],
      [{ uri, newText, title: 'x'.repeat(61) }, undefined, 'InvalidArgument', /at title/],
      [{ uri, newText, title: 'a\u202Eb' }, undefined, 'InvalidArgument', /control characters/],
      [{ uri, newText, title: 'a\nb' }, undefined, 'InvalidArgument', /control characters/],
      [
        { uri, newText },
        { cancel: true },
        'InvalidArgument',
        /^The token of a proposal: .*CancellationToken/,
      ],
      [{ uri: path('not there.txt'), newText }, undefined, 'InvalidArgument', /no such file/],
      [{ uri: vscode.Uri.file(tmpdir()), newText }, undefined, 'InvalidArgument', /no such file/],
      [{ uri: path('link'), newText }, undefined, 'InvalidArgument', /a link leads out/],
      [{ uri: path('folder'), newText }, undefined, 'InvalidArgument', /this is no file/],
      [{ uri: path('pipe'), newText }, undefined, 'InvalidArgument', /this is no file/],
      [{ uri: dirty, newText }, undefined, 'Failed', /unsaved changes/],
      [
        { uri: file('latin.txt', Buffer.from([0xe4, 10])), newText },
        undefined,
        'Failed',
        /not encoded in UTF-8/,
      ],
    ];
    const propose = api.propose as (...args: unknown[]) => Promise<unknown>;
    for (const [input, token, code, words] of cases) {
      await assert.rejects(propose(input, token), (error: Error & { code?: string }) => {
        assert.deepEqual([error.name, error.code], ['IdeBridgeError', code], error.message);
        assert.match(error.message, words);
        return true;
      });
    }
    assert.deepEqual(proposalTabs(), []);
    await vscode.window.showTextDocument(dirty);
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('for a notebook that has unsaved changes are refused, too', async () => {
    const uri = file('notes.ipynb', ipynb(['1']));
    const notebook = await vscode.workspace.openNotebookDocument(uri);
    await vscode.window.showNotebookDocument(notebook);
    const edit = new vscode.WorkspaceEdit();
    const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'mine', 'python');
    edit.set(uri, [vscode.NotebookEdit.insertCells(1, [cell])]);
    await vscode.workspace.applyEdit(edit);
    assert.ok(notebook.isDirty);
    const outcome = api.propose({ uri, newText: ipynb(['2']) }, source.token);
    await assert.rejects(outcome, { code: 'Failed', message: /unsaved changes/ });
    assert.deepEqual(proposalTabs(), []);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });
});
