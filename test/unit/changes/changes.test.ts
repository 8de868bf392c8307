import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Author } from '../../../src/changes/changeSet.ts';
import { ChangeReview } from '../../../src/changes/changeReview.ts';
import { type Change, Changes, leftText } from '../../../src/changes/changes.ts';
import { ChangeSets, LostSnapshot, type SnapshotLimits } from '../../../src/changes/changeSets.ts';
import type { Editor } from '../../../src/changes/editor.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { until } from '../../support/until.ts';

/** Has nothing open. */
const closedEditor: Editor = {
  unsaved: () => undefined,
  delete: async (path) => {
    rmSync(path);
    return true;
  },
};

describe('a change set', () => {
  let folder: string;
  let dir: string;
  let limits: SnapshotLimits;
  let alive: boolean;
  let log: MemoryLog;
  let sets: ChangeSets;
  let changes: Changes;
  let review: ChangeReview;

  const claude: Author = { id: 1, pid: 4711, label: 'Claude 1' };
  const other = { id: 2, pid: 4712, label: 'Claude 2' };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ide-bridge-changes-'));
    dir = join(folder, 'snapshots');
    limits = { files: 100, totalBytes: 1_000_000, fileBytes: 100_000 };
    alive = true;
    log = new MemoryLog();
    open();
  });
  afterEach(() => {
    sets.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  function open(): void {
    sets = new ChangeSets({
      dir,
      limits: () => limits,
      isAlive: () => alive,
      log,
    });
    changes = new Changes(sets, log);
    review = new ChangeReview(sets, changes, closedEditor);
  }

  function reload(): void {
    changes.dispose();
    sets.dispose();
    open();
  }

  const path = (name: string) => join(folder, name);

  /** What the CLI does: announces, and writes at once. */
  function edit(author: Author, name: string, content: string | Buffer): void {
    review.willEdit(author, path(name));
    writeFileSync(path(name), content);
  }

  /** What the user does in the editor. */
  function save(name: string, content: string): void {
    review.willSave(path(name));
    writeFileSync(path(name), content);
    review.didSave(path(name));
  }

  async function listed(): Promise<string[]> {
    await changes.refresh();
    return changes.all.map(({ set, snapshot, comparison }) => {
      const { added, removed } = comparison.lines ?? { added: '?', removed: '?' };
      return `${set.label}: ${snapshot.path.slice(folder.length + 1)} ${comparison.kind} +${added} -${removed}`;
    });
  }

  const before = () => changes.all.map(({ snapshot }) => sets.before(snapshot)?.toString());

  it('lists modified, new and deleted files with their lines', async () => {
    writeFileSync(path('a.txt'), 'one\ntwo\nthree\n');
    writeFileSync(path('gone.txt'), 'x\ny');
    edit(claude, 'a.txt', 'one\nTWO\n2.5\nthree\n');
    edit(claude, 'new.txt', 'n\n');
    sets.announce(claude, path('gone.txt'));
    unlinkSync(path('gone.txt'));
    assert.deepEqual(await listed(), [
      'Claude 1: a.txt modified +2 -1',
      'Claude 1: new.txt created +1 -0',
      'Claude 1: gone.txt deleted +0 -2',
    ]);
    assert.deepEqual(before(), ['one\ntwo\nthree\n', undefined, 'x\ny']);
  });

  it('keeps the text from before the first of several edits', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    edit(claude, 'a.txt', '2\n');
    await listed();
    assert.deepEqual(before(), ['0\n']);
  });

  it('does not list a file that is as it was', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    edit(claude, 'a.txt', '0\n');
    assert.deepEqual(await listed(), []);
  });

  it('keeps every byte, and counts no lines of binary files', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0, 1, 0xff, 13, 10, 0x80]);
    writeFileSync(path('b.bin'), bytes);
    edit(claude, 'b.bin', 'text');
    assert.deepEqual(await listed(), ['Claude 1: b.bin modified +? -?']);
    const [change] = changes.all;
    assert.ok(change);
    assert.deepEqual(sets.before(change.snapshot), bytes);
  });

  it('counts a changed line end, encoding mark or last newline as a change of that line', async () => {
    writeFileSync(path('a.txt'), 'one\ntwo\nthree\n');
    edit(claude, 'a.txt', 'one\r\ntwo\nthree');
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +2 -2']);
  });

  it('is one for each session, with the text from before its own first edit', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    edit(other, 'a.txt', '2\n');
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +1 -1', 'Claude 2: a.txt modified +1 -1']);
    assert.deepEqual(before(), ['0\n', '1\n']);
    assert.equal(changes.ofPath(path('a.txt')).length, 2);
  });

  it('is called as its session is, also after a reload', async () => {
    let calls = 0;
    edit(claude, 'a.txt', '1\n');
    edit(other, 'a.txt', '2\n');
    sets.onDidChange(() => calls++);
    sets.relabel({ ...claude, label: 'Docs' });
    assert.equal(calls, 1);
    sets.relabel({ ...claude, label: 'Docs' });
    sets.relabel({ id: 3, pid: 4713, label: 'has changed nothing' });
    assert.equal(calls, 1);
    reload();
    const labels = ['Docs: a.txt created +1 -0', 'Claude 2: a.txt modified +1 -1'];
    assert.deepEqual(await listed(), labels);
  });

  it('forgets what is kept, and starts anew with the next edit', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    review.keep([path('a.txt')]);
    assert.deepEqual(await listed(), []);
    edit(claude, 'a.txt', '2\n');
    await listed();
    assert.deepEqual(before(), ['1\n']);
  });

  it('goes on after a reload of the window, for the same process', async () => {
    writeFileSync(path('a.txt'), '0\n');
    writeFileSync(path('b.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    reload();
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +1 -1']);
    const reconnected = { ...claude, id: 7 };
    edit(reconnected, 'a.txt', '2\n');
    edit(reconnected, 'b.txt', '2\n');
    assert.equal(sets.all.length, 1);
    await listed();
    assert.deepEqual(before(), ['0\n', '0\n']);
  });

  it('stays when its process has ended, but takes in no new one of the same number', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    alive = false;
    reload();
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +1 -1']);
    edit(claude, 'b.txt', '2\n');
    assert.equal(sets.all.length, 2);
  });

  it('of an ended session goes when nothing differs any more', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '0\n');
    await changes.tidy();
    assert.equal(sets.all.length, 1);
    alive = false;
    reload();
    await changes.tidy();
    assert.equal(sets.all.length, 0);
  });

  it('of an ended session stays with what is as before, but waits on another branch or in a stash', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    writeFileSync(path('a.txt'), '0\n');
    const [snapshot] = sets.ofPath(path('a.txt')).map((entry) => entry.snapshot);
    assert.ok(snapshot);
    snapshot.away = 'branch';
    sets.saveNow();
    alive = false;
    reload();
    await changes.tidy();
    assert.deepEqual(
      sets.ofPath(path('a.txt')).map((entry) => [entry.snapshot.away, changes.hasDiffered(entry.snapshot)]),
      [['branch', true]],
    );
    writeFileSync(path('a.txt'), '1\n');
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +1 -1']);
  });

  it('is kept in files that only this user can read, one per content, deleted with the last need for them', async () => {
    for (const name of ['a.txt', 'b.txt']) {
      writeFileSync(path(name), 'equal\n');
      edit(claude, name, 'changed\n');
    }
    reload();
    const names = readdirSync(dir);
    assert.equal(names.length, 2, String(names));
    assert.deepEqual(
      names.map((name) => statSync(join(dir, name)).mode & 0o777),
      [0o600, 0o600],
    );
    assert.equal(statSync(dir).mode & 0o777, 0o700);
    review.keepAll();
    reload();
    assert.equal(readdirSync(dir).length, 2);
    sets.forgetHistory(() => true);
    assert.deepEqual(readdirSync(dir), ['index.json']);
    assert.deepEqual(sets.all, []);
  });

  it('drops the oldest beyond the limits, and says so', async () => {
    limits = { ...limits, files: 2 };
    for (const name of ['a', 'b', 'c']) {
      edit(claude, name, 'x\n');
    }
    assert.deepEqual(await listed(), ['Claude 1: b created +1 -0', 'Claude 1: c created +1 -0']);
    assert.match(sets.notice ?? '', /oldest/);

    limits = { ...limits, files: 100, totalBytes: 10 };
    writeFileSync(path('d'), 'x'.repeat(9));
    edit(claude, 'd', '');
    writeFileSync(path('e'), 'x'.repeat(9));
    edit(claude, 'e', '');
    assert.deepEqual(await listed(), ['Claude 1: e modified +0 -1']);
  });

  it('leaves out a file that is too large, and says so', async () => {
    writeFileSync(path('big'), Buffer.alloc(limits.fileBytes + 1));
    edit(claude, 'big', '');
    assert.deepEqual(await listed(), []);
    assert.match(sets.notice ?? '', /big is too large/);
  });

  it('keeps nothing where the limit is no file', async () => {
    limits = { ...limits, files: 0 };
    edit(claude, 'a.txt', 'x\n');
    assert.deepEqual(await listed(), []);
    assert.equal(sets.notice, undefined);
  });

  it('of a client that tells no process starts anew after it was kept', async () => {
    const nameless = { id: 3, pid: undefined, label: 'Client 3' };
    edit(nameless, 'a.txt', 'x\n');
    review.keepAll();
    edit(nameless, 'b.txt', 'x\n');
    assert.deepEqual(await listed(), ['Client 3: b.txt created +1 -0']);
  });

  it('is not told of a file that cannot be kept, which is not taken as new', async () => {
    writeFileSync(join(folder, 'snapshots'), 'in the way');
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    assert.deepEqual(await listed(), []);
    assert.ok(log.lines.some((line) => /cannot be kept/.test(line)));
  });

  it('does not restore what is no longer what was written', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    await listed();
    const [change] = changes.all;
    assert.ok(change?.snapshot.hash);
    writeFileSync(join(folder, 'snapshots', change.snapshot.hash), 'tampered');
    assert.throws(() => sets.before(change.snapshot), LostSnapshot);
    writeFileSync(path('a.txt'), '22\n');
    assert.deepEqual(await listed(), []);
  });

  it('keeps what can only not be read at this moment', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    alive = false;
    reload();
    unlinkSync(path('a.txt'));
    symlinkSync(path('a.txt'), path('a.txt'));
    await changes.tidy();
    unlinkSync(path('a.txt'));
    writeFileSync(path('a.txt'), '1\n');
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +1 -1']);

    const [change] = changes.all;
    assert.ok(change?.snapshot.hash);
    const bytes = join(folder, 'snapshots', change.snapshot.hash);
    renameSync(bytes, `${bytes}.aside`);
    mkdirSync(bytes);
    writeFileSync(path('a.txt'), '22\n');
    await listed();
    rmdirSync(bytes);
    renameSync(`${bytes}.aside`, bytes);
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +1 -1']);
    assert.deepEqual(before(), ['0\n']);
  });

  it('does not wait for a pipe that has taken the place of a file', async () => {
    writeFileSync(path('a.txt'), '0\n');
    sets.announce(claude, path('a.txt'));
    unlinkSync(path('a.txt'));
    execFileSync('mkfifo', [path('a.txt')]);
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +? -?']);
  });

  it('deletes the bytes of what is too old, once there is something newer', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    sets.dispose();
    const index = readFileSync(join(dir, 'index.json'), 'utf8');
    writeFileSync(join(dir, 'index.json'), index.replace(/"takenAt":\d+/, '"takenAt":1'));
    open();
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +1 -1']); // it is the clock that may be wrong
    edit(other, 'new.txt', '1\n');
    reload();
    assert.deepEqual(await listed(), ['Claude 2: new.txt created +1 -0']);
    sets.dispose();
    assert.deepEqual(readdirSync(dir), ['index.json']);
  });

  it('is rid of what was as before when the user writes the file, and of nothing else', async () => {
    writeFileSync(path('a.txt'), '0\n');
    writeFileSync(path('b.txt'), '0\n');
    edit(claude, 'a.txt', '0\n');
    edit(claude, 'b.txt', '1\n');
    await listed();
    for (const name of ['a.txt', 'b.txt']) {
      save(name, 'mine\n');
    }
    assert.deepEqual(await listed(), ['Claude 1: b.txt modified +1 -1']);
    edit(claude, 'a.txt', 'theirs\n');
    await listed();
    assert.deepEqual(before(), ['0\n', 'mine\n']);
  });

  it('has the text that the user saves between the announcement of an edit and the edit', async () => {
    writeFileSync(path('a.txt'), '0\n');
    review.willEdit(claude, path('a.txt'));
    save('a.txt', 'mine\n');
    assert.deepEqual(await listed(), []);
    writeFileSync(path('a.txt'), '1\n');
    assert.deepEqual(await listed(), ['Claude 1: a.txt modified +1 -1']);
    assert.deepEqual(before(), ['mine\n']);
  });

  it('keeps what is edited anew while the lost bytes of the edit before are looked for', async () => {
    for (const name of ['a.txt', 'b.txt']) {
      writeFileSync(path(name), `${name}\n`);
      edit(claude, name, '1\n');
    }
    edit(claude, 'new.txt', '1\n');
    rmSync(dir, { recursive: true });
    const ended = sets.onDidForget(() => {
      ended.dispose(); // a.txt is not listed any more, and b.txt comes next
      review.keep([path('b.txt')]);
      edit(claude, 'b.txt', '2\n');
    });
    await listed();
    assert.deepEqual(await listed(), ['Claude 1: new.txt created +1 -0', 'Claude 1: b.txt modified +1 -1']);
    assert.deepEqual(before(), [undefined, '1\n']);
  });

  it('says which files are kept, and forgets its notice with the last of them', () => {
    const kept: string[] = [];
    sets.onDidForget((paths) => kept.push(...paths));
    writeFileSync(path('large.txt'), 'x'.repeat(limits.fileBytes + 1));
    edit(claude, 'large.txt', '');
    edit(claude, 'a.txt', '1\n');
    assert.match(sets.notice ?? '', /too large/);
    review.keepAll();
    assert.deepEqual(kept, [path('a.txt')]);
    assert.equal(sets.notice, undefined);
  });

  it('knows a large new file for new', async () => {
    edit(claude, 'large.txt', Buffer.alloc(20 * 1024 * 1024 + 1));
    assert.deepEqual(await listed(), ['Claude 1: large.txt created +? -?']);
  });

  it('starts empty, says so in the log, and loses nothing, when the index is broken', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    reload();
    writeFileSync(join(folder, 'snapshots', 'index.json'), '{"version":2}');
    sets.dispose = () => {};
    open();
    assert.equal(sets.all.length, 0);
    assert.ok(log.lines.some((line) => /cannot be read/.test(line)));
    edit(claude, 'a.txt', '2\n');
    await listed();
    sets.dispose();
    const aside = join(folder, 'snapshots.unreadable');
    assert.equal(readFileSync(join(aside, 'index.json'), 'utf8'), '{"version":2}');
    assert.equal(readdirSync(aside).length, 2); // the file as it was is there too
  });

  it('of an earlier session is not lost when the index cannot be read for a while', async () => {
    writeFileSync(path('a.txt'), '0\n');
    edit(claude, 'a.txt', '1\n');
    sets.dispose();
    const index = join(folder, 'snapshots', 'index.json');
    renameSync(index, `${index}.aside`);
    mkdirSync(index); // to read a folder is an error that says nothing of the content
    open();
    edit(other, 'b.txt', '1\n');
    const failures = () => log.lines.filter((line) => /cannot be read/.test(line)).length;
    await until('another try', () => failures() === 2);
    rmdirSync(index);
    renameSync(`${index}.aside`, index);
    edit(other, 'c.txt', '1\n');
    reload();
    assert.deepEqual(await listed(), [
      'Claude 1: a.txt modified +1 -1',
      'Claude 2: b.txt created +1 -0',
      'Claude 2: c.txt created +1 -0',
    ]);
    assert.deepEqual(before(), ['0\n', undefined, undefined]);
  });

  it('of a newer version is not lost when it cannot be put aside', () => {
    sets.dispose();
    dir = `${dir}/`; // no folder can be moved into itself
    edit(claude, 'a.txt', '1\n');
    sets.dispose();
    const index = join(dir, 'index.json');
    writeFileSync(index, '{"version":2}');
    open();
    assert.ok(log.lines.some((line) => /stay where they were/.test(line)));
    edit(claude, 'b.txt', '1\n');
    reload();
    assert.equal(readFileSync(index, 'utf8'), '{"version":2}');
  });
});

describe('what is left to review', () => {
  const change = (path: string, hunks?: number) =>
    ({
      snapshot: { path },
      comparison: { kind: 'modified', ...(hunks && { lines: { added: hunks, removed: 0, hunks } }) },
    }) as Change;

  it('is counted in files and changes, each file once', () => {
    assert.equal(leftText([]), undefined);
    assert.equal(leftText([change('/a', 1)]), '1 file, 1 change');
    assert.equal(leftText([change('/a', 3), change('/b', 8)]), '2 files, 11 changes');
    // Two sessions: what the first has found spans the work of both.
    assert.equal(leftText([change('/a', 3), change('/a', 1)]), '1 file, 3 changes');
    // A picture, or too large to count.
    assert.equal(leftText([change('/a'), change('/b', 2)]), '2 files, 3 changes');
  });
});
