import assert from 'node:assert/strict';
import { Deferred } from '../../../src/base/deferred.ts';
import type { Diagnostic, FileDiagnostics } from '../../../src/protocol/ide.ts';
import { Session } from '../../../src/server/session.ts';
import { boundDiagnostics } from '../../../src/tools/boundDiagnostics.ts';
import { type DiagnosticsSource, getDiagnostics } from '../../../src/tools/getDiagnostics.ts';
import { ToolRegistry } from '../../../src/tools/registry.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { MemoryTransport } from '../../support/memoryTransport.ts';

function diagnostic(severity: Diagnostic['severity'], message: string): Diagnostic {
  const position = { line: 0, character: 0 };
  return { severity, message, range: { start: position, end: position } };
}

describe('the problems told to the model', () => {
  it('are complete when they are few', () => {
    const all: FileDiagnostics[] = [{ uri: 'file:///a', diagnostics: [diagnostic('Hint', 'x')] }];
    assert.deepEqual(boundDiagnostics(all, undefined), { files: all, leftOut: undefined });
    assert.deepEqual(boundDiagnostics([{ uri: 'file:///a', diagnostics: [] }], undefined).files.length, 1);
  });

  it('are errors first, and nearest to the active file first', () => {
    const far = {
      uri: 'file:///ws/far/x/y.ts',
      diagnostics: [diagnostic('Hint', 'hint'), diagnostic('Error', 'far')],
    };
    const near = { uri: 'file:///ws/src/b.ts', diagnostics: [diagnostic('Error', 'near')] };
    const active = {
      uri: 'file:///ws/src/a.ts',
      diagnostics: [diagnostic('Warning', 'w'), diagnostic('Error', 'here')],
    };
    const { files } = boundDiagnostics([far, near, active], active.uri);
    assert.deepEqual(
      files.map(({ diagnostics }) => diagnostics.map(({ message }) => message)),
      [['here', 'w'], ['near'], ['far', 'hint']],
    );
  });

  it('are cut with a count of what was left out', () => {
    const many = Array.from({ length: 2_000 }, (_, i) => ({
      uri: `file:///ws/${i % 40}.ts`,
      diagnostics: [diagnostic(i < 10 ? 'Error' : 'Warning', `problem ${i} ${'x'.repeat(100)}`)],
    }));
    const { files, leftOut } = boundDiagnostics(many, undefined);
    assert.ok(JSON.stringify(files, undefined, 2).length < 80_000);
    const kept = files.flatMap(({ diagnostics }) => diagnostics);
    assert.equal(kept.filter(({ severity }) => severity === 'Error').length, 10);
    assert.match(leftOut ?? '', new RegExp(`^${2_000 - kept.length} more problems in 40 files .*Warning: `));
  });
});

describe('a problem that is long', () => {
  const bounded = (...diagnostics: Diagnostic[]) =>
    boundDiagnostics([{ uri: 'file:///a', diagnostics }], undefined).files[0]?.diagnostics ?? [];

  it('is cut, and hides no other', () => {
    const [long, short] = bounded(diagnostic('Error', 'x'.repeat(50_000)), diagnostic('Error', 'short'));
    assert.equal(long?.message, `${'x'.repeat(2_000)}…`);
    assert.equal(short?.message, 'short');
  });

  it('is cut between characters', () => {
    assert.equal(bounded(diagnostic('Error', `${'😀'.repeat(2_000)}`))[0]?.message, `${'😀'.repeat(1_000)}…`);
    assert.equal(bounded(diagnostic('Error', `x${'😀'.repeat(2_000)}`))[0]?.message, `x${'😀'.repeat(999)}…`);
  });

  it('is told with little of what is related to it', () => {
    const { message, range } = diagnostic('Error', 'y'.repeat(50_000));
    const related = { message, location: { uri: 'file:///b', range } };
    const relatedInformation = Array.from({ length: 100 }, () => related);
    const [told] = bounded({ ...diagnostic('Error', 'short'), relatedInformation });
    assert.deepEqual(
      told?.relatedInformation?.map(({ message }) => message.length),
      Array(5).fill(2_001),
    );
  });

  it('is left out for shorter ones where there is no room for it', () => {
    const all = [
      { uri: 'file:///a', diagnostics: [diagnostic('Error', 'x'.repeat(1_000)), diagnostic('Hint', 'y')] },
    ];
    const { files, leftOut } = boundDiagnostics(all, undefined, 500);
    assert.deepEqual(
      files.map(({ diagnostics }) => diagnostics.map(({ message }) => message)),
      [['y']],
    );
    assert.match(leftOut ?? '', /^1 more problems in 1 files are left out \(Error: 1\)/);
  });
});

