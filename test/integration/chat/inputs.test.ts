import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Locator } from 'playwright-core';
import * as vscode from 'vscode';
import { modelVendor } from '../../../src/chat/names.ts';
import type { AgentDesk } from '../../e2e/agent/agentDesk.ts';
import { contextText, editTurns, text, toolUse, type Turn } from '../../e2e/mockApi.ts';
import { until } from '../../support/until.ts';
import { proposalTabs, useDesk } from '../bridge.ts';
import { useChat } from './useChat.ts';

describe('what goes into @claude', function () {
  this.timeout(90_000);

  const desk = useDesk();
  let agent: AgentDesk;

  // No conversation of a test is among the sessions of the next one; before the desk of the agent is closed.
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.chat.cancel');
    await vscode.commands.executeCommand('ideBridge.stopChatSession');
  });

  useChat(desk, (opened) => (agent = opened));

  after(() => close());

  const answer = (): Locator => desk.ui.page.locator('.interactive-response').last();
  const button = (title: string): Locator => answer().locator('.monaco-button', { hasText: title });
  const says = (words: string) =>
    until(`"${words}" in the chat`, async () => (await answer().innerText()).includes(words), 30_000);
  const open = (options: object = {}) =>
    vscode.commands.executeCommand('workbench.action.chat.open', options);
  const close = () => vscode.commands.executeCommand('workbench.action.closeAuxiliaryBar');
  const ask = (words: string, ...turns: Turn[]) => {
    agent.api.script(turns);
    return open({ query: `@claude ${words}` });
  };
  /** Lets the model say what is scripted. */
  function gate() {
    let say = () => {};
    const begin = new Promise<void>((resolve) => (say = resolve));
    return { begin, say };
  }

  const attached = async (attachFiles: object[], prepare = () => {}) => {
    agent.api.script([text('I see.')]);
    await open({ query: '@claude look', attachFiles, isPartialQuery: true });
    prepare();
    await open();
    await desk.ui.page.keyboard.press('Enter');
    await says('I see.');
    const request = await agent.api.nextRequest('the prompt');
    return /Attached by the user in the editor:\n([^]*)/.exec(contextText(request))?.[1] ?? '';
  };

  it('names files that are attached by their paths, whatever they are called, excluded or gone', async () => {
    await desk.configure('ideBridge.share.exclude', ['**/secret.*']);
    const paths = ['a name with spaces.txt', 'secret.txt', 'gone.txt'].map((name) =>
      desk.scratch.write(name, 'the plum of this file'),
    );
    const told = await attached(
      paths.map((path) => vscode.Uri.file(path)),
      () => rmSync(paths[2] ?? ''),
    );
    for (const path of paths) {
      assert.ok(told.includes(`- ${path}\n`) || told.endsWith(`- ${path}`), told);
    }
    assert.doesNotMatch(told, /plum/);
  });

  it('withdraws the diff of an answer that is cancelled, and goes on', async () => {
    const path = desk.scratch.write('a.txt', 'one\n');
    await ask('edit', ...editTurns(path, 'one', 'ONE'));
    await until('the diff', () => proposalTabs().length === 1, 30_000);
    await vscode.commands.executeCommand('workbench.action.chat.cancel');
    await until('no diff', () => proposalTabs().length === 0);
    assert.equal(readFileSync(path, 'utf8'), 'one\n');
    await ask('edit again', ...editTurns(path, 'one', 'two'), text('Edited.'));
    await until('the diff', () => proposalTabs().length === 1, 30_000);
    await vscode.commands.executeCommand('ideBridge.openProposal');
    await vscode.commands.executeCommand('ideBridge.acceptProposal');
    await says('Edited.');
    assert.equal(readFileSync(path, 'utf8'), 'two\n');
  });

  it('has an edit decided once: the button of the chat shows it no more after that', async () => {
    const path = desk.scratch.write('a.txt', 'one\n');
    await ask('edit', ...editTurns(path, 'one', 'ONE'), text('Edited.'));
    const show = button('Show the Proposal');
    await show.click({ timeout: 30_000 });
    await until('the diff', () => vscode.window.activeTextEditor?.document.fileName.endsWith('a.txt'));
    await vscode.commands.executeCommand('ideBridge.acceptProposal');
    await says('Edited.');
    await answer()
      .getByText(/^Completed \d+ steps/)
      .click(); // among which the editor has folded it
    await show.click();
    await desk.ui.page.locator('.notification-toast', { hasText: 'No proposed change is open' }).waitFor();
    assert.deepEqual(proposalTabs(), []);
    assert.equal(readFileSync(path, 'utf8'), 'ONE\n');
    assert.equal((await answer().innerText()).match(/Accepted\./g)?.length, 1);
  });

  it('loses nothing of a turn whose chat is closed meanwhile, and leads back to its question', async () => {
    const first = gate();
    const made = desk.scratch.path('made');
    agent.api.script([toolUse('Bash', { command: `touch ${made}` })], first.begin);
    agent.api.script([text('All of it.')]);
    await ask('work');
    await until('the request', () => agent.api.log.some(({ turn }) => turn));
    await close();
    first.say();
    const toast = desk.ui.page.locator('.notification-toast', { hasText: 'waits for you' });
    await toast.getByText('Show the Chat').click({ timeout: 30_000 });
    await button('Allow').first().click({ timeout: 30_000 });
    await close();
    await until('the end', () => existsSync(made));
    await open();
    await says('All of it.');
    await says('tokens in');
    assert.match(await answer().innerText(), /All of it\.[^]*tokens in/);
  });

  it('takes no key that was typed for a prompt as a consent', async () => {
    const first = gate();
    const made = desk.scratch.path('made');
    agent.api.script([toolUse('Bash', { command: `touch ${made}` })], first.begin);
    agent.api.script([text('As you like.')]);
    await ask('work');
    await until('the request', () => agent.api.log.some(({ turn }) => turn));
    await open(); // the keys are in the prompt
    const { keyboard } = desk.ui.page;
    first.say();
    const press = async (times: number) => {
      for (let i = 0; i < times; i++) {
        await keyboard.press(i % 2 === 0 ? 'Space' : 'Enter');
      }
    };
    await until('the buttons', async () => {
      await press(2);
      return (await button('Deny').count()) > 0;
    });
    await press(40);
    assert.doesNotMatch(await answer().innerText(), /Allowed|Denied/);
    assert.ok(!existsSync(made));
    await button('Deny').first().click();
    // Not the last: Enter has sent a prompt of its own after it.
    await desk.ui.page.locator('.interactive-response', { hasText: 'As you like.' }).waitFor();
    assert.ok((await agent.api.nextResult('Bash')).isError);
    assert.ok(!existsSync(made));
  });

  it('asks the model that is picked in the chat', async () => {
    const asked = async (id: string) => {
      agent.api.script([text(`By ${id}.`)]);
      await open({ query: `@claude by ${id}`, modelSelector: { vendor: modelVendor, id } });
      await says(`By ${id}.`);
      return (await agent.api.nextRequest('the prompt')).model;
    };
    try {
      const first = await asked('default');
      assert.match(await asked('haiku'), /haiku/);
      assert.match(await asked('sonnet'), /sonnet/);
      assert.equal(await asked('default'), first);
    } finally {
      await open({ query: '', isPartialQuery: true, modelSelector: { vendor: modelVendor, id: 'default' } });
    }
  });

  it('lets nobody but @claude use its models', async () => {
    const [model] = await vscode.lm.selectChatModels({ vendor: modelVendor });
    const answers = async () => {
      const response = await model?.sendRequest([vscode.LanguageModelChatMessage.User('hello')]);
      for await (const words of response?.text ?? []) {
        assert.fail(words);
      }
    };
    await assert.rejects(answers, /answer @claude only/);
    assert.equal(agent.api.log.length, 0);
  });

  it('says in one line that a request is made again, and at the end how often', async () => {
    const { env } = agent.options();
    const dead = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9', CLAUDE_CODE_MAX_RETRIES: '3' };
    await desk.configure('ideBridge.environment', { ...env, ...dead });
    await ask('hello out there');
    const line = (attempt: string) =>
      answer()
        .locator('.progress-container', { hasText: `cannot be reached: attempt ${attempt}` })
        .filter({ visible: true });
    await line('3 of 3').waitFor();
    await desk.ui.screenshot('chat-retry-last');
    assert.equal(await line('').count(), 1);
    await says('Failed');
    await says('tried again 3 times');
    await desk.ui.screenshot('chat-retry-end');
  });

  it('sends nothing for an Enter in an empty input', async () => {
    await open({ query: '@claude ' });
    await says('What is Claude to do? Nothing was sent.');
    assert.equal(agent.api.log.length, 0);
  });

  /** With the editor that has the selection in front, the keys in the prompt of the chat. */
  const told = async (words: string, attachFiles: object[] = []) => {
    agent.api.script([text(`Seen: ${words}.`)]);
    await open({ query: `@claude ${words}`, attachFiles, isPartialQuery: true });
    await open();
    await desk.ui.page.keyboard.press('Enter');
    await says(`Seen: ${words}.`);
    const request = await agent.api.nextRequest(words, (turn) => contextText(turn).includes(words));
    return contextText(request);
  };

  it('names the lines that are selected in the editor in front, which the chat attaches by itself', async () => {
    const path = desk.scratch.write('selected.txt', 'one\ntwo\nthree\nfour\n');
    const selection = new vscode.Range(1, 0, 2, 5);
    await vscode.window.showTextDocument(vscode.Uri.file(path), { selection });
    const { page } = desk.ui;
    await page.locator('.chat-attached-context-attachment', { hasText: 'selected.txt' }).waitFor();
    assert.match(await told('what is this'), new RegExp(`^- ${path}, lines 2 to 3$`, 'm'));
  });

  it('tells the text of what is attached and not saved, as the user sees it, unless it is excluded', async () => {
    await desk.configure('files.autoSave', 'off');
    await desk.configure('chat.saveBeforeSend', false); // by default it saves all but untitled ones
    await desk.configure('ideBridge.share.exclude', ['**/secret.*']);
    const [path, secret] = ['unsaved.txt', 'secret.txt'].map((name) => desk.scratch.write(name, 'old\n'));
    const files = [path, secret].map((name = '') => vscode.Uri.file(name));
    for (const uri of files) {
      const editor = await vscode.window.showTextDocument(uri, { preview: false });
      await editor.edit((edit) => edit.insert(new vscode.Position(1, 0), 'the plum\n'));
    }
    const attached = await told('look', files);
    const isTold = (told: string, what: string, text: string) => {
      const before = `${what}, not saved; in the editor it reads:\n<(unsaved-\\w+)>\n`;
      assert.match(told, new RegExp(`${before}${text}\n</\\1>`));
      assert.match(told, new RegExp(`- ${what} \\(not saved; its text is above\\)`));
    };
    isTold(attached, path ?? '', 'old\nthe plum');
    assert.ok(attached.includes(`- ${secret} (has unsaved changes, which only the editor knows)`), attached);
    assert.equal(attached.match(/plum/g)?.length, 1);
    await vscode.commands.executeCommand('workbench.action.chat.newChat'); // in which nothing is attached any more
    const editor = await vscode.window.showTextDocument(files[0] as vscode.Uri);
    editor.selection = new vscode.Selection(1, 0, 1, 8);
    const { page } = desk.ui;
    await page.locator('.chat-attached-context-attachment', { hasText: 'unsaved.txt:2' }).waitFor();
    const selected = await told('and these lines');
    isTold(selected, `${path}, lines 2 to 2`, 'the plum');
    const untitled = await vscode.workspace.openTextDocument({ content: 'a pear' });
    await vscode.window.showTextDocument(untitled, { selection: new vscode.Range(0, 2, 0, 6) });
    await page.locator('.chat-attached-context-attachment', { hasText: 'a pear:1' }).waitFor();
    const drafted = await told('and this draft');
    isTold(drafted, 'untitled:Untitled-\\d, lines 1 to 1', 'a pear');
    for (const uri of [untitled.uri, ...files]) {
      await vscode.window.showTextDocument(uri);
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
  });

  it('picks what a command names, for the thread that it is typed in alone', async () => {
    const status = () => desk.ui.page.locator('.statusbar-item[id$="ideBridge.chat"]').innerText();
    const isIn = (mode: string) => async () => (await status()).includes(` · ${mode} · `);
    await ask('one', text('The first.'));
    await says('The first.');
    await until('the status', isIn('Ask'));
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
    try {
      await open({ query: '@claude /mode plan' });
      await says('Permission Mode: Plan.');
      assert.ok(await isIn('Ask')()); // of the first
      await ask('two', text('The second.'));
      await says('The second.');
      await until('the status', isIn('Plan'));
      await open({ query: '@claude /mode plum' });
      const input = desk.ui.page.locator('.quick-input-widget input:visible');
      await until('the picker', async () =>
        (await input.getAttribute('placeholder'))?.startsWith('“plum” is none of these.'),
      );
      await desk.ui.page.keyboard.press('Escape');
      await until('the answer', async () => (await answer().innerText()).includes('Permission Mode: Plan.'));
    } finally {
      await open({ query: '@claude /mode as in the settings' });
    }
    await says('Permission Mode: As in the Settings.');
    await until('the status', isIn('Ask'));
  });

  it('takes the name of a file for none of the user’s words, in which the CLI opens what is behind an @', async () => {
    const { folder } = desk.scratch;
    desk.scratch.write('secret.txt', 'the plum of this file');
    const path = desk.scratch.write(join(`x @${basename(folder)}`, 'secret.txt'), 'a pear');
    const request = await told('look', [vscode.Uri.file(path)]);
    assert.ok(request.includes(JSON.stringify(path)), request);
    assert.doesNotMatch(request, /plum/);
  });

  it('shows all of a turn in which the model names a file by what is no address', async () => {
    await ask('look', toolUse('Read', { file_path: '////etc/hostname' }), text('I have looked.'));
    await button('Deny').first().click({ timeout: 30_000 });
    await says('I have looked.');
    await says('tokens in');
  });

  it('says of past conversations that none may be read', async () => {
    await desk.configure('ideBridge.records.enabled', false);
    await open({ query: '@claude /resume' });
    await says('Past conversations are not known: ideBridge.records.enabled is off.');
    await button('Open Settings').waitFor();
  });
});
