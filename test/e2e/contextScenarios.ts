import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import type { Claude } from './claude.ts';
import type { Desk } from './desk.ts';
import { contextText, text, toolUse } from './mockApi.ts';

/** What the model reads with a prompt of these words. */
async function contextOf(claude: Claude, words: string): Promise<string> {
  claude.api.script([text('I have seen it')]);
  await claude.prompt(words);
  const request = await claude.api.nextRequest('the prompt', (turn) => contextText(turn).includes(words));
  await claude.terminal.shows('I have seen it');
  return contextText(request);
}

/**
 * What the CLI makes of mentions.
 * @param tells whether its session file tells when its prompt is there; else the user has to
 */
export function mentionScenarios(desk: () => Desk, { tells }: { tells: boolean }): void {
  it('attaches the mentioned lines of a file whose path has a space', async () => {
    const file = await desk().file('sp ace.txt', 'alpha\nbravo\ncharlie\ndelta\n');
    const claude = await desk().startClaude();
    await desk().window.openFile(file.path);
    await desk().window.selectLines(2, 3);
    await desk().window.mention();
    await claude.terminal.shows('sp ace.txt#L2-3"');
    // What is selected would reach the model too.
    await desk().window.page.keyboard.press('Control+Home');
    await claude.terminal.shows('In sp ace.txt');

    const context = await contextOf(claude, 'look at this');
    assert.match(context, /bravo/);
    assert.match(context, /charlie/);
    assert.doesNotMatch(context, /alpha|delta/);
  });

  it('takes a mention that was made before it was started', async () => {
    const file = await desk().file('early.txt', 'the early bird\n');
    await desk().window.openFile(file.path);
    await desk().window.mention();
    await desk().window.page.getByText('The mention waits for the next one').first().waitFor();
    const claude = await desk().startClaude();
    if (!tells) await desk().window.sendNow();
    await claude.terminal.shows('/early.txt');
    assert.match(await contextOf(claude, 'look at this'), /the early bird/);
  });

  it('gets mentions only when it is the session that was used last', async () => {
    const file = await desk().file('target.txt', 'bullseye\n');
    const first = await desk().startClaude();
    const second = await desk().startClaude();
    await contextOf(first, 'the first is used last');
    await desk().window.openFile(file.path);
    await desk().window.mention();
    await first.terminal.shows('/target.txt');
    assert.match(await contextOf(first, 'look at this'), /bullseye/);
    assert.doesNotMatch(await contextOf(second, 'and what do you see'), /@\S*target\.txt/);
  });
}

/** What it makes of mentions of several files and a folder; not known of CLI 1.0. */
export function severalMentionScenarios(desk: () => Desk): void {
  it('attaches a file whose path has a space, a folder, and each of several files', async () => {
    await desk().file('fol der/inside.txt', '');
    const bodies = { 'fi le.txt': 'alpha', 'one.txt': 'bravo', 'two.txt': 'charlie' };
    for (const [name, body] of Object.entries(bodies)) await desk().file(name, `${body}\n`);
    const claude = await desk().startClaude();
    await desk().window.openFile((await desk().file('open.txt', '')).path);
    await desk().window.mentionInExplorer('fol der', ...Object.keys(bodies));
    for (const name of ['fol der', ...Object.keys(bodies)]) await claude.terminal.shows(`/${name}`);

    const context = await contextOf(claude, 'look at these');
    for (const words of ['inside.txt', ...Object.values(bodies)]) assert.ok(context.includes(words), words);
  });
}

/** CLI 2.1 would take its question off the screen for a mention, and forget what was typed there. */
export function mentionDuringQuestionScenarios(desk: () => Desk): void {
  it('keeps its question, with what was typed there, when a file is mentioned meanwhile', async () => {
    const file = await desk().file('asked.txt', 'what is asked about\n');
    const claude = await desk().startClaude();
    const options = ['alpha', 'bravo'].map((label) => ({ label, description: label }));
    const questions = [{ question: 'Which one?', header: 'Pick', multiSelect: false, options }];
    claude.api.script([toolUse('AskUserQuestion', { questions }), text('so be it')]);
    await desk().window.openFile(file.path);
    await claude.prompt('ask me');
    await claude.terminal.shows('Which one?');
    // Keys that come in one piece all go to where the first of them was.
    for (const next of ['❯ 2. bravo', '❯ 3. Type something']) {
      await claude.terminal.press('ArrowDown');
      await claude.terminal.shows(next);
    }
    await claude.terminal.type('neither of them');
    const { page } = desk().window;
    await page.locator('.editor-instance .view-lines').first().click();
    await desk().window.mention();
    await page.getByText('Mentions asked.txt once').first().waitFor();
    assert.match(await claude.terminal.settled(), /❯ *3\. neither of them/);
    await claude.terminal.press('Enter');
    const request = await claude.api.nextRequest('the answer', (turn) =>
      contextText(turn).includes('neither of them'),
    );
    assert.doesNotMatch(contextText(request), /what is asked about/);
    await claude.terminal.shows('/asked.txt');
  });
}

