import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Locator } from 'playwright-core';
import * as vscode from 'vscode';
import type { IdeBridgeExports } from '../../../api/ideBridge.d.ts';
import { type AgentDesk, cliOf } from '../../e2e/agent/agentDesk.ts';
import { contextText, editTurns, text, toolUse, type Turn } from '../../e2e/mockApi.ts';
import { cliVersions } from '../../e2e/provisionCli.ts';
import { childrenOf, commandOf } from '../../host/processes.ts';
import { isAlive } from '../../../src/server/processes.ts';
import { RecordedCli } from '../../support/recordedCli.ts';
import { skipWithout } from '../../support/lacking.ts';
import { redrawTime } from '../../support/reviewRows.ts';
import { clickHovered, inWebview } from '../../support/ui.ts';
import type { Answer, TestModelsApi } from '../../fixtures/models/extension.ts';
import { until } from '../../support/until.ts';
import {
  askForReason,
  chooseSharing,
  connectClient,
  extensionUnderTest,
  proposalTabs,
  tabs,
  useDesk,
} from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';
import { closeTerminals, FakeCli } from '../fakeCli.ts';
import { KernelDesk } from '../notebooks/kernelDesk.ts';
import { useChat } from './useChat.ts';

/** An MCP server of one tool. */
const plumServer = `
import { createInterface } from 'node:readline';
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'plums', version: '1' },
  }),
  'tools/list': () => ({ tools: [{ name: 'count', description: 'Counts', inputSchema: { type: 'object' } }] }),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method]?.(params) ?? {} }));
});
`;

