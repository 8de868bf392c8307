import assert from 'node:assert/strict';
import { type ProposedEdit, type Reviewed, withEditReview } from '../../src/agent/editReview.ts';
import { AgentDesk, ofKind, turnsEnded } from './agent/agentDesk.ts';
import { text, toolUse } from './mockApi.ts';
import { cliVersions } from './provisionCli.ts';

for (const version of Object.values(cliVersions)) {
  describe(`Edits of an agent session of Claude Code ${version}`, () => {
    let desk: AgentDesk;

    beforeEach(async () => {
      desk = await AgentDesk.open(version);
    });

    afterEach(() => desk.close());

    it('are reviewed as what they will be, and land as what the user has made of them', async () => {
      const lf = await desk.file('lf.txt', 'one\ntwo\nthree\n');
      const crlf = await desk.file('crlf.txt', '\ufeffone\r\ntwo\r\n');
      const fresh = `${desk.folder}/new.txt`;
      const edit = (file_path: string, old_string: string, new_string: string) =>
        toolUse('Edit', { file_path, old_string, new_string });
      desk.api.script([
        toolUse('Read', { file_path: lf }),
        toolUse('Read', { file_path: crlf }),
        edit(lf, 'two', ''), // as it is
        edit(lf, 'one', 'ONE'), // changed
        edit(crlf, 'two', 'TWO'), // changed
        edit(lf, 'three', 'four'), // rejected
        edit(lf, 'not there', 'x'), // fails by itself
        toolUse('Write', { file_path: fresh, content: 'new\n' }), // changed
        text('done'),
      ]);
      const seen: [string, string | null, string][] = [];
      const answers: ((edit: ProposedEdit) => Reviewed)[] = [
        ({ after }) => ({ kind: 'accepted', text: after }),
        () => ({ kind: 'accepted', text: 'uno\r\n  dos €\nthree\n' }),
        () => ({ kind: 'accepted', text: 'one\nzwei\n$& drei\n' }),
        () => ({ kind: 'rejected', reason: 'three is enough' }),
        () => ({ kind: 'accepted', text: 'newer' }),
      ];
      const session = await desk.session({
        ask: withEditReview(
          () => Promise.resolve({ kind: 'deny', reason: 'asked' }),
          async (proposed) => {
            seen.push([proposed.filePath, proposed.before, proposed.after]);
            return answers.shift()?.(proposed) ?? { kind: 'rejected', reason: 'one too many' };
          },
        ),
      });
      session.prompt('edit');
      await turnsEnded(session, 1);
      assert.deepEqual(seen, [
        [lf, 'one\ntwo\nthree\n', 'one\nthree\n'],
        [lf, 'one\nthree\n', 'ONE\nthree\n'],
        [crlf, 'one\ntwo\n', 'one\nTWO\n'],
        [lf, 'uno\n  dos €\nthree\n', 'uno\n  dos €\nfour\n'],
        [fresh, null, 'new\n'],
      ]);
      assert.equal(await desk.read('lf.txt'), 'uno\n  dos €\nthree\n');
      assert.equal(await desk.read('crlf.txt'), '\ufeffone\r\nzwei\r\n$& drei\r\n');
      assert.equal(await desk.read('new.txt'), 'newer');
      const uses = ofKind(session, 'toolUse').slice(2);
      assert.deepEqual(
        uses.map(({ state }) => state),
        ['done', 'done', 'done', 'failed', 'failed', 'done'],
      );
      assert.match(uses[3]?.result?.text ?? '', /three is enough/);
      assert.doesNotMatch(uses[4]?.result?.text ?? '', /asked/);
    });
  });
}