/** What it makes of selections. */
export function contextScenarios(desk: () => Desk): void {
  it('shares the selection with each prompt, if the user wants that', async () => {
    const file = await desk().file('poem.txt', 'roses are red\nviolets are blue\nsugar is sweet\n');
    await desk().configure({ 'ideBridge.share.selectionWithEachPrompt': true });
    const claude = await desk().startClaude();
    await desk().window.openFile(file.path);
    await desk().window.selectLines(2, 3);
    await claude.terminal.shows('2 lines selected');
    await contextOf(claude, 'the first prompt');
    await claude.terminal.shows('2 lines selected');
    const context = await contextOf(claude, 'the second prompt');
    assert.equal(context.split('violets are blue').length - 1, 2);
  });

  it('is told the selection again after it has lost the connection', async () => {
    const file = await desk().file('poem.txt', 'roses are red\nviolets are blue\nsugar is sweet\n');
    const claude = await desk().startClaude();
    // Until a session has been used, it is told again what is selected: that may come just after a prompt took it.
    await contextOf(claude, 'a prompt before');
    await desk().window.openFile(file.path);
    await desk().window.selectLines(2, 3);
    await claude.terminal.shows('2 lines selected');
    assert.match(await contextOf(claude, 'the first prompt'), /violets are blue/);
    // The CLI uses it up some time after it has sent the prompt.
    await until('nothing selected', async () => !/lines selected\]/.test(await claude.terminal.text()));
    await desk().window.runCommand('IDE Bridge: Restart Bridge');
    await claude.terminal.shows('2 lines selected');
    const context = await contextOf(claude, 'the second prompt');
    assert.equal(context.split('violets are blue').length - 1, 2);
  });
}

/** What the editor shows and remembers of a session. */
export function sessionScenarios(desk: () => Desk): void {
  const row = () =>
    desk().window.page.locator('.pane', { hasText: 'Sessions' }).locator('.monaco-list-row').first();

  it('shows in the view when it works', async () => {
    const claude = await desk().startClaude();
    const command = `sleep 5; touch ${(await desk().file('slept')).path}`;
    claude.api.script([toolUse('Bash', { command, description: 'sleep' }), text('it is done')]);
    await desk().window.runCommand('Claude Code: Focus on Sessions View');
    await row().filter({ hasText: 'Idle' }).waitFor();
    await claude.prompt('please sleep');
    await claude.sayYes();
    await row().filter({ hasText: 'Working' }).waitFor();
    await claude.terminal.shows('it is done');
    await row().filter({ hasText: 'Idle' }).waitFor();
  });

  it('asks for attention once when it is done out of view', async () => {
    const { page } = desk().window;
    const toast = page.locator('.notification-toast', { hasText: 'has finished' });
    const screen = page.locator('.panel .terminal-wrapper.active .xterm-rows');
    const claude = await desk().startClaude();
    const go = await desk().file('go');
    const command = `until [ -e ${go.path} ]; do sleep 0.2; done`;
    claude.api.script([toolUse('Bash', { command, description: 'wait' }), text('it is done')]);
    await desk().window.runCommand('Claude Code: Focus on Sessions View');
    await row().filter({ hasText: 'Idle' }).waitFor();
    await claude.prompt('please wait');
    await row().filter({ hasText: 'Working' }).waitFor();
    await desk().window.runCommand('Terminal: Create New Terminal');
    await screen.filter({ hasText: /[$#]\s*$/ }).waitFor();
    await desk().file('go', '');
    await row().filter({ hasText: 'Done' }).waitFor();
    await toast.waitFor();
    assert.equal(await toast.count(), 1);
    await toast.locator('a', { hasText: 'Show' }).click();
    await screen.filter({ hasText: 'it is done' }).waitFor();
    await row().filter({ hasText: 'Idle' }).waitFor();
    await toast.waitFor({ state: 'detached' });
  });

  it('keeps its name and its terminal when the window is reloaded', async () => {
    const { page } = desk().window;
    const screen = page.locator('.panel .xterm-rows');
    const file = await desk().file('open.txt', '');
    await desk().window.runCommand('IDE Bridge: Open Claude Code in the Panel');
    await desk().window.connectedClients(1, 60_000);
    await desk().window.runCommand('Claude Code: Focus on Sessions View');
    await row().filter({ hasText: 'Claude Code' }).waitFor();
    // By then the handshake is over: a CLI that is cut off in it does not come back.
    await desk().window.openFile(file.path);
    await screen.getByText('In open.txt').waitFor();
    await desk().reload();
    await desk().isLost();
    await screen.getByText('Claude Code v').waitFor();
    await desk().window.runCommand('Claude Code: Focus on Sessions View');
    await row().filter({ hasText: 'Claude Code' }).waitFor();
    // Goes back to it; only what is known as ours is gone back to, all else would start another.
    await desk().window.runCommand('IDE Bridge: Run Claude Code');
    await page.locator('.panel .terminal-wrapper.active .xterm.focus').waitFor();
    assert.equal(await page.locator('.terminal-wrapper').count(), 1);
    await desk().window.runCommand('Claude Code: Focus on Sessions View');
    await row().click();
    await page.locator('.panel .terminal-wrapper.active .xterm.focus').waitFor();
  });

  it('is gone back to by a command that comes before its terminal is back, when the window is reloaded', async () => {
    const { page } = desk().window;
    const file = await desk().file('open.txt', '');
    await desk().window.runCommand('IDE Bridge: Open Claude Code in the Panel');
    await desk().window.connectedClients(1, 60_000);
    await desk().window.openFile(file.path);
    await page.locator('.panel .xterm-rows').getByText('In open.txt').waitFor();
    await page.reload();
    await desk().window.runCommand('IDE Bridge: Run Claude Code');
    // Another one would be beside the editor.
    await page.locator('.panel .terminal-wrapper.active .xterm.focus').waitFor();
    assert.equal(await page.locator('.terminal-wrapper').count(), 1);
  });
}