describe('@claude in the chat', function () {
  this.timeout(90_000);

  // So that they stand among the sessions of no other test; before the desk closes its eyes.
  after(async () => {
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    await until(
      'the conversations to end',
      async () => {
        await vscode.commands.executeCommand('ideBridge.stopChatSession');
        // One that a test has left in the midst of a turn would stand in the way of the other suites.
        const busy = session('Chat · ').filter({ hasNotText: 'Idle' });
        if ((await busy.count()) > 0) {
          await busy.hover({ timeout: redrawTime }).catch(() => {});
          const stop = busy.getByRole('button', { name: 'Stop' });
          await stop.click({ timeout: redrawTime }).catch(() => {});
          await setTimeout(redrawTime);
        }
        return (await session('Chat · ').count()) === 0;
      },
      30_000,
    );
  });

  const desk = useDesk();
  let agent: AgentDesk;

  useChat(desk, (opened) => (agent = opened));

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAuxiliaryBar');
  });

  const getAPI = async () => ((await extensionUnderTest().activate()) as IdeBridgeExports).getAPI;
  const answer = (): Locator => desk.ui.page.locator('.interactive-response').last();
  const button = (title: string): Locator => answer().locator('.monaco-button', { hasText: title });
  /** In the view of sessions, the newest of that name. */
  const session = (label: string): Locator =>
    desk.ui.page
      .locator('.pane', { has: desk.ui.page.getByText('Sessions', { exact: true }) })
      .locator('.monaco-list-row', { hasText: label })
      .last();
  const says = (words: string) =>
    until(`"${words}" in the chat`, async () => (await answer().innerText()).includes(words), 30_000);
  const ask = async (words: string, ...turns: Turn[]) => {
    agent.api.script(turns);
    await vscode.commands.executeCommand('workbench.action.chat.open', { query: `@claude ${words}` });
  };
  /** CLIs of the chat that keep their records there. */
  const enginesOf = (root: string) =>
    childrenOf(process.pid).filter(
      (pid) =>
        commandOf(pid).includes('stream-json') && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(root),
    );
  const askToEdit = (path: string, before: string, after: string, end: string) =>
    ask('edit', ...editTurns(path, before, after), text(end));

  it('answers, and goes on with the same conversation', async () => {
    await ask('hello', text('Hello **you**.'));
    await says('Hello you.');
    await says('tokens in');
    await ask('and now?', text('Still here.'));
    await says('Still here.');
    const { messages } = await agent.api.nextRequest('both prompts', ({ messages }) => messages.length > 2);
    assert.match(JSON.stringify(messages), /hello.*Hello \*\*you.*and now\?/);
    await desk.ui.screenshot('chat-text');
  });

  it('lets nothing that the model opens and does not close hide what comes after it, and follows its links', async () => {
    const end = () => answer().locator('p > em', { hasText: 'tokens in' }).waitFor({ timeout: 30_000 });
    await ask('open a fence', text('See [it](src/it.ts).\n\n```sh\nls'));
    await end();
    const link = answer().locator('a[data-href^="vscode-remote:"][data-href$="/workspace/src/it.ts"]');
    assert.equal(await link.count(), 1);
    await ask('open a comment', text('As you like.\n\n<!-- ls'));
    await says('As you like.');
    await end();
  });

  it('runs a command once its button has been pressed, and the button does nothing twice', async () => {
    await ask(
      'run',
      toolUse('Bash', { command: 'touch ran.txt && echo done', description: 'Runs' }),
      text('It ran.'),
    );
    await button('Allow').first().waitFor({ timeout: 30_000 });
    await desk.ui.screenshot('chat-question');
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    await session('Chat · run').filter({ hasText: 'Asks in the chat' }).waitFor();
    await desk.ui.screenshot('chat-session');
    const { sessions } = await (await getAPI())(1, extensionUnderTest().id);
    const ofChat = () => sessions.all.findLast(({ kind }) => kind === 'chat');
    const told = ofChat();
    assert.ok(told);
    assert.match(JSON.stringify(told), /^\{"id":"chat:\d+","kind":"chat","label":"Chat \d+","state":"asks",/);
    assert.ok(Math.abs(Date.now() - told.connectedSince) < 60_000);
    await button('Allow').first().click();
    await says('It ran.');
    await session('Chat · run').filter({ hasText: 'Idle' }).waitFor();
    assert.equal(ofChat()?.state, 'idle');
    await desk.ui.screenshot('chat-command');
    await clickHovered(session('Chat · run'), 'Stop');
    await session('Chat · run').waitFor({ state: 'detached' });
    assert.notEqual(ofChat()?.id, told.id);
    const result = await agent.api.nextResult('Bash');
    assert.deepEqual(result, { text: 'done', isError: false });
    await button('Deny').first().click();
    const toast = desk.ui.page.locator('.notification-toast', { hasText: 'this question is over' });
    await toast.waitFor();
  });

  it('searches with the ripgrep of the editor', async () => {
    const path = desk.scratch.write('searched.txt', 'a plum\n');
    await ask('search', toolUse('Bash', { command: `command -v rg; rg -l plum '${path}'` }), text('Found.'));
    await button('Allow').first().click({ timeout: 30_000 });
    await says('Found.');
    const { text: said, isError } = await agent.api.nextResult('Bash');
    assert.ok(!isError && said.startsWith(vscode.env.appRoot) && said.endsWith('searched.txt'), said);
  });

  it('has the editor tools, if the user wants that', async () => {
    await desk.configure('ideBridge.editorTools.enabled', true);
    const tool = 'mcp__editor__openEditors';
    // The CLI makes the model load the tools of servers first.
    const load = toolUse('ToolSearch', { query: `select:${tool}`, max_results: 1 });
    await ask('what is open', load, toolUse(tool, {}), text('Those.'));
    await button('Allow').first().click({ timeout: 30_000 });
    await says('Those.');
    const { text: told, isError } = await agent.api.nextResult(tool);
    assert.ok(!isError && /open editors?/.test(told), told);
  });

  it('has the tools that other extensions have for the chat, of the names that the user has set', async () => {
    const tool = 'mcp__extensions__sample_shout';
    const load = () => toolUse('ToolSearch', { query: `select:${tool}`, max_results: 1 });
    const told = (words: RegExp) =>
      agent.api.nextRequest(`${words.source} as the newest result`, ({ messages }) =>
        words.test(JSON.stringify(messages.at(-1))),
      );
    await ask('shout', text('I cannot.'));
    await says('I cannot.');
    const without = await agent.api.nextRequest('the prompt');
    assert.doesNotMatch(JSON.stringify(without), /sample_shout/);
    await desk.configure('ideBridge.agent.languageModelTools', ['not_there', 'sample_shout']);
    await ask('shout now', load(), toolUse(tool, { words: 'louder' }), text('I did.'));
    await button('Allow').first().click({ timeout: 30_000 });
    await says('I did.');
    await told(/LOUDER/);
    await ask('shout nothing', load(), toolUse(tool, {}), text('No.'));
    await button('Allow').first().click({ timeout: 30_000 });
    await says('No.');
    await told(/must have required property 'words'/);
    await desk.configure('ideBridge.share.enabled', false);
    await ask('and again', load(), toolUse(tool, { words: 'x' }), text('Not now.'));
    await button('Allow').first().click({ timeout: 30_000 });
    await says('Not now.');
    await told(/Sharing is off/);
  });

  /** A red pixel, in files of these names. */
  const pixels = (...names: string[]) => {
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
    return names.map((name) => vscode.Uri.file(desk.scratch.write(name, Buffer.from(png, 'base64'))));
  };

  it('passes on the images that the user has attached, and says which ones it does not', async () => {
    await desk.configure('ideBridge.share.exclude', ['**/secret.*']);
    // The editor attaches no `.png` by this command where it runs in a browser.
    agent.api.script([text('It is red.')]);
    await vscode.commands.executeCommand('workbench.action.chat.open', {
      query: '@claude which color?',
      attachFiles: pixels('pixel.jfif', 'secret.jfif'),
    });
    await says('It is red.');
    assert.match(await answer().innerText(), /secret\.jfif is not passed on as an image: it is excluded by/);
    const { messages } = await agent.api.nextRequest('the prompt');
    const sent = JSON.stringify(messages);
    assert.equal(sent.match(/"type":"image"/g)?.length, 1, sent);
    assert.match(sent, /"type":"base64","media_type":"image\/png","data":"iVBORw0K/);
    assert.match(sent, /which color\?.*pixel\.jfif/);
  });

  it('calls no tool of another extension that was taken off the list while its question waited', async () => {
    const tool = 'mcp__extensions__sample_shout';
    const shout = (words: string) => [
      toolUse('ToolSearch', { query: `select:${tool}`, max_results: 1 }),
      toolUse(tool, { words }),
    ];
    await desk.configure('ideBridge.agent.languageModelTools', ['sample_shout']);
    await ask('shout', ...shout('louder'), text('It was taken away.'));
    await button('Allow').first().waitFor({ timeout: 30_000 });
    assert.match(await answer().innerText(), /May Claude use sample_shout of extensions\?/);
    await desk.ui.screenshot('chat-tool-question');
    await desk.configure('ideBridge.agent.languageModelTools', []);
    await button('Allow').first().click();
    await says('It was taken away.');
    const refused = await agent.api.nextResult(tool);
    assert.ok(refused.isError && /There is no tool/.test(refused.text), refused.text);
    await desk.configure('ideBridge.agent.languageModelTools', ['sample_shout']);
    await ask('shout again', ...shout('back'), text('It is back.'));
    await button('Allow').first().click({ timeout: 30_000 });
    await says('It is back.');
    await agent.api.nextRequest('its words', ({ messages }) =>
      JSON.stringify(messages.at(-1)).includes('BACK'),
    );
  });

  it('passes on an image that the user attaches also while sharing is paused, but none that is excluded', async () => {
    await desk.configure('ideBridge.share.exclude', ['**/secret.*']);
    await chooseSharing(desk.ui, 'Paused', 'On');
    try {
      agent.api.script([text('I see it.')]);
      await vscode.commands.executeCommand('workbench.action.chat.open', {
        query: '@claude look',
        attachFiles: pixels('paused.jfif', 'secret.jfif'),
      });
      await says('I see it.');
    } finally {
      await chooseSharing(desk.ui, 'On', 'Paused');
    }
    assert.match(await answer().innerText(), /secret\.jfif is not passed on/);
    const { messages } = await agent.api.nextRequest('the prompt');
    const sent = JSON.stringify(messages);
    assert.equal(sent.match(/"media_type":"image\/png"/g)?.length, 1, sent);
  });

  it('has agents work within its turn, where they can ask, and what they find is told', async () => {
    const command = 'touch by-an-agent && rm by-an-agent';
    agent.api.scriptAgent('the work of an agent', [toolUse('Bash', { command }), text('Found by an agent.')]);
    const work = { description: 'Look', prompt: 'the work of an agent', subagent_type: 'general-purpose' };
    await ask('delegate', toolUse('Agent', work), text('It has found it.'));
    await button('Allow').first().click({ timeout: 30_000 });
    await says('It has found it.');
    await says('↳ Run');
    assert.match((await agent.api.nextResult('Agent')).text, /Found by an agent/);
  });

  it('asks no more about what is always allowed', async () => {
    const run = toolUse('Bash', { command: 'mkdir -p always' });
    const settings = join(dirname(desk.scratch.folder), '.claude');
    try {
      await ask('run', run, text('Once.'));
      await button('Allow Always').click({ timeout: 30_000 });
      await says('Once.');
      await ask('again', toolUse('Bash', { command: 'mkdir -p always' }), text('Twice.'));
      await says('Twice.');
      assert.equal(await button('Allow').count(), 0);
      assert.match(readFileSync(join(settings, 'settings.local.json'), 'utf8'), /mkdir -p always/);
    } finally {
      rmSync(settings, { recursive: true, force: true });
    }
  });

  it('tells the model that a command was denied', async () => {
    await ask('run', toolUse('Bash', { command: 'touch denied.txt' }), text('I see.'));
    await button('Deny').first().click({ timeout: 30_000 });
    await says('I see.');
    const { text: told, isError } = await agent.api.nextResult('Bash');
    assert.ok(isError && told.includes('does not want that'), told);
  });

  it('has an edit reviewed in its diff, and writes what the user has made of it', async () => {
    const path = desk.scratch.write('a.txt', 'one\r\ntwo\r\n');
    await askToEdit(path, 'two', 'TWO', 'Edited.');
    await until('the diff', () => proposalTabs().length === 1, 30_000);
    await button('Show the Proposal').click({ timeout: 10_000 });
    const diff = await until('the editor', () => vscode.window.activeTextEditor);
    await diff.edit((edit) => edit.insert(new vscode.Position(2, 0), 'three\n'));
    await desk.ui.screenshot('chat-edit');
    await vscode.commands.executeCommand('ideBridge.acceptProposal');
    await says('Edited.');
    await desk.ui.screenshot('chat-edited');
    assert.equal(readFileSync(path, 'utf8'), 'one\r\nTWO\r\nthree\r\n');
    assert.match(await answer().innerText(), /Accepted as you have changed it/);
  });

  it('has the keys again once its proposal is decided', async () => {
    const path = desk.scratch.write('b.txt', 'one\n');
    await askToEdit(path, 'one', 'ONE', 'Edited.');
    await until('the diff', () => proposalTabs().length === 1, 30_000);
    await vscode.commands.executeCommand('ideBridge.openProposal');
    await desk.ui.page.locator('.monaco-diff-editor .modified .focused').first().waitFor();
    await vscode.commands.executeCommand('ideBridge.acceptProposal');
    await says('Edited.');
    await desk.ui.page
      .locator('.interactive-session :focus')
      .first()
      .waitFor({ state: 'attached', timeout: 10_000 });
  });

  it('lists in Agent Changes what it edits without a question', async () => {
    await desk.configure('ideBridge.agent.permissionMode', 'acceptEdits');
    const path = desk.scratch.write('c.txt', 'one\n');
    await askToEdit(path, 'one', 'ONE', 'Edited.');
    await says('Edited.');
    assert.equal(readFileSync(path, 'utf8'), 'ONE\n');
    await vscode.commands.executeCommand('ideBridge.review.focus');
    const row = desk.ui.page.locator('.monaco-list-row', { hasText: 'Chat · edit' }).first();
    await row.waitFor();
    await says('1 file changed (+1 −1)');
    await desk.ui.screenshot('chat-changes');
    await button('Review These Files').click();
    await until('the review', () => tabs().some(({ label }) => label.includes('Changes of a Turn')));
    await vscode.commands.executeCommand('ideBridge.keepAllChanges');
  });

  /** With the conversations of the CLI where this window looks for past ones. */
  async function asPast(act: () => Promise<void>): Promise<void> {
    const projects = join(process.env['CLAUDE_CONFIG_DIR'] ?? assert.fail(), 'projects');
    const written = join(agent.root, '.claude', 'projects');
    cpSync(written, projects, { recursive: true });
    try {
      await act();
    } finally {
      // Else other suites would be offered to resume it.
      readdirSync(written).forEach((name) => rmSync(join(projects, name), { recursive: true }));
    }
  }

  async function pickPast(words: string): Promise<void> {
    const row = desk.ui.page.locator('.quick-input-list .monaco-list-row', { hasText: words });
    await row.first().click({ timeout: 30_000 });
    await says('Your next message goes on with it');
  }

  it('goes on with a past conversation', async () => {
    await ask('remember the number 42', text('I do.'));
    await says('tokens in');
    await asPast(async () => {
      await vscode.commands.executeCommand('workbench.action.chat.newChat');
      await ask('/resume');
      await pickPast('the number 42');
      await desk.ui.screenshot('chat-resume');
      assert.match(await answer().innerText(), /I do\./);
      await ask('which number?', text('It is 42.'));
      await says('It is 42.');
      const { messages } = await agent.api.nextRequest('both', ({ messages }) => messages.length > 2);
      assert.match(JSON.stringify(messages), /the number 42.*I do.*which number/);
    });
  });

  describe('as one of several places for a conversation', () => {
    const dialog = useDialogs();
    const configDir = process.env['CLAUDE_CONFIG_DIR'] ?? '';
    const [folder = ''] = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) =>
      realpathSync(uri.fsPath),
    );
    let fake: FakeCli;
    let held: RecordedCli | undefined;

    afterEach(async () => {
      held?.remove();
      held = undefined;
      await desk.configure('ideBridge.command', undefined);
      await closeTerminals(fake);
    });

    // Of the tests before: with them the row would be out of view.
    beforeEach(async () => {
      await vscode.commands.executeCommand('ideBridge.stopChatSession');
      await until('the idle processes to go', () => engines().length === 0, 20_000);
    });

    /** CLIs that the chat runs. */
    const engines = () => childrenOf(process.pid).filter((pid) => commandOf(pid).includes('stream-json'));

    const choose = async (row: Locator, title: string) => {
      await setTimeout(redrawTime);
      await row.click({ button: 'right' });
      const entry = desk.ui.page.locator('.context-view .action-label', { hasText: title }).first();
      await entry.waitFor();
      await until('the menu to go', async () => {
        await entry.click({ timeout: 1_000 }).catch(() => {});
        return !(await entry.isVisible());
      });
    };

    it('leaves it to a terminal, where its turn is stopped first, and takes no prompt while it is open there', async () => {
      const command = `touch ${desk.scratch.path('moved')}`;
      await ask('move on', toolUse('Bash', { command }));
      await button('Allow').first().waitFor({ timeout: 30_000 });
      await vscode.commands.executeCommand('ideBridge.sessions.focus');
      const row = session('Chat · move on');
      await row.filter({ hasText: 'Asks in the chat' }).waitFor();
      const projects = join(agent.root, '.claude', 'projects');
      const [transcript] = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.jsonl'),
      );
      const sessionId = basename(transcript ?? assert.fail(), '.jsonl');
      assert.equal(engines().length, 1);
      fake = await FakeCli.install(desk.scratch);
      await choose(row, 'Continue in Terminal');
      const question = await dialog();
      assert.match(question.text, /Stop “Chat · move on”[^]*midst of a turn/);
      question.press('Stop and Continue');
      const { args, pid } = await fake.run(1);
      assert.equal(args, `--resume ${sessionId}`);
      await row.waitFor({ state: 'detached' });
      assert.equal(engines().length, 0, 'its process is gone');
      await button('Allow').first().dispatchEvent('click'); // too late, and below what is in front
      assert.ok(!existsSync(desk.scratch.path('moved')));
      held = new RecordedCli(configDir, folder, pid, undefined, undefined, sessionId);
      held.is('idle');
      await ask('and here?', text('No.'));
      await says(`open in another Claude Code (process ${pid})`);
      assert.equal(engines().length, 0);
    });

    it('takes it over from a terminal, once the user has it ended there', async () => {
      fake = await FakeCli.install(desk.scratch);
      await vscode.commands.executeCommand('ideBridge.newSession');
      const { pid } = await fake.run(1);
      held = new RecordedCli(configDir, folder, pid);
      held.prompt('remember the number 43');
      held.answer('I do, too.');
      held.is('busy');
      const client = await connectClient(pid);
      await vscode.commands.executeCommand('ideBridge.sessions.focus');
      const row = session('remember the number 43');
      await row.filter({ hasText: 'Working' }).waitFor();
      await choose(row, 'Continue in Chat');
      await desk.ui.page
        .locator('.notification-toast', { hasText: 'when it has answered and is idle' })
        .waitFor();
      held.is('idle');
      await row
        .filter({ hasText: 'Done' })
        .or(row.filter({ hasText: 'Idle' }))
        .first()
        .waitFor();
      await choose(row, 'Continue in Chat');
      const first = await dialog();
      assert.deepEqual(first.buttons, ['Show Terminal', 'End It and Continue']);
      held.is('busy'); // while the question is open
      first.press('End It and Continue');
      await desk.ui.page.locator('.notification-toast', { hasText: 'it is at work again' }).waitFor();
      assert.ok(isAlive(pid));
      held.is('idle');
      await row.filter({ hasNotText: 'Working' }).waitFor();
      await choose(row, 'Continue in Chat');
      (await dialog()).press('End It and Continue');
      await until('its end', () => !isAlive(pid));
      await client.close();
      await says('Your next message goes on with it');
      assert.match(await answer().innerText(), /remember the number 43[^]*I do, too\./);
      assert.equal(vscode.window.terminals.length, 1, 'the terminal stays');
      await desk.ui.screenshot('chat-taken-over');
    });

    const resume = async (words: string) => {
      void vscode.commands.executeCommand('ideBridge.resumeSession');
      const { page } = desk.ui;
      await page.locator('.quick-input-list .monaco-list-row', { hasText: words }).first().click();
    };

    it('keeps it from a terminal, and shows where it is to who resumes it there', async () => {
      await ask('remember the number 44', text('I do.'));
      await says('tokens in');
      fake = await FakeCli.install(desk.scratch);
      await asPast(async () => {
        await vscode.commands.executeCommand('workbench.action.closeAuxiliaryBar');
        await resume('the number 44');
        const toast = desk.ui.page.locator('.notification-toast', {
          hasText: /“remember the number 44” is open in the chat of this window/,
        });
        await toast.getByRole('button', { name: 'Show the Chat' }).click();
        await answer().waitFor();
        assert.equal(vscode.window.terminals.length, 0);
      });
    });

    it('leaves it to a terminal whose CLI has just been started with it', async () => {
      fake = await FakeCli.install(desk.scratch);
      held = new RecordedCli(configDir, folder, process.pid);
      held.prompt('remember the number 45');
      held.answer('I do, too.');
      await resume('the number 45');
      await fake.run(1);
      await ask(`/resume ${held.sessionId}`);
      await says('is open in a terminal that was started a moment ago. End it there first.');
      assert.doesNotMatch(await answer().innerText(), /goes on with it/);
    });
  });

  it('asks for one of two threads what only that one wants', async () => {
    // Of the tests before: with them the rows would be out of view.
    await vscode.commands.executeCommand('ideBridge.stopChatSession');
    await ask('first', toolUse('Bash', { command: `touch ${desk.scratch.path('first')}` }));
    await button('Allow').first().waitFor({ timeout: 30_000 });
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    await ask(
      'second',
      toolUse('Bash', { command: `touch ${desk.scratch.path('second')}` }),
      text('Second.'),
    );
    await button('Allow').first().click({ timeout: 30_000 });
    await says('Second.');
    assert.ok(existsSync(desk.scratch.path('second')));
    assert.ok(!existsSync(desk.scratch.path('first')));

    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    await session('Chat · second').filter({ hasText: 'Idle' }).waitFor();
    await setTimeout(redrawTime); // a click on a row that has just moved does nothing
    const first = session('Chat · first');
    await first.filter({ hasText: 'Asks in the chat' }).hover();
    await first.getByRole('button', { name: 'Stop' }).click();
    await first.filter({ hasText: 'Idle' }).waitFor();
    assert.ok(!existsSync(desk.scratch.path('first')));
  });

  it('does not write an edit that was rejected', async () => {
    const path = desk.scratch.write('b.txt', 'one\n');
    await askToEdit(path, 'one', 'ONE', 'As you like.');
    await until('the diff', () => proposalTabs().length === 1, 30_000);
    await vscode.commands.executeCommand('ideBridge.rejectAllProposals');
    await says('As you like.');
    assert.equal(readFileSync(path, 'utf8'), 'one\n');
    assert.match(await answer().innerText(), /Rejected\./);
  });

  it('tells the model at once why an edit was rejected', async () => {
    const path = desk.scratch.write('d.txt', 'one\n');
    await askToEdit(path, 'one', 'ONE', 'I see.');
    await button('Show the Proposal').click({ timeout: 30_000 });
    await until('the diff', () => vscode.window.activeTextEditor?.document.fileName.endsWith('d.txt'));
    const input = await askForReason(desk.ui);
    await input.fill('two is enough');
    await desk.ui.page.keyboard.press('Enter');
    await says('I see.');
    assert.match((await agent.api.nextResult('Edit')).text, /two is enough/);
  });

  /** Has the model write a plan. */
  async function plan(): Promise<void> {
    await desk.configure('ideBridge.agent.permissionMode', 'plan');
    await ask('plan', text('I think.'));
    await says('I think.');
    // The file of the plan, into which the model writes it, is named to it only.
    const { messages, system } = await agent.api.nextRequest('the prompt');
    const [file] = /[^\s"]+plans\/[\w-]+\.md/.exec(JSON.stringify([messages, system])) ?? assert.fail();
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      '# The plan\n\nDo [it](command:x).\n\n![x](https://127.0.0.1:9/x.png) <!-- unseen -->',
    );
  }

  it('has the model follow a plan as the user has edited it', async () => {
    await plan();
    await ask('now', toolUse('ExitPlanMode', {}), text('Done as you say.'));
    await button('Edit the Plan First').click({ timeout: 30_000 });
    const editor = await until('the plan', () => {
      const { activeTextEditor } = vscode.window;
      return activeTextEditor?.document.getText().startsWith('# The plan') === true && activeTextEditor;
    });
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), 'In French: '));
    await desk.ui.screenshot('chat-plan-edited');
    await button('Approve').first().click();
    await says('Done as you say.');
    await says('Approved as you have edited it.');
    assert.match((await agent.api.nextResult('ExitPlanMode')).text, /In French: # The plan/);
    assert.equal(editor.document.isDirty, false);
  });

  it('follows a plan once it has been approved', async () => {
    await plan();
    await ask('now', toolUse('ExitPlanMode', {}), text('Done so.'));
    await button('Open the Plan').click({ timeout: 30_000 });
    await until('the plan', () => tabs().some(({ label }) => label.includes('Plan of Claude')));
    // Its page fetches nothing, and hides nothing.
    const page = await until('its page', () => inWebview(desk.ui, 'p', 'x.png) <!-- unseen -->'), 20_000);
    await page.locator('h1', { hasText: 'The plan' }).waitFor();
    assert.equal(await page.locator('.markdown-body img').count(), 0);
    assert.match(await answer().innerText(), /The plan/);
    await desk.ui.screenshot('chat-plan');
    await button('Approve').first().click();
    await says('Done so.');
    assert.ok(!(await agent.api.nextResult('ExitPlanMode')).isError);
  });

  it('asks what the model wants to know', async () => {
    const options = [
      { label: 'A', description: 'first' },
      { label: '$(x) B', description: 'second' },
    ];
    const question = { question: 'Which one?', header: 'Pick', multiSelect: false, options };
    await ask('ask me', toolUse('AskUserQuestion', { questions: [question] }), text('So B.'));
    await says('$(x) B: second');
    await button('Answer…').click({ timeout: 30_000 });
    const row = desk.ui.page.locator('.quick-input-list .monaco-list-row', { hasText: 'second' });
    await row.waitFor();
    await desk.ui.screenshot('chat-quick-pick');
    await row.click();
    await says('So B.');
    assert.match(await answer().innerText(), /You have answered: \$\(x\) B/);
    assert.match((await agent.api.nextResult('AskUserQuestion')).text, /\$\(x\) B/);
  });

  it('uses nothing that the folder brings for the CLI unless the user says so', async () => {
    const folder = join(dirname(desk.scratch.folder), '.claude');
    mkdirSync(folder);
    try {
      const ran = desk.scratch.path('ran');
      const hook = { hooks: [{ type: 'command', command: `touch ${ran}` }] };
      writeFileSync(join(folder, 'settings.json'), JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }));
      await ask('hello', text('Without.'));
      await button('Go on without Them').waitFor({ timeout: 30_000 });
      await desk.ui.screenshot('chat-trust');
      await button('Go on without Them').click();
      await says('Without.');
      assert.ok(!existsSync(ran));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('goes on in the mode, with the model and the thinking that are picked, and begins new threads so', async () => {
    const status = desk.ui.page.locator('.statusbar-item[id$="ideBridge.chat"]');
    const pick = async (command: string, label: string) => {
      const done = vscode.commands.executeCommand(`ideBridge.${command}`);
      const row = desk.ui.page.locator('.quick-input-list .monaco-list-row', { hasText: label }).first();
      await row.waitFor();
      await desk.ui.screenshot(`chat-pick-${command}`);
      await row.click();
      await done;
    };
    try {
      await ask('hello', text('Hello.'));
      await says('tokens in');
      await until('the status', async () => /Ask · \d+ %/.test(await status.innerText()));
      await pick('chatMode', 'Edits without asking');
      await until('the mode', async () => (await status.innerText()).includes('Accept Edits'));
      await pick('chatModel', 'Haiku');
      await pick('chatThinking', 'High');
      await desk.ui.screenshot('chat-status');
      const path = desk.scratch.write('picked.txt', 'one\n');
      await askToEdit(path, 'one', 'ONE', 'Edited.');
      await says('Edited.');
      assert.equal(readFileSync(path, 'utf8'), 'ONE\n');
      const { model } = await agent.api.nextRequest('the edit', ({ messages }) => messages.length > 2);
      assert.match(model, /haiku/);
      await vscode.commands.executeCommand('workbench.action.chat.newChat');
      const next = desk.scratch.write('next.txt', 'one\n');
      await askToEdit(next, 'one', 'ONE', 'Edited, too.');
      await says('Edited, too.');
      assert.equal(readFileSync(next, 'utf8'), 'ONE\n');
      await vscode.commands.executeCommand('ideBridge.keepAllChanges');
    } finally {
      for (const command of ['chatMode', 'chatModel', 'chatThinking']) {
        await pick(command, 'As in the Settings');
      }
    }
  });

  it('never offers to ask nothing, unless its setting says so', async () => {
    const done = vscode.commands.executeCommand('ideBridge.chatMode');
    const rows = desk.ui.page.locator('.quick-input-list .monaco-list-row');
    await rows.first().waitFor();
    const offered = (await rows.allInnerTexts()).join();
    await desk.ui.page.keyboard.press('Enter'); // what is now comes first: nothing changes
    await done;
    assert.match(offered, /Plan/);
    assert.doesNotMatch(offered, /Bypass/);
  });

  it('asks with a key that the editor keeps, and that the CLI never has', async () => {
    const key = 'sk-ant-api03-of-the-editor';
    const { env } = agent.options();
    await desk.configure('ideBridge.environment', {
      ...env,
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
      NO_PROXY: 'intranet.example',
    });
    const theirs = { env: { CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } };
    writeFileSync(join(env?.['CLAUDE_CONFIG_DIR'] ?? '', 'settings.json'), JSON.stringify(theirs));
    await desk.configure('ideBridge.agent.api', 'key');
    await desk.configure('ideBridge.agent.apiUrl', agent.api.url);
    await ask('hello', text('By the key.'));
    await says('No API key is stored');
    await button('Set API Key').click();
    const input = desk.ui.page.locator('.quick-input-widget input:visible');
    await input.fill('two words');
    await desk.ui.page.locator('.quick-input-message', { hasText: 'neither spaces' }).waitFor();
    assert.equal(await input.getAttribute('type'), 'password');
    await input.fill(key);
    await desk.ui.screenshot('chat-api-key');
    await desk.ui.page.keyboard.press('Enter');
    await desk.ui.page.locator('.notification-toast', { hasText: 'The API key is stored' }).waitFor();
    try {
      await ask('hello again');
      await says('By the key.');
      assert.deepEqual([...new Set(agent.api.keys)], [key]);
      const [cli = assert.fail()] = enginesOf(agent.root);
      const ofCli = [`/proc/${cli}/environ`, `/proc/${cli}/cmdline`].map((path) =>
        readFileSync(path, 'utf8'),
      );
      assert.match(ofCli.join(), /ANTHROPIC_API_KEY=[0-9a-f]{64}/);
      assert.match(ofCli.join(), /NO_PROXY=[^\0]*intranet\.example[^\0]*127\.0\.0\.1/);
      assert.ok(!ofCli.join().includes(key));
    } finally {
      await vscode.commands.executeCommand('ideBridge.removeApiKey');
    }
    await ask('and now?');
    await says('No API key is stored');
  });

  it('lists commands, and hands those of the CLI on', async () => {
    await ask('/help');
    await says('Of the chat');
    await says('/compact');
    await desk.ui.screenshot('chat-help');
    await ask('/cost');
    await says('cost');
  });

  it('starts nothing in Restricted Mode, says so, and offers what changes that', async () => {
    const trusted = Object.getOwnPropertyDescriptor(vscode.workspace, 'isTrusted');
    assert.ok(trusted?.configurable, 'the editor’s API cannot be told so');
    Object.defineProperty(vscode.workspace, 'isTrusted', { configurable: true, get: () => false });
    try {
      for (const words of ['hello', '/resume', '/help']) {
        await ask(words, text('It ran.'));
        await says('does not run in Restricted Mode');
        await button('Manage Workspace Trust').waitFor();
      }
      await setTimeout(2_000); // a CLI that was started would have asked the model by now
      assert.deepEqual(enginesOf(agent.root), []);
      assert.deepEqual(agent.api.keys, []);
    } finally {
      Object.defineProperty(vscode.workspace, 'isTrusted', trusted);
    }
  });

  it('says what is wrong where there is no CLI', async () => {
    await desk.configure('ideBridge.command', join(desk.scratch.folder, 'claude'));
    await ask('hello');
    await says('was not found');
    await button('Open Settings').waitFor();
  });

  it('is told what its settings say besides its system prompt, also where that has changed meanwhile', async () => {
    await desk.configure('ideBridge.agent.fallbackModel', 'haiku');
    for (const words of ['Speak of plums.', 'Speak of pears.']) {
      await desk.configure('ideBridge.agent.systemPrompt', words);
      await ask(words, text(`Told: ${words}`));
      await says(`Told: ${words}`);
      const request = await agent.api.nextRequest(words, (each) => contextText(each).includes(words));
      assert.ok(JSON.stringify(request.system).includes(words));
    }
    const [pid = 0] = enginesOf(agent.root);
    assert.match(commandOf(pid), /--fallback-model=haiku/);
  });

  it('is told of the problems in the editor, also after the bridge has started anew, in no row of its own', async () => {
    const tool = 'mcp__ide__getDiagnostics';
    const problems = vscode.languages.createDiagnosticCollection('plums');
    const range = new vscode.Range(0, 0, 0, 1);
    const uri = vscode.Uri.file(desk.scratch.write('plums.txt', 'a plum\n'));
    problems.set(uri, [new vscode.Diagnostic(range, 'There are no plums.')]);
    const told = async (words: string) => {
      await ask(words, toolUse(tool, { uri: uri.toString() }), text(`Those of ${words}.`));
      await says(`Those of ${words}.`);
      assert.equal(await button('Allow').count(), 0);
      return (await agent.api.nextResult(tool)).text;
    };
    try {
      const { sessions } = await (await getAPI())(1, extensionUnderTest().id);
      const others = () => sessions.all.filter(({ kind }) => kind !== 'chat').map(({ id }) => id);
      const before = others();
      assert.match(await told('first'), /There are no plums/);
      assert.deepEqual(others(), before);
      const engines = enginesOf(agent.root);
      await vscode.commands.executeCommand('ideBridge.restart');
      assert.match(await told('second'), /There are no plums/);
      assert.ok(engines.length === 1 && enginesOf(agent.root).every((pid) => !engines.includes(pid)));
      assert.ok(others().every((id) => before.includes(id)));
    } finally {
      problems.dispose();
    }
  });

  it('has the agents of .github and shows them to pick, once the user says that they are used', async () => {
    const folder = join(dirname(desk.scratch.folder), '.github');
    mkdirSync(join(folder, 'agents'), { recursive: true });
    const file = join(folder, 'agents', 'plum-picker.agent.md');
    try {
      writeFileSync(file, '---\ndescription: Picks plums\n---\nPick with a ladder.');
      await ask('hello', text('With them.'));
      await button('Use Them').click({ timeout: 30_000 });
      await says('With them.');
      const picking = vscode.commands.executeCommand('ideBridge.chatAgent');
      const row = desk.ui.page.locator('.quick-input-list .monaco-list-row', { hasText: 'plum-picker' });
      await row.first().waitFor();
      await desk.ui.screenshot('chat-agents');
      await row.first().click();
      await picking;
      writeFileSync(file, '---\ndescription: Picks plums\n---\nPick with a stick.');
      await ask('and now?', text('With a stick.'));
      await says('With a stick.');
      const request = await agent.api.nextRequest('the second prompt', ({ messages }) =>
        JSON.stringify(messages).includes('and now?'),
      );
      assert.match(JSON.stringify(request), /Pick with a stick/);
    } finally {
      rmSync(folder, { recursive: true });
      const done = vscode.commands.executeCommand('ideBridge.chatAgent');
      const row = desk.ui.page.locator('.quick-input-list .monaco-list-row', {
        hasText: 'As in the Settings',
      });
      await row.first().click();
      await done;
    }
  });

  it('stops when it is cancelled, withdraws its question, and goes on with the next prompt', async () => {
    await ask('cancelled plum', toolUse('Bash', { command: 'touch cancelled.txt' }));
    await button('Allow').first().waitFor({ timeout: 30_000 });
    await vscode.commands.executeCommand('workbench.action.chat.cancel');
    await button('Allow').first().click();
    const toast = desk.ui.page.locator('.notification-toast', { hasText: 'this question is over' });
    await toast.waitFor();
    await ask('go on', text('Here again.'));
    await says('Here again.');
    const { messages } = await agent.api.nextRequest('the next prompt', ({ messages }) =>
      JSON.stringify(messages).includes('go on'),
    );
    assert.match(JSON.stringify(messages), /cancelled plum/);
  });

  it('asks once before it runs code in a notebook: with the code in sight', async function () {
    skipWithout('python3-ipykernel', this);
    const notebooks = await KernelDesk.with(desk.ui);
    try {
      await notebooks.openNotebook(desk.scratch, 'asked.ipynb', notebooks.kernels.python);
      await ask('run', toolUse('mcp__ide__executeCode', { code: 'print(6 * 7)' }), text('It ran.'));
      await notebooks.question();
      assert.equal(await button('Allow').count(), 0);
      await desk.ui.screenshot('chat-code-question');
      await notebooks.sayYes();
      await says('It ran.');
      assert.match((await agent.api.nextResult('mcp__ide__executeCode')).text, /42/);
    } finally {
      await notebooks.clear();
    }
  });

  it('shows its MCP servers, why one does not connect, and has it try again', async () => {
    const config = join(agent.root, '.claude', '.claude.json');
    const server = join(agent.root, 'server.mjs');
    const known = JSON.parse(readFileSync(config, 'utf8')) as object;
    const mcpServers = { plums: { type: 'stdio', command: process.execPath, args: [server] } };
    writeFileSync(config, JSON.stringify({ ...known, mcpServers }));
    await ask('hello', text('Hello.'));
    await says('tokens in');
    const row = (words: string | RegExp) =>
      desk.ui.page.locator('.quick-input-list .monaco-list-row', { hasText: words }).first();
    const choosing = vscode.commands.executeCommand('ideBridge.chatOptions');
    await row('MCP Servers').click({ timeout: 30_000 });
    await row(/ide.*connected/).waitFor();
    await row(/plums.*not connected/).waitFor();
    await desk.ui.screenshot('chat-mcp-servers');
    writeFileSync(server, plumServer);
    await row(/plums/).click();
    await row(/plums.*connected · 1 tool/).waitFor({ timeout: 30_000 });
    await desk.ui.page.keyboard.press('Escape');
    await choosing;
  });

  const followup = (words: string): Locator =>
    desk.ui.page.locator('.interactive-input-followups').getByText(words, { exact: true });

  it('offers to review what a turn has changed, while that is not decided', async () => {
    await desk.configure('ideBridge.agent.permissionMode', 'acceptEdits');
    await askToEdit(desk.scratch.write('f.txt', 'one\n'), 'one', 'ONE', 'Edited.');
    await followup('Review the changes').waitFor({ timeout: 30_000 });
    await desk.ui.screenshot('chat-followup');
    await followup('Review the changes').click();
    await says('What agents have changed is in');
    await desk.ui.page.locator('.monaco-list-row', { hasText: 'f.txt' }).first().waitFor();
    assert.equal(await followup('Go on').count(), 0);
    await vscode.commands.executeCommand('ideBridge.keepAllChanges');
  });

  it('offers to go on after a turn that was stopped', async () => {
    await vscode.commands.executeCommand('ideBridge.stopChatSession');
    await ask('stop plum', toolUse('Bash', { command: 'touch stopped.txt' }));
    await button('Allow').first().waitFor({ timeout: 30_000 });
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    await setTimeout(redrawTime);
    await clickHovered(session('Chat · stop plum'), 'Stop');
    await followup('Go on').waitFor({ timeout: 30_000 });
    agent.api.script([text('Here I am.')]);
    await followup('Go on').click();
    await says('Here I am.');
    const { messages } = await agent.api.nextRequest('the next prompt', ({ messages }) =>
      JSON.stringify(messages).includes('Go on where you have stopped'),
    );
    assert.match(JSON.stringify(messages), /stop plum/);
    assert.equal(await followup('Go on').count(), 0);
  });

  it('says in short what a tool has found, and has the whole a click away, as text', async () => {
    const lines = '# [no](command:link)\ntwo\nthree\n';
    const path = desk.scratch.write('found.txt', lines);
    const tool = 'mcp__extensions__sample_shout';
    await desk.configure('ideBridge.agent.languageModelTools', ['sample_shout']);
    await ask(
      'find',
      toolUse('Read', { file_path: path }),
      toolUse('ToolSearch', { query: `select:${tool}`, max_results: 1 }),
      toolUse(tool, { words: 'louder' }),
      text('Found.'),
    );
    await button('Allow').first().click({ timeout: 30_000 });
    await says('Found.');
    await desk.ui.screenshot('chat-output');
    const open = async (words: string, said: RegExp) => {
      // The chat has scrolled on, so that the mouse would not reach the first.
      const link = answer().locator('.chat-inline-anchor-widget', { hasText: words }).last();
      await link.dispatchEvent('click');
      const { document } = await until('the page', () => {
        const { activeTextEditor: editor } = vscode.window;
        return editor && said.test(editor.document.getText()) && editor;
      });
      assert.equal(document.uri.scheme, 'ide-bridge-output');
    };
    await open('3 lines', /# \[no\]\(command:link\)/);
    await open('1 line', /^LOUDER/);
  });

  it('asks before it uses the bridge where the user’s rules say so, and does not where they forbid it', async () => {
    const tool = 'mcp__ide__getDiagnostics';
    const heeds = (rules: object) =>
      writeFileSync(join(agent.root, '.claude', 'settings.json'), JSON.stringify({ permissions: rules }));
    heeds({ ask: [tool] });
    await ask('by a rule', toolUse(tool, {}), text('Not asked for plums.'));
    await button('Deny').first().click({ timeout: 30_000 });
    await says('Not asked for plums.');
    assert.match((await agent.api.nextResult(tool)).text, /does not want that/);
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    heeds({});
    await desk.configure('ideBridge.agent.permissionMode', 'plan'); // in which the CLI asks for a reason, too: the mode
    await ask('by no rule', toolUse(tool, {}), text('Told without a question.'));
    await says('Told without a question.');
    assert.equal((await agent.api.nextResult(tool)).isError, false);
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    heeds({ deny: [tool] });
    await ask('against a rule', toolUse(tool, {}), text('No problems told.'));
    await says('No problems told.');
    assert.equal(await button('Allow').count(), 0);
    assert.equal((await agent.api.nextResult(tool)).isError, true);
  });

  it('stands among the sessions as one that asks while its code waits for consent, until that runs', async function () {
    skipWithout('python3-ipykernel', this);
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    const notebooks = await KernelDesk.with(desk.ui);
    try {
      await notebooks.openNotebook(desk.scratch, 'row.ipynb', notebooks.kernels.python);
      const code = 'import time; time.sleep(5)';
      await ask('wait for plums', toolUse('mcp__ide__executeCode', { code }), text('It slept.'));
      await notebooks.question();
      const row = session('Chat · wait for plums');
      await row.filter({ hasText: 'Asks to run code' }).waitFor();
      await notebooks.sayYes();
      await row.filter({ hasText: 'Working' }).waitFor({ timeout: 4_000 });
      await says('It slept.');
    } finally {
      await notebooks.clear();
    }
  });

  it('says that the API cannot be reached, and is tried again, and in the end why, once', async () => {
    const { env } = agent.options();
    const dead = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', CLAUDE_CODE_MAX_RETRIES: '3' };
    await desk.configure('ideBridge.environment', { ...env, ...dead });
    await ask('hello out there');
    await answer()
      .filter({ hasText: /cannot be reached: attempt \d of 3 in \d s/ })
      .waitFor();
    await desk.ui.screenshot('chat-retry');
    await says('Failed');
    assert.equal((await answer().innerText()).match(/API Error/g)?.length, 1);
  });

  it('says in its turn in which tab its code waits for consent, leads there, and works on once that is given', async function () {
    skipWithout('python3-ipykernel', this);
    const notebooks = await KernelDesk.with(desk.ui);
    try {
      await notebooks.openNotebook(desk.scratch, 'turn.ipynb', notebooks.kernels.python);
      const code = 'import time; time.sleep(5)';
      await ask('wait for pears', toolUse('mcp__ide__executeCode', { code }), text('It slept too.'));
      await notebooks.question();
      const now = answer().locator('.progress-container').last();
      await now.filter({ hasText: 'Waits for your answer in the tab "Run in turn.ipynb?"' }).waitFor();
      await desk.ui.screenshot('chat-code-waits');
      const active = () => vscode.window.tabGroups.activeTabGroup.activeTab?.label;
      assert.equal(active(), 'turn.ipynb');
      await button('Show the Question').click();
      await until('the question', () => active() === 'Run in turn.ipynb?');
      await notebooks.sayYes();
      await now.filter({ hasText: 'Working' }).waitFor({ timeout: 4_000 });
      await button('Show the Question').click();
      await desk.ui.page.locator('.notification-toast', { hasText: 'No code waits' }).waitFor();
      await says('It slept too.');
      assert.doesNotMatch(await answer().innerText(), /Waits for your answer/);
    } finally {
      await notebooks.clear();
    }
  });

  it('goes on with another CLI once the setting names that, or an update has put it in the place of the first', async () => {
    const { path } = await cliOf(cliVersions.newest);
    const started = join(agent.root, 'started');
    const cli = (name: string) => {
      const file = join(agent.root, name);
      writeFileSync(file, `#!/bin/sh\n[ "$1" = -p ] && echo ${name} >> "${started}"\nexec "${path}" "$@"\n`);
      chmodSync(file, 0o755);
      return file;
    };
    const link = join(agent.root, 'claude');
    symlinkSync(cli('one'), link);
    await desk.configure('ideBridge.command', link);
    await ask('first', text('Number one.'));
    await says('Number one.');
    await says('tokens in');

    rmSync(link);
    symlinkSync(cli('two'), link);
    rmSync(join(agent.root, 'one'));
    await ask('second', text('Number two.'));
    await says('Number two.');
    await says('tokens in');

    await desk.configure('ideBridge.command', cli('three'));
    await ask('third', text('Number three.'));
    await says('Number three.');
    assert.equal(readFileSync(started, 'utf8'), 'one\ntwo\nthree\n');
    const request = await agent.api.nextRequest('all prompts', (each) => contextText(each).includes('third'));
    assert.match(contextText(request), /first[^]*second[^]*third/);
  });

  it('says last that its CLI has ended, where a question of it was open', async () => {
    await ask('run', toolUse('Bash', { command: 'touch never.txt' }));
    await button('Allow').first().waitFor({ timeout: 30_000 });
    enginesOf(agent.root).forEach((pid) => process.kill(pid, 'SIGKILL'));
    await says('has ended by SIGKILL');
    await desk.ui.screenshot('chat-crashed');
    await ask('go on', text('Here again.'));
    await says('Here again.');
  });

  it('takes its proposal back when its CLI has ended', async () => {
    const path = desk.scratch.write('a.txt', 'one\n');
    await askToEdit(path, 'one', 'ONE', 'Edited.');
    await until('the diff', () => proposalTabs().length === 1, 30_000);
    enginesOf(agent.root).forEach((pid) => process.kill(pid, 'SIGKILL'));
    await says('has ended by SIGKILL');
    await until('no diff', () => proposalTabs().length === 0);
    assert.equal(readFileSync(path, 'utf8'), 'one\n');
  });

  it('asks about what the folder brings in the answer that waits for it, where an earlier one was cancelled', async () => {
    await agent.forgetTrust();
    await ask('first', text('Hello.'));
    await says('Hello.');
    const settings = desk.scratch.write('../.claude/settings.json', JSON.stringify({ hooks: { Stop: [] } }));
    try {
      await desk.configure('ideBridge.agent.systemPrompt', 'Speak like a pirate.'); // in another process
      await ask('second');
      await button('Go on without Them').first().waitFor({ timeout: 30_000 });
      await vscode.commands.executeCommand('workbench.action.chat.cancel');
      await ask('third', text('Here again.'));
      await until('the third', async () => (await desk.ui.page.locator('.interactive-response').count()) > 2);
      await button('Go on without Them').first().click({ timeout: 30_000 });
      await says('Here again.');
    } finally {
      rmSync(dirname(settings), { recursive: true });
    }
  });

  const input = (): Locator => desk.ui.page.locator('.quick-input-box input:visible');
  const answerRow = (words: string): Locator =>
    desk.ui.page.locator('.quick-input-list .monaco-list-row', { hasText: words });

  it('keeps planning, also by a remark, and goes on in the mode that the approved plan has, whatever setting changes', async () => {
    await plan();
    const path = desk.scratch.write('planned.txt', 'one\n');
    const propose = () => toolUse('ExitPlanMode', {});
    const edits = editTurns(path, 'one', 'two');
    await ask('now', propose(), propose(), propose(), ...edits, text('Done as planned.'));
    await button('Keep Planning, with a Remark…').click({ timeout: 30_000 });
    await input().fill('with more plums');
    await input().press('Enter');
    assert.match((await agent.api.nextResult('ExitPlanMode')).text, /with more plums/);
    const keep = answer().locator('.monaco-button', { hasText: /^Keep Planning$/ });
    await keep.nth(1).click({ timeout: 30_000 });
    assert.match((await agent.api.nextResult('ExitPlanMode')).text, /wants you to keep planning/);
    await button('Approve, and Make Edits without Asking').nth(2).click({ timeout: 30_000 });
    await says('Done as planned.');
    assert.equal((await answer().innerText()).match(/Not approved\./g)?.length, 2);
    assert.equal(readFileSync(path, 'utf8'), 'two\n');
    await desk.configure('ideBridge.agent.systemPrompt', 'Speak of plums.'); // in another process
    await ask('once more', ...editTurns(path, 'two', 'three'), text('Done unasked.'));
    await says('Done unasked.');
    assert.equal(readFileSync(path, 'utf8'), 'three\n');
    await vscode.commands.executeCommand('ideBridge.keepAllChanges');
  });

  it('takes no Enter too many for an answer, several answers to a question, and the user’s own words', async () => {
    const asked = (question: string, multiSelect: boolean, ...labels: string[]) => {
      const options = labels.map((label) => ({ label, description: `${label} it is` }));
      return { question, header: 'Pick', multiSelect, options };
    };
    const questions = [asked('Which one?', false, 'A', 'B'), asked('Which ones?', true, 'X', 'Y')];
    const run = toolUse('Bash', { command: 'touch asked.txt' });
    await ask('ask me', toolUse('AskUserQuestion', { questions }), run, text('So be it.'));
    await button('Answer…').click({ timeout: 30_000 });
    await answerRow('B it is').waitFor();
    for (const key of ['Enter', 'ArrowDown', 'ArrowDown', 'Enter', 'Enter']) {
      await input().press(key);
    }
    await answerRow('X it is').click();
    await answerRow('Something else…').click();
    await desk.ui.screenshot('chat-several-answers');
    await input().press('Enter');
    await answerRow('X it is').waitFor({ state: 'hidden' });
    await input().press('Enter');
    await input().fill('plums');
    await input().press('Enter');
    await says('You have answered: B; X, plums');
    await button('Deny with a Reason…').click({ timeout: 30_000 });
    await input().fill('no files');
    await input().press('Enter');
    await says('So be it.');
    const { text: told, isError } = await agent.api.nextResult('Bash');
    assert.ok(isError && told.includes('no files'), told);
  });

  const waits = (words: string): Locator =>
    desk.ui.page.locator('.notification-toast', { hasText: 'waits for you' }).filter({ hasText: words });

  it('tells by a notification what waits out of view, and takes back what asks for words once it is cancelled', async () => {
    await desk.ui.setWindowFocus(false);
    try {
      await ask('out of view', toolUse('Bash', { command: 'touch taken-back.txt' }));
      await vscode.commands.executeCommand('workbench.action.closeAuxiliaryBar');
      await waits('taken-back').locator('a', { hasText: 'Show the Chat' }).click({ timeout: 30_000 });
      await button('Deny with a Reason…').click();
      await input().fill('what for');
      await vscode.commands.executeCommand('workbench.action.chat.cancel');
      await input().waitFor({ state: 'hidden', timeout: 10_000 });
      await waits('taken-back').waitFor({ state: 'detached' });
      assert.equal(
        await desk.ui.page.locator('.notification-toast', { hasText: 'Nothing was done' }).count(),
        0,
      );
    } finally {
      await desk.ui.setWindowFocus(true);
    }
  });

  it('remembers what was said about what the folder brings, also where two answers ask at the same time', async () => {
    await agent.forgetTrust();
    const answerIn = (part: string): Locator => desk.ui.page.locator(`.part.${part} .interactive-response`);
    const use = (part: string): Locator =>
      answerIn(part).locator('.monaco-button', { hasText: 'Use Them' }).first();
    const skills = desk.scratch.write('../.claude/skills/x/SKILL.md', 'Picks plums');
    const servers = join(dirname(desk.scratch.folder), '.mcp.json');
    await desk.ui.setWindowFocus(false);
    try {
      await ask('first', text('The first that may.'));
      await use('auxiliarybar').waitFor({ timeout: 30_000 });
      await waits('What this folder brings').waitFor();
      await vscode.commands.executeCommand('workbench.action.chat.openInEditor');
      await use('editor').waitFor();
      writeFileSync(servers, JSON.stringify({ mcpServers: {} }));
      await desk.ui.page.locator('.part.auxiliarybar .chat-input-container').click(); // which takes the next prompt
      await ask('second', text('The other.'));
      await use('auxiliarybar').click({ timeout: 30_000 });
      await answerIn('auxiliarybar').filter({ hasText: 'The first that may.' }).waitFor();
      await use('editor').click();
      await answerIn('editor').filter({ hasText: 'The other.' }).waitFor();
      await waits('What this folder brings').waitFor({ state: 'detached' });
      await vscode.commands.executeCommand('workbench.action.chat.newChat');
      await ask('third', text('Not asked again.'));
      await answerIn('editor').filter({ hasText: 'Not asked again.' }).waitFor();
    } finally {
      await desk.ui.setWindowFocus(true);
      rmSync(dirname(dirname(dirname(skills))), { recursive: true });
      rmSync(servers, { force: true });
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    }
  });

  it('does not say that an edit was accepted that its CLI, stopped at the same time, does not write', async () => {
    await vscode.commands.executeCommand('ideBridge.stopChatSession');
    const path = desk.scratch.write('stopped.txt', 'one\n');
    await askToEdit(path, 'one', 'ONE', 'Edited.');
    await until('the diff', () => proposalTabs().length === 1, 30_000);
    await vscode.commands.executeCommand('ideBridge.sessions.focus');
    const [pid = assert.fail()] = enginesOf(agent.root);
    process.kill(pid, 'SIGSTOP'); // as a slow one, that hears of both at once
    try {
      await setTimeout(redrawTime);
      await clickHovered(session('Chat · edit'), 'Stop');
      await setTimeout(redrawTime); // so that it comes first
      await vscode.commands.executeCommand('ideBridge.acceptAllProposals');
      await until('no diff', () => proposalTabs().length === 0);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await says('Interrupted');
    // It writes where it hears of the yes before it hears of the stop, as a busy editor may have it.
    const isAccepted = (await answer().innerText()).includes('Accepted');
    assert.ok(!isAccepted || readFileSync(path, 'utf8') === 'ONE\n');
  });

  it('goes on with what was said before it was told to forget that, once that is resumed', async () => {
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    await ask('remember the number 43', text('I do.'));
    await says('tokens in');
    await asPast(async () => {
      await ask('/clear');
      await until('it to be done', async () => !(await answer().innerText()).includes('I do'), 30_000);
      await ask('and now?', text('I know nothing.'));
      await says('I know nothing.');
      await says('tokens in');
      await ask('/resume');
      await pickPast('the number 43');
      await ask('which number?', text('It is 43.'));
      await says('It is 43.');
      const { messages } = await agent.api.nextRequest('the last', ({ messages }) =>
        JSON.stringify(messages).includes('which number'),
      );
      assert.match(JSON.stringify(messages), /the number 43.*I do.*which number/);
      assert.doesNotMatch(JSON.stringify(messages), /I know nothing/);
    });
  });

  it('asks the language models of the editor, where that is set', async function () {
    const models = await vscode.extensions.getExtension<TestModelsApi>('ide-bridge-test.models')?.activate();
    if (!models) {
      return this.skip(); // editors before 1.104 let nobody provide them
    }
    const answer: Answer = (_, say) => {
      models.answers.push(answer); // the CLI may ask for a title, too
      say(new vscode.LanguageModelTextPart('By a model of the editor.'));
    };
    models.answers.splice(0, Infinity, answer);
    try {
      await desk.configure('ideBridge.agent.api', 'editor');
      await ask('hello');
      await says('By a model of the editor.');
      await desk.configure('ideBridge.agent.editorModel', 'no-such-model');
      await ask('and now?');
      await says('no language model "no-such-model"; it has test-model');
      await button('Open Settings').waitFor();
      assert.deepEqual(agent.api.keys, []);
    } finally {
      models.answers.splice(0);
    }
  });
});
