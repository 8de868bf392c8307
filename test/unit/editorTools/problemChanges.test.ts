import assert from 'node:assert/strict';
import { Marks, type Problem, problemChanges } from '../../../src/editorTools/problemChanges.ts';

const problem = (line: number, message = 'wrong', path = '/a.ts'): Problem => ({
  path,
  line,
  column: 1,
  severity: 'error',
  message,
});

describe('what has come and gone of problems', () => {
  it('is nothing where an edit above has only moved them', () => {
    const before = [problem(3), problem(9, 'worse')];
    assert.deepEqual(problemChanges(before, [problem(4), problem(10, 'worse')]), { come: [], gone: [] });
  });

  it('is what is not among the others, also of several alike: those that stand where they stood are old', () => {
    const before = [problem(3), problem(5, 'mended'), problem(7)];
    const now = [problem(2), problem(3), problem(7), problem(7, 'wrong', '/b.ts')];
    assert.deepEqual(problemChanges(before, now), {
      come: [problem(2), problem(7, 'wrong', '/b.ts')],
      gone: [problem(5, 'mended')],
    });
  });

  it('changes neither list', () => {
    const before = [problem(1), problem(2)];
    problemChanges(before, [problem(1)]);
    assert.equal(before.length, 2);
  });
});

describe('marks', () => {
  it('are of one client, and the last ten', () => {
    const marks = new Marks();
    const [one, other] = [{}, {}];
    const first = marks.add(one, [problem(1)]);
    assert.ok(first);
    assert.deepEqual(marks.get(one, first), [problem(1)]);
    assert.throws(() => marks.get(other, first), /no mark/);
    for (let i = 0; i < 10; i++) {
      marks.add(other, []);
    }
    assert.ok(marks.get(one, first));
    for (let i = 0; i < 10; i++) {
      marks.add(one, []);
    }
    assert.throws(() => marks.get(one, first), /no mark 1/);
  });

  it('are not given for more than is kept', () => {
    const many = Array.from({ length: 2_001 }, (_, line) => problem(line));
    assert.equal(new Marks().add({}, many), undefined);
  });
});
