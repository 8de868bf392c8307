import assert from 'node:assert/strict';
import { Deferred } from '../../src/base/deferred.ts';
import { until } from '../support/until.ts';
import type { Claude } from './claude.ts';
import { askToEdit } from './coreScenarios.ts';
import type { Desk, WorkspaceFile } from './desk.ts';
import { contextText, editTurns, type MockApi, resultOf, text, toolUse, type Turn } from './mockApi.ts';

const reason = 'use a map instead';
const rejectWithReason = 'IDE Bridge: Reject with a Reason…';

/** The reason of a rejection is the next prompt, if the user says so; it answers, sends and runs nothing else. */
export function reasonScenarios(desk: () => Desk): void {
  const asPasted = {
    [reason]: reason,
    '1': 'Reason: 1',
    '!touch ran.txt': 'Reason: !touch ran.txt',
  };
  it(`pastes the reason of a rejection as the next prompt, which the user sends: ${Object.keys(asPasted).join('; ')}`, async () => {
    const ran = await desk().file('../ran.txt');
    const claude = await desk().startClaude();
    for (const [index, [typed, words]] of Object.entries(asPasted).entries()) {
      const file = await desk().file(`reasoned-${index}.txt`, 'one\ntwo\n');
      claude.api.script([...editTurns(file.path, 'two', 'TWO'), text(`so be it, ${index}`)]);
      await claude.prompt(`please edit number ${index}`);
      const diff = await desk().window.diffOf(`reasoned-${index}.txt`);
      const { turnCount } = claude.api;
      await desk().window.answer(rejectWithReason, typed);
      await claude.terminal.shows(words, 40_000);
      await diff.gone();
      await claude.terminal.settled();
      assert.equal(claude.api.turnCount, turnCount, 'it waits for Enter');

      await desk().window.page.keyboard.press('Enter'); // the focus is in the terminal
      const request = await claude.api.nextRequest('the reason', (turn) => contextText(turn).includes(words));
      assert.equal(resultOf('Edit', request)?.isError, true);
      await claude.terminal.shows(`so be it, ${index}`);
      assert.equal(await file.text(), 'one\ntwo\n');
      assert.ok(!ran.exists());
    }
  });
}

/** What the user is about when the reason comes is not the reason's to send, to answer or to lose. */
export function draftScenarios(desk: () => Desk): void {
  it('leaves a draft in the prompt, unsent, when the reason of a rejection comes', async () => {
    const file = await desk().file('drafted.txt', 'one\ntwo\n');
    const { claude, goOn } = await askToEdit(desk(), file);
    await claude.terminal.type('half a draft');
    goOn();
    const diff = await desk().window.diffOf('drafted.txt');
    const { turnCount } = claude.api;
    await desk().window.answer(rejectWithReason, reason);
    await diff.gone();
    await claude.terminal.shows(reason);
    assert.match(await claude.terminal.settled(), /half a draft *use a map instead/);
    assert.equal(claude.api.turnCount, turnCount, 'nothing was sent');
    assert.equal(await file.text(), 'one\ntwo\n');
  });
}

/** The first proposes an edit; the question of the second stands behind it, and is there when that was rejected. */
export function twoAgentScenarios(desk: () => Desk, tool: 'Agent' | 'Task'): void {
  it('keeps the reason of a rejection from the question of another agent, until the prompt is back', async () => {
    const file = await desk().file('agents.txt', 'one\ntwo\n');
    const ran = await desk().file('ran.txt');
    // CLI 2.0 sends the prompts of the conversations before, for their titles.
    const words = 'ask me before you write';
    const claude = await desk().startClaude();
    const agent = (task: string) =>
      toolUse(tool, {
        description: task,
        prompt: `task of ${task}`,
        subagent_type: 'general-purpose',
        // CLI 2.0 asks nothing for those in the background.
        ...(tool === 'Agent' ? { run_in_background: true } : {}),
      });
    claude.api.scriptAgent('task of agent one', [...editTurns(file.path, 'two', 'TWO'), text('one is done')]);
    const mayAsk = new Deferred<void>();
    const command = `touch ${ran.path} && rm ${file.path}`;
    claude.api.scriptAgent(
      'task of agent two',
      [toolUse('Bash', { command, description: 'x' }), text('two is done')],
      mayAsk.promise,
    );
    claude.api.script([[...agent('agent one'), ...agent('agent two')], text('both are at work')]);
    await claude.prompt('start two agents');
    const diff = await desk().window.diffOf('agents.txt');
    mayAsk.settle();
    // The newest CLI counts the questions.
    if (tool === 'Agent') await claude.terminal.shows('1 of 2');
    await desk().window.answer(rejectWithReason, words);
    await diff.gone();
    await claude.terminal.shows('rm ');
    await claude.terminal.shows('Do you want to proceed?');
    await waits(desk(), 'agents.txt');
    assert.match(await claude.terminal.settled(), /❯ *1\. Yes/, 'the question waits');
    assert.ok(!ran.exists());
    assert.ok(!JSON.stringify(claude.api.log).includes(words), 'nothing was sent');

    await claude.sayNo();
    await comes(desk(), claude, words);
    assert.ok(!JSON.stringify(claude.api.log).includes(words), 'it waits for Enter');
    assert.ok(!ran.exists());
    assert.equal(await file.text(), 'one\ntwo\n');
    await claude.terminal.press('Enter');
    await claude.api.nextRequest('the reason', (turn) => contextText(turn).includes(words));
  });
}

