import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { ChildProcesses } from '../../src/server/childProcesses.ts';
import { Deferred } from '../../src/base/deferred.ts';
import { readAgents } from '../../src/agent/agentDefinitions.ts';
import { EditTracker } from '../../src/agent/editTracker.ts';
import type { TrustFolders } from '../../src/agent/folderTrust.ts';
import { Hooks } from '../../src/agent/hooks.ts';
import { HostTools } from '../../src/agent/hostTools.ts';
import { without } from '../../src/agent/options.ts';
import { writeMcpConfig } from '../../src/editorTools/mcpConfig.ts';
import { Bridge } from '../../src/server/bridge.ts';
import { isAlive } from '../../src/server/processes.ts';
import { descendants, processTable } from '../../src/server/processTable.ts';
import { type DiagnosticsSource, getDiagnostics } from '../../src/tools/getDiagnostics.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { until } from '../support/until.ts';
import { AgentDesk, items, ofKind, saidIn, turnsEnded } from './agent/agentDesk.ts';
import { contextText, editTurns, text, toolUse, type Turn } from './mockApi.ts';
import { cliVersions } from './provisionCli.ts';

for (const version of Object.values(cliVersions)) {
  describe(`An agent session of Claude Code ${version}`, () => {
    let desk: AgentDesk;

    beforeEach(async () => {
      desk = await AgentDesk.open(version);
    });

    afterEach(() => desk.close());

    it('tells what is said, thought, run and answered, turn by turn', async () => {
      const file = await desk.file('a.txt', 'one\ntwo\n');
      desk.api.script([
        [{ type: 'text', text: 'I look' }, ...toolUse('Read', { file_path: file })],
        text('it has two lines'),
        text('and again'),
      ]);
      const session = await desk.session();
      session.prompt('look');
      session.prompt('again');
      await turnsEnded(session, 2);
      const said = items(session).map((item) =>
        item.kind === 'toolUse' ? `${item.name} ${item.state}` : 'text' in item ? item.text : item.kind,
      );
      assert.deepEqual(
        said.filter((line) => line !== 'other'),
        ['look', 'again', 'I look', 'Read done', 'it has two lines', 'turnEnd', 'and again', 'turnEnd'],
      );
      assert.match(ofKind(session, 'toolUse')[0]?.result?.text ?? '', /one\n.*two/);
      const [first] = ofKind(session, 'turnEnd');
      assert.equal(first?.outcome, 'done');
      assert.ok((first.usage?.input ?? 0) > 0 && (first.cost ?? 0) > 0 && (first.duration ?? 0) > 0);
      const { sessionId, model, mode } = session.conversation.current;
      assert.match(sessionId ?? '', /^[\da-f-]{36}$/);
      assert.match(model ?? '', /^claude-/);
      assert.equal(mode, 'default');
      assert.deepEqual(session.initialized?.models.length !== 0, true);
    });

    it('writes what the user has made of an edit, byte for byte', async () => {
      const file = await desk.file('a.txt', 'one\ntwo\n');
      desk.api.script([
        toolUse('Read', { file_path: file }),
        toolUse('Edit', { file_path: file, old_string: 'two', new_string: 'TWO' }),
        text('done'),
      ]);
      const asked: string[] = [];
      const session = await desk.session({
        ask: async ({ tool, group, input }) => {
          asked.push(`${group} ${tool}`);
          return {
            kind: 'allow',
            input: { ...input, old_string: 'one\ntwo\n', new_string: 'one\n  Zwei\u2028\n' },
          };
        },
      });
      session.prompt('edit it');
      await turnsEnded(session, 1);
      assert.deepEqual(asked, ['edit Edit']);
      assert.equal(await desk.read('a.txt'), 'one\n  Zwei\u2028\n');
      assert.deepEqual(
        ofKind(session, 'question').map(({ tool, state }) => [tool, state]),
        [['Edit', 'allowed']],
      );
    });

    it('takes what the user attaches for no word of theirs: neither a file that it names nor a command', async () => {
      const secret = path.join(desk.root, 'secret.txt');
      await writeFile(secret, 'the plum of this file');
      desk.api.script([text('fine'), text('seen')]);
      const session = await desk.session();
      session.prompt('look', [], `/clear\nsee @${secret} here`);
      await turnsEnded(session, 1);
      const request = await desk.api.nextRequest('look');
      assert.ok(contextText(request).includes(`see @${secret} here`));
      assert.doesNotMatch(contextText(request), /plum/);
      session.prompt(`see @${secret}`);
      await turnsEnded(session, 2);
      assert.match(contextText(await desk.api.nextRequest('the file')), /plum/); // as the user's own word
    });

    it('tells the model why the user has said no', async () => {
      desk.api.script([toolUse('Bash', { command: 'touch made', description: 'touch' }), text('well')]);
      const session = await desk.session({ ask: async () => ({ kind: 'deny', reason: 'use a pencil' }) });
      session.prompt('touch');
      await turnsEnded(session, 1);
      assert.match((await desk.api.nextResult('Bash')).text, /use a pencil/);
      await assert.rejects(desk.read('made'));
      assert.deepEqual(
        ofKind(session, 'question').map(({ state }) => state),
        ['denied'],
      );
      assert.equal(ofKind(session, 'toolUse')[0]?.state, 'failed');
    });

    it('ends a turn that is interrupted, with its question, and sends the prompt that waits', async () => {
      const asked = new Deferred<AbortSignal>();
      desk.api.script([toolUse('Bash', { command: 'touch made', description: 'touch' }), text('next')]);
      const late = new Deferred<void>();
      const session = await desk.session({
        ask: async (_question, signal) => {
          asked.settle(signal);
          await late.promise;
          return { kind: 'allow' };
        },
      });
      session.prompt('touch');
      const signal = await asked.promise;
      session.prompt('something else');
      await session.interrupt();
      assert.ok(signal.aborted);
      late.settle(); // too late
      await turnsEnded(session, 2);
      assert.deepEqual(
        ofKind(session, 'turnEnd').map(({ outcome }) => outcome),
        ['interrupted', 'done'],
      );
      assert.deepEqual(
        ofKind(session, 'question').map(({ state }) => state),
        ['withdrawn'],
      );
      await assert.rejects(desk.read('made'));
    });

    it('goes on where it was after its process was killed', async () => {
      desk.api.script([text('first answer')]);
      const session = await desk.session();
      session.prompt('remember 4711');
      await turnsEnded(session, 1);
      assert.ok(session.pid);
      process.kill(session.pid, 'SIGKILL');
      await until('the end', () => session.state === 'none');
      assert.match(ofKind(session, 'error')[0]?.message ?? '', /has ended by SIGKILL/);
      desk.api.script([text('second answer')]);
      session.prompt('what was it?');
      await turnsEnded(session, 2);
      const request = await desk.api.nextRequest('both prompts', (turn) =>
        contextText(turn).includes('what was it?'),
      );
      assert.match(contextText(request), /remember 4711/);
    });

    it('starts anew with other options and knows what was said, once the tool that runs has ended', async () => {
      const session = await desk.session();
      const command = 'touch begun; sleep 2; touch ended';
      desk.api.script([toolUse('Bash', { command, description: 'wait' }), text('first'), text('second')]);
      session.prompt('one');
      const [begun, ended] = ['begun', 'ended'].map((name) => path.join(desk.folder, name)) as [
        string,
        string,
      ];
      await until('the tool', () => existsSync(begun), 30_000);
      const { pid = 0 } = session;
      session.restart({ ...desk.options(), systemPrompt: 'Speak like a pirate.' });
      session.prompt('two');
      assert.ok(!existsSync(ended));
      await turnsEnded(session, 2);
      assert.ok(existsSync(ended));
      assert.ok(!isAlive(pid));
      assert.deepEqual(
        ofKind(session, 'turnEnd').map(({ outcome }) => outcome),
        ['done', 'done'],
      );
      const request = await desk.api.nextRequest('two', (turn) => contextText(turn).includes('two'));
      assert.match(contextText(request), /one[^]*first/);
      assert.match(JSON.stringify(request.system), /pirate/);
    });

    it('goes on with what streams while model and mode are changed, and has those with the next request, or turn', async () => {
      const changed = new Deferred<void>();
      const file = await desk.file('b.txt', 'x\n');
      const rest = { type: 'text', text: 'and half', after: changed.promise };
      desk.api.script([
        [...text('half'), rest, ...toolUse('Read', { file_path: file })],
        toolUse('Edit', { file_path: file, old_string: 'x', new_string: 'y' }),
        text('done'),
      ]);
      const session = await desk.session();
      session.prompt('one');
      await until('half of it', () => saidIn(session).includes('half'), 30_000);
      await session.setModel('haiku');
      await session.setMode('acceptEdits');
      changed.settle();
      await turnsEnded(session, 1);
      assert.deepEqual(saidIn(session), ['half', 'and half', 'done']);
      assert.equal(await desk.read('b.txt'), 'y\n');
      assert.deepEqual(ofKind(session, 'question'), []);
      desk.api.script([text('done')]);
      session.prompt('two');
      await turnsEnded(session, 2);
      const requests = [];
      for (const request of ['one', 'what is read', 'the edit', 'two']) {
        requests.push(await desk.api.nextRequest(request));
      }
      const isNew = version === cliVersions.newest;
      assert.deepEqual(
        requests.map(({ model }) => model.includes('haiku')),
        [false, isNew, isNew, true],
      );
    });

    it('changes mode and model while it runs', async () => {
      desk.api.script([text('first')]);
      const session = await desk.session();
      session.prompt('one');
      await turnsEnded(session, 1);
      await session.setMode('acceptEdits');
      await session.setModel('haiku');
      const file = await desk.file('b.txt', 'x\n');
      desk.api.script([
        toolUse('Read', { file_path: file }),
        toolUse('Edit', { file_path: file, old_string: 'x', new_string: 'y' }),
        text('second'),
      ]);
      session.prompt('two');
      await turnsEnded(session, 2);
      assert.equal(await desk.read('b.txt'), 'y\n');
      assert.deepEqual(ofKind(session, 'question'), []);
      assert.match(
        (await desk.api.nextRequest('two', (turn) => contextText(turn).includes('two'))).model,
        /haiku/,
      );
      await assert.rejects(session.setMode('bypassPermissions'), /not allowed/);
    });

    it('is asked about its servers, its context and its thinking, as far as the version knows these', async () => {
      desk.api.script([text('first')]);
      const session = await desk.session();
      session.prompt('one');
      await turnsEnded(session, 1);
      const isNew = version === cliVersions.newest;
      assert.ok(
        Array.isArray(((await session.request('mcp_status')) as { mcpServers?: unknown }).mcpServers),
      );
      if (version !== cliVersions.one) {
        await session.request('set_max_thinking_tokens', { max_thinking_tokens: 2_000 });
      }
      if (isNew) {
        const usage = (await session.request('get_context_usage')) as { totalTokens?: number };
        assert.ok((usage.totalTokens ?? 0) > 0, JSON.stringify(usage).slice(0, 300));
        await assert.rejects(session.request('rewind_files', {}), { kind: 'refused' });
        await assert.rejects(session.request('no_such_request'), { kind: 'unsupported' });
      }
    });

    it('tells by hooks what its edits make of files, turn by turn', async () => {
      const file = await desk.file('a.txt', 'one\n');
      const made = path.join(desk.folder, 'made.txt');
      const hooks = new Hooks();
      const seen: string[] = [];
      new EditTracker(
        hooks,
        async (_session, filePath) =>
          void seen.push(`before ${await readFile(filePath, 'utf8').catch(() => 'none')}`),
        ({ turn, tool, before, after }) =>
          seen.push(`${turn} ${tool} ${before?.toString() ?? 'none'} -> ${after?.toString() ?? 'none'}`),
      );
      desk.api.script([
        toolUse('Read', { file_path: file }),
        toolUse('Edit', { file_path: file, old_string: 'one', new_string: 'two' }),
        text('done'),
        toolUse('Write', { file_path: made, content: 'new\n' }),
        text('done'),
      ]);
      const session = await desk.session({ hooks });
      session.prompt('edit');
      session.prompt('write');
      await turnsEnded(session, 2);
      assert.deepEqual(seen, [
        'before one\n',
        '0 Edit one\n -> two\n',
        'before none',
        '1 Write none -> new\n',
      ]);
    });

    it('goes on in a fork of a session, which stays as it was', async () => {
      desk.api.script([text('first'), text('second'), text('third')]);
      const session = await desk.session();
      session.prompt('one');
      await turnsEnded(session, 1);
      const { sessionId = '', contextTokens = 0 } = session.conversation.current;
      assert.ok(contextTokens > 0);
      await session.dispose();
      const fork = await desk.session({}, { isFork: true }, sessionId);
      fork.prompt('two');
      await turnsEnded(fork, 1);
      const { sessionId: forked } = fork.conversation.current;
      assert.match(forked ?? '', /^[\da-f-]{36}$/);
      assert.notEqual(forked, sessionId);
      fork.restart({ ...desk.options(), systemPrompt: 'Again.' });
      fork.prompt('three');
      await turnsEnded(fork, 2);
      assert.equal(fork.conversation.current.sessionId, forked);
      const request = await desk.api.nextRequest('three', (turn) => contextText(turn).includes('three'));
      assert.match(contextText(request), /one[^]*first[^]*two[^]*second/);
    });

    it('begins anew where the session that it was to go on with is gone', async () => {
      const gone = '00000000-0000-4000-8000-000000000000';
      const session = await desk.session({}, {}, gone);
      session.prompt('go on');
      await until('the error', () => ofKind(session, 'error').length > 0 && session.state === 'none', 60_000);
      assert.deepEqual(
        ofKind(session, 'error').map(({ cause }) => cause),
        ['notResumed'],
      );
      const turns = ofKind(session, 'turnEnd').length;
      desk.api.script([text('hello'), text('hello again')]);
      session.prompt('hello');
      await until(
        'an answer',
        () => ofKind(session, 'turnEnd').length > turns && session.state === 'idle',
        60_000,
      );
      assert.notEqual(session.conversation.current.sessionId, gone);
      await until('all to be sent', () => session.queued.length === 0);
    });

    it('goes on in the mode that a rule of a permission has brought, also in its next process', async () => {
      const file = await desk.file('a.txt', 'one\n');
      desk.api.script([
        toolUse('Read', { file_path: file }),
        toolUse('Edit', { file_path: file, old_string: 'one', new_string: 'two' }),
        text('done'),
        toolUse('Edit', { file_path: file, old_string: 'two', new_string: 'three' }),
        text('done'),
      ]);
      const asked: string[] = [];
      const rules = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
      const session = await desk.session({
        idleTime: 200,
        ask: ({ tool }) => {
          asked.push(tool);
          return Promise.resolve({ kind: 'allow', rules });
        },
      });
      session.prompt('edit it');
      await until('its process to end', () => session.state === 'none', 60_000);
      session.prompt('edit it again');
      await until('the second turn', () => ofKind(session, 'turnEnd').length === 2, 60_000);
      assert.deepEqual([await desk.read('a.txt'), asked], ['three\n', ['Edit']]);
    });

    it('is stopped while its process starts, with what it waits for, and while it is idle; then goes on', async () => {
      await desk.file('.claude/settings.json', JSON.stringify({ permissions: { allow: ['Bash'] } }));
      await desk.forgetTrust();
      let asked: AbortSignal | undefined;
      const session = await desk.session({
        trustFolders: (_offers, signal) => {
          const isFirst = asked === undefined;
          asked ??= signal;
          return isFirst ? new Promise(() => {}) : Promise.resolve(true);
        },
      });
      const dropped = session.prompt('never sent');
      await until('the question', () => asked);
      await session.stop();
      desk.api.script([text('hello'), text('hello again')]);
      session.prompt('hello'); // in the same moment
      await turnsEnded(session, 1);
      assert.ok(asked?.aborted);
      const item = session.conversation.get(dropped);
      assert.equal(item?.kind === 'prompt' && item.state, 'dropped');

      await until('it to be idle', () => session.state === 'idle');
      void session.stop();
      session.prompt('hello again');
      await turnsEnded(session, 2);
      assert.deepEqual(ofKind(session, 'error'), []);
    });

    it('uses what a folder brings for the CLI only after the user has said so', async () => {
      const mark = path.join(desk.root, 'mark');
      const run = { type: 'command', command: `touch ${mark}` };
      const hooks = { UserPromptSubmit: [{ matcher: '', hooks: [run] }] };
      await desk.file('.claude/settings.json', JSON.stringify({ permissions: { allow: ['Bash'] }, hooks }));
      await desk.file('.mcp.json', JSON.stringify({ mcpServers: { x: { command: 'touch', args: [mark] } } }));
      await desk.forgetTrust();
      const asked: string[] = [];
      const ask = ({ tool }: { tool: string }) => {
        asked.push(tool);
        return Promise.resolve({ kind: 'deny', reason: 'No.' } as const);
      };
      const turnOf = async (trustFolders?: TrustFolders) => {
        desk.api.script([toolUse('Bash', { command: `touch ${mark}`, description: 'Touch' }), text('done')]);
        const session = await desk.session({ ask, ...(trustFolders && { trustFolders }) });
        session.prompt('run it');
        await turnsEnded(session, 1);
        await session.dispose();
      };
      await turnOf();
      await turnOf(() => Promise.resolve(false));
      assert.deepEqual([existsSync(mark), asked], [false, ['Bash', 'Bash']]);
      const offered: string[] = [];
      await turnOf((offers) => {
        offered.push(...offers.flatMap(({ files }) => files));
        return Promise.resolve(true);
      });
      assert.ok(existsSync(mark));
      assert.deepEqual(
        offered.map((file) => path.relative(desk.folder, file)),
        ['.claude/settings.json', '.mcp.json'],
      );
      const asking = new Deferred<AbortSignal>();
      const session = await desk.session({
        trustFolders: (_, signal) => {
          asking.settle(signal);
          return new Promise(() => undefined);
        },
      });
      session.prompt('never');
      const signal = await asking.promise;
      await session.dispose();
      assert.ok(signal.aborted);
    });

    it('uses no commands of a folder around its own before the user has said so', async () => {
      const mark = path.join(desk.root, 'mark');
      await desk.file(
        '.claude/commands/touch.md',
        `---\ndescription: Touches\nallowed-tools: Bash\n---\n!\`touch ${mark}\``,
      );
      await desk.file('inner/file.txt', '');
      await desk.forgetTrust();
      const offered: string[] = [];
      const turnOf = async (isTrusted: boolean) => {
        desk.api.script([text('done')]);
        const trustFolders: TrustFolders = (offers) => {
          offered.push(...offers.flatMap(({ files }) => files));
          return Promise.resolve(isTrusted);
        };
        const folders = [path.join(desk.folder, 'inner')];
        const session = await desk.session({ trustFolders }, { folders });
        session.prompt('/touch');
        await turnsEnded(session, 1);
        await session.dispose();
      };
      await turnOf(false);
      assert.deepEqual(offered, [path.join(desk.folder, '.claude/commands')]);
      assert.ok(!existsSync(mark));
      await turnOf(true);
      assert.equal(existsSync(mark), version !== cliVersions.one, 'it was not what would run');
    });

    it('has the agents that its folder defines for others, once the user has said so, and as they are by now', async () => {
      const write = (words: string) =>
        desk.file('.github/agents/planner.agent.md', `---\ndescription: ${words}\n---\nPlan ${words}.`);
      const options = () => ({ ...desk.options(), agents: readAgents([desk.folder]).agents });
      await write('with-a-pencil');
      await desk.forgetTrust();
      const answers = [false, true, true];
      const trustFolders: TrustFolders = () => Promise.resolve(answers.shift() === true);
      const session = await desk.session({ trustFolders }, { ...options(), agent: 'planner' });
      const told = async (turn: number) => {
        desk.api.script([text('done')]);
        session.prompt(`turn ${turn}`);
        await turnsEnded(session, turn);
        const request = await desk.api.nextRequest(`turn ${turn}`, (each) =>
          contextText(each).includes(`turn ${turn}`),
        );
        return JSON.stringify(request);
      };
      assert.doesNotMatch(await told(1), /with-a-pencil/);
      session.restart(options());
      assert.match(await told(2), /with-a-pencil/);
      await write('with-a-pen');
      session.restart({ ...options(), agent: 'planner' });
      const request = await told(3);
      assert.match(request, version === cliVersions.newest ? /Plan with-a-pen\./ : /with-a-pen[^c]/);
      assert.match(request, /turn 1.*turn 2/);
      assert.deepEqual(ofKind(session, 'error'), []);
    });

    it('offers tools of an MCP server in this process', async () => {
      desk.api.script([toolUse('mcp__host__hello', { who: 'you' }), text('done')]);
      const host = new HostTools(() => [
        {
          name: 'hello',
          description: 'Says hello',
          call: ({ who }) =>
            Promise.resolve({ content: [{ type: 'text', text: `hello ${String(who)} from the editor` }] }),
        },
      ]);
      const session = await desk.session({ servers: { host } });
      session.prompt('call it');
      await turnsEnded(session, 1);
      assert.equal((await desk.api.nextResult('mcp__host__hello')).text, 'hello you from the editor');
    });

    it('has the bridge as its IDE, also after that has started anew, and is none of the bridge’s sessions', async () => {
      const file = 'file:///problems.ts';
      const log = { trace: () => {}, info: () => {}, warn: () => {}, error: () => {} };
      const source = { all: () => [{ uri: file, diagnostics: [] }], learn: () => Promise.resolve() };
      const edited: string[] = [];
      const tools = new ToolRegistry(
        [
          getDiagnostics(source as unknown as DiagnosticsSource, {
            willEdit: (_session, uri) => edited.push(uri),
          }),
        ],
        log,
      );
      const bridge = new Bridge({
        lockDir: path.join(desk.root, 'ide'),
        identityFile: undefined, // so that port and token are others after each start
        editorPid: process.pid,
        ideName: 'Test',
        workspaceFolders: () => [desk.folder],
        serverInfo: { name: 'test', title: 'Test', version: '1' },
        tools: new ToolRegistry([], log),
        log,
      });
      bridge.endpoints.set('/ide', {
        isOn: false,
        list: () => tools.list(),
        call: (name, args, call) => tools.call(name, args, call),
      });
      await bridge.start();
      try {
        const options = (name: string) => {
          const config = path.join(desk.root, name);
          writeMcpConfig(config, bridge.lockFilePath ?? '', 'ide');
          // Of the user's, which knows nothing of this machine.
          const env = { ...desk.options().env, HTTP_PROXY: 'http://127.0.0.1:9' };
          return { ...desk.options(), env, mcpConfigFiles: [config] };
        };
        const session = await desk.session({}, options('first.json'));
        const told = async (turn: number) => {
          desk.api.script([toolUse('mcp__ide__getDiagnostics', {}), text('done')]);
          session.prompt(`turn ${turn}`);
          await turnsEnded(session, turn);
          return ofKind(session, 'toolUse').at(-1)?.result?.text ?? '';
        };
        assert.match(await told(1), /problems\.ts/);
        await bridge.restart();
        session.restart(options('second.json'));
        assert.match(await told(2), /problems\.ts/);
        const changed = await desk.file('a.txt', 'one\n');
        desk.api.script([...editTurns(changed, 'one', 'ONE'), text('edited')]);
        session.prompt('edit');
        await turnsEnded(session, 3);
        assert.deepEqual([bridge.sessions.size, edited], [0, []]);
        assert.equal(await desk.read('a.txt'), 'ONE\n');
      } finally {
        await bridge.stop();
      }
    });

    it('takes other options also while it starts, and ends then', async () => {
      const session = await desk.session();
      desk.api.script([text('first'), text('second')]);
      session.prompt('one');
      session.restart({ ...desk.options(), systemPrompt: 'Speak like a pirate.' });
      await turnsEnded(session, 1);
      const request = await desk.api.nextRequest('one', (turn) => contextText(turn).includes('one'));
      assert.match(JSON.stringify(request.system), /pirate/);

      const other = await desk.session();
      other.prompt('two');
      await until('its process', () => other.pid !== undefined);
      const { pid = 0 } = other;
      await other.dispose();
      assert.ok(!isAlive(pid));
      assert.deepEqual(ofKind(other, 'error'), []);
    });

    it('leaves no process when it is disposed of in the middle of a command', async () => {
      const command = 'echo > begun; tail -f /dev/null';
      desk.api.script([toolUse('Bash', { command, description: 'wait' }), text('never')]);
      const session = await desk.session();
      session.prompt('wait');
      await until('the command', () => existsSync(path.join(desk.folder, 'begun')), 30_000);
      const { pid = 0 } = session;
      const pids = [pid, ...descendants(await processTable(desk.processes), pid, 0)];
      assert.ok(pids.length >= 2 && pids.every(isAlive));
      await session.dispose();
      await until('their end', () => !pids.some(isAlive));
      assert.equal(session.state, 'ended');
      assert.throws(() => session.prompt('x'), /has ended/);
    });

    it('leaves no process when the one that it runs in is killed in the middle of a command', async () => {
      const command = 'echo > begun; tail -f /dev/null';
      desk.api.script([toolUse('Bash', { command, description: 'wait' }), text('never')]);
      const program = path.join(import.meta.dirname, 'agent/killedHost.ts');
      const args = [...process.execArgv, program, version, JSON.stringify(desk.options())];
      const host = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      const pid = Number(String(await once(host.stdout, 'data')));
      await until('the command', () => existsSync(path.join(desk.folder, 'begun')), 30_000);
      const pids = [pid, ...descendants(await processTable(desk.processes), pid, 0)];
      assert.ok(pids.length >= 2 && pids.every(isAlive));
      host.kill('SIGKILL');
      try {
        await until('their end', () => !pids.some(isAlive), 10_000);
      } finally {
        pids.filter(isAlive).forEach((each) => process.kill(each, 'SIGKILL'));
      }
    });

    it('says in no argument, which other users can read, what the user has set and its folder defines', async () => {
      await desk.file(
        '.github/agents/planner.agent.md',
        '---\ndescription: with-a-pencil\n---\nPlan in secret.',
      );
      desk.api.script([text('hello')]);
      const session = await desk.session(
        {},
        { systemPrompt: 'Speak like a pirate.', agents: readAgents([desk.folder]).agents },
      );
      session.prompt('hi');
      await turnsEnded(session, 1);
      const request = JSON.stringify(
        await desk.api.nextRequest('hi', (turn) => contextText(turn).includes('hi')),
      );
      assert.match(request, /Speak like a pirate\./);
      assert.match(request, /with-a-pencil/);
      const command = execFileSync('ps', ['-ww', '-o', 'args=', '-p', `${session.pid}`]).toString();
      if (version === cliVersions.newest) {
        assert.match(command, /stream-json/); // older ones hide theirs once they run
      }
      assert.doesNotMatch(command, /pirate|pencil|secret/);
    });

    it('thinks as much as it is told in the midst of its process, where the version can be told', async function () {
      if (version !== cliVersions.newest) {
        this.skip();
      }
      desk.api.script([text('first'), text('second'), text('third')]);
      const session = await desk.session({}, { effort: 'high' });
      const { pid } = await effortOf(1, 'high');
      await session.setEffort('low');
      assert.deepEqual(await effortOf(2, 'low'), { pid });
      await session.setEffort(undefined);
      assert.deepEqual(await effortOf(3, 'medium'), { pid });

      async function effortOf(turn: number, effort: string): Promise<{ pid: number | undefined }> {
        session.prompt(`turn ${turn}`);
        await turnsEnded(session, turn);
        const request = await desk.api.nextRequest(`turn ${turn}`, (each) =>
          contextText(each).includes(`turn ${turn}`),
        );
        assert.match(JSON.stringify(request), new RegExp(`"effort":"${effort}"`));
        return { pid: session.pid };
      }
    });

    it('thinks as many tokens as the effort stands for, where the version knows of no effort', async function () {
      if (version === cliVersions.newest) {
        this.skip();
      }
      const session = await desk.session({}, { effort: 'low' });
      const { pid } = await tokensOf('one', 1_024);
      if (version === cliVersions.two) {
        await session.setEffort('high');
        assert.equal((await tokensOf('two', 10_000)).pid, pid);
      } else {
        await assert.rejects(session.setEffort('high'), { kind: 'noAnswer' });
      }
      session.restart({ ...session.currentOptions, effort: 'max' });
      await tokensOf('three', 31_999);
      await assert.rejects(session.setEffort(undefined), { kind: 'unsupported' });
      session.restart(without(session.currentOptions, 'effort'));
      await tokensOf('four', undefined);

      async function tokensOf(
        prompt: string,
        tokens: number | undefined,
      ): Promise<{ pid: number | undefined }> {
        desk.api.script([text(`after ${prompt}`)]);
        session.prompt(prompt);
        await until(`${prompt} to be answered`, () => saidIn(session).includes(`after ${prompt}`), 60_000);
        await until('its end', () => session.state === 'idle');
        const request: object = await desk.api.nextRequest(prompt, (each) =>
          contextText(each).includes(prompt),
        );
        assert.deepEqual(
          'thinking' in request ? request.thinking : undefined,
          tokens === undefined ? undefined : { budget_tokens: tokens, type: 'enabled' },
        );
        return { pid: session.pid };
      }
    });

    it('says that the disk was full, with the next prompt, which knows what was written before', async function () {
      if (version !== cliVersions.newest) {
        this.skip(); // older ones end with the error
      }
      desk.api.script([text('kept')]);
      const session = await desk.session();
      session.prompt('remember 4711');
      await turnsEnded(session, 1);
      const { sessionId } = session.conversation.current;
      const projects = path.join(desk.root, '.claude/projects');
      const [project = ''] = await readdir(projects);
      const transcript = path.join(projects, project, `${sessionId}.jsonl`);
      await copyFile(transcript, path.join(desk.root, 'kept'));
      await unlink(transcript);
      await symlink('/dev/full', transcript);
      desk.api.script([text('lost')]);
      session.prompt('remember 4712');
      await turnsEnded(session, 2);
      assert.deepEqual(ofKind(session, 'error'), []);
      await session.stop();
      await until('its end', () => session.state === 'none');
      await unlink(transcript);
      await rename(path.join(desk.root, 'kept'), transcript);
      desk.api.script([text('after it')]);
      session.prompt('what were they?');
      await turnsEnded(session, 3);
      assert.deepEqual(
        ofKind(session, 'error').map(({ cause, detail }) => [cause, detail]),
        [['notKept', 'The disk is full (ENOSPC).']],
      );
      const request = await desk.api.nextRequest('the last prompt', (turn) =>
        contextText(turn).includes('what were they?'),
      );
      assert.match(contextText(request), /remember 4711/);
      assert.doesNotMatch(contextText(request), /remember 4712/);
    });

    it('asks the model nothing more once it is disposed of, be it while it asks the user, and goes on in another', async () => {
      desk.api.script([toolUse('Bash', { command: 'touch made', description: 'touch' })]);
      const session = await desk.session({ ask: () => new Promise(() => {}) });
      session.prompt('remember 4711');
      await until('the question', () => ofKind(session, 'question').length > 0, 30_000);
      await session.dispose();
      assert.equal(desk.api.turnCount, 1);
      const { sessionId } = session.conversation.current;
      desk.api.script([text('second answer'), text('third answer')]);
      const next = await desk.session({}, {}, sessionId);
      next.prompt('what was it?');
      await turnsEnded(next, 1);
      await next.stop(); // in the midst of nothing
      await until('its end', () => next.state === 'none');
      next.prompt('and again?');
      await turnsEnded(next, 2);
      const request = await desk.api.nextRequest('all prompts', (turn) =>
        contextText(turn).includes('and again?'),
      );
      assert.match(contextText(request), /remember 4711[^]*second answer(?![^]*interrupted)[^]*and again\?/);
      await assert.rejects(desk.read('made'));
    });

    it('has the list of what is to do, by whichever tools the version has for it', async () => {
      const step = (name: string, status: string) =>
        toolUse(name, { todos: [{ content: 'first', status, activeForm: 'doing' }] });
      const load = (names: string) => toolUse('ToolSearch', { query: `select:${names}`, max_results: 3 });
      const shown = async (env: Record<string, string>, ...turns: Turn[]) => {
        desk.api.script([...turns, text('that is it')]);
        const session = await desk.session({}, { env: { ...desk.options().env, ...env } });
        session.prompt('go');
        await turnsEnded(session, 1);
        return ofKind(session, 'todos').map(({ todos }) => todos);
      };
      const [whole, end] = [step('TodoWrite', 'in_progress'), step('TodoWrite', 'completed')];
      const expected = [[{ text: 'first', state: 'done' }]];
      // By itself 2.1 has neither with its newest models.
      const has = { CLAUDE_CODE_ENABLE_TODO_TOOLS: '1' };
      if (version === cliVersions.newest) {
        const made = toolUse('TaskCreate', { subject: 'first', description: 'x' });
        const done = toolUse('TaskUpdate', { taskId: '1', status: 'completed' });
        assert.deepEqual(await shown(has, load('TaskCreate,TaskUpdate'), made, done), expected);
        const asBefore = { ...has, CLAUDE_CODE_ENABLE_TASKS: '0' };
        assert.deepEqual(await shown(asBefore, load('TodoWrite'), whole, end), expected);
      } else {
        assert.deepEqual(await shown({}, whole, end), expected);
      }
      assert.ok(
        !(await desk.api.nextResult(version === cliVersions.newest ? 'TaskUpdate' : 'TodoWrite')).isError,
      );
    });

    for (const place of ['the user', 'the folder']) {
      it(`tells what its edits make of files also where ${place} has switched hooks off, if it is 2.1`, async () => {
        const file = await desk.file('a.txt', 'one\n');
        const settings = path.join(
          place === 'the user' ? desk.root : desk.folder,
          '.claude',
          'settings.json',
        );
        await mkdir(path.dirname(settings), { recursive: true });
        await writeFile(settings, JSON.stringify({ disableAllHooks: true }));
        const hooks = new Hooks();
        const seen: string[] = [];
        new EditTracker(
          hooks,
          () => {},
          ({ before, after }) => seen.push(`${String(before)} -> ${String(after)}`),
        );
        desk.api.script([...editTurns(file, 'one', 'two'), text('done')]);
        const session = await desk.session({ hooks });
        session.prompt('edit');
        await turnsEnded(session, 1);
        assert.equal(await desk.read('a.txt'), 'two\n');
        assert.deepEqual(seen, version === cliVersions.newest ? ['one\n -> two\n'] : []);
      });
    }

    it('tells by hooks which file it edits, also where the model says that from where it works', async () => {
      const file = await desk.file('a.txt', 'one\n');
      const hooks = new Hooks();
      const seen: string[] = [];
      new EditTracker(
        hooks,
        (_session, filePath) => void seen.push(filePath),
        ({ filePath, before, after }) => seen.push(`${filePath}: ${String(before)} -> ${String(after)}`),
      );
      desk.api.script([
        toolUse('Read', { file_path: 'a.txt' }),
        toolUse('Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }),
        text('done'),
      ]);
      const session = await desk.session({ hooks });
      session.prompt('edit');
      await turnsEnded(session, 1);
      assert.equal(await desk.read('a.txt'), 'two\n');
      assert.deepEqual(seen, [file, `${file}: one\n -> two\n`]);
    });
  });
}

it('An agent session starts nothing in an untrusted window', async () => {
  const desk = await AgentDesk.open(cliVersions.newest);
  const session = await desk.session({ processes: new ChildProcesses(() => false) });
  session.prompt('hello');
  await until('the refusal', () => session.state === 'none' && ofKind(session, 'error').length === 1);
  assert.match(ofKind(session, 'error')[0]?.detail ?? '', /Restricted Mode/);
  await desk.close();
});
