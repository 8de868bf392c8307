import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as vscode from 'vscode';
import type { TestPythonApi } from '../../fixtures/python/extension.ts';
import { until } from '../../support/until.ts';
import { extensionUnderTest, proposalTabs, proposedSide, useDesk } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { callTool, connectTools } from './toolClient.ts';

const shapes = `class Shape:
    """Something with an area."""

    def area(self) -> float:
        return 0.0


class Square(Shape):
    def __init__(self, side: float) -> None:
        self.side = side

    def area(self) -> float:
        return self.side * self.side
`;
const main = `from shapes import Square


def total(count: int) -> float:
    square = Square(3)
    return square.area() * count


wrong: int = "text"
print(total(2))
`;

describe('the editor tools in Python, by a language server from npm', function () {
  this.timeout(120_000);
  const desk = useDesk();
  let server: vscode.Disposable;
  let client: Client;
  let name: string;

  before(() => configure('editorTools.enabled', true));
  after(() => configure('editorTools.enabled', undefined));
  beforeEach(async () => {
    await desk.configure('ideBridge.editorTools.editing', true);
    desk.scratch.write('shapes.py', shapes);
    desk.scratch.write('main.py', main);
    name = basename(desk.scratch.folder);
    const python = vscode.extensions.getExtension<TestPythonApi>('ide-bridge-test.python');
    assert.ok(python);
    const program = join(
      extensionUnderTest().extensionPath,
      'node_modules',
      'pyright',
      'langserver.index.js',
    );
    server = await (await python.activate()).start(program, desk.scratch.folder);
    client = await connectTools();
    await until(
      'the language server',
      async () => /Shape/.test(await call('hover', { file: `${name}/shapes.py`, symbol: 'Shape' })),
      60_000,
    );
  });
  afterEach(async () => {
    await client.close();
    server.dispose();
  });

  const call = async (tool: string, args: object) => (await callTool(client, tool, args)).text;
  const places = (text: string) =>
    text
      .split('\n')
      .filter((line) => line.startsWith(`${name}/`))
      .map((line) => line.slice(name.length + 1));

  it('tell what it knows', async () => {
    const file = `${name}/main.py`;
    for (const tool of ['definition', 'declaration']) {
      assert.deepEqual(places(await call(tool, { file, symbol: 'Square' })), [
        'shapes.py:8:7  class Square(Shape):',
      ]);
    }
    assert.deepEqual(places(await call('references', { file: `${name}/shapes.py`, symbol: 'Square' })), [
      'main.py:1:20  from shapes import Square',
      'main.py:5:14  square = Square(3)',
      'shapes.py:8:7  class Square(Shape):',
    ]);
    assert.match(await call('hover', { file, symbol: 'total' }), /total\(count: int\) -> float/);
    assert.match(await call('documentSymbols', { file: `${name}/shapes.py` }), /Square[^]*area/);
    assert.match(
      await call('callHierarchy', { file, symbol: 'total', direction: 'incoming' }),
      /main\.py:.*calls in 10/,
    );
    await vscode.window.showTextDocument(vscode.Uri.file(desk.scratch.path('main.py')));
    await until('the problem', async () =>
      / main\.py:9:14 {2}error \[Pyright reportAssignmentType\]/.test(
        (await call('diagnostics', { file })).replaceAll(`${name}/`, ' '),
      ),
    );
  });

  it('rename what the user accepts, file by file', async () => {
    // The server reads what is open: the other file, too.
    await vscode.workspace.openTextDocument(desk.scratch.path('main.py'));
    await until('both files to be known', async () => {
      const found = await call('references', { file: `${name}/shapes.py`, symbol: 'Square' });
      return places(found).length === 3;
    });
    const renaming = call('rename', { file: `${name}/shapes.py`, symbol: 'Square', newName: 'Quadrat' });
    for (const file of ['main.py', 'shapes.py']) {
      await vscode.commands.executeCommand('ideBridge.acceptProposal', await proposedSide(file));
    }
    assert.match(await renaming, /^Renamed; 2 files written/);
    assert.equal(
      readFileSync(desk.scratch.path('shapes.py'), 'utf8'),
      shapes.replace('class Square', 'class Quadrat'),
    );
    assert.equal(readFileSync(desk.scratch.path('main.py'), 'utf8'), main.replaceAll('Square', 'Quadrat'));
    await until('the diffs to be gone', () => proposalTabs().length === 0);
  });
});
