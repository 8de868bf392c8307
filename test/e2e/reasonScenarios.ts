import assert from 'node:assert/strict';
import { Deferred } from '../../src/base/deferred.ts';
import { editTurns } from './coreScenarios.ts';
import type { Desk } from './desk.ts';
import { contextText, type MockApi, resultOf, text, toolUse, type Turn } from './mockApi.ts';

const reason = 'use a map instead';
const rejectWithReason = 'IDE Bridge: Reject Proposed Changes with a Reason...';

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
      await claude.terminal.shows(words);
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
    const claude = await desk().startClaude();
    const [read = [], edit = []] = editTurns(file.path, 'two', 'TWO');
    const mayEdit = new Deferred<void>();
    claude.api.script([read]);
    claude.api.script([edit], mayEdit.promise);
    await claude.prompt('please edit');
    await claude.terminal.type('half a draft');
    mayEdit.settle();
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

/** Two agents in the background, which CLI 2.1 has: the question of the second stands behind the diff of the first. */
export function backgroundAgentScenarios(desk: () => Desk): void {
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

  it('chooses nothing in a dialog of the CLI with the reason of a rejection', async () => {
    const file = await desk().file('dialog.txt', 'one\ntwo\n');
    const claude = await desk().startClaude();
    const mayBegin = new Deferred<void>();
    claude.api.script([agentThatEdits(claude.api, file.path, mayBegin.promise), text('it is at work')]);
    await claude.prompt('start an agent');
    await claude.terminal.shows('it is at work');
    await claude.terminal.type('/model');
    await claude.terminal.press('Enter');
    await claude.terminal.shows('Select model');
    mayBegin.settle();
    const diff = await desk().window.diffOf('dialog.txt');
    await desk().window.answer(rejectWithReason, reason);
    await diff.gone();
    await pasted(desk());
    assert.match(await claude.terminal.settled(), /Select model[^]*❯ 1\. Default/, 'the dialog is as it was');
    assert.ok(!JSON.stringify(claude.api.log).includes(reason), 'nothing was sent');
    assert.equal(await file.text(), 'one\ntwo\n');
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
    await claude.plan();
    await claude.terminal.type('make a plan');
    await claude.terminal.press('Enter');
    mayBegin.settle();
    const diff = await desk().window.diffOf('planned.txt');
    mayPlan.settle();
    await claude.terminal.shows('1 of 2');
    await desk().window.answer(rejectWithReason, reason);
    await diff.gone();
    await pasted(desk());
    assert.match(await claude.terminal.settled(), /Exit plan mode\?[^]*❯ 1\. Yes/, 'the question waits');
    const sent = JSON.stringify(claude.api.log);
    assert.ok(!sent.includes('touch nothing'), 'it is not answered');
    assert.ok(!sent.includes(reason), 'nothing was sent');
    assert.equal(await file.text(), 'one\ntwo\n');
  });

  it('answers no question of another agent with the reason of a rejection', async () => {
    const file = await desk().file('agents.txt', 'one\ntwo\n');
    const ran = await desk().file('ran.txt');
    const claude = await desk().startClaude();
    const agent = (task: string) =>
      toolUse('Agent', {
        description: task,
        prompt: `task of ${task}`,
        subagent_type: 'general-purpose',
        run_in_background: true,
      });
    claude.api.scriptAgent('task of agent one', [...editTurns(file.path, 'two', 'TWO'), text('one is done')]);
    let beginTwo = () => {};
    claude.api.scriptAgent(
      'task of agent two',
      [
        toolUse('Bash', { command: `touch ${ran.path} && rm ${file.path}`, description: 'x' }),
        text('two is done'),
      ],
      new Promise<void>((resolve) => (beginTwo = resolve)),
    );
    claude.api.script([[...agent('agent one'), ...agent('agent two')], text('both are at work')]);
    await claude.prompt('start two agents');
    const diff = await desk().window.diffOf('agents.txt');
    beginTwo();
    await claude.terminal.shows('1 of 2');
    await desk().window.answer(rejectWithReason, reason);
    await diff.gone();
    await claude.terminal.shows('rm ');
    await claude.terminal.shows('Do you want to proceed?');
    await pasted(desk());
    assert.ok(!ran.exists());
    assert.match(await claude.terminal.settled(), /❯ *1\. Yes/, 'the question waits');
    assert.ok(!ran.exists());
    assert.ok(!JSON.stringify(claude.api.log).includes(reason), 'nothing was sent');
    assert.equal(await file.text(), 'one\ntwo\n');
  });
}

/** What becomes of the paste is the CLI's business: it may have lost it. */
async function pasted(desk: Desk): Promise<void> {
  await desk.window.page.getByText('Reason pasted').first().waitFor();
}
