// The least that an extension can do with a selection: to say at once, on a socket, that there is a new one; and with
// two texts that it is sent there, a line of JSON at a time: to show their diff. And a language that finds fault with
// 2,000 files, as soon as `problems.txt` is opened.
const { connect } = require('node:net');
const { createInterface } = require('node:readline');
const vscode = require('vscode');

exports.activate = (context) => {
  const socket = connect(Number(process.env.IDE_BRIDGE_BENCH_PROBE), '127.0.0.1').setNoDelay();
  let text;
  const none = () => {};
  const files = {
    onDidChangeFile: () => ({ dispose: none }),
    watch: () => ({ dispose: none }),
    stat: () => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: text.length }),
    readFile: () => text,
    ...{ writeFile: none, readDirectory: none, createDirectory: none, delete: none, rename: none },
  };
  let sides;
  const steps = {
    untitled: async ({ texts }) => {
      const opening = texts.map((content) => vscode.workspace.openTextDocument({ content }));
      sides = (await Promise.all(opening)).map(({ uri }) => uri);
    },
    file: ({ path, texts }) => {
      text = Buffer.from(texts[1]);
      const file = vscode.Uri.file(path);
      sides = [file, file.with({ scheme: 'bench-probe', query: String(Date.now()) })];
    },
    show: () => vscode.commands.executeCommand('vscode.diff', ...sides, 'bare', { preview: false }),
    references: ({ path, line, column }) =>
      vscode.commands.executeCommand(
        'vscode.executeReferenceProvider',
        vscode.Uri.file(path),
        new vscode.Position(line - 1, column - 1),
      ),
    symbols: ({ query }) => vscode.commands.executeCommand('vscode.executeWorkspaceSymbolProvider', query),
    close: () => vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor'),
  };
  createInterface(socket).on('line', async (line) => {
    const { step, ...options } = JSON.parse(line);
    await steps[step](options);
    socket.write(`${step}\n`);
  });
  const problems = vscode.languages.createDiagnosticCollection('bench');
  context.subscriptions.push(
    problems,
    vscode.workspace.registerFileSystemProvider('bench-probe', files),
    vscode.workspace.onDidOpenTextDocument(({ uri }) => {
      if (uri.path.endsWith('/problems.txt')) {
        const found = [new vscode.Diagnostic(new vscode.Range(0, 0, 0, 1), 'a problem')];
        const files = Array.from({ length: 2_000 }, (_, i) => vscode.Uri.joinPath(uri, '..', `src/${i}.ts`));
        problems.set(files.map((file) => [file, found]));
      }
    }),
    vscode.window.onDidChangeTextEditorSelection(() => socket.write('.')),
    new vscode.Disposable(() => socket.destroy()),
  );
};
