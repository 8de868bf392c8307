import assert from 'node:assert/strict';
import fc from 'fast-check';
import { diffLines } from '../../../src/base/lineDiff.ts';
import { ofAgents, shifted, slidingHunks, touching } from '../../../src/changes/touching.ts';

describe('hunks that touch others', () => {
  const before = (hunk: { beforeStart: number; beforeEnd: number }): [number, number] => [
    hunk.beforeStart,
    hunk.beforeEnd,
  ];
  const diff = (from: readonly string[], to: readonly string[]) => diffLines(from, to).hunks;
  /** What is left of an agent's edit once the user has typed. */
  const left = (text: string, agent: string, user: string) =>
    touching(diff([...text], [...user]), diff([...text], [...agent]), before).map(({ nowStart, nowEnd }) =>
      user.slice(nowStart, nowEnd),
    );

  it('are the agent’s, wherever the user has typed', () => {
    assert.deepEqual(left('abcdefg', 'abXdefg', '1abXdef2g'), ['X']);
    assert.deepEqual(left('abcdefg', 'abXdefg', 'abXY1efg'), ['XY1']); // beside it
    assert.deepEqual(left('abcdefg', 'abXdefg', '1bcdefg'), []); // taken back by hand
    assert.deepEqual(left('abcdefg', 'abdefg', '1abdefg2'), ['']); // lines that are gone
  });

  /** What is left of an agent's edit where a diff may take one of several equal lines. */
  const leftSliding = (text: string, agent: string, user: string) => {
    const sliding = (now: string) => slidingHunks(diff([...text], [...now]), [...text], [...now]);
    return ofAgents(sliding(user), sliding(agent)).map(({ nowStart, nowEnd }) =>
      user.slice(nowStart, nowEnd),
    );
  };

  it('are the agent’s also where a diff tells other ones of equal lines, as the user has typed above', () => {
    assert.deepEqual(left('af}', 'af}g}', 'af1}g}'), [], 'what this is against');
    assert.deepEqual(leftSliding('af}', 'af}g}', 'af1}g}'), ['1}g']);
    assert.deepEqual(leftSliding('abb', 'ab', 'a1b'), ['1']); // of lines that are gone
    assert.deepEqual(leftSliding('000', '0000', '1002'), ['2'], 'a line of the user is no line of theirs');
    assert.deepEqual(slidingHunks(diff([...'ab'], [...'aab']), [...'ab'], [...'aab'])[0]?.highest, 0);
  });

  it('are all of the agent’s and none of those that only the user has made, whatever the texts are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, lines, (text, agent, user) => {
        const [mine, all] = [diff(text, agent), diff(text, user)];
        const found = touching(all, mine, before);
        const isBeside = (hunk: (typeof all)[number]) =>
          mine.some((other) => other.beforeStart <= hunk.beforeEnd && hunk.beforeStart <= other.beforeEnd);
        assert.deepEqual(found, all.filter(isBeside));
        assert.deepEqual(touching(mine, mine, before), mine);
      }),
    );
  });

  it('are where their lines are once their document is edited', () => {
    const hunk = { beforeStart: 0, beforeEnd: 0, nowStart: 3, nowEnd: 5 };
    const after = (start: number, end: number, text: string) => {
      const range = { start: { line: start }, end: { line: end } };
      return shifted([hunk], [{ range, text }]).map(({ nowStart, nowEnd }) => [nowStart, nowEnd])[0];
    };
    assert.deepEqual(after(0, 0, 'x\ny\n'), [5, 7]); // above
    assert.deepEqual(after(1, 2, ''), [2, 4]);
    assert.deepEqual(after(3, 3, 'x'), [3, 5]);
    assert.deepEqual(after(4, 4, '\n'), [3, 6]); // inside
    assert.deepEqual(after(5, 5, 'x\n'), [3, 5]); // below
    assert.deepEqual(after(1, 9, ''), [1, 1]); // all of it is gone
  });
});
