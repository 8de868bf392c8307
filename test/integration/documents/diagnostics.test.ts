import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { IdeClient } from '../../support/ideClient.ts';
import { until } from '../../support/until.ts';
import { connectClient, Scratch } from '../bridge.ts';

interface FileDiagnostics {
  uri: string;
  diagnostics: { message: string; severity: string; range: object; source?: string; code?: string }[];
}

describe('getDiagnostics', () => {
  let client: IdeClient;
  let scratch: Scratch;
  let collection: vscode.DiagnosticCollection;
  let file: string;

  beforeEach(async () => {
    scratch = new Scratch();
    client = await connectClient();
    collection = vscode.languages.createDiagnosticCollection('test');
    file = scratch.write('dät a%20 #1.txt', 'text\n');
  });
  afterEach(async () => {
    collection.dispose();
    await client.close();
    scratch.remove();
  });

  function report(uri: vscode.Uri): void {
    const range = new vscode.Range(0, 1, 0, 3);
    const severities = [
      vscode.DiagnosticSeverity.Error,
      vscode.DiagnosticSeverity.Warning,
      vscode.DiagnosticSeverity.Information,
      vscode.DiagnosticSeverity.Hint,
    ];
    const found = severities.map((severity) => new vscode.Diagnostic(range, `problem ${severity}`, severity));
    Object.assign(found[0] ?? {}, {
      source: 'linter',
      code: { value: 42, target: vscode.Uri.parse('https://example.org/42') },
      tags: [vscode.DiagnosticTag.Deprecated],
      relatedInformation: [
        new vscode.DiagnosticRelatedInformation(new vscode.Location(uri, range), 'because of this'),
      ],
    });
    collection.set(uri, found);
  }

  const ask = (uri?: string) =>
    client.callForJson<FileDiagnostics[]>('getDiagnostics', uri === undefined ? {} : { uri });

  it('finds a file by its raw URI, and names it in the same form', async () => {
    report(vscode.Uri.file(file));
    const [found, ...others] = await ask(`file://${file}`);
    assert.deepEqual(others, []);
    assert.equal(found?.uri, `file://${file}`);
    const range = { start: { line: 0, character: 1 }, end: { line: 0, character: 3 } };
    assert.deepEqual(found?.diagnostics, [
      {
        message: 'problem 0',
        severity: 'Error',
        range,
        source: 'linter',
        code: '42',
        codeDescription: { href: 'https://example.org/42' },
        tags: ['Deprecated'],
        relatedInformation: [{ message: 'because of this', location: { uri: `file://${file}`, range } }],
      },
      { message: 'problem 1', severity: 'Warning', range },
      { message: 'problem 2', severity: 'Information', range },
      { message: 'problem 3', severity: 'Hint', range },
    ]);
  });

  it('finds it by an encoded URI and by a path, too', async () => {
    report(vscode.Uri.file(file));
    assert.equal((await ask(vscode.Uri.file(file).toString()))[0]?.diagnostics.length, 4);
    assert.equal((await ask(file))[0]?.diagnostics.length, 4);
  });

  it('without a URI tells all files that have problems, by raw URIs', async () => {
    report(vscode.Uri.file(file));
    const all = await ask();
    assert.ok(all.some(({ uri, diagnostics }) => uri === `file://${file}` && diagnostics.length === 4));
    assert.ok(all.every(({ diagnostics }) => diagnostics.length > 0));
  });

  it('says nothing of virtual documents, ours or others', async () => {
    report(vscode.Uri.parse('ide-bridge-proposal:/x.txt?1'));
    report(vscode.Uri.parse('untitled:Untitled-1'));
    assert.deepEqual(
      (await ask()).filter(({ uri }) => !uri.startsWith('file:///')),
      [],
    );
  });

  for (const uri of ['file:///nowhere/at all.txt', 'nonsense', 'http://example.org/x', 'file://', '%%%']) {
    it(`answers an empty list for ${uri}`, async () => {
      assert.deepEqual(await ask(uri), [{ uri, diagnostics: [] }]);
    });
  }

  it('is announced by diagnostics_changed', async () => {
    report(vscode.Uri.file(file));
    await until('the notification', () =>
      client
        .notifications<{ uris: string[] }>('diagnostics_changed')
        .some(({ uris }) => uris.includes(`file://${file}`)),
    );
  });
});
