// Whole conversations, compared with the text files in test/golden. `npm run test:golden` writes them anew.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { IdeClient } from '../support/ideClient.ts';
import { testEnvironment } from '../support/testEnvironment.ts';
import { until } from '../support/until.ts';
import { connectClient, currentLock, extensionUnderTest, proposalTabs, Scratch } from './bridge.ts';

type Scenario = (client: IdeClient, scratch: Scratch) => Promise<void>;

/** Each records everything but the notifications that it does not name: those come when the editor wants. */
const scenarios: Record<string, { notifications?: string[]; run: Scenario }> = {
  handshake: {
    async run() {
      const { port, authToken } = await currentLock();
      const client = await IdeClient.connect({ port, token: authToken, pid: 4242 });
      await client.request('tools/list');
      await client.request('resources/list');
      await client.request('prompts/list');
      await client.request('ping');
      recorded = client;
    },
  },
  'protocol-errors': {
    async run(client) {
      client.socket.send('{"jsonrpc":');
      await until('the parse error', () => client.received.some(({ error }) => error?.code === -32700));
      await refused(client.request('no/such/method'));
      await refused(client.request('initialize', { protocolVersion: '2025-11-25' }));
      await refused(client.request('tools/call', {}));
      await refused(client.call('noSuchTool'));
      await refused(client.call('openFile', {}));
      await refused(
        client.call('openDiff', { old_file_path: 'relative.txt', new_file_contents: '', tab_name: 'T' }),
      );
    },
  },
  'openDiff-accepted': {
    async run(client, scratch) {
      const answer = openDiff(client, scratch.write('hello.txt', 'one\n'), 'ONE\n');
      await until('the diff', () => proposalTabs().length === 1);
      await vscode.commands.executeCommand('ideBridge.acceptProposal');
      await answer;
      await client.call('close_tab', { tab_name: tabName });
    },
  },
  'openDiff-rejected': {
    async run(client, scratch) {
      const answer = openDiff(client, scratch.write('hello.txt', 'one\n'), 'ONE\n');
      await until('the diff', () => proposalTabs().length === 1);
      await vscode.commands.executeCommand('ideBridge.rejectProposal');
      await answer;
    },
  },
  'openDiff-decided-in-the-terminal': {
    async run(client, scratch) {
      const answer = openDiff(client, scratch.write('hello.txt', 'one\n'), 'ONE\n');
      await until('the diff', () => proposalTabs().length === 1);
      await client.call('close_tab', { tab_name: tabName });
      await answer;
      await client.call('close_tab', { tab_name: tabName });
      await client.call('closeAllDiffTabs');
    },
  },
  'openDiff-cancelled': {
    async run(client, scratch) {
      const path = scratch.write('hello.txt', 'one\n');
      const args = {
        old_file_path: path,
        new_file_path: path,
        new_file_contents: 'ONE\n',
        tab_name: tabName,
      };
      const { id } = client.start('tools/call', { name: 'openDiff', arguments: args });
      await until('the diff', () => proposalTabs().length === 1);
      client.notify('notifications/cancelled', { requestId: id, reason: 'AbortError: user-cancel' });
      await until('the diff to go', () => proposalTabs().length === 0);
      await client.request('ping');
    },
  },
  openFile: {
    async run(client, scratch) {
      const filePath = scratch.write('code.txt', 'first {\n}\nsecond\n');
      await client.call('openFile', { filePath });
      await client.call('openFile', { filePath, startText: 'first', endText: '}' });
      await client.call('openFile', { filePath, startText: 'second' });
      await client.call('openFile', { filePath, startText: 'third' });
      await client.call('openFile', { filePath, startText: '', endText: '', makeFrontmost: false });
      await client.call('openFile', { filePath: scratch.path('missing.txt') });
      await client.call('openFile', { filePath: scratch.folder });
    },
  },
  'editors-and-selections': {
    async run(client, scratch) {
      await client.call('getCurrentSelection');
      await client.call('getOpenEditors');
      await client.call('getWorkspaceFolders');
      await select(scratch.write('notes.txt', 'one\ntwo\n'), new vscode.Selection(0, 0, 1, 3));
      await client.call('getCurrentSelection');
      await client.call('getLatestSelection');
      await client.call('getOpenEditors');
      await client.call('get_all_opened_file_paths');
    },
  },
  documents: {
    async run(client, scratch) {
      const filePath = scratch.write('draft.txt', 'one\n');
      await client.call('checkDocumentDirty', { filePath });
      await client.call('saveDocument', { filePath });
      const document = await vscode.workspace.openTextDocument(filePath);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'new '));
      await client.call('checkDocumentDirty', { filePath });
      await client.call('close_tab', { tab_name: 'draft.txt' });
      await client.call('saveDocument', { filePath });
      await client.call('close_tab', { tab_name: 'draft.txt' });
      await client.call('reformat_file', { file_path: filePath });
      await client.call('reformat_file', { file_path: scratch.path('missing.txt') });
      await client.call('open_files', { file_paths: [filePath] });
    },
  },
  'executeCode-refused': {
    async run(client) {
      await refused(client.call('executeCode', { code: ' ' }));
      await client.call('executeCode', { code: 'print(1)' });
    },
  },
  diagnostics: {
    notifications: ['diagnostics_changed'],
    async run(client, scratch) {
      const path = scratch.write('a b.txt', 'text\n');
      const collection = vscode.languages.createDiagnosticCollection('golden');
      const range = new vscode.Range(0, 0, 0, 4);
      collection.set(vscode.Uri.file(path), [
        new vscode.Diagnostic(range, 'Not a word', vscode.DiagnosticSeverity.Warning),
      ]);
      await until('the notification', () => client.notifications('diagnostics_changed').length > 0);
      await client.call('getDiagnostics', { uri: `file://${path}` });
      await client.call('getDiagnostics', { uri: 'nonsense' });
      await client.call('getDiagnostics', { uri: `file://${path}` }, { 'claudecode/toolUseId': 'toolu_1' });
      collection.dispose();
    },
  },
  context: {
    notifications: ['selection_changed', 'workspace/didChangeActiveEditor', 'at_mentioned'],
    async run(client, scratch) {
      const path = scratch.write('notes.txt', 'one\ntwo\n');
      // As with the first prompt: from then on nothing is repeated.
      await client.call('closeAllDiffTabs', {});
      await select(path, new vscode.Selection(0, 0, 0, 0));
      await until('the file', () => client.notifications('selection_changed').length === 1);
      await select(path, new vscode.Selection(0, 0, 1, 3));
      await until('the selection', () => client.notifications('selection_changed').length === 2);
      await vscode.commands.executeCommand('ideBridge.mention');
      await until('the mention', () => client.notifications('at_mentioned').length === 1);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      await until('the end of it', () => client.notifications('selection_changed').length === 3);
    },
  },
};

