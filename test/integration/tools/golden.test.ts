// Whole conversations, compared with the text files in test/golden. `npm run test:golden` writes them anew.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Deferred } from '../../../src/base/deferred.ts';
import { refusals } from '../../../src/notebooks/notebookRefusals.ts';
import type { Notifications } from '../../../src/protocol/ide.ts';
import { IdeClient } from '../../support/ideClient.ts';
import { skipWithout } from '../../support/lacking.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';
import { connectUi, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, currentLock, extensionUnderTest, proposalTabs, Scratch, tabs } from '../bridge.ts';
import { KernelDesk, slow } from '../notebooks/kernelDesk.ts';

interface Scenario {
  /** Those to record; others come when the editor wants. */
  notifications?: string[];
  /** It runs code. */
  onKernel?: boolean;
  run: (client: IdeClient, scratch: Scratch) => Promise<void>;
}

const scenarios: Record<string, Scenario> = {
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
      client.socket.send('[]');
      client.socket.send('{"jsonrpc":"1.0","id":1,"method":"ping"}');
      await until('the answers', () => errors(client, -32600) === 2);
      await refused(client.request('no/such/method'));
      await refused(client.request('initialize', {}));
      await refused(client.request('initialize', { protocolVersion: '2025-11-25' }));
      await refused(client.request('tools/call', {}));
      await refused(client.call('noSuchTool'));
      await refused(client.call('openFile', {}));
      await refused(
        client.call('openDiff', { old_file_path: 'relative.txt', new_file_contents: '', tab_name: 'T' }),
      );
    },
  },
  'too-many-calls': {
    async run(client, scratch) {
      const file_path = scratch.write('held.txt', '');
      const released = new Deferred<undefined>();
      const formatter = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: file_path },
        { provideDocumentFormattingEdits: () => released.promise },
      );
      const call = { name: 'reformat_file', arguments: { file_path } };
      const held = Array.from({ length: 256 }, () => client.start('tools/call', call).answer);
      client.transcript.splice(-255, 255, { from: 'client', message: '255 more of them' });
      try {
        await refused(client.request('tools/call', call));
        client.transcript.push({ from: 'server', message: 'the answers to the others' });
      } finally {
        const { length } = client.transcript;
        released.settle(undefined);
        await Promise.all(held);
        client.transcript.splice(length);
        formatter.dispose();
      }
    },
  },
  'tools-disabled': {
    notifications: ['notifications/tools/list_changed'],
    async run(client) {
      const changes = () => client.notifications('notifications/tools/list_changed').length;
      const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
      const left = 'getWorkspaceFolders';
      await set(
        'tools.disabled',
        tools.map(({ name }) => name).filter((name) => name !== left),
      );
      try {
        await until('the notification', () => changes() === 1);
        await client.request('tools/list');
        await refused(client.call('executeCode', { code: 'print(1)' }));
      } finally {
        await set('tools.disabled', undefined);
      }
      await until('the other one', () => changes() === 2);
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
  'openDiff-superseded': {
    async run(client, scratch) {
      const path = scratch.write('hello.txt', 'one\n');
      const args = { new_file_path: path, new_file_contents: 'ONE\n', tab_name: tabName };
      const call = { name: 'openDiff', arguments: { old_file_path: path, ...args } };
      const { id, answer } = client.start('tools/call', call);
      const [first] = await until('the diff', () => proposalTabs().length === 1 && proposedUris());
      client.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: call }));
      await until('the refusal of the id', () => errors(client, -32600) === 1);
      await refused(answer); // both have the same id
      const second = openDiff(client, path, 'two\n');
      await until('the answer to the first', () =>
        client.received.some(({ result }) => JSON.stringify(result)?.includes('DIFF_REJECTED')),
      );
      await until('the second alone', () => proposedUris().length === 1 && proposedUris()[0] !== first);
      await client.call('closeAllDiffTabs', {});
      await second;
    },
  },
  'openDiff-refused': {
    async run(client, scratch) {
      await openDiff(client, scratch.folder, 'ONE\n');
      await refused(openDiff(client, `${scratch.folder}/a\0b.txt`, ''));
      const { executeCommand } = vscode.commands;
      vscode.commands.executeCommand = () => Promise.reject(new Error('The editor is out of order.'));
      try {
        await openDiff(client, scratch.write('hello.txt', 'one\n'), 'ONE\n');
      } finally {
        vscode.commands.executeCommand = executeCommand;
      }
      await client.call('closeAllDiffTabs'); // nothing is left of it
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
      await client.call('openFile', { filePath, startText: 'first', endText: 'third' });
    },
  },
  'openFile-refused': {
    async run(client, scratch) {
      await client.call('openFile', { filePath: scratch.path('missing.txt') });
      await client.call('openFile', { filePath: scratch.folder });
      await client.call('openFile', { filePath: '/dev/null' });
      await client.call('openFile', { filePath: scratch.write('binary.bin', Buffer.alloc(64)) });
      const large = scratch.write('large.txt', '');
      truncateSync(large, 51 * 1024 * 1024);
      await client.call('openFile', { filePath: large });
      await client.call('openFile', { filePath: '../outside.txt' });
      await refused(client.call('openFile', { filePath: '' }));
      await refused(client.call('openFile', { filePath: 'a\0b' }));
      await refused(client.call('openFile', { filePath: 'x'.repeat(4_097) }));
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
      await client.call('open_files', { file_paths: [filePath, scratch.path('missing.txt')] });
      await client.call('close_tab', { tab_name: 'nobody has this' });
    },
  },
  'documents-not-saved': {
    async run(client, scratch) {
      const filePath = scratch.write('folder.txt', 'one\n');
      const document = await vscode.workspace.openTextDocument(filePath);
      const editor = await vscode.window.showTextDocument(document, { preview: false });
      await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'new '));
      rmSync(filePath);
      mkdirSync(filePath); // nothing can be saved there
      await client.call('saveDocument', { filePath });
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');

      const contradicted = scratch.write('contradicted.txt', 'one\n');
      const contradictory = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: contradicted },
        {
          provideDocumentFormattingEdits: () =>
            [new vscode.Range(0, 0, 0, 2), new vscode.Range(0, 1, 0, 3)].map((range) =>
              vscode.TextEdit.replace(range, ''),
            ),
        },
      );
      await client.call('reformat_file', { file_path: contradicted });
      contradictory.dispose();

      const file_path = scratch.write('formatted.txt', 'one\n');
      const formatter = vscode.languages.registerDocumentFormattingEditProvider(
        { pattern: file_path },
        {
          provideDocumentFormattingEdits: () => {
            rmSync(file_path);
            mkdirSync(file_path);
            return [vscode.TextEdit.insert(new vscode.Position(0, 0), 'new ')];
          },
        },
      );
      await client.call('reformat_file', { file_path });
      formatter.dispose();
      await vscode.window.showTextDocument(vscode.Uri.file(file_path));
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    },
  },
  'executeCode-refused': {
    async run(client, scratch) {
      const run = () => client.call('executeCode', { code: 'print(1)' });
      await refused(client.call('executeCode', { code: ' ' }));
      await run();
      const desk = await KernelDesk.with(ui);
      try {
        await desk.openReadOnly();
        await run();
        const editor = await desk.openNotebook(scratch);
        await set('notebook.confirm', 'session');
        const unselected = desk.agree(run());
        await desk.kernelPicker();
        await desk.escape(unselected);
        await desk.select(editor, desk.kernels.r);
        await run();
        await desk.select(editor, desk.kernels.python);
        for (const [language, status] of [
          ['R', 'idle'],
          ['python', 'busy'],
          ['python', 'dead'],
        ] as const) {
          desk.grant(editor, language, status);
          await run();
        }
        desk.jupyter.granted.clear();
        await set('notebook.confirm', undefined);
        const asked = run();
        await desk.question();
        await run();
        await desk.sayNo();
        await asked;
      } finally {
        await set('notebook.confirm', undefined);
        await desk.clear();
      }
    },
  },
  executeCode: {
    onKernel: true,
    async run(client, scratch) {
      const desk = await KernelDesk.with(ui);
      const run = (code: string) => client.call('executeCode', { code });
      try {
        await set('notebook.confirm', 'session');
        await desk.openNotebook(scratch, 'analysis.ipynb', desk.kernels.python);
        await desk.agree(run('print("hello", flush=True)\n21 * 2'));
        await run('pass');
        await run('import os, signal\nos.kill(os.getpid(), signal.SIGKILL)');
        await desk.openNotebook(scratch, 'mute.ipynb', desk.kernels.mute);
        await run('pass');
      } finally {
        await set('notebook.confirm', undefined);
        await desk.clear();
      }
    },
  },
  'executeCode-ended-early': {
    onKernel: true,
    async run(client, scratch) {
      const desk = await KernelDesk.with(ui);
      const call = (code: string) => client.start('tools/call', { name: 'executeCode', arguments: { code } });
      await set('notebook.confirm', 'session');
      await desk.openNotebook(scratch, 'closed.ipynb', desk.kernels.python);
      const asked = call('1');
      await desk.question();
      const isNotebook = ({ input }: vscode.Tab) => input instanceof vscode.TabInputNotebook;
      await vscode.window.tabGroups.close(tabs().filter(isNotebook));
      await desk.sayYes();
      await asked.answer;

      const editor = await desk.openNotebook(scratch, 'analysis.ipynb', desk.kernels.python);
      const lastCell = () => editor.notebook.cellAt(editor.notebook.cellCount - 1);
      const removeLastCell = async () => {
        const range = new vscode.NotebookRange(lastCell().index, editor.notebook.cellCount);
        const edit = new vscode.WorkspaceEdit();
        edit.set(editor.notebook.uri, [vscode.NotebookEdit.deleteCells(range)]);
        await vscode.workspace.applyEdit(edit);
      };
      const started = async () => {
        const count = editor.notebook.cellCount;
        const { id, answer } = call(sleep);
        const isNew = () => editor.notebook.cellCount > count;
        await until('the sleep', () => isNew() && lastCell().outputs.length > 0, slow);
        return { id, answer };
      };
      try {
        client.notify('notifications/cancelled', { requestId: (await started()).id });
        await until('the end', () => lastCell().executionSummary?.success !== undefined, slow);

        await set('notebook.timeout', 3);
        await (
          await started()
        ).answer;
        await set('notebook.timeout', undefined);

        const removed = await started();
        await removeLastCell();
        await removed.answer;

        const closed = await started();
        await editor.notebook.save();
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        await closed.answer;
      } finally {
        await set('notebook.timeout', undefined);
        await set('notebook.confirm', undefined);
        await desk.clear();
      }
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
      await until('the notification', () =>
        JSON.stringify(client.notifications('diagnostics_changed')).includes(path),
      );
      await client.call('getDiagnostics', { uri: `file://${path}` });
      await client.call('getDiagnostics', { uri: 'nonsense' });
      await client.call('getDiagnostics', { uri: `file://${path}` }, { 'claudecode/toolUseId': 'toolu_1' });
      collection.dispose();
    },
  },
  'diagnostics-bounded': {
    async run(client, scratch) {
      const path = scratch.write('many.txt', 'text\n');
      const collection = vscode.languages.createDiagnosticCollection('golden');
      const range = new vscode.Range(0, 0, 0, 4);
      const { Hint, Warning, Error } = vscode.DiagnosticSeverity;
      const problems = [Hint, Warning, Error].map(
        (severity) => new vscode.Diagnostic(range, `${severity}: ${longText}${longText}`, severity),
      );
      collection.set(vscode.Uri.file(path), Array(7).fill(problems).flat());
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

/** What is left of a longer one in an answer for the model, into which some twenty fit. */
const longText = 'y'.repeat(1_997);
/** Ends when it is interrupted, and says nothing of that. */
const sleep = [
  'import time',
  'print("begun", flush=True)',
  'try:',
  '    time.sleep(600)',
  'except KeyboardInterrupt:',
  '    pass',
].join('\n');
const tabName = '✻ [Claude Code] hello.txt (3b56da) ⧉';
const notificationMethods: (keyof Notifications)[] = [
  'selection_changed',
  'workspace/didChangeActiveEditor',
  'diagnostics_changed',
  'at_mentioned',
  'notifications/tools/list_changed',
];
let ui: Ui;
/** A scenario may bring a client of its own. */
let recorded: IdeClient | undefined;

/** Of the proposed sides that are in tabs. */
function proposedUris(): string[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .flatMap(({ input }) => (input instanceof vscode.TabInputTextDiff ? [input.modified.toString()] : []))
    .filter((uri) => uri.startsWith('ide-bridge-proposal:'));
}

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

function errors(client: IdeClient, code: number): number {
  return client.received.filter(({ error }) => error?.code === code).length;
}

async function set(setting: string, value: unknown): Promise<void> {
  const target = vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration('ideBridge').update(setting, value, target);
}

async function refused(answer: Promise<unknown>): Promise<void> {
  await assert.rejects(answer);
}

describe('golden conversation', () => {
  before(async () => {
    ui = await connectUi();
  });
  after(() => ui.close());

  for (const [name, { notifications = [], onKernel, run }] of Object.entries(scenarios)) {
    it(name, async function () {
      this.timeout(120_000); // a kernel takes its time
      if (onKernel) skipWithout('python3-ipykernel', this);
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

  it('calls every tool, gets every notification, and hears every refusal to run code, at least once', async () => {
    const client = await connectClient();
    const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
    await client.close();
    const all = Object.keys(scenarios)
      .map((name) => readFileSync(goldenFile(name), 'utf8'))
      .join('\n');
    // In Restricted Mode there is no conversation; a cell that the user changes in time is in the tests of notebooks.
    const expected = [
      ...Object.values(refusals)
        .filter((refusal) => refusal !== refusals.untrusted && refusal !== refusals.cellChanged)
        .map((refusal) => refusal('').remedy),
      ...tools.map(({ name }) => `"method":"tools/call","params":{"name":"${name}"`),
      ...notificationMethods.map((method) => `< {"jsonrpc":"2.0","method":"${method}"`),
    ];
    assert.deepEqual(
      expected.filter((text) => !all.includes(text)),
      [],
    );
  });
});

/** One message a line: `>` from the client, `<` from the server; without what differs from run to run. */
function transcript(client: IdeClient, scratch: Scratch, notifications: string[]): string {
  const { version } = extensionUnderTest().packageJSON as { version: string };
  const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '';
  const told = new Set<string>();
  return client.transcript
    .map(({ from, message }) => ({ from, message: ofOurFiles(message, scratch) }))
    .filter(({ from, message }) => {
      const { method } = message as { method?: string };
      if (from === 'client' || method === undefined) {
        return true;
      }
      // Language servers report again on the same files when they like.
      const text = JSON.stringify(message);
      const isNew = method !== 'diagnostics_changed' || (text.includes(scratch.folder) && !told.has(text));
      told.add(text);
      return notifications.includes(method) && isNew;
    })
    .map(({ from, message }) => `${from === 'client' ? '>' : '<'} ${JSON.stringify(message)}`)
    .join('\n')
    .replaceAll(scratch.folder, '<dir>')
    .replaceAll(workspace, '<workspace>')
    .replaceAll(longText, '<1,997 y>')
    .replaceAll(`"version":"${version}"`, '"version":"<version>"')
    .concat('\n');
}

/** Without the files that language servers report on in the same notification. */
function ofOurFiles(message: unknown, scratch: Scratch): unknown {
  const { method, params } = message as { method?: string; params?: { uris?: string[] } };
  return method === 'diagnostics_changed'
    ? {
        ...(message as object),
        params: { uris: params?.uris?.filter((uri) => uri.includes(scratch.folder)) },
      }
    : message;
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
