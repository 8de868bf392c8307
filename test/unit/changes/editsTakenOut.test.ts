import assert from 'node:assert/strict';
import { takeOut, type TakenOut } from '../../../src/changes/editsTakenOut.ts';
import { parseEntry } from '../../../src/records/entries.ts';
import type { PastEdit } from '../../../src/records/events.ts';
import { editLines, versions } from '../records/fixtures.ts';

/** What `Edit` is recorded as. */
function edit(before: string | undefined, from: string, to: string, more: Partial<PastEdit> = {}): PastEdit {
  const replacements = [{ from, to, isAll: false }];
  return { ...base, before, replacements, ...more };
}

/** What `Write` is recorded as. */
function write(before: string | null, after: string, more: Partial<PastEdit> = {}): PastEdit {
  return { ...base, before, after, ...more };
}

const base: PastEdit = {
  toolUseId: 'toolu_1',
  at: 1,
  filePath: '/a',
  before: undefined,
  after: undefined,
  replacements: [],
  patch: [],
  isUserModified: false,
  version: '2.1.330',
};

/** Latin-1, so that each byte can be written. */
const bytes = (text: string) => Buffer.from(text, 'latin1');

async function taken(now: string | Buffer, edits: PastEdit[], backups: string[] = []): Promise<TakenOut> {
  const found = await takeOut(typeof now === 'string' ? bytes(now) : now, edits, () => backups.map(bytes));
  assert.ok(typeof found !== 'string', found as string);
  return found;
}

async function exactly(now: string, edits: PastEdit[], backups?: string[]): Promise<string | undefined> {
  const { before, isExact } = await taken(now, edits, backups);
  assert.ok(isExact);
  return before?.toString('latin1');
}

const refused = async (now: string | undefined, edits: PastEdit[], backups: string[] = []) => {
  const found = await takeOut(now === undefined ? undefined : bytes(now), edits, () => backups.map(bytes));
  return typeof found === 'string' ? found : assert.fail(JSON.stringify(found));
};

