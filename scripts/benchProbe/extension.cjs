// The least that an extension can do with a selection: to say at once, on a socket, that there is a new one; and with
// two texts that it is sent there, a line of JSON at a time: to show their diff. And a language that finds fault with
// 2,000 files, as soon as `problems.txt` is opened.
const { connect } = require('node:net');
const { createInterface } = require('node:readline');
const vscode = require('vscode');

exports.activate = (context) => {
  const socket = connect(Number(process.env.IDE_BRIDGE_BENCH_PROBE), '127.0.0.1').setNoDelay();
  let diff;
  const steps = {
    open: async ({ texts }) => {
      diff = await Promise.all(texts.map((content) => vscode.workspace.openTextDocument({ content })));
    },
    show: ({ title }) => {
      const [before, after] = diff.map(({ uri }) => uri);
      return vscode.commands.executeCommand('vscode.diff', before, after, title, { preview: false });
    },
    // Not with its tab: the editor would ask about untitled documents.
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
