import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import * as vscode from 'vscode';
import type { IdeClient, ToolResult } from '../../support/ideClient.ts';
import { skipWithout } from '../../support/lacking.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';
import { connectUi, type Ui } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, letMomentPass, Scratch, tabs } from '../bridge.ts';
import { KernelDesk, slow } from './kernelDesk.ts';

const isFloor = process.env[testEnvironment.floor] !== undefined;

describe('executeCode', function () {
  this.timeout(2 * slow);
  let ui: Ui;
  let client: IdeClient;
  let scratch: Scratch;
  let desk: KernelDesk;

  before(async () => {
    ui = await connectUi();
    desk = await KernelDesk.with(ui);
  });
  after(() => ui.close());
  beforeEach(async () => {
    scratch = new Scratch();
    client = await connectClient();
  });
  afterEach(async () => {
    await client.close();
    await desk.clear();
    scratch.remove();
  });

  async function set(name: string, value: unknown): Promise<void> {
    const target = vscode.ConfigurationTarget.Global;
    await vscode.workspace.getConfiguration('ideBridge').update(`notebook.${name}`, value, target);
  }

  const execute = (code: string) => client.call('executeCode', { code });
  /** Calls the tool and says yes. */
  const executed = (code: string) => desk.agree(execute(code));
  const questionTabs = () =>
    tabs().filter(
      ({ input }) => input instanceof vscode.TabInputText && input.uri.scheme === 'ide-bridge-code',
    );
  const texts = ({ content }: ToolResult) => content.map(({ text }) => text);

  describe('on a Python kernel', () => {
    let editor: vscode.NotebookEditor;
    before(function () {
      skipWithout('python3-ipykernel', this);
    });
    beforeEach(async () => {
      editor = await desk.openNotebook(scratch, 'analysis.ipynb', desk.kernels.python);
    });

    it('runs in a new cell at the end, once the user has agreed', async () => {
      const answer = execute('print(1 + 1)');
      await desk.question();
      assert.equal(editor.notebook.cellCount, 1);
      assert.equal(editor.notebook.isDirty, false);
      await ui.screenshot('executeCode-question');
      await desk.sayYes();
      assert.deepEqual(await answer, { content: [{ type: 'text', text: '2\n' }] });
      assert.equal(editor.notebook.cellAt(1).document.getText(), 'print(1 + 1)');
      assert.equal(editor.notebook.cellAt(1).outputs.length, 1);
      await ui.screenshot('executeCode-cell');
    });

    it('shows the whole code before, and no client hears of that', async () => {
      const code = `import os\n\tos.system("echo $(sync)")\n${'x += 1\n'.repeat(200)}`;
      const answer = execute(code);
      await desk.question();
      const [shown] = vscode.window.visibleTextEditors.filter(
        ({ document }) => document.uri.scheme === 'ide-bridge-code',
      );
      assert.equal(shown?.document.getText(), code);
      assert.equal(shown.document.languageId, 'python');
      await vscode.window.showTextDocument(shown.document, shown.viewColumn);
      await ui.page.keyboard.type('typed into it');
      await desk.press('Escape'); // the editor's word on that, which covers the answers
      assert.equal(shown.document.getText(), code);
      for (const tool of ['getOpenEditors', 'getCurrentSelection', 'getDiagnostics']) {
        assert.ok(!(await client.callForTexts(tool)).join().includes('ide-bridge-code'), tool);
      }
      assert.ok(!JSON.stringify(client.notifications('selection_changed')).includes('x += 1'));
      await desk.sayNo();
      await answer;
    });

    it('takes the question back when the client cancels', async () => {
      const call = client.start('tools/call', { name: 'executeCode', arguments: { code: '1' } });
      await desk.question();
      client.notify('notifications/cancelled', { requestId: call.id });
      await until('it to go', () => questionTabs().length === 0);
      assert.equal(editor.notebook.cellCount, 1);
    });

    it('says that the notebook was closed before it ran', async () => {
      const answer = execute('1');
      await desk.question();
      const isNotebook = ({ input }: vscode.Tab) => input instanceof vscode.TabInputNotebook;
      await vscode.window.tabGroups.close(tabs().filter(isNotebook));
      await desk.sayYes();
      assert.match(texts(await answer).join(), /^analysis\.ipynb was closed before the code ran\./);
    });

    it('finds the notebook while the focus is in a terminal beside it', async () => {
      const terminal = vscode.window.createTerminal({ location: { viewColumn: vscode.ViewColumn.Beside } });
      terminal.show();
      await ui.page.locator('.terminal-editor .xterm').click();
      await until('the terminal', () => ui.hasTerminalFocus());
      assert.deepEqual(texts(await executed('1 + 1')), ['2']);
      await until('the focus back in the terminal', () => ui.hasTerminalFocus());
      terminal.dispose();
    });

    describe('the question, while the user types in a terminal', () => {
      let terminal: vscode.Terminal;
      let typed: string;
      beforeEach(async () => {
        typed = scratch.path('typed.txt');
        terminal = vscode.window.createTerminal({
          shellPath: '/bin/sh',
          shellArgs: ['-c', `cat > '${typed}'`],
        });
        terminal.show();
        await ui.page.locator('.panel .xterm').click();
        await until('the terminal', () => ui.hasTerminalFocus());
        await until('its program', () => existsSync(typed));
      });
      afterEach(() => terminal.dispose());

      const hasRun = () => editor.notebook.getCells().some((cell) => cell.outputs.length > 0);
      for (const [what, keys] of [
        ['a word and Enter', [...'execute', 'Enter']],
        ['an answer to another question', ['ArrowDown', 'Enter', 'y', 'Enter', 'Tab', 'Space', 'Enter']],
        ['pasted text', ['paste', 'Enter']],
      ] as const) {
        it(`takes ${what} as no consent, from before it comes until long after`, async () => {
          let pressed = 0;
          const press = async (count: number) => {
            for (const end = pressed + count; pressed < end; pressed++) {
              const key = keys[pressed % keys.length] ?? '';
              await (key === 'paste' ? ui.page.keyboard.insertText('Run') : ui.page.keyboard.press(key));
            }
          };
          let isAsked = false;
          const answer = execute('"it has run"');
          const asked = desk.question().then(() => (isAsked = true));
          while (!isAsked) {
            await press(1);
          }
          await asked;
          await press(100);
          assert.equal(hasRun(), false);
          assert.ok(await ui.hasTerminalFocus());
          await desk.sayNo();
          assert.match(texts(await answer).join(), /refused/);
        });
      }
    });

    describe('the question', () => {
      afterEach(() => set('confirm', undefined));

      it('refuses on Refuse, and nothing of it has been in the notebook', async () => {
        let changes = 0;
        const subscription = vscode.workspace.onDidChangeNotebookDocument(() => changes++);
        const answer = execute('1');
        await desk.question();
        await desk.sayNo();
        const { content, isError } = await answer;
        assert.equal(isError, true);
        assert.match(content[0]?.text ?? '', /^The user refused to run this code\./);
        assert.equal(changes, 0);
        subscription.dispose();
      });

      it('has its answers in view, in half of a window', async () => {
        await set('confirm', 'session');
        const row = ui.page.locator('.codelens-decoration', { hasText: 'wants to run this code in' });
        const view = ui.page.locator('.editor-instance', { has: row }).locator('.editor-scrollable');
        for (const [code, first] of [
          ['1', /^\s*Refuse/],
          [`1${' '.repeat(200)}# far right`, /^\s*A line has 212 characters: scroll/],
        ] as const) {
          const answer = execute(code);
          await desk.question();
          await desk.isConsidered();
          assert.match((await row.textContent()) ?? '', first);
          const [run, editorBox] = [
            await row.locator('a', { hasText: 'Run' }).boundingBox(),
            await view.boundingBox(),
          ];
          assert.ok(run && editorBox);
          await ui.screenshot(`executeCode-question-narrow-${code.length}`);
          const seen = code === '1' ? run.width : 'Run'.length * 10;
          assert.ok(run.x + seen < editorBox.x + editorBox.width, `${run.x} in ${editorBox.x}`);
          await desk.sayNo();
          await answer;
        }
      });

      it('takes the closing of its tab as a no', async () => {
        const answer = execute('1');
        await desk.question();
        await vscode.window.tabGroups.close(questionTabs());
        assert.match((await answer).content[0]?.text ?? '', /refused/);
      });

      it('is answered by the keys for proposals, once the user has gone there', async () => {
        for (const [key, expected] of [
          ['Control+Enter', /^'it has run'$/],
          ['Control+Shift+Backspace', /refused/],
        ] as const) {
          const answer = execute('"it has run"');
          await desk.question();
          await ui.page.keyboard.press(key); // in the notebook
          await goThere();
          await desk.isConsidered();
          letMomentPass();
          await ui.page.keyboard.press(key);
          assert.match(texts(await answer).join(), expected);
        }
      });

      it('takes no key as a yes that was pressed as soon as the user got there, nor while it is held', async () => {
        const answer = execute('1');
        await desk.question();
        await desk.isConsidered();
        await goThere();
        await ui.page.keyboard.down('Control');
        for (const end = Date.now() + 1_500; Date.now() < end;) await ui.page.keyboard.down('Enter');
        await ui.page.keyboard.up('Enter');
        await ui.page.keyboard.up('Control');
        assert.equal(editor.notebook.cellCount, 1);
        await ui.page.getByText('Not run: the code came to the front only just now').waitFor();
        letMomentPass();
        await ui.page.keyboard.press('Control+Enter');
        assert.deepEqual(texts(await answer), ['1']);
      });

      async function goThere(): Promise<void> {
        await vscode.commands.executeCommand('workbench.action.focusNextGroup');
        await until(
          'the question in front',
          () => vscode.window.activeTextEditor?.document.uri.scheme === 'ide-bridge-code',
        );
      }

      it('takes no yes in its first second, nor out of sight', async () => {
        const answer = execute('1');
        await until('it', () => questionTabs().length === 1);
        await vscode.commands.executeCommand('ideBridge.runCode');
        await desk.isConsidered();
        const file = vscode.Uri.file(scratch.write('over.txt', ''));
        const viewColumn = questionTabs()[0]?.group.viewColumn ?? 1;
        await vscode.window.showTextDocument(file, { viewColumn, preserveFocus: true });
        await until('it to be covered', () => questionTabs()[0]?.isActive === false);
        await vscode.commands.executeCommand('ideBridge.runCode');
        await until('it in front', () => questionTabs().some(({ isActive }) => isActive));
        assert.deepEqual(
          questionTabs().map(({ group }) => group.viewColumn),
          [viewColumn],
        );
        assert.equal(editor.notebook.cellCount, 1);
        await desk.sayNo();
        assert.match(texts(await answer).join(), /refused/);
      });

      it('is told by a notification where the window has not the focus, which shows it and answers nothing', async () => {
        const toast = ui.page.locator('.notification-toast', { hasText: 'wants to run this code in' });
        await ui.setWindowFocus(false);
        let answer;
        try {
          await until('the window to lose the focus', () => !vscode.window.state.focused);
          answer = execute('1');
          await toast.waitFor({ timeout: slow });
        } finally {
          await ui.setWindowFocus(true);
        }
        await desk.isConsidered();
        await toast.getByText('Show').click();
        await until(
          'it in front',
          () => vscode.window.activeTextEditor?.document.uri.scheme === 'ide-bridge-code',
        );
        assert.equal(editor.notebook.cellCount, 1);
        await toast.waitFor();
        await desk.sayNo();
        assert.match(texts(await answer).join(), /refused/);
        await toast.waitFor({ state: 'hidden' });
      });

      it('comes once per session, if the user wants it so', async () => {
        await set('confirm', 'session');
        assert.deepEqual(texts(await executed('1')), ['1']);
        assert.deepEqual(texts(await execute('2')), ['2']);
        const other = await connectClient();
        const answer = other.call('executeCode', { code: '3' });
        await desk.question();
        await desk.sayNo();
        assert.equal((await answer).isError, true);
        await other.close();
      });

      it('comes once per workspace, if the user wants it so, and again when they do not any more', async () => {
        await set('confirm', 'workspace');
        assert.deepEqual(texts(await executed('1')), ['1']);
        const other = await connectClient();
        assert.deepEqual(texts(await other.call('executeCode', { code: '2' })), ['2']);
        await other.close();
        await set('confirm', 'always');
        assert.deepEqual(texts(await executed('3')), ['3']);
      });
    });

    it('refuses a call while another one waits or runs', async () => {
      const first = execute('1');
      await desk.question();
      assert.match(texts(await execute('2')).join(), /^Another executeCode call is still running\./);
      await desk.sayNo();
      await first;
    });

    describe('that the user has let run code', () => {
      before(async () => {
        const own = new Scratch();
        await desk.agreeForWorkspace(await connectClient(), own);
        own.remove();
      });
      after(() => set('confirm', undefined));

      it('answers streams and the value of the last expression, in order', async () => {
        const code =
          'import sys\nprint("out", flush=True)\nprint("err", file=sys.stderr, flush=True)\n[1, 2]';
        assert.deepEqual(texts(await execute(code)), ['out\n', 'err\n', '[1, 2]']);
      });

      it('says so when there is no output', async () => {
        assert.deepEqual(texts(await execute('y = 1')), ['The code ran without output.']);
      });

      it('answers an image as one', async () => {
        const png =
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
        const { content } = await execute(
          `import base64\nfrom IPython.display import Image, display\nprint("plot")\ndisplay(Image(data=base64.b64decode("${png}")))`,
        );
        assert.deepEqual(content, [
          { type: 'text', text: 'plot\n' },
          { type: 'image', data: png, mimeType: 'image/png' },
        ]);
      });

      it('answers HTML and JSON where nothing better is there', async () => {
        const { content } = await execute(
          [
            'from IPython.display import display',
            'display({"text/html": "<b>1</b>", "text/plain": "one"}, raw=True)',
            'display({"text/html": "<b>2</b>"}, raw=True)',
            'display({"application/json": {"three": 3}}, raw=True)',
          ].join('\n'),
        );
        const [plain, html, json] = content.map(({ text }) => text);
        assert.equal(plain, 'one');
        assert.equal(html, '<b>2</b>');
        assert.deepEqual(JSON.parse(json ?? ''), { three: 3 });
      });

      it('answers an exception with its traceback, without colours', async () => {
        const [printed, error] = texts(await execute('print("before")\n1 / 0'));
        assert.equal(printed, 'before\n');
        assert.match(error ?? '', /Traceback[^]*1 \/ 0[^]*ZeroDivisionError: division by zero/);
        assert.ok(!error?.includes('\u001b'));
      });

      it('passes on that the kernel takes no input', async () => {
        assert.match(texts(await execute('input("name? ")')).join(), /input requests/);
      });

      it('keeps variables from call to call', async () => {
        await execute('kept = 41');
        assert.deepEqual(texts(await execute('kept + 1')), ['42']);
      });

      it('cuts 10 MB of output in the middle, to the length that is set', async () => {
        await set('keepCell', false); // what is kept is saved, too
        try {
          for (const [limit, length] of [
            [undefined, 10_000_000],
            [2_000, 10_000],
          ] as const) {
            await set('outputLimit', limit);
            const all = texts(await execute(`print("a" + "x" * ${length} + "z")`)).join('');
            const over = all.length - (limit ?? 30_000);
            assert.ok(over > 0 && over < 100, `${all.length} characters`);
            assert.ok(all.startsWith('axxx') && all.endsWith('xxxz\n'));
            assert.match(all, new RegExp(`of ${(length + 3).toLocaleString('en')} characters cut`));
          }
        } finally {
          await set('outputLimit', undefined);
          await set('keepCell', undefined);
        }
      });

      it('leaves out an image that is too large, and says so', async () => {
        const code = [
          'import base64, os',
          'from IPython.display import Image, display',
          'display(Image(data=os.urandom(4_000_000), format="png"))',
          '"after it"',
        ].join('\n');
        await set('keepCell', false); // what is kept is saved, too
        try {
          assert.deepEqual(texts(await execute(code)), [
            '[An image (image/png, 4,000 kB) is left out: it is too large.]',
            "'after it'",
          ]);
        } finally {
          await set('keepCell', undefined);
        }
      });

      it('interrupts the kernel when the client cancels', async () => {
        const call = client.start('tools/call', {
          name: 'executeCode',
          arguments: { code: 'import time\nprint("begun", flush=True)\ntime.sleep(600)' },
        });
        await until('the sleep', () => editor.notebook.cellAt(1).outputs.length > 0, slow);
        client.notify('notifications/cancelled', { requestId: call.id });
        await until('the end', () => editor.notebook.cellAt(1).executionSummary?.success === false, slow);
        assert.deepEqual(texts(await execute('"free again"')), ["'free again'"]);
      });

      it('interrupts what runs longer than the setting allows', async () => {
        await execute('"the kernel is started"');
        await set('timeout', 2);
        try {
          const answer = await execute('import time\nprint("begun", flush=True)\ntime.sleep(600)');
          const [begun, ...rest] = texts(answer);
          assert.equal(begun, 'begun\n');
          assert.match(rest.join('\n'), /KeyboardInterrupt[^]*did not end within 2 s/);
          assert.equal(answer.isError, true);
        } finally {
          await set('timeout', undefined);
        }
      });

      it('says that the kernel died', async () => {
        const { content, isError } = await execute(
          'import os, signal\nprint("last", flush=True)\nos.kill(os.getpid(), signal.SIGKILL)',
        );
        assert.equal(isError, true);
        assert.match(content.at(-1)?.text ?? '', /The kernel stopped while the code ran/);
        assert.deepEqual(texts(await execute('"a new kernel"')), ["'a new kernel'"]);
      });

      it('says that its cell was removed while it ran', async () => {
        const answer = execute('import time\nprint("begun", flush=True)\ntime.sleep(600)');
        await until('the sleep', () => (editor.notebook.getCells()[1]?.outputs.length ?? 0) > 0, slow);
        const edit = new vscode.WorkspaceEdit();
        edit.set(editor.notebook.uri, [vscode.NotebookEdit.deleteCells(new vscode.NotebookRange(1, 2))]);
        await vscode.workspace.applyEdit(edit);
        assert.match(texts(await answer).join(), /The cell was removed while it ran\./);
      });

      it('says that the notebook was closed', async () => {
        const answer = execute('import time\nprint("begun", flush=True)\ntime.sleep(600)');
        await until('the sleep', () => (editor.notebook.getCells()[1]?.outputs.length ?? 0) > 0, slow);
        await editor.notebook.save();
        await vscode.commands.executeCommand('workbench.action.closeAllEditors');
        const { content, isError } = await answer;
        assert.equal(isError, true);
        assert.match(content.at(-1)?.text ?? '', /notebook was closed/);
      });

      it('runs in the notebook in front, each with a kernel of its own', async () => {
        await execute('where = "first"');
        const second = await desk.openNotebook(scratch, 'second.ipynb', desk.kernels.python);
        assert.match(texts(await execute('where')).join(), /NameError/);
        assert.equal(second.notebook.cellCount, 2);
        await vscode.window.showNotebookDocument(editor.notebook);
        assert.deepEqual(texts(await execute('where')), ["'first'"]);
      });

      it('runs in its own cell although the user adds one above at that moment', async () => {
        const { applyEdit } = vscode.workspace;
        const insert = (index: number, code: string) => {
          const edit = new vscode.WorkspaceEdit();
          const cell = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, code, 'python');
          edit.set(editor.notebook.uri, [vscode.NotebookEdit.insertCells(index, [cell])]);
          return applyEdit(edit);
        };
        vscode.workspace.applyEdit = async (edit) => {
          vscode.workspace.applyEdit = applyEdit;
          const isApplied = await applyEdit(edit);
          await insert(0, '"the user’s"');
          return isApplied;
        };
        await set('keepCell', false);
        try {
          assert.deepEqual(texts(await execute('"its own"')), ["'its own'"]);
          assert.deepEqual(
            editor.notebook.getCells().map(({ document, outputs }) => [document.getText(), outputs.length]),
            [
              ['"the user’s"', 0],
              ['x = 20', 0],
            ],
          );
        } finally {
          vscode.workspace.applyEdit = applyEdit;
          await set('keepCell', undefined);
        }
      });

      it('tries again when the editor’s command fails', async function () {
        if (isFloor) {
          this.skip(); // it asks for the kernel again
        }
        const { commands } = vscode;
        const { executeCommand } = commands;
        commands.executeCommand = <T>(command: string, ...rest: unknown[]) => {
          if (command !== 'notebook.cell.execute') {
            return executeCommand<T>(command, ...rest);
          }
          commands.executeCommand = executeCommand;
          return Promise.reject<T>(new Error('not now'));
        };
        try {
          assert.deepEqual(texts(await execute('1')), ['1']);
        } finally {
          commands.executeCommand = executeCommand;
        }
      });

      it('puts the cell below the selected one, and takes it away after the run, if set so', async () => {
        const places: number[] = [];
        const following = vscode.workspace.onDidChangeNotebookDocument(({ contentChanges }) =>
          places.push(...contentChanges.flatMap(({ addedCells }) => addedCells.map(({ index }) => index))),
        );
        const below = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, 'y = 30', 'python');
        const edit = new vscode.WorkspaceEdit();
        edit.set(editor.notebook.uri, [vscode.NotebookEdit.insertCells(1, [below])]);
        await vscode.workspace.applyEdit(edit);
        await set('cellPosition', 'belowSelection');
        await set('keepCell', false);
        try {
          editor.selection = new vscode.NotebookRange(0, 1);
          places.length = 0;
          assert.deepEqual(texts(await execute('"it has run"')), ["'it has run'"]);
          assert.deepEqual(places, [1]);
          assert.deepEqual(
            editor.notebook.getCells().map(({ document }) => document.getText()),
            ['x = 20', 'y = 30'],
          );
        } finally {
          following.dispose();
          await set('cellPosition', undefined);
          await set('keepCell', undefined);
        }
      });

      it('refuses while another cell of the notebook runs', async () => {
        const edit = new vscode.WorkspaceEdit();
        const code = 'import time\nprint("begun", flush=True)\ntime.sleep(600)';
        const data = new vscode.NotebookCellData(vscode.NotebookCellKind.Code, code, 'python');
        edit.set(editor.notebook.uri, [vscode.NotebookEdit.insertCells(0, [data])]);
        await vscode.workspace.applyEdit(edit);
        const target = { ranges: [{ start: 0, end: 1 }], document: editor.notebook.uri };
        void vscode.commands.executeCommand('notebook.cell.execute', target);
        await until('the sleep', () => editor.notebook.cellAt(0).outputs.length > 0, slow);
        assert.match(texts(await execute('1')).join(), /^The kernel of analysis\.ipynb is busy/);
        await vscode.commands.executeCommand('notebook.cell.cancelExecution', target);
        await until('the end', () => editor.notebook.cellAt(0).executionSummary?.success === false, slow);
        assert.deepEqual(texts(await execute('1')), ['1']);
      });

      describe('with access to the Jupyter extension', () => {
        it('refuses a kernel of another language before it asks', async () => {
          desk.grant(editor, 'R', 'idle');
          assert.match(texts(await execute('1')).join(), /does not run Python/);
        });

        it('refuses a busy and a dead kernel', async () => {
          desk.grant(editor, 'python', 'busy');
          assert.match(texts(await execute('1')).join(), /is busy/);
          desk.grant(editor, 'python', 'dead');
          assert.match(texts(await execute('1')).join(), /is dead/);
        });

        it('holds no call up by another one for which no answer comes', async () => {
          desk.jupyter.granted.set(editor.notebook.uri.toString(), new Promise(() => {}));
          client.start('tools/call', { name: 'executeCode', arguments: { code: '1' } });
          await client.request('ping'); // answered after that has begun
          desk.jupyter.granted.clear();
          assert.deepEqual(texts(await execute('2')), ['2']);
        });

        it('hears that the kernel restarts during the run', async () => {
          const status = desk.grant(editor, 'python', 'idle');
          const answer = execute('import time\nprint("begun", flush=True)\ntime.sleep(600)');
          await until('the sleep', () => (editor.notebook.getCells()[1]?.outputs.length ?? 0) > 0, slow);
          status.fire('autorestarting');
          assert.match(texts(await answer).join(), /The kernel stopped while the code ran/);
        });
      });
    });
  });

  it('refuses without a notebook', async () => {
    const { content, isError } = await execute('1');
    assert.match(content[0]?.text ?? '', /^No active notebook editor found\./);
    assert.equal(isError, true);
  });

  it('refuses a notebook that is read-only', async () => {
    const { notebook } = await desk.openReadOnly();
    const { content, isError } = await execute('1');
    assert.match(content[0]?.text ?? '', /^frozen\.ipynb is read-only\./);
    assert.equal(isError, true);
    assert.equal(notebook.cellCount, 1);
  });

  it('refuses empty code', async () => {
    await assert.rejects(execute(' \n'), /must not be empty/);
  });

  it('lets the user select a kernel where none is, and refuses without one', async () => {
    const editor = await desk.openNotebook(scratch);
    const answer = executed('1');
    await desk.kernelPicker();
    await ui.screenshot('executeCode-select-kernel');
    assert.match(texts(await desk.escape(answer)).join(), /^No kernel is selected for analysis\.ipynb\./);
    assert.equal(editor.notebook.cellCount, 1);
  });

  describe('a cell that the user takes in hand while they are asked for a kernel', () => {
    let editor: vscode.NotebookEditor;
    let answer: Promise<ToolResult>;
    beforeEach(async () => {
      editor = await desk.openNotebook(scratch);
      answer = executed('print("proposed")');
      await desk.kernelPicker();
    });

    it('stays if they edit it, and the model is told that its code did not run', async () => {
      const edit = new vscode.WorkspaceEdit();
      edit.insert(editor.notebook.cellAt(1).document.uri, new vscode.Position(0, 0), '# mine: ');
      await vscode.workspace.applyEdit(edit);
      assert.match(
        texts(await desk.escape(answer)).join(),
        /changed the cell in analysis\.ipynb before it ran/,
      );
      assert.equal(editor.notebook.cellAt(1).document.getText(), '# mine: print("proposed")');
    });

    it('runs once if they run it with its own button, and the model is told what came out', async () => {
      // The editor's own choice holds the cell; after it comes ours.
      await desk.press('Escape');
      await ui.page.locator('.quick-input-widget:visible').waitFor({ state: 'hidden' });
      await desk.kernelPicker();
      await desk.select(editor, desk.kernels.python);
      const target = { ranges: [{ start: 1, end: 2 }], document: editor.notebook.uri };
      await vscode.commands.executeCommand('notebook.cell.execute', target);
      await until('its output', () => editor.notebook.cellAt(1).outputs.length > 0, slow);
      assert.deepEqual(texts(await desk.escape(answer)), ['proposed\n']);
      assert.equal(editor.notebook.cellAt(1).executionSummary?.executionOrder, 1);
    });
  });

  for (const [where, isBehind] of [
    ['in front', false],
    ['beside a file', true],
  ] as const) {
    it(`closes the choice of a kernel, with the notebook ${where}, when the client goes`, async () => {
      const editor = await desk.openNotebook(scratch);
      if (isBehind) {
        const file = vscode.Uri.file(scratch.write('notes.txt', ''));
        await vscode.window.showTextDocument(file, { viewColumn: vscode.ViewColumn.Beside });
      }
      const other = await connectClient();
      other.start('tools/call', { name: 'executeCode', arguments: { code: '1' } });
      await desk.question();
      await desk.sayYes();
      await desk.kernelPicker();
      await other.close();
      await ui.page.locator('.quick-input-widget:visible').waitFor({ state: 'hidden' });
      await until('the cell to go', () => editor.notebook.cellCount === 1);
      const answer = execute('2');
      await desk.question();
      await desk.sayNo();
      assert.match(texts(await answer).join(), /^The user refused/);
    });
  }

  it('refuses a kernel that does not run Python', async () => {
    const editor = await desk.openNotebook(scratch, 'statistics.ipynb', desk.kernels.r);
    const answer = executed('1');
    if (isFloor) {
      // It cannot tell that a kernel is selected, and offers the choice again.
      await desk.kernelPicker();
      await desk.press('Escape');
      assert.equal((await answer).isError, true);
      return;
    }
    assert.match(texts(await answer).join(), /^The kernel of statistics\.ipynb does not run Python\./);
    assert.equal(editor.notebook.cellCount, 1);
  });
});