/** Has an agent in the background propose an edit once it may begin. */
function agentThatEdits(api: MockApi, path: string, begin: Promise<void>): Turn {
  api.scriptAgent('task of the editor', [...editTurns(path, 'two', 'TWO'), text('edited')], begin);
  return toolUse('Agent', {
    description: 'editor',
    prompt: 'task of the editor',
    subagent_type: 'general-purpose',
    run_in_background: true,
  });
}

/** Rejects with the reason what an agent in the background proposes while the user has a dialog of the CLI open. */
async function rejectBehindDialog(
  desk: Desk,
  name: string,
): Promise<{ claude: Claude; file: WorkspaceFile }> {
  const file = await desk.file(name, 'one\ntwo\n');
  const claude = await desk.startClaude();
  const mayBegin = new Deferred<void>();
  claude.api.script([agentThatEdits(claude.api, file.path, mayBegin.promise), text('it is at work')]);
  await claude.prompt('start an agent');
  await claude.terminal.shows('it is at work');
  await claude.terminal.type('/model');
  await claude.terminal.press('Enter');
  await claude.terminal.shows('Select model');
  mayBegin.settle();
  const diff = await desk.window.diffOf(name);
  await desk.window.answer(rejectWithReason, reason);
  await diff.gone();
  await waits(desk, name);
  return { claude, file };
}

/** An agent in the background, which CLI 2.1 has, and what the user has opened meanwhile. */
export function backgroundAgentScenarios(desk: () => Desk): void {
  it('chooses nothing in a dialog of the CLI with the reason of a rejection', async () => {
    const { claude, file } = await rejectBehindDialog(desk(), 'dialog.txt');
    assert.match(await claude.terminal.settled(), /Select model[^]*❯ 1\. Default/, 'the dialog is as it was');
    assert.ok(!JSON.stringify(claude.api.log).includes(reason), 'nothing was sent');
    assert.equal(await file.text(), 'one\ntwo\n');
    await claude.leave('Select model');
    await comes(desk(), claude);
  });

  it('answers no question about a plan with the reason of a rejection', async () => {
    const file = await desk().file('planned.txt', 'one\ntwo\n');
    const claude = await desk().startClaude();
    const mayBegin = new Deferred<void>();
    const mayPlan = new Deferred<void>();
    claude.api.script([agentThatEdits(claude.api, file.path, mayBegin.promise), text('it is at work')]);
    claude.api.script([toolUse('ExitPlanMode', { plan: 'touch nothing' })], mayPlan.promise);
    await claude.prompt('start an agent');
    await claude.terminal.shows('it is at work');
    await claude.switchTo('plan');
    await claude.terminal.type('make a plan');
    await claude.terminal.press('Enter');
    mayBegin.settle();
    const diff = await desk().window.diffOf('planned.txt');
    mayPlan.settle();
    await claude.terminal.shows('1 of 2');
    await desk().window.answer(rejectWithReason, reason);
    await diff.gone();
    await waits(desk(), 'planned.txt');
    assert.match(await claude.terminal.settled(), /Exit plan mode\?[^]*❯ 1\. Yes/, 'the question waits');
    const sent = JSON.stringify(claude.api.log);
    assert.ok(!sent.includes('touch nothing'), 'it is not answered');
    assert.ok(!sent.includes(reason), 'nothing was sent');
    assert.equal(await file.text(), 'one\ntwo\n');
    await claude.leave('Exit plan mode?');
    await comes(desk(), claude);
  });
}

/** What waits is the user's: what happens to the window takes it from nobody. */
export function keepsReasonAfter(event: string, desk: () => Desk, happen: () => Promise<void>): void {
  it(`keeps the reason of a rejection that waits when ${event}`, async () => {
    const { claude } = await rejectBehindDialog(desk(), 'kept.txt');
    const away = await desk().absenceOf(Number(claude.terminal.bridgePort), happen);
    const status = desk().window.page.locator('[id$="ideBridge.status"]');
    await status.filter({ hasText: '1 waiting' }).waitFor();
    await claude.leave('Select model');
    await desk().comesBack(claude, away);
    await comes(desk(), claude);
    assert.ok(!JSON.stringify(claude.api.log).includes(reason), 'it waits for Enter');
  });
}

/** It is told that the reason waits. */
async function waits(desk: Desk, fileName: string): Promise<void> {
  await desk.window.page.getByText(`Your reason for ${fileName} waits: `).first().waitFor();
}

/**
 * The prompt is back, and the user has the reason pasted there, where it is offered: again where the end of an agent has
 * had the CLI go on meanwhile.
 */
async function comes(desk: Desk, claude: Claude, words = reason): Promise<void> {
  const toast = desk.window.page.locator('.notification-toast', { hasText: 'can be pasted into the prompt' });
  const paste = toast.getByRole('button', { name: 'Paste' }).first();
  await until(
    words,
    async () => {
      if (await paste.isVisible()) await paste.click();
      return (await claude.terminal.text()).includes(words);
    },
    30_000,
  );
}
