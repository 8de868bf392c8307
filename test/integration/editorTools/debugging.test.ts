import assert from 'node:assert/strict';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as vscode from 'vscode';
import { debuggingToolNames, editorToolNames } from '../../../src/editorTools/names.ts';
import { until } from '../../support/until.ts';
import { useDesk } from '../bridge.ts';
import { configure } from '../fakeCli.ts';
import { answer as give, FolderSettings, question as askedAbove, shownCode } from './runQuestion.ts';
import { callTool, connectTools } from './toolClient.ts';

interface Data {
  session?: number;
  state?: string;
  exitCode?: number;
  output?: string;
  value?: string;
  at?: { path?: string; line?: number; text?: string };
  frames?: { name: string; line?: number }[];
  variables?: { name: string; value: string }[];
  breakpoints?: { path: string; line: number; condition?: string }[];
  sessions?: { state: string }[];
}

const program = `function add(first, second) {
  const sum = first + second;
  return sum;
}
const person = { name: 'Ada', address: { town: 'London' } };
const total = add(2, 3);
console.log('the total is', total, person.name);
process.exitCode = 4;
`;

describe('the editor tools that debug', function () {
  this.timeout(120_000);
  const desk = useDesk();
  let launchFile: FolderSettings;
  let client: Client;
  let file: string;
  /** Their ids: the editor goes on calling one active that has ended. */
  const running = new Set<string>();
  const subscriptions: vscode.Disposable[] = [];

  before(async () => {
    launchFile = new FolderSettings('launch.configurations');
    await configure('editorTools.enabled', true);
    subscriptions.push(
      vscode.debug.onDidStartDebugSession(({ id }) => void running.add(id)),
      vscode.debug.onDidTerminateDebugSession(({ id }) => void running.delete(id)),
    );
  });
  after(async () => {
    vscode.Disposable.from(...subscriptions).dispose();
    await configure('editorTools.enabled', undefined);
  });
  beforeEach(async () => {
    await desk.configure('ideBridge.editorTools.debugging', true);
    client = await connectTools();
    file = desk.scratch.write('program.js', program);
    await define({ name: 'Program', type: 'node', request: 'launch', program: file });
  });
  afterEach(async () => {
    await client.close();
    await vscode.debug.stopDebugging();
    await until('the debugger to end', () => running.size === 0, 20_000);
    vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
    await vscode.commands.executeCommand('ideBridge.askAboutRunsAnew');
    launchFile.remove();
  });

  async function call(tool: string, args: object = {}) {
    const { data = {}, ...words } = await callTool<Data>(client, tool, args);
    return { ...words, data };
  }

  /** Launch configurations, once the editor has read them. */
  const define = (...configurations: Record<string, unknown>[]) => launchFile.write('0.2.0', configurations);

  const question = (words: string) => askedAbove(desk, words);
  const answer = (title: string, words: string) => give(desk, title, words);
  /** With a breakpoint where the sum is known. */
  async function stopInside() {
    assert.equal((await call('setBreakpoint', { file, line: 3 })).text, 'Set.');
    const starting = call('startDebugging', { name: 'Program', timeoutSeconds: 60 });
    await answer('Run Once', 'sdk wants to start "Program" in the debugger');
    const stopped = await starting;
    assert.equal(stopped.data.state, 'stopped', stopped.text);
    return stopped;
  }

  it('are offered only while the user has them on, and say how', async () => {
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    assert.deepEqual(await names(), [...editorToolNames, ...debuggingToolNames]);
    await desk.configure('ideBridge.editorTools.debugging', undefined);
    assert.deepEqual(await names(), editorToolNames);
    assert.match(
      (await call('evaluate', { expression: '1' })).text,
      /setting ideBridge\.editorTools\.debugging/,
    );
  });

  it('start what a launch.json has once the user has said so, and show where it stands', async () => {
    assert.match((await call('debugSessions')).text, /^Nothing is debugged now\.\n.*:\nProgram {2}\(node, /);
    await call('setBreakpoint', { file, line: 3 });
    const refused = call('startDebugging', { name: 'Program' });
    assert.match(await until('what is to run', shownCode), /wants to start "Program"[^]*"request": "launch"/);
    await desk.ui.screenshot('editor-tools-debug-question');
    await answer('Refuse', 'wants to start');
    assert.match((await refused).text, /Nothing was run/);
    assert.equal(running.size, 0);

    const stopped = await stopInside();
    assert.match(stopped.text, /^Stopped: breakpoint.*\n0 {2}.*add {2}.*program\.js:3:\d+ {2}return sum;/);
    assert.equal(stopped.data.at?.line, 3);
    const { frames, text } = { ...(await call('stack')).data, ...(await call('stack')) };
    assert.deepEqual(
      frames?.slice(0, 2).map(({ line }) => line),
      [3, 6],
    );
    assert.match(text, /^1 {2}.*program\.js:6:\d+ {2}const total = add\(2, 3\);$/m);
    assert.match((await call('debugSessions')).text, /^Debugged now:\n(.*\n)?\d+ {2}.*stopped\)/);
    await desk.ui.screenshot('editor-tools-debugging');
  });

  it('tell variables, and what is in one of them, of each frame', async () => {
    await stopInside();
    const local = (await call('variables')).data.variables ?? [];
    const values = new Map(local.map(({ name, value }) => [name, value]));
    assert.deepEqual(
      ['first', 'second', 'sum'].map((name) => values.get(name)),
      ['2', '3', '5'],
    );
    const { data } = await call('variables', { frame: 1, of: ['person', 'address'] });
    assert.equal(data.variables?.find(({ name }) => name === 'town')?.value, "'London'");
    const { text, isError } = await call('variables', { of: ['nobody'] });
    assert.ok(isError);
    assert.match(text, /There is no variable "nobody" there/);
    assert.match((await call('variables', { frame: 9_000 })).text, /There is no frame 9000/);
  });

  it('evaluate only what the user has seen and agreed to', async () => {
    await stopInside();
    const refused = call('evaluate', { expression: 'process.exit(1)' });
    assert.match(await until('the expression', shownCode), /process\.exit\(1\)$/);
    await answer('Refuse', 'wants to evaluate this');
    assert.match((await refused).text, /Nothing was run/);
    const agreed = call('evaluate', { expression: 'sum * 10' });
    await answer('Run Once', 'wants to evaluate this');
    assert.equal((await agreed).data.value, '50');
    const wrong = call('evaluate', { expression: 'nothingSuch' });
    await answer('Run Once', 'wants to evaluate this');
    assert.match((await wrong).text, /nothingSuch is not defined/);
  });

  it('step, and tell the end with its exit code and what was printed', async () => {
    await stopInside();
    const out = await call('stepDebugging', { how: 'out' });
    assert.ok([6, 7].includes(out.data.at?.line ?? 0), out.text);
    if (out.data.at?.line === 6) {
      assert.equal((await call('stepDebugging', { how: 'over' })).data.at?.line, 7);
    }
    const ended = await call('stepDebugging', { how: 'continue', timeoutSeconds: 30 });
    assert.equal(ended.data.state, 'ended', ended.text);
    assert.match(ended.data.output ?? '', /the total is 5 Ada/);
    await until('the debugger to end, too', async () =>
      (await call('stack')).text.startsWith('Nothing is debugged now'),
    );
  });

  it('make a program stand still, and end it', async () => {
    const endless = desk.scratch.write('endless.js', 'setInterval(() => { globalThis.x = 1; }, 10);\n');
    await define({ name: 'Endless', type: 'node', request: 'launch', program: endless });
    const starting = call('startDebugging', { name: 'Endless', timeoutSeconds: 3 });
    await answer('Run Once', 'wants to start');
    assert.equal((await starting).data.state, 'runs');
    assert.match((await call('stack')).text, /runs: its program has to stand still/);
    const paused = await call('stepDebugging', { how: 'pause' });
    assert.equal(paused.data.state, 'stopped', paused.text);
    const ended = await call('stopDebugging');
    assert.equal(ended.data.state, 'ended', ended.text);
  });

  it('ask before they touch what the user debugs', async () => {
    const endless = desk.scratch.write('endless.js', 'setInterval(() => {}, 10);\n');
    await define({ name: 'Mine', type: 'node', request: 'launch', program: endless });
    await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], 'Mine');
    // The debugger has a session of its own for the program.
    await until('it to run', async () => (await call('debugSessions')).data.sessions?.length === 2);
    const stopping = call('stopDebugging');
    await answer('Refuse', 'wants to end the debug session');
    assert.match((await stopping).text, /Nothing was run/);
    assert.equal(running.size, 2);
  });

  it('set and remove breakpoints, one with a condition only by the user’s word', async () => {
    const asking = call('setBreakpoint', { file, line: 2, condition: 'first > 1' });
    await answer('Run Once', 'wants to set a breakpoint with this');
    assert.equal((await asking).text, 'Set.');
    await call('setBreakpoint', { file, line: 6 });
    const { data } = await call('breakpoints');
    assert.deepEqual(
      data.breakpoints?.map(({ line, condition }) => [line, condition]),
      [
        [2, 'first > 1'],
        [6, undefined],
      ],
    );
    assert.equal((await call('setBreakpoint', { file, line: 6, remove: true })).text, 'Removed.');
    // The editor may put one back for a moment that it has just heard of.
    await until('none to be there', async () => {
      const again = await call('setBreakpoint', { file, line: 6, remove: true });
      return again.text === 'There is no breakpoint in that line.' && vscode.debug.breakpoints.length === 1;
    });
    assert.match((await call('setBreakpoint', { file, line: 600 })).text, /has \d+ lines/);
    assert.match((await call('setBreakpoint', { file: '/etc/passwd', line: 1 })).text, /There is no/);
    await until('the first alone', () => vscode.debug.breakpoints.length === 1);
    const replacing = call('setBreakpoint', { file, line: 2, logMessage: 'here' });
    assert.match(
      (await until('the question', shownCode)) ?? '',
      /\nhere\n\n# In the place of the one with\nfirst > 1$/,
    );
    await answer('Refuse', 'wants to set a breakpoint with this');
    assert.match((await replacing).text, /Nothing was run/);
  });

  it('start nothing else than what the user has seen', async () => {
    const starting = call('startDebugging', { name: 'Program' });
    await until('the question', shownCode);
    await define({ name: 'Program', type: 'node', request: 'launch', program: '/elsewhere.js' });
    await answer('Run Once', 'wants to start');
    assert.match((await starting).text, /has become another one meanwhile/);
    assert.equal(running.size, 0);
  });

  it('allow none for good that has a task before it, wherever that stands', async () => {
    await define({
      name: 'Program',
      type: 'node',
      request: 'launch',
      program: file,
      linux: { preLaunchTask: 'x' },
    });
    const starting = call('startDebugging', { name: 'Program' });
    await question('wants to start').locator('a', { hasText: 'Run Once' }).waitFor();
    assert.equal(await question('wants to start').locator('a', { hasText: 'Always' }).count(), 0);
    await answer('Refuse', 'wants to start');
    assert.ok((await starting).isError);
  });

  it('set none in a file that is excluded while the user is asked', async () => {
    const setting = call('setBreakpoint', { file, line: 3, condition: 'true' });
    await question('wants to set a breakpoint with this').waitFor();
    await desk.configure('ideBridge.share.exclude', ['**/program.js']);
    await answer('Run Once', 'wants to set a breakpoint with this');
    assert.match((await setting).text, /is not shared/);
    assert.equal(vscode.debug.breakpoints.length, 0);
  });

  it('take no breakpoint of the user’s away that has a condition, unless they say so', async () => {
    const location = new vscode.Location(vscode.Uri.file(file), new vscode.Position(1, 0));
    vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(location, true, 'first > 7')]);
    const removing = call('setBreakpoint', { file, line: 2, remove: true });
    assert.match(await until('the question', shownCode), /first > 7$/);
    await answer('Refuse', 'wants to take away the breakpoint');
    assert.ok((await removing).isError);
    assert.equal(vscode.debug.breakpoints.length, 1);
  });

  it('do nothing while nothing is shared, and start only what is configured', async () => {
    assert.match((await call('startDebugging', { name: 'rm -rf' })).text, /There is no launch configuration/);
    await desk.configure('ideBridge.share.enabled', false);
    for (const tool of debuggingToolNames) {
      const args = { name: 'Program', how: 'pause', expression: '1', file, line: 1 };
      assert.match((await call(tool, args)).text, /Sharing is off/, tool);
    }
  });

  it('evaluate nothing where the program has gone on since the user was asked', async () => {
    await stopInside();
    const asked = call('evaluate', { expression: '[typeof sum, 1]' });
    await until('the question', shownCode);
    assert.equal((await call('stepDebugging', { how: 'out' })).data.state, 'stopped');
    await answer('Run Once', 'wants to evaluate this');
    assert.match(
      (await asked).text,
      /^The program has gone on meanwhile\. Nothing was evaluated: ask again\.$/,
    );
  });

  it('show what a task before it runs, and start nothing where that has changed while the user was asked', async () => {
    const tasks = new FolderSettings('tasks.tasks');
    const prepare = { label: 'prepare', type: 'shell', command: 'echo prepared', dependsOn: 'fetch' };
    const fetch = { label: 'fetch', type: 'shell', command: 'echo fetched' };
    try {
      await tasks.write('2.0.0', [prepare, fetch]);
      await define({
        name: 'Program',
        type: 'node',
        request: 'launch',
        program: file,
        preLaunchTask: 'prepare',
      });
      const starting = call('startDebugging', { name: 'Program' });
      assert.match(
        await until('the question', shownCode),
        /"preLaunchTask": "prepare"[^]*\n# With these tasks:\n# .*echo prepared.*\n# .*echo fetched.*$/,
      );
      await tasks.write('2.0.0', [prepare, { ...fetch, command: 'touch swapped' }]);
      await answer('Run Once', 'wants to start');
      assert.match((await starting).text, /has become another one meanwhile/);
      assert.equal(running.size, 0);
    } finally {
      tasks.remove();
    }
  });

  it('show the inputs that a configuration names', async () => {
    const input = { id: 'which', type: 'command', command: 'some.command' };
    const configuration = { name: 'Program', type: 'node', request: 'launch', program: '${input:which}' };
    await launchFile.write('0.2.0', [configuration], [input]);
    const starting = call('startDebugging', { name: 'Program' });
    assert.match(
      await until('the question', shownCode),
      /\n# Input \{"id":"which","type":"command","command":"some\.command"\}$/,
    );
    await answer('Refuse', 'wants to start');
    assert.ok((await starting).isError);
  });

  it('ask again about a configuration that was allowed for good once the workspace has another terminal for it', async () => {
    const env = `env.${{ win32: 'windows', darwin: 'osx' }[process.platform as string] ?? 'linux'}`;
    const set = (value: object | undefined) =>
      vscode.workspace
        .getConfiguration('terminal.integrated')
        .update(env, value, vscode.ConfigurationTarget.Workspace);
    const start = () => call('startDebugging', { name: 'Program', timeoutSeconds: 60 });
    const first = start();
    await answer('Always Start This Configuration', 'wants to start');
    assert.equal((await first).data.state, 'ended');
    try {
      await set({ MARK: 'another' });
      const second = start();
      assert.match(
        await until('the question', shownCode),
        /\}\n# With terminal\.integrated\.env\.\w+ \{"MARK":"another"\}$/,
      );
      await set({ MARK: 'a third' });
      await answer('Run Once', 'wants to start');
      assert.match((await second).text, /has become another one meanwhile/);
    } finally {
      await set(undefined);
    }
    assert.equal((await start()).data.state, 'ended');
  });

  it('show what a task before it runs that an extension provides', async () => {
    const provider = vscode.tasks.registerTaskProvider('npm', {
      provideTasks: () => [
        new vscode.Task(
          { type: 'npm', script: 'ready' },
          vscode.TaskScope.Workspace,
          'ready',
          'ours',
          new vscode.ProcessExecution('echo', ['provided']),
        ),
      ],
      resolveTask: () => undefined,
    });
    try {
      await define({
        name: 'Program',
        type: 'node',
        request: 'launch',
        program: file,
        preLaunchTask: 'ours: ready',
      });
      const starting = call('startDebugging', { name: 'Program' });
      assert.match(
        await until('the question', shownCode),
        /\n# With these tasks:\n# "ready" \(ours\): echo provided$/,
      );
      await answer('Refuse', 'wants to start');
      assert.ok((await starting).isError);
    } finally {
      provider.dispose();
    }
  });
});