describe('getDiagnostics called by the CLI around a write', () => {
  function start() {
    const watches: { uri: string; arrived: Deferred<void>; disposed: boolean }[] = [];
    let problems: FileDiagnostics[] = [];
    const announced: string[] = [];
    let before: Promise<FileDiagnostics> | undefined;
    const source: DiagnosticsSource = {
      activeUri: undefined,
      all: () => problems,
      of: (uri) => ({ uri, diagnostics: [] }),
      learn: () => Promise.resolve(),
      watch(uri) {
        const watch = { uri, arrived: new Deferred<void>(), disposed: false };
        watches.push(watch);
        return {
          before: before ?? Promise.resolve({ uri, diagnostics: [] }),
          arrived: () => watch.arrived.promise,
          dispose: () => (watch.disposed = true),
        };
      },
    };
    const tool = getDiagnostics(source, { willEdit: (_session, uri) => announced.push(uri) });
    const log = new MemoryLog();
    const transport = new MemoryTransport();
    const info = { name: 'test', title: 'Test', version: '1' };
    const session = new Session(1, transport, new ToolRegistry([tool], log), info, log);
    let id = 0;
    const call = (args: object, _meta?: object) =>
      transport.receive({
        jsonrpc: '2.0',
        id: id++,
        method: 'tools/call',
        params: { name: 'getDiagnostics', arguments: args, ...(_meta && { _meta }) },
      });
    const set = (files: FileDiagnostics[]) => (problems = files);
    const setBefore = (promise: Promise<FileDiagnostics>) => void (before = promise);
    return { session, transport, watches, announced, call, set, setBefore };
  }

  it('waits for fresh problems, once', async () => {
    const { session, transport, watches, call, set } = start();
    await call({ uri: 'file:///a.ts' });
    assert.equal(transport.sent.length, 1, 'the baseline is answered at once');
    await call({});
    assert.equal(transport.sent.length, 1);
    set([{ uri: 'file:///a.ts', diagnostics: [diagnostic('Error', 'new')] }]);
    watches[0]?.arrived.settle();
    await new Promise((resolve) => setImmediate(resolve));
    assert.match(JSON.stringify(transport.sent[1]), /new/);
    assert.equal(watches[0]?.disposed, true);
    await call({});
    assert.equal(transport.sent.length, 3);
    session.dispose();
  });

  it('announces the write before anything is awaited, and announces nothing that the model asks', () => {
    const { session, announced, call } = start();
    void call({ uri: 'file:///a.ts' });
    assert.deepEqual(announced, ['file:///a.ts']);
    void call({ uri: 'file:///b.ts' }, { 'claudecode/toolUseId': 'toolu_1' });
    void call({});
    assert.deepEqual(announced, ['file:///a.ts']);
    session.dispose();
  });

  it('does not wait for ever', async () => {
    const { session, transport, call } = start();
    await call({ uri: 'file:///a.txt' });
    await call({});
    await new Promise((resolve) => setTimeout(resolve, 700));
    assert.equal(transport.sent.length, 2);
    session.dispose();
  });

  it('tells what a server that was asked had to say before the write', async () => {
    const { session, transport, call, setBefore } = start();
    setBefore(Promise.resolve({ uri: 'file:///a.ts', diagnostics: [diagnostic('Error', 'old')] }));
    await call({ uri: 'file:///a.ts' });
    assert.match(JSON.stringify(transport.sent[0]), /old/);
    session.dispose();
  });

  it('does not keep a write waiting for ever', async () => {
    const { session, transport, call, setBefore } = start();
    setBefore(new Promise(() => {}));
    await call({ uri: 'file:///a.ts' });
    assert.equal(transport.sent.length, 0);
    await new Promise((resolve) => setTimeout(resolve, 400)); // the newest CLI forgets about it after 500 ms
    assert.equal(transport.sent.length, 1);
    session.dispose();
  });

  it('answers the model at once', async () => {
    const { session, transport, watches, call } = start();
    const _meta = { 'claudecode/toolUseId': 'toolu_1' };
    await call({ uri: 'file:///a.ts' }, _meta);
    await call({}, _meta);
    assert.equal(transport.sent.length, 2);
    assert.equal(watches.length, 0);
    session.dispose();
  });
});