describe('edits taken out of a file', () => {
  it('leave what it was before the first of them', async () => {
    const edits = [edit('one\ntwo\n', 'one', '1'), edit('1\ntwo\n', 'two', '2')];
    assert.equal(await exactly('1\n2\n', edits), 'one\ntwo\n');
  });

  it('leave tabs, which the CLI’s patch shows as spaces', async () => {
    const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-    one', '+    1'] }];
    assert.equal(await exactly('\t\t1\n', [edit('\t\tone\n', 'one', '1', { patch })]), '\t\tone\n');
  });

  it('leave what looks like a pattern of a replacement', async () => {
    assert.equal(await exactly('$& $1 b\n', [edit('a b\n', 'a', '$& $1')]), 'a b\n');
  });

  it('are known by all that they have replaced', async () => {
    const all = edit('a b a\n', 'a', 'x', { replacements: [{ from: 'a', to: 'x', isAll: true }] });
    assert.equal(await exactly('x b x\n', [all]), 'a b a\n');
    const several = edit('a b\n', '', '', {
      replacements: [
        { from: 'a', to: 'b', isAll: false },
        { from: 'b b', to: 'c', isAll: false },
      ],
    });
    assert.equal(await exactly('c\n', [several]), 'a b\n');
  });

  it('are known where they have deleted a line with its end, and where without', async () => {
    assert.equal(await exactly('b\n', [edit('a\nb\n', 'a', '')]), 'a\nb\n');
    assert.equal(await exactly(' b\n', [edit('a b\n', 'a', '')]), 'a b\n');
  });

  it('are known where one of many has deleted lines, without an attempt at all the ways in which it may have', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `line ${index};`);
    const replacements = names.map((from) => ({ from, to: '', isAll: false }));
    const before = `${names.join('\n')}\nlast\n`;
    assert.equal(await exactly('last\n', [edit(before, '', '', { replacements })]), before);
    assert.equal(await exactly(`${'\n'.repeat(40)}last\n`, [edit(before, '', '', { replacements })]), before);
  });

  it('leave no file where it was new', async () => {
    const { before, isExact, isLossy } = await taken('new\n', [write(null, 'new\n')]);
    assert.deepEqual([before, isExact, isLossy], [undefined, true, false]);
    assert.equal(await exactly('newer\n', [write(null, 'new\n'), edit('new\n', 'new', 'newer')]), undefined);
  });

  it('leave an empty file where the CLI has kept one', async () => {
    assert.equal(await exactly('new\n', [write(null, 'new\n')], ['']), '');
  });

  it('name what others have written into a new file, which goes with it', async () => {
    const edits = [write(null, 'one\ntwo\nthree\n')];
    const { before, isExact, isLossy } = await taken('one\ntwo\nthree\nmine\n', edits);
    assert.deepEqual([before, isExact, isLossy], [undefined, false, true]);
    assert.equal(await refused('quite another\nfile\n', edits), 'it looks otherwise now');
  });

  it('leave what others have written since', async () => {
    const edits = [edit('one\n\nthree\n\nfive\n', 'one', '1'), edit('1\n\nthree\n\nfive\n', 'five', '5')];
    const { before, isExact } = await taken('1\n\nmine\n\n5\n', edits);
    assert.deepEqual([before?.toString(), isExact], ['one\n\nmine\n\nfive\n', false]);
  });

  it('leave what others have written between them', async () => {
    const edits = [edit('one\n\nthree\n', 'one', '1'), edit('1\n\nmine\n', 'mine', 'MINE')];
    const { before, isExact } = await taken('1\n\nMINE\n', edits);
    assert.deepEqual([before?.toString(), isExact], ['one\n\nmine\n', false]);
  });

  it('are left where somebody has written over them, and the others taken', async () => {
    const edits = [edit('one\n\nthree\n', 'one', '1'), edit('1\n\nthree\n', 'three', '3')];
    const found = await taken('1\n\nmine\n', edits);
    assert.equal(found.before?.toString(), 'one\n\nmine\n');
    assert.deepEqual(found.edits, [edits[0]]);
    assert.equal(await refused('mine\n\nmine\n', edits), 'it looks otherwise now');
  });

  it('are not looked for in a file that is gone, nor in one that is no text', async () => {
    assert.match(await refused(undefined, [write(null, 'a\n')]), /no longer there/);
    assert.match(await refused('\xff\x80', [write(null, 'a\n')]), /not a text/);
  });

  describe('leave every byte', () => {
    const utf8 = (text: string) => Buffer.from(text).toString('latin1');
    const wide = (text: string) => Buffer.from(text, 'utf16le').toString('latin1');

    it('of CRLF, where the file has nothing else', async () => {
      assert.equal(await exactly('1\r\ntwo\r\n', [edit('one\ntwo\n', 'one', '1')]), 'one\r\ntwo\r\n');
    });

    it('of a byte order mark, and of what is not ASCII', async () => {
      const [before, now] = ['\uFEFFone é\n', '\uFEFF1 é\n'];
      assert.equal(await exactly(utf8(now), [edit(before, 'one', '1')]), utf8(before));
    });

    it('of a line end that is a CR alone', async () => {
      assert.equal(await exactly('1\rtwo\n', [edit('one\rtwo\n', 'one', '1')]), 'one\rtwo\n');
    });

    it('of a last line without an end', async () => {
      assert.equal(await exactly('1\ntwo', [edit('one\ntwo', 'one', '1')]), 'one\ntwo');
    });

    it('by what the CLI has kept, where its record does not say them', async () => {
      const mixed = 'one\r\ntwo\nthree\n';
      const latin = 'one \xe9\n';
      assert.equal(
        await exactly('1\ntwo\nthree\n', [edit('one\ntwo\nthree\n', 'one', '1')], ['x', mixed]),
        mixed,
      );
      assert.equal(await exactly('1\n', [write('one\n', '1\n')], ['one\r\n']), 'one\r\n');
      const [before, now] = ['\uFEFFone\r\n', '\uFEFF1\r\n'].map(wide) as [string, string];
      assert.equal(await exactly(now, [edit('\uFEFFone\n', 'one', '1')], [before]), before);
      assert.equal(await exactly('1\n', [edit(undefined, 'one', '1')], [latin, 'one\n']), 'one\n');
    });

    it('by the record of a CLI that had written them down', async () => {
      const edits = [write('one\r\ntwo\n', '1\n', { version: '2.0.77' })];
      assert.equal(await exactly('1\n', edits), 'one\r\ntwo\n');
      assert.equal(await exactly('1\r\n', [write('one\n', '1\n', { version: '2.0.77' })]), 'one\r\n');
    });

    it('or nothing at all', async () => {
      const lineEnds = 'its line ends from before are not known';
      assert.equal(await refused('1\n', [write('one\n', '1\n')]), lineEnds);
      const written = [edit('a\n', 'a', 'b'), write('b\n', '1\n')];
      assert.equal(await refused('1\n', written), lineEnds);
      assert.equal(await refused('1\r\n\r\nmine\n', [edit('one\n\n\n', 'one', '1')]), lineEnds);
      assert.equal(await refused(wide('\uFEFF1\n'), [edit('\uFEFFone\n', 'one', '1')]), lineEnds);
      const lost = edit('one \uFFFD\n', 'one', '1');
      assert.equal(await refused(utf8('1 \uFFFD\n'), [lost]), 'its encoding from before is not known');
    });
  });

  describe('of which the record leaves out what the file was', () => {
    const patch = [{ oldStart: 2, oldLines: 1, newStart: 2, newLines: 1, lines: ['-one', '+1'] }];

    it('are taken out where what they put in is there once, on its line', async () => {
      assert.equal(await exactly('a\n1\n', [edit(undefined, 'one', '1', { patch })]), 'a\none\n');
    });

    it('are left where it is there twice, on another line, or not at all', async () => {
      for (const now of ['a\n1 1\n', '1\na\n', 'a\nb\n']) {
        assert.equal(await refused(now, [edit(undefined, 'one', '1', { patch })]), 'it looks otherwise now');
      }
    });

    it('are left where the whole text was written', async () => {
      assert.equal(
        await refused('1\n', [{ ...write('', '1\n'), before: undefined }]),
        'it looks otherwise now',
      );
    });
  });

  it('has others have their turn, however many there are', async () => {
    const filler = 'some line of a file\n'.repeat(2_000);
    const edits = Array.from({ length: 3_000 }, (_, index) =>
      edit(`${index}\n${filler}`, `${index}\n`, `${index + 1}\n`),
    );
    let longest = 0;
    // Its own time: others may be at work on this machine.
    const worked = () => process.cpuUsage().user / 1_000;
    let last = worked();
    const timer = setInterval(() => {
      longest = Math.max(longest, worked() - last);
      last = worked();
    }, 1);
    try {
      assert.equal(await exactly(`3000\n${filler}`, edits), `0\n${filler}`);
    } finally {
      clearInterval(timer);
    }
    assert.ok(longest < 200, `${longest} ms`);
  });

  for (const version of versions) {
    it(`is what ${version} writes down of a whole file, and of a notebook`, async () => {
      const entries = editLines(version).flatMap((line) => parseEntry(Buffer.from(line)) ?? []);
      const edits = entries.flatMap((entry): PastEdit[] =>
        entry.kind === 'results'
          ? entry.results.flatMap(({ edit: found }) => (found ? [{ ...base, ...found, version }] : []))
          : [],
      );
      for (const each of edits) {
        const after = each.after ?? (each.before ?? '').replace('all', 'quite');
        const kept = typeof each.before === 'string' && version === '2.1.330' ? [each.before] : [];
        if (each.before === undefined) {
          assert.equal(await refused(after, [each]), 'it looks otherwise now'); // 1.0 does not write it down
        } else {
          assert.equal(await exactly(after, [each], kept), each.before);
        }
      }
      assert.equal(edits.length, 2);
    });
  }
});
