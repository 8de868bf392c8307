import assert from 'node:assert/strict';
import type { SessionState, ToolUse } from '../../../src/records/events.ts';
import { promptText, questionText, toolText } from '../../../src/sessions/stateText.ts';

const use = (name: string, input: Record<string, unknown>): ToolUse => ({ id: name, name, input, begun: 0 });
const waiting = (...asks: ToolUse[]): Extract<SessionState, { status: 'waiting' }> => ({
  status: 'waiting',
  since: 0,
  waitingFor: 'permission prompt',
  asks,
});

describe('the text of what a session asks', () => {
  it('names the tool and what it is about', () => {
    assert.equal(questionText(waiting(use('Bash', { command: 'npm test' }))), 'Asks: Bash: npm test');
    assert.equal(questionText(waiting(use('Edit', { file_path: '/home/user/a.ts' }))), 'Asks: Edit: a.ts');
    assert.equal(toolText(use('Edit', { file_path: '/home/user/a.ts' }), 200), 'Edit: /home/user/a.ts');
    assert.equal(questionText(waiting(use('mcp__x__y', { title: 1 }))), 'Asks: mcp__x__y');
  });

  it('does not say which of several tools it is about: the record does not', () => {
    const bash = use('Bash', { command: 'ls' });
    assert.equal(questionText(waiting(bash, use('Edit', {}))), 'Asks: Bash or Edit, one of 2');
    assert.equal(questionText(waiting(bash, bash, bash)), 'Asks: Bash, one of 3');
  });

  it('has the CLI’s own words where no tool is known', () => {
    assert.equal(questionText(waiting()), 'Asks: permission prompt');
    assert.equal(questionText({ ...waiting(), waitingFor: '' }), 'Waiting for you');
  });

  it('stays on one short line, and says that there is more', () => {
    const command = 'npm test\n\n  rm -rf x';
    assert.equal(questionText(waiting(use('Bash', { command }))), 'Asks: Bash: npm test ⏎ rm -rf x');
    const padded = `npm test${' '.repeat(100_000)}; rm -rf x`;
    assert.equal(questionText(waiting(use('Bash', { command: padded }))), 'Asks: Bash: npm test…');
    const long = questionText(waiting(use('x'.repeat(1_000), { command: 'y'.repeat(1_000) })));
    assert.ok(long.length <= 'Asks: : '.length + 80, long);
    assert.match(long, /…$/);
    const many = Array.from({ length: 50 }, (_, index) => use(`Tool${index}`, {}));
    assert.match(questionText(waiting(...many)), /^Asks: .{39}…, one of 50$/);
  });

  it('has nothing in it that a terminal, a notification or the direction of text obeys', () => {
    const command = '\x1b[2Jls \u202e[x](command:evil)\u2028z';
    const text = questionText(waiting(use('Bash\r\n', { command })), 100);
    assert.doesNotMatch(text, /[\x00-\x1f\u2028\u202e]|\]\(/);
  });
});

describe('the text of a prompt', () => {
  it('is its first line', () => {
    assert.equal(promptText('\n  mend the test\nand then more'), 'mend the test');
    assert.equal(promptText(''), '');
    assert.equal(promptText('a'.repeat(5_000_000)).length, 100);
  });
});