const tabName = '✻ [Claude Code] hello.txt (3b56da) ⧉';
/** A scenario may bring a client of its own. */
let recorded: IdeClient | undefined;

function openDiff(client: IdeClient, path: string, text: string): Promise<unknown> {
  const args = { old_file_path: path, new_file_path: path, new_file_contents: text, tab_name: tabName };
  return client.call('openDiff', args);
}

async function select(path: string, selection: vscode.Selection): Promise<void> {
  const document = await vscode.workspace.openTextDocument(path);
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  editor.selection = selection;
  await until('the selection', () => editor.selection.isEqual(selection));
}

async function refused(answer: Promise<unknown>): Promise<void> {
  await assert.rejects(answer);
}

describe('golden conversation', () => {
  for (const [name, { notifications = [], run }] of Object.entries(scenarios)) {
    it(name, async () => {
      const scratch = new Scratch();
      const { port, authToken } = await currentLock();
      const client = await IdeClient.connect({ port, token: authToken, pid: 4242 });
      recorded = undefined;
      try {
        await run(client, scratch);
        compare(name, transcript(recorded ?? client, scratch, notifications));
      } finally {
        await (recorded as IdeClient | undefined)?.close();
        await client.close();
        await until('the diffs to go', () => proposalTabs().length === 0);
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        scratch.remove();
      }
    });
  }

  it('calls every tool at least once', async () => {
    const client = await connectClient();
    const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
    await client.close();
    const all = Object.keys(scenarios)
      .map((name) => readFileSync(goldenFile(name), 'utf8'))
      .join('\n');
    const missing = tools.filter(
      ({ name }) => !all.includes(`"method":"tools/call","params":{"name":"${name}"`),
    );
    assert.deepEqual(missing, []);
  });
});

/** One message a line: `>` from the client, `<` from the server; without what differs from run to run. */
function transcript(client: IdeClient, scratch: Scratch, notifications: string[]): string {
  const { version } = extensionUnderTest().packageJSON as { version: string };
  const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const told = new Set<string>();
  return client.transcript
    .filter(({ from, message }) => {
      const { method } = message as { method?: string };
      if (from === 'client' || method === undefined) {
        return true;
      }
      // Language servers report on other files, and again on the same, when they like.
      const text = JSON.stringify(message);
      const isOurs = method !== 'diagnostics_changed' || (text.includes(scratch.folder) && !told.has(text));
      told.add(text);
      return notifications.includes(method) && isOurs;
    })
    .map(({ from, message }) => `${from === 'client' ? '>' : '<'} ${JSON.stringify(message)}`)
    .join('\n')
    .replaceAll(scratch.folder, '<dir>')
    .replaceAll(workspace, '<workspace>')
    .replaceAll(`"version":"${version}"`, '"version":"<version>"')
    .concat('\n');
}

function goldenFile(name: string): string {
  return join(extensionUnderTest().extensionPath, 'test', 'golden', `${name}.txt`);
}

function compare(name: string, actual: string): void {
  const file = goldenFile(name);
  if (process.env[testEnvironment.updateGolden]) {
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, actual);
    return;
  }
  assert.ok(existsSync(file), `${file} is missing; npm run test:golden writes it`);
  assert.equal(actual, readFileSync(file, 'utf8'));
}
