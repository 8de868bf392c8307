import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import { editTurns } from './coreScenarios.ts';
import type { Desk } from './desk.ts';
import { contextText, resultOf, text, toolUse } from './mockApi.ts';

const rejectWithReason = 'IDE Bridge: Reject Proposed Changes with a Reason...';

/** The reason of a rejection is the next prompt, if the user says so; it answers, sends and runs nothing else. */
export function reasonScenarios(desk: () => Desk): void {
  const pasted = {
    'use a map instead': 'use a map instead',
    '1': 'Reason: 1',
    '!touch ran.txt': 'Reason: !touch ran.txt',
  };
  for (const [reason, words] of Object.entries(pasted)) {
    it(`pastes the reason "${reason}" of a rejection as the next prompt, which the user sends`, async () => {
      const file = await desk().file('reasoned.txt', 'one\ntwo\n');
      const ran = await desk().file('../ran.txt');
      const claude = await desk().startClaude();
      claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('so be it')]);
      await claude.prompt('please edit');
      const diff = await desk().window.diffOf('reasoned.txt');
      const { turnCount } = claude.api;
      await desk().window.answer(rejectWithReason, reason);
      await claude.terminal.shows(words);
      await diff.gone();
      await claude.terminal.settled();
      assert.equal(claude.api.turnCount, turnCount, 'it waits for Enter');

      await desk().window.page.keyboard.press('Enter'); // the focus is in the terminal
      const request = await claude.api.nextRequest('the reason', (turn) => contextText(turn).includes(words));
      assert.equal(resultOf('Edit', request)?.isError, true);
      await claude.terminal.shows('so be it');
      assert.equal(await file.text(), 'one\ntwo\n');
      assert.ok(!ran.exists());
    });
  }
}

/** Two agents in the background, which CLI 2.1 has: the question of the second stands behind the diff of the first. */
export function backgroundAgentScenarios(desk: () => Desk): void {
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
    await desk().window.answer(rejectWithReason, 'use a map instead');
    await diff.gone();
    await claude.terminal.shows('rm ');
    await claude.terminal.shows('Do you want to proceed?');
    const pasted = desk().window.page.getByText('Reason pasted').first();
    await until('the paste', async () => ran.exists() || (await pasted.isVisible()));
    assert.ok(!ran.exists());
    assert.match(await claude.terminal.settled(), /❯ *1\. Yes/, 'the question waits');
    assert.ok(!ran.exists());
    assert.ok(!JSON.stringify(claude.api.log).includes('use a map instead'), 'nothing was sent');
    assert.equal(await file.text(), 'one\ntwo\n');
  });
}
