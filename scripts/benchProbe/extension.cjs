// The least that an extension can do with a selection: to say at once, on a socket, that there is a new one. And a
// language that finds fault with 2,000 files, as soon as `problems.txt` is opened.
const { connect } = require('node:net');
const vscode = require('vscode');

exports.activate = (context) => {
  const socket = connect(Number(process.env.IDE_BRIDGE_BENCH_PROBE), '127.0.0.1').setNoDelay();
  const problems = vscode.languages.createDiagnosticCollection('bench');
  context.subscriptions.push(
    problems,
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
