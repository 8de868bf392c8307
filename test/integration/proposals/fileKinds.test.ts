import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { until } from '../../support/until.ts';
import { connectClient, propose, proposalTabs, skipOnFloor, tabs, useDesk } from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';

/** The extension never writes the file, so what counts is that the answer is right to the last byte. */
describe('a proposal for a file that is', () => {
  const desk = useDesk();
  const nextDialog = useDialogs();

  const accept = () => vscode.commands.executeCommand('ideBridge.acceptProposal');

  async function insertAtStart(uri: vscode.Uri, text: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), text);
    assert.ok(await vscode.workspace.applyEdit(edit));
  }

  it('5 MB large: comes back whole, also when it was edited', async function () {
    this.timeout(60_000);
    const lines = Array.from(
      { length: 100_000 },
      (_, i) => `a line of some fifty characters with a number: ${i}\n`,
    );
    const path = desk.scratch.write('large.txt', lines.join(''));
    const text = lines.with(50_000, 'changed\n').join('');
    assert.ok(text.length > 5_000_000);
    const first = await propose(desk.client, path, text);
    await accept();
    assert.ok((await first.answer)[1] === text);
    const second = await propose(desk.client, path, text);
    await insertAtStart(second.uri, 'x');
    await accept();
    assert.ok((await second.answer)[1] === `x${text}`);
  });

  it('binary: the proposed text is shown alone', async function () {
    skipOnFloor(this);
    const path = desk.scratch.write('image.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1, 0xff]));
    const { answer } = await propose(desk.client, path, 'text now\n');
    assert.deepEqual(proposalTabs(), ['image.png (proposed text)']);
    await accept();
    assert.deepEqual(await answer, ['FILE_SAVED', 'text now\n']);
    assert.equal(readFileSync(path).length, 9);
    await until('its tab to go', () => tabs().length === 0);
  });

  /** What the editor, if it has to guess, takes for a binary file. */
  const binary = 'abc\0\0\0de\n';

  for (const [what, text] of [
    ['NUL characters', binary],
    ['NUL characters as in UTF-16', 'a\0b\0\n'],
    ['lone CR and CRLF', 'a\rb\r\nc\n'],
    ['unusual line ends', 'a\u2028b\u2029c\u0085d\n'],
    ['a second byte order mark', '\uFEFF\uFEFFa\n'],
    ['half a surrogate pair', 'a\uD83Db\n'],
    ['nothing', ''],
  ] as const) {
    it(`to get ${what}: comes back as it came`, async () => {
      const path = desk.scratch.write('odd.txt', 'a\n');
      const { answer, uri } = await propose(desk.client, path, text);
      await vscode.workspace.openTextDocument(uri); // the diff may not have it yet
      await accept();
      assert.deepEqual(await answer, ['FILE_SAVED', text]);
      await until('the diff to go', () => proposalTabs().length === 0);
    });
  }

  it('to get NUL characters: shows them, and goes with its session', async () => {
    const path = desk.scratch.write('odd.txt', 'a\n');
    const client = await connectClient();
    const { answer, uri } = await propose(client, path, binary);
    answer.catch(() => {});
    assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), binary);
    await client.close();
    await until('the diff to go', () => proposalTabs().length === 0);
  });

  it('to get NUL characters: comes back as it was edited', async () => {
    const path = desk.scratch.write('odd.txt', 'a\n');
    const { answer, uri } = await propose(desk.client, path, binary);
    await insertAtStart(uri, 'x');
    await accept();
    assert.deepEqual(await answer, ['FILE_SAVED', `x${binary}`]);
    await until('the diff to go', () => proposalTabs().length === 0);
  });

  it('read-only: the proposal can be edited all the same', async () => {
    const path = desk.scratch.write('read-only.txt', 'one\n');
    chmodSync(path, 0o444);
    const { answer, uri } = await propose(desk.client, path, 'two\n');
    await insertAtStart(uri, 'one\n');
    await accept();
    assert.deepEqual(await answer, ['FILE_SAVED', 'one\ntwo\n']);
  });

  it('outside the workspace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ide-bridge-outside-'));
    try {
      const path = join(folder, 'ä #1%.txt');
      writeFileSync(path, 'one\n');
      const { answer } = await propose(desk.client, path, 'two\n');
      assert.deepEqual(proposalTabs(), ['ä #1%.txt (proposed edit)']);
      await accept();
      assert.deepEqual(await answer, ['FILE_SAVED', 'two\n']);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('deleted meanwhile: it stays under review, with its hunks', async () => {
    const path = desk.scratch.write('gone.txt', 'one\n');
    const { answer, uri } = await propose(desk.client, path, 'one\ntwo\n');
    rmSync(path);
    await vscode.commands.executeCommand('ideBridge.keepHunk', uri, 1);
    assert.equal(proposalTabs().length, 1);
    const accepted = accept();
    const dialog = await nextDialog();
    assert.match(dialog.text, /^gone\.txt has changed since this was proposed/);
    assert.deepEqual(dialog.buttons, ['Show Diff', 'Accept Anyway', 'Reject']);
    dialog.press('Accept Anyway');
    await accepted;
    assert.deepEqual(await answer, ['FILE_SAVED', 'one\ntwo\n']);
  });

  it('in another encoding: the proposed side is not harmed by it', async () => {
    const path = desk.scratch.write('latin1.txt', Buffer.from('größer\n', 'latin1'));
    const { answer, uri } = await propose(desk.client, path, 'größer als 😀\n');
    await insertAtStart(uri, 'é');
    await accept();
    assert.deepEqual(await answer, ['FILE_SAVED', 'égrößer als 😀\n']);
  });

  it('trimmed when it is saved: comes back untrimmed, because accepting does not save', async () => {
    await desk.configure('files.trimTrailingWhitespace', true);
    const path = desk.scratch.write('spaces.txt', 'one\n');
    const { answer } = await propose(desk.client, path, 'one  \ntwo');
    await accept();
    assert.deepEqual(await answer, ['FILE_SAVED', 'one  \ntwo']);
  });
});
