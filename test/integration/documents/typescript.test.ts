import assert from 'node:assert/strict';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Diagnostic, FileDiagnostics } from '../../../src/protocol/ide.ts';
import { until } from '../../support/until.ts';
import { connectClient, tabs, useDesk } from '../bridge.ts';

const sound = 'export const count: number = 1;\n';
const broken = "export const count: number = 1;\nexport const wrong: number = 'text';\n";

describe('problems of files without a tab', () => {
  const desk = useDesk();

  const ask = (uri?: string) =>
    desk.client.callForJson<FileDiagnostics[]>('getDiagnostics', uri === undefined ? {} : { uri });
  const askAsModel = async (uri?: string) => {
    const meta = { 'claudecode/toolUseId': 'toolu_1' };
    const { content } = await desk.client.call('getDiagnostics', uri === undefined ? {} : { uri }, meta);
    return JSON.parse(content[0]?.text ?? '') as FileDiagnostics[];
  };
  /**
   * As the CLI does it around a write. A busy machine may take longer than the CLI waits: so the server has the file at
   * hand before, and is given time after. @returns what is told before
   */
  const around = async (path: string, write: () => void, after: readonly string[]) => {
    if (existsSync(path)) {
      await askAsModel(path);
    }
    const [before] = await ask(`file://${path}`);
    write();
    await until(`after the write: ${after.join() || 'none'}`, async () => {
      const told = texts((await ask()).find(({ uri }) => uri === `file://${path}`));
      return told.join() === after.join();
    });
    return texts(before);
  };
  const texts = (file: FileDiagnostics | undefined) => file?.diagnostics.map(({ message }) => message) ?? [];
  const isHere = (uri: string) => uri.startsWith(`file://${desk.scratch.folder}/`);
  const isOpen = (path: string) => vscode.workspace.textDocuments.some(({ uri }) => uri.fsPath === path);

  /** The server runs, and has the project of the folder. */
  beforeEach(async () => {
    const path = desk.scratch.write('warm.ts', broken);
    await until('the server', async () => texts((await askAsModel(`file://${path}`))[0]).length > 0, 20_000);
    rmSync(path);
  });

  const wrong = "Type 'string' is not assignable to type 'number'.";

  it('are told after the write that made them, as the editor has them', async () => {
    const path = desk.scratch.write('edited ü#1.ts', sound);
    await around(path, () => writeFileSync(path, broken), [wrong]);
    const after = (await ask()).find(({ uri }) => uri === `file://${path}`);
    assert.deepEqual(after?.diagnostics, [
      {
        message: wrong,
        severity: 'Error',
        range: { start: { line: 1, character: 13 }, end: { line: 1, character: 18 } },
        source: 'ts',
        code: '2322',
      },
    ] satisfies Diagnostic[]);
    assert.deepEqual(tabs(), []);
    assert.deepEqual(vscode.languages.getDiagnostics(vscode.Uri.file(path)), [], 'the editor shows nothing');
  });

  it('are those of the text from before, where it is asked before', async () => {
    const path = desk.scratch.write('old.ts', broken);
    assert.deepEqual(await around(path, () => writeFileSync(path, sound), []), [wrong]);
    assert.deepEqual(await around(path, () => writeFileSync(path, broken), [wrong]), []);
    const more = "export const more: number = '';\n";
    assert.deepEqual(await around(path, () => writeFileSync(path, more + broken), [wrong, wrong]), [wrong]);
  });

  it('are told of a new file, of both scripts and modules, with types and without', async () => {
    for (const name of ['new.ts', 'new.tsx', 'new.mts', 'new.cts']) {
      const path = desk.scratch.path(name);
      await around(path, () => writeFileSync(path, broken), [wrong]);
    }
    for (const name of ['new.js', 'new.jsx', 'new.mjs', 'new.cjs']) {
      const path = desk.scratch.path(name);
      await around(path, () => writeFileSync(path, 'const a = ;\n'), ['Expression expected.']);
    }
  });

  it('are told to the model that asks, also of what a shell has just written', async () => {
    const path = desk.scratch.write('shell.ts', sound);
    assert.deepEqual(texts((await askAsModel(path))[0]), []);
    writeFileSync(path, broken);
    assert.deepEqual(texts((await askAsModel(path))[0]), [wrong]);
    assert.deepEqual(texts((await askAsModel()).find(({ uri }) => uri === `file://${path}`)), [wrong]);
  });

  it('follow what is written into other files', async () => {
    const part = desk.scratch.write('part.ts', "export const part: string = 'a';\n");
    const whole = desk.scratch.write('whole.ts', sound);
    const uses = "import { part } from './part';\nexport const length: number = part.length;\n";
    assert.deepEqual(await around(whole, () => writeFileSync(whole, uses), []), []);
    await around(part, () => writeFileSync(part, 'export const part: number = 1;\n'), []);
    const missing = "Property 'length' does not exist on type 'number'.";
    await until('what is wrong there', async () => {
      await askAsModel(); // which has it asked anew, where the time after the write was too short
      return texts((await ask()).find(({ uri }) => uri === `file://${whole}`)).join() === missing;
    });
  });

  it('are told once when the file gets a tab, in the same words', async () => {
    const path = desk.scratch.write('tab.ts', sound);
    const uri = vscode.Uri.file(path);
    await around(path, () => writeFileSync(path, broken), [wrong]);
    const [without] = await ask(`file://${path}`);
    await vscode.window.showTextDocument(uri);
    await until('the report', () => vscode.languages.getDiagnostics(uri).length > 0);
    assert.deepEqual((await ask(`file://${path}`))[0], without);
    assert.deepEqual(
      (await askAsModel()).filter((file) => isHere(file.uri)),
      [without],
    );
  });

  it('are not those that it had when it had a tab', async () => {
    const path = desk.scratch.write('closed.ts', broken);
    const uri = vscode.Uri.file(path);
    await vscode.window.showTextDocument(uri);
    await until('the report', () => vscode.languages.getDiagnostics(uri).length > 0);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
    assert.deepEqual(await around(path, () => writeFileSync(path, sound), []), [wrong]);
    assert.deepEqual(texts((await askAsModel(path))[0]), []);
  });

  it('are those of unsaved text, which the editor reports, while there is some', async () => {
    const path = desk.scratch.write('unsaved.ts', broken);
    const uri = vscode.Uri.file(path);
    const editor = await vscode.window.showTextDocument(uri);
    await until('the report', () => vscode.languages.getDiagnostics(uri).length > 0);
    await editor.edit((edit) => edit.replace(new vscode.Range(1, 0, 2, 0), ''));
    await until('the next one', () => vscode.languages.getDiagnostics(uri).length === 0);
    assert.deepEqual(texts((await ask(`file://${path}`))[0]), []);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('are forgotten with the file', async () => {
    const [deleted, renamed] = ['deleted.ts', 'renamed.ts'].map((name) => desk.scratch.write(name, sound));
    assert.ok(deleted && renamed);
    for (const path of [deleted, renamed]) {
      await around(path, () => writeFileSync(path, broken), [wrong]);
    }
    const told = async () =>
      (await ask())
        .map(({ uri }) => uri)
        .filter(isHere)
        .map((uri) => basename(uri))
        .sort();
    assert.deepEqual(await told(), ['deleted.ts', 'renamed.ts']);
    rmSync(deleted);
    renameSync(renamed, `${renamed}.txt`);
    assert.deepEqual(await told(), []);
  });

  it('are kept of the last ten files', async () => {
    for (let i = 0; i < 12; i++) {
      const path = desk.scratch.path(`many${i}.ts`);
      await around(path, () => writeFileSync(path, broken), [wrong]);
    }
    const told = (await ask())
      .map(({ uri }) => uri)
      .filter(isHere)
      .map((uri) => basename(uri));
    assert.equal(told.length, 10);
    assert.ok(told.includes('many11.ts') && !told.includes('many1.ts'));
  });

  it('are asked for by each of two sessions', async () => {
    const path = desk.scratch.write('shared.ts', sound);
    const other = await connectClient();
    await Promise.all([
      ask(`file://${path}`),
      other.callForJson('getDiagnostics', { uri: `file://${path}` }),
    ]);
    writeFileSync(path, broken);
    await until('both to be told', async () => {
      const answers = [ask(), other.callForJson<FileDiagnostics[]>('getDiagnostics')];
      return (await Promise.all(answers)).every(
        (all) => texts(all.find(({ uri }) => uri === `file://${path}`)).join() === wrong,
      );
    });
  });

  it('are none of a file that is not shared: it is not even opened', async () => {
    const path = desk.scratch.write('secret.ts', broken);
    await desk.configure('ideBridge.share.exclude', ['**/secret.ts']);
    assert.deepEqual(await around(path, () => writeFileSync(path, broken + sound), []), []);
    assert.deepEqual(texts((await askAsModel(path))[0]), []);
    assert.equal(isOpen(path), false);
  });

  it('are told no more once the file is not shared', async () => {
    const path = desk.scratch.write('later.ts', sound);
    assert.deepEqual(await around(path, () => writeFileSync(path, broken), [wrong]), []);
    await desk.configure('ideBridge.share.exclude', ['**/later.ts']);
    assert.deepEqual(
      (await askAsModel()).filter(({ uri }) => isHere(uri)),
      [],
    );
    assert.deepEqual(texts((await askAsModel(path))[0]), []);
  });

  it('are none where the user has switched off validation', async () => {
    const path = desk.scratch.write('lax.ts', sound);
    await desk.configure('typescript.validate.enable', false);
    assert.deepEqual(await around(path, () => writeFileSync(path, broken), []), []);
  });

  it('are none of files that are no scripts, for which nobody waits longer', async () => {
    const path = desk.scratch.write('notes.md', broken);
    assert.deepEqual(await around(path, () => writeFileSync(path, sound), []), []);
  });

  it('are not announced to clients, for the editor has none of them', async () => {
    const path = desk.scratch.write('quiet.ts', sound);
    await around(path, () => writeFileSync(path, broken), [wrong]);
    const named = desk.client
      .notifications<{ uris: string[] }>('diagnostics_changed')
      .flatMap(({ uris }) => uris);
    assert.ok(!named.includes(`file://${path}`));
  });

  describe('where the server', () => {
    const { extensions, commands } = vscode;
    const { getExtension } = extensions;
    const { executeCommand } = commands;
    afterEach(() => {
      extensions.getExtension = getExtension;
      commands.executeCommand = executeCommand;
    });
    const answer = (value: () => Promise<unknown>) => {
      commands.executeCommand = ((command: string, ...args: unknown[]) =>
        command === 'typescript.tsserverRequest'
          ? value()
          : executeCommand(command, ...args)) as typeof executeCommand;
    };

    const cases: [string, () => void][] = [
      [
        'is missing or off',
        () => {
          extensions.getExtension = (id: string) =>
            id.startsWith('vscode.typescript') ? undefined : getExtension(id);
        },
      ],
      ['is another', () => answer(() => Promise.reject(new Error('command not found')))],
      ['has nothing to say', () => answer(() => Promise.resolve({ type: 'noContent' }))],
      [
        'speaks another language',
        () => answer(() => Promise.resolve({ type: 'response', body: [{ at: 1 }] })),
      ],
      ['does not answer', () => answer(() => new Promise(() => {}))],
    ];
    for (const [state, arrange] of cases) {
      it(`${state} there are none, and nothing hangs`, async () => {
        const path = desk.scratch.write('alone.ts', sound);
        arrange();
        const [before] = await ask(`file://${path}`);
        writeFileSync(path, broken);
        const after = (await ask()).find(({ uri }) => uri === `file://${path}`);
        const asModel = (await askAsModel(path))[0];
        assert.deepEqual([before, after, asModel].map(texts), [[], [], []]);
      });
    }
  });
});
