import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as vscode from 'vscode';
import { editorToolNames, runningToolNames } from '../../../src/editorTools/names.ts';
import { TaskRuns } from '../../../src/editorTools/taskRuns.ts';
import { TerminalOutput } from '../../../src/editorTools/terminalOutput.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';
import { until } from '../../support/until.ts';
import { connectClient, useDesk } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import {
  answer as give,
  FolderSettings,
  question as askedAbove,
  shownCode as codeShown,
} from './runQuestion.ts';
import { callTool, connectTools } from './toolClient.ts';

interface Data {
  run?: number;
  state?: string;
  exitCode?: number;
  output?: string;
  tasks?: { name: string; command?: string; isRunning: boolean }[];
  passed?: number;
  failed?: number;
  tests?: { name: string; state: string; line?: number }[];
  terminals?: { name: string; command?: string; exitCode?: number; output?: string }[];
}

describe('the editor tools that run', function () {
  this.timeout(90_000);
  const desk = useDesk();
  const isFloor = process.env[testEnvironment.floor] !== undefined;
  let tasksFile: FolderSettings;
  let client: Client;

  before(async () => {
    tasksFile = new FolderSettings('tasks.tasks');
    await configure('editorTools.enabled', true);
  });
  after(() => configure('editorTools.enabled', undefined));
  beforeEach(async () => {
    await desk.configure('ideBridge.editorTools.running', true);
    client = await connectTools();
  });
  afterEach(async () => {
    await client.close();
    await vscode.commands.executeCommand('ideBridge.askAboutRunsAnew');
    vscode.tasks.taskExecutions.forEach((execution) => execution.terminate());
    await until('the tasks to end', () => vscode.tasks.taskExecutions.length === 0);
    tasksFile.remove();
  });

  async function call(tool: string, args: object = {}, by = client, signal?: AbortSignal) {
    const { data = {}, ...words } = await callTool<Data>(by, tool, args, signal);
    return { ...words, data };
  }

  /** Tasks of tasks.json, once the editor has read it. */
  const define = (...tasks: ({ label: string } & Record<string, unknown>)[]) =>
    tasksFile.write(
      '2.0.0',
      tasks.map((task) => ({ type: 'shell', ...task })),
    );

  const question = (words: string | RegExp = 'wants to run the t') => askedAbove(desk, words);
  const answers = () => question().locator('a').allInnerTexts();
  const shownCode = () =>
    codeShown()?.replace(/^# (sdk|other) wants to run the (task ".*" \(.*\)|tests of .*)\n/, '');
  const answer = (title: string, words: string | RegExp = 'wants to run the t') => give(desk, title, words);
  const noQuestion = () => until('no question', async () => (await question().count()) === 0);
  const made = (name: string) => existsSync(desk.scratch.path(name));
  const making = (name: string) => `touch '${desk.scratch.path(name)}'`;

  it('are offered only while the user has them on, and say how', async () => {
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names(), [...editorToolNames, ...runningToolNames]);
    await desk.configure('ideBridge.editorTools.running', undefined);
    assert.deepEqual(await names(), editorToolNames);
    const { text, isError } = await call('runTask', { name: 'anything' });
    assert.ok(isError);
    assert.match(text, /setting ideBridge\.editorTools\.running/);
  });

  it('list the tasks with what they run', async () => {
    await define(
      { label: 'compile', command: 'echo compiled', group: 'build' },
      { label: 'watch', command: 'sleep 60', isBackground: true },
    );
    const { text, data } = await call('tasks');
    assert.match(text, /^compile {2}\(Workspace, .*build\) {2}echo compiled$/m);
    assert.match(text, /^watch {2}\(Workspace, .*background\) {2}sleep 60$/m);
    assert.equal(data.tasks?.find(({ name }) => name === 'compile')?.command, 'echo compiled');
  });

  it('run a task once the user has said so, and tell its exit code and what it printed', async () => {
    await define({
      label: 'check',
      command: `${making('ran')}; printf '\\033[31mtwo\\033[0m words\\n'; exit 3`,
    });
    const running = call('runTask', { name: 'check' });
    await question('sdk wants to run the task "check" (Workspace').waitFor();
    assert.match(await until('the command', shownCode), /^touch .*exit 3$/s);
    await desk.ui.screenshot('editor-tools-run-question');
    assert.ok(!made('ran'));
    await answer('Run Once');
    const { text, isError, data } = await running;
    assert.ok(made('ran'));
    assert.equal(isError, false);
    assert.equal(data.exitCode, 3, text);
    assert.match(text, /^check \(run \d+\): ended with exit code 3 after [\d.]+ s$/m);
    if (!isFloor) {
      assert.equal(data.output, 'two words');
    } else if (data.output === undefined) {
      assert.match(text, /The editor does not tell what it printed/);
    }
    const again = call('runTask', { name: 'check' });
    await answer('Refuse');
    assert.deepEqual((await again).text, 'The user does not want this to be run. Nothing was run.');
  });

  it('do not ask again about exactly a task that the user has allowed for good', async () => {
    await define({ label: 'allowed', command: 'echo first' }, { label: 'other', command: 'echo first' });
    const first = call('runTask', { name: 'allowed' });
    await answer('Always Run This Task');
    assert.equal((await first).data.exitCode, 0);
    const second = await call('runTask', { name: 'allowed' });
    assert.equal(second.data.exitCode, 0);
    const other = call('runTask', { name: 'other' });
    await answer('Refuse', 'the task "other"');
    assert.ok((await other).isError);

    await define({ label: 'allowed', command: 'echo second' }, { label: 'other', command: 'echo first' });
    const changed = call('runTask', { name: 'allowed' });
    await until('the new command', () => shownCode() === 'echo second');
    await answer('Refuse');
    assert.ok((await changed).isError);

    await define({ label: 'allowed', command: 'echo first' });
    await vscode.commands.executeCommand('ideBridge.askAboutRunsAnew');
    const forgotten = call('runTask', { name: 'allowed' });
    await answer('Refuse');
    assert.ok((await forgotten).isError);
  });

  it('allow none for good that runs others first', async () => {
    await define(
      { label: 'part', command: 'echo part' },
      { label: 'whole', command: 'echo whole', dependsOn: 'part' },
    );
    const running = call('runTask', { name: 'whole' });
    const code = await until('the question', shownCode);
    assert.match(code, /^echo whole\n[^]*# First:\n# .*echo part/);
    await until('the answers', async () => (await answers()).length === 2);
    assert.match((await answers()).join(), /Refuse,.*Run Once$/);
    await answer('Run Once');
    const { data } = await running;
    assert.equal(data.exitCode, 0);
  });

  it('run nothing else than what the user has seen', async () => {
    await define({ label: 'seen', command: 'echo seen', options: { env: { PATH_OF: 'elsewhere' } } });
    const running = call('runTask', { name: 'seen' });
    assert.match(await until('the question', shownCode), /^echo seen\n# With .*"PATH_OF":"elsewhere"/);
    await define({ label: 'seen', command: making('swapped') });
    await answer('Run Once');
    assert.match((await running).text, /has become another one meanwhile/);
    assert.ok(!made('swapped'));
  });

  it('run nothing when the user switches them off while they are asked', async () => {
    await define({ label: 'late', command: making('late') });
    const running = call('runTask', { name: 'late' });
    await question().waitFor();
    await desk.configure('ideBridge.editorTools.running', false);
    await answer('Run Once');
    assert.match((await running).text, /switched this off meanwhile/);
    assert.ok(!made('late'));
  });

  it('allow none for good that takes something from elsewhere', async () => {
    await define({ label: 'open', command: 'echo ${config:editor.tabSize}' });
    const running = call('runTask', { name: 'open' });
    await until('the answers', async () => (await answers()).length === 2);
    await answer('Run Once');
    assert.equal((await running).data.exitCode, 0);
  });

  it('take the question back with the call, and with the client', async () => {
    await define({ label: 'withdrawn', command: making('withdrawn') });
    const cancelling = new AbortController();
    const cancelled = call('runTask', { name: 'withdrawn' }, client, cancelling.signal);
    await question().waitFor();
    cancelling.abort();
    await assert.rejects(cancelled);
    await noQuestion();
    const other = await connectTools('other');
    const left = call('runTask', { name: 'withdrawn' }, other).catch(() => undefined);
    await question('other wants').waitFor();
    await other.close();
    await left;
    await noQuestion();
    assert.ok(!made('withdrawn'));
  });

  it('ask one question after the other', async () => {
    await define({ label: 'one', command: 'echo 1' }, { label: 'two', command: 'echo 2' });
    const other = await connectTools('other');
    const one = call('runTask', { name: 'one' });
    await question('sdk wants to run the task "one"').waitFor();
    const two = call('runTask', { name: 'two' }, other);
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(await question().count(), 1);
    await answer('Refuse', 'the task "one"');
    await answer('Run Once', 'other wants to run the task "two"');
    assert.ok((await one).isError);
    assert.equal((await two).data.exitCode, 0);
    await other.close();
  });

  it('end a task whose call is cancelled', async () => {
    await define({ label: 'endless', command: `${making('began')}; sleep 300` });
    const cancelling = new AbortController();
    const running = call('runTask', { name: 'endless' }, client, cancelling.signal);
    await answer('Run Once');
    await until('it to run', () => made('began'));
    cancelling.abort();
    await assert.rejects(running);
    await until('it to end', () => vscode.tasks.taskExecutions.length === 0);
  });

  it('answer while a task still runs when the time is over, and tell its end later', async () => {
    const mayEnd = desk.scratch.path('slow-may-end');
    const command = `echo begun; until [ -e '${mayEnd}' ]; do sleep 0.1; done; echo done`;
    await define({ label: 'slow', command, isBackground: false });
    const running = call('runTask', { name: 'slow', timeoutSeconds: 3 });
    await answer('Run Once');
    const { data, text } = await running;
    assert.equal(data.state, 'running', text);
    assert.match(text, /still runs, since/);
    const busy = await call('runTask', { name: 'slow' });
    assert.equal(busy.text, 'That task runs already. Nothing was run.');
    if (!isFloor) {
      const printed = async () => (await call('taskOutput', { run: data.run })).data.output;
      await until('its first words', async () => (await printed()) === 'begun');
    }
    desk.scratch.write('slow-may-end', '');
    const ended = await until('its end', async () => {
      const now = await call('taskOutput', { run: data.run });
      return now.data.state === 'ended' ? now : undefined;
    });
    assert.equal(ended.data.exitCode, 0);
    if (!isFloor) {
      assert.equal(ended.data.output, 'begun\ndone');
    }
    assert.match((await call('taskOutput', { run: 9_999 })).text, /There is no run 9999 any more/);
  });

  it('refuse what is no task, and ask which of several is meant', async () => {
    await define({ label: 'twice', command: 'echo tasks.json' });
    const hostile = ['', '../x', '__proto__', 'a](command:x)\nb', 'x'.repeat(1_000), 'echo tasks.json'];
    for (const name of hostile) {
      const { text, isError } = await call('runTask', { name }).catch((error: unknown) => ({
        text: String(error),
        isError: true,
      }));
      assert.ok(isError, name);
      assert.match(text, /has no task|Invalid arguments/, name);
    }
    const provider = vscode.tasks.registerTaskProvider('npm', {
      provideTasks: () => [
        new vscode.Task(
          { type: 'npm', script: 'twice' },
          vscode.TaskScope.Workspace,
          'twice',
          'ours',
          new vscode.ShellExecution('echo provided'),
        ),
      ],
      resolveTask: () => undefined,
    });
    try {
      const { text } = await call('runTask', { name: 'twice' });
      assert.match(text, /There are 2 tasks "twice": source "Workspace".*; source "ours"/);
      const running = call('runTask', { name: 'twice', source: 'ours' });
      await until('what an extension brings', () => shownCode() === 'echo provided');
      await answer('Run Once');
      assert.equal((await running).data.exitCode, 0);
    } finally {
      provider.dispose();
    }
  });

  it('run nothing when nothing is shared any more once the editor has listed its tasks again', async () => {
    await define({ label: 'waiting', command: making('waiting') });
    let list = () => {};
    let isWaiting = false;
    const listed = new Promise<void>((resolve) => (list = resolve));
    const running = call('runTask', { name: 'waiting' });
    await question().waitFor();
    const provider = vscode.tasks.registerTaskProvider('npm', {
      async provideTasks() {
        isWaiting = true;
        await listed;
        return [];
      },
      resolveTask: () => undefined,
    });
    try {
      await answer('Run Once');
      await until('the tasks to be asked for', () => isWaiting);
      await desk.configure('ideBridge.share.enabled', false);
      list();
      assert.match((await running).text, /Sharing is off/);
      assert.ok(!made('waiting'));
    } finally {
      list();
      provider.dispose();
    }
  });

  it('run nothing while nothing is shared, also when that changes while the user is asked', async () => {
    await define({ label: 'quiet', command: making('quiet') });
    const running = call('runTask', { name: 'quiet' });
    await question().waitFor();
    await desk.configure('ideBridge.share.enabled', false);
    await answer('Run Once');
    assert.match((await running).text, /Sharing is off/);
    for (const tool of runningToolNames) {
      const { text, isError } = await call(tool, { name: 'quiet', file: 'greet.ts' });
      assert.ok(isError, tool);
      assert.match(text, /Sharing is off/, tool);
    }
    assert.ok(!made('quiet'));
  });

  describe('tests', () => {
    let controller: vscode.TestController;
    let uri: vscode.Uri;
    let ran: number;

    beforeEach(async () => {
      ran = 0;
      uri = vscode.Uri.file(desk.scratch.write('some.test.ts', 'one\n\n\ntwo\n\n\nthree\n'));
      controller = vscode.tests.createTestController('ideBridgeTest', 'Some Tests');
      const file = controller.createTestItem('file', 'some.test.ts', uri);
      controller.items.add(file);
      ['one', 'two', 'three'].forEach((name, index) => {
        const test = controller.createTestItem(name, `${name} is right`, uri);
        test.range = new vscode.Range(3 * index, 0, 3 * index, 3);
        file.children.add(test);
      });
      controller.createRunProfile(
        'run',
        vscode.TestRunProfileKind.Run,
        (request) => {
          ran++;
          const run = controller.createTestRun(request);
          file.children.forEach((test) => {
            run.started(test);
            if (test.id === 'two') {
              run.failed(test, new vscode.TestMessage('it is not'), 12);
            } else if (test.id === 'three') {
              run.skipped(test);
            } else {
              run.passed(test, 5);
            }
          });
          run.end();
        },
        true,
      );
      if (isFloor) {
        await new Promise((resolve) => setTimeout(resolve, 2_000)); // it cannot be asked which it knows
      } else {
        await until('the editor to know them', async () => {
          const known = await vscode.commands.executeCommand<unknown[]>('vscode.testing.getTestsInFile', uri);
          return known.length === 4;
        });
      }
    });
    afterEach(() => controller.dispose());

    it('run for a file, once the user has said so, and tell which have failed', async () => {
      const running = call('runTests', { file: uri.fsPath });
      await question('sdk wants to run the tests of').waitFor();
      assert.equal(await until('the file', shownCode), uri.fsPath);
      assert.equal(ran, 0);
      await answer('Always');
      const { data, text, isError } = await running;
      assert.equal(isError, false, text);
      assert.equal(ran, 1);
      assert.deepEqual([data.passed, data.failed], [1, 1]);
      assert.match(text, /^3 tests: 1 passed, 1 failed, 1 skipped$/m);
      assert.match(text, /^failed {2}.*some\.test\.ts:4 {2}two is right$/m);
      assert.equal((await call('runTests', { file: uri.fsPath, limit: 1 })).data.tests?.length, 1);
      assert.equal(ran, 2);
    });

    it('do not run when their file is excluded while the user is asked', async () => {
      const running = call('runTests', { file: uri.fsPath });
      await question().waitFor();
      await desk.configure('ideBridge.share.exclude', ['**/some.test.ts']);
      await answer('Run Once');
      assert.match((await running).text, /is not shared/);
      assert.equal(ran, 0);
    });

    it('do not run where the user refuses, where there are none, or outside of the workspace', async () => {
      const running = call('runTests', { file: uri.fsPath });
      await answer('Refuse');
      assert.match((await running).text, /does not want this to be run/);
      const none = call('runTests', { file: desk.scratch.write('none.ts', '') });
      await answer('Run Once');
      assert.match((await none).text, /knows no test in .*none\.ts/);
      assert.match((await call('runTests', { file: '/etc/passwd' })).text, /There is no/);
      assert.equal(ran, 0);
    });
  });

  it('tell the last command of a terminal, but of none in which an agent works', async function () {
    const terminal = vscode.window.createTerminal({ name: 'mine', shellPath: '/bin/bash' });
    terminal.show();
    const shell = await until('shell integration', () => terminal.shellIntegration, 20_000);
    shell.executeCommand('sleep 0.5; echo hello-there; (exit 4)'); // of a quicker one the editor may tell no output
    const known = await until('its command', async () => {
      const { data } = await call('terminals', { name: 'mine' });
      const [found] = data.terminals ?? [];
      const isTold = isFloor || found?.output?.includes('hello'); // 1.96 tells it of some only
      return isTold && found?.exitCode !== undefined ? found : undefined;
    });
    assert.equal(known.exitCode, 4);
    assert.match(known.command ?? '', /echo hello-there/);
    const { text } = await call('terminals');
    assert.match(text, /^mine {2}\(.*\n {2}\$ sleep 0.5; echo hello-there; \(exit 4\) {2}\(exit code 4\)\n/m);
    assert.ok(isFloor || /^ {2}hello-there$/m.test(text), text);
    await connectClient(await terminal.processId);
    await until('it to be the terminal of a session', async () => {
      const { data, text } = await call('terminals', { name: 'mine' });
      return /an agent works in it: not told/.test(text) && data.terminals?.[0]?.command === undefined;
    });
    assert.deepEqual((await call('terminals', { name: 'nobody' })).data.terminals, []);
  });

  it('remember a task that still runs, however many have run since', async () => {
    const terminals = new TerminalOutput(() => true);
    const runs = new TaskRuns(terminals);
    const { signal } = new AbortController();
    const task = (name: string, program: string, ...args: string[]) => {
      const made = new vscode.Task(
        { type: 'process', name },
        vscode.TaskScope.Workspace,
        name,
        'test',
        new vscode.ProcessExecution(program, args),
      );
      made.presentationOptions = { reveal: vscode.TaskRevealKind.Never };
      return made;
    };
    try {
      const server = await runs.start(task('server', 'sleep', '300'));
      for (let i = 0; i < 22; i++) {
        await (await runs.start(task('short', 'true'))).follow(30_000, signal);
      }
      assert.ok(runs.get(server.id) === server);
      assert.ok(runs.get(2) === undefined, 'those that have ended are not all kept');
      assert.equal(runs.get(undefined)?.id, 23);
    } finally {
      runs.dispose();
      terminals.dispose();
    }
  });

  it('ask again about a task that was allowed for good once the workspace has another terminal for it', async () => {
    const env = `env.${{ win32: 'windows', darwin: 'osx' }[process.platform as string] ?? 'linux'}`;
    const set = (value: object | undefined) =>
      vscode.workspace
        .getConfiguration('terminal.integrated')
        .update(env, value, vscode.ConfigurationTarget.Workspace);
    await define({ label: 'usual', command: 'echo in $MARK' });
    const first = call('runTask', { name: 'usual' });
    await answer('Always Run This Task');
    assert.equal((await first).data.exitCode, 0);
    try {
      await set({ MARK: 'another' });
      const second = call('runTask', { name: 'usual' });
      assert.match(
        await until('the question', shownCode),
        /^echo in \$MARK\n# With terminal\.integrated\.env\.\w+ \{"MARK":"another"\}$/,
      );
      await set({ MARK: 'a third' });
      await answer('Run Once');
      assert.match((await second).text, /has become another one meanwhile/);
    } finally {
      await set(undefined);
    }
    assert.equal((await call('runTask', { name: 'usual' })).data.exitCode, 0);
  });

  it('run nothing first that the user has not seen, though it came while they were asked', async () => {
    const part = { label: 'part', command: making('part') };
    const alone = { label: 'whole', command: making('whole') };
    const whole = { ...alone, dependsOn: 'part' };
    for (const [before, after] of [
      [
        [alone, part],
        [whole, part],
      ],
      [
        [whole, { ...part, command: 'echo part' }],
        [whole, part],
      ],
    ] as const) {
      await define(...before);
      const running = call('runTask', { name: 'whole' });
      await question().waitFor();
      await define(...after);
      await answer('Run Once');
      assert.match((await running).text, /has become another one meanwhile/);
      assert.deepEqual([made('part'), made('whole')], [false, false]);
    }
  });

  it('show the inputs that a task names, and run nothing where one has changed while the user is asked', async () => {
    const task = { label: 'greet', type: 'shell', command: 'echo ${input:who}' };
    const input = (command: string) => [{ id: 'who', type: 'command', command }, { id: 'other' }];
    await tasksFile.write('2.0.0', [task], input('some.command'));
    const running = call('runTask', { name: 'greet' });
    assert.equal(
      await until('the question', shownCode),
      'echo ${input:who}\n# Input {"id":"who","type":"command","command":"some.command"}',
    );
    await tasksFile.write('2.0.0', [task], input('another.command'));
    await answer('Run Once');
    assert.match((await running).text, /has become another one meanwhile/);
  });

  it('show what runs before a task of the user’s own, whatever tasks the folder has', async () => {
    await define({ label: 'of the folder', command: 'echo folder' });
    const part = { label: 'part', type: 'shell', command: 'echo part' };
    const mine = { label: 'mine', type: 'shell', command: 'echo mine', dependsOn: 'part' };
    await desk.configure('tasks.version', '2.0.0');
    await desk.configure('tasks.tasks', [part, mine]);
    const running = call('runTask', { name: 'mine' });
    assert.match(await until('the question', shownCode), /^echo mine\n[^]*# First:\n# .*echo part/);
    await answer('Refuse');
    assert.ok((await running).isError);
  });

  it('show the scripts that npm runs before and after one, and ask again where they have changed', async () => {
    const scripts = (prebuild: string) =>
      desk.scratch.write(
        'package.json',
        JSON.stringify({ scripts: { build: 'echo built', prebuild, postbuild: 'echo after' } }),
      );
    scripts('echo before');
    const name = `build - ${basename(desk.scratch.folder)}`;
    const listed = async () => (await call('tasks', { limit: 200 })).text.includes(name);
    await until('the editor to find the script', listed, 30_000);
    const first = call('runTask', { name });
    assert.match(
      await until('the question', shownCode),
      /^npm run build\n# Script "prebuild": "echo before"\n# Script "build": "echo built"\n# Script "postbuild": "echo after"\n# With .*$/,
    );
    await answer('Always Run This Task');
    assert.equal((await first).data.exitCode, 0);
    assert.equal((await call('runTask', { name })).data.exitCode, 0);
    scripts(making('swapped'));
    const second = call('runTask', { name });
    assert.match(await until('the question', shownCode), /# Script "prebuild": "touch /);
    scripts('echo a third');
    await answer('Run Once');
    assert.match((await second).text, /has become another one meanwhile/);
    desk.scratch.write('package.json', 'none');
    const third = call('runTask', { name });
    assert.match(await until('the question', shownCode), /# The scripts of package\.json cannot be read\./);
    await until('the answers', async () => (await answers()).length === 2);
    await answer('Refuse');
    assert.ok((await third).isError);
    assert.ok(!made('swapped'));
  });

  it('show what runs before a task where tasks.json does not have it, or who provides it', async () => {
    const { scope, provided } = { scope: vscode.TaskScope.Workspace, provided: 'echo provided' };
    const task = (name: string, execution: vscode.ShellExecution | vscode.CustomExecution) =>
      new vscode.Task({ type: 'npm', script: name }, scope, name, 'ours', execution);
    const own = new vscode.CustomExecution(() => Promise.reject(new Error('not run')));
    const provider = vscode.tasks.registerTaskProvider('npm', {
      provideTasks: () => [task('told', new vscode.ShellExecution(provided)), task('untold', own)],
      resolveTask: () => undefined,
    });
    try {
      const dependsOn = ['ours: told', 'ours: untold', { type: 'npm', script: 'told' }, 'nowhere'];
      await define({ label: 'whole', command: 'echo whole', dependsOn });
      const running = call('runTask', { name: 'whole' });
      const code = await until('the question', shownCode);
      assert.equal(code.match(/"told" \(ours\): echo provided$/gm)?.length, 2, code);
      assert.match(code, /"untold" \(ours\): .*an extension provides it \("ours"\)\.$/m);
      assert.match(code, /^# "nowhere"$/m);
      await answer('Refuse');
      await running;
      await define({ label: 'other', command: 'echo other' });
      const alone = call('runTask', { name: 'untold' });
      assert.match(await until('the question', shownCode), /^# .*an extension provides it \("ours"\)\.$/);
      await answer('Refuse');
      assert.ok((await alone).isError);
    } finally {
      provider.dispose();
    }
  });

  it('ask once where two clients want the same at once, run it once, and tell both', async () => {
    const runs = desk.scratch.path('runs');
    await define({ label: 'shared', command: `echo ran >> '${runs}'; sleep 2` });
    const other = await connectTools('other');
    const both = async () => {
      const one = call('runTask', { name: 'shared' });
      await question('sdk wants').waitFor();
      const two = call('runTask', { name: 'shared' }, other);
      await call('tasks', {}, other); // takes as long as the other call until it asks
      return { one, two };
    };
    const agreed = await both();
    await answer('Run Once');
    const [first, second] = await Promise.all([agreed.one, agreed.two]);
    assert.deepEqual([first.data.exitCode, second.data.exitCode], [0, 0], second.text);
    assert.equal(first.data.run, second.data.run);
    assert.equal(readFileSync(runs, 'utf8'), 'ran\n');
    const denied = await both();
    await answer('Refuse');
    for (const each of [denied.one, denied.two]) {
      assert.match((await each).text, /The user does not want this to be run/);
    }
    await noQuestion();
    await other.close();
  });

  it('ask for the second client where the first one goes, and run on while one of them waits', async () => {
    await define({ label: 'shared', command: `${making('began')}; sleep 3; ${making('ended')}` });
    const other = await connectTools('other');
    const cancelling = new AbortController();
    const cancelled = call('runTask', { name: 'shared' }, other, cancelling.signal);
    await question('other wants').waitFor();
    const first = call('runTask', { name: 'shared' });
    await call('tasks');
    cancelling.abort();
    await assert.rejects(cancelled);
    await question('sdk wants').waitFor();
    const again = new AbortController();
    const second = call('runTask', { name: 'shared' }, other, again.signal);
    await call('tasks', {}, other);
    await answer('Run Once');
    await until('it to run', () => made('began'));
    again.abort();
    await assert.rejects(second);
    assert.equal((await first).data.exitCode, 0);
    assert.ok(made('ended'));
    await other.close();
  });
});
