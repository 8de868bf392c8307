import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ChangeReview } from '../../../src/changes/changeReview.ts';
import { lossOf } from '../../../src/changes/loss.ts';
import { Changes } from '../../../src/changes/changes.ts';
import { ChangeSets } from '../../../src/changes/changeSets.ts';
import { UnwatchedEdits } from '../../../src/changes/unwatchedEdits.ts';
import type { PastEdit } from '../../../src/records/events.ts';
import { Records } from '../../../src/records/records.ts';
import { slugOf } from '../../../src/records/transcriptPlace.ts';
import { replaceFile } from '../../../src/server/replaceFile.ts';
import type { Session } from '../../../src/server/session.ts';
import { FakeEditor } from '../../support/fakeEditor.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { RecordedCli } from '../../support/recordedCli.ts';
import { until } from '../../support/until.ts';

/** ms after which what a transcript lags behind has come */
const settled = 3_000;

describe('edits that nobody watched', () => {
  let root: string;
  let folder: string;
  let config: string;
  let log: MemoryLog;
  let sets: ChangeSets;
  let changes: Changes;
  let review: ChangeReview;
  let unwatched: UnwatchedEdits;
  let isAllowed: boolean;
  let announces: boolean;
  let cli: RecordedCli;
  let limits: { files: number; totalBytes: number; fileBytes: number };

  beforeEach(async () => {
    root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'ide-bridge-unwatched-')));
    folder = join(root, 'project');
    config = join(root, 'config');
    fs.mkdirSync(folder);
    limits = { files: 1_000, totalBytes: 10_000_000, fileBytes: 1_000_000 };
    isAllowed = true;
    announces = true;
    cli = ended();
    open();
    await look(ago(60)); // the first time, in which nothing is looked for
    reload();
  });
  afterEach(() => {
    close();
    fs.rmSync(root, { recursive: true, force: true });
  });

  /** Seconds before now, in ms since the epoch. */
  const ago = (seconds: number) => Date.now() - settled - seconds * 1_000;

  function open(): void {
    log = new MemoryLog();
    sets = new ChangeSets({ dir: join(root, 'changes'), limits: () => limits, isAlive: isMine, log });
    changes = new Changes(sets, log);
    review = new ChangeReview(sets, changes, new FakeEditor());
    unwatched = new UnwatchedEdits({
      file: join(root, 'watched.json'),
      limits: () => limits,
      sets,
      review,
      changes,
      configDir: config,
      isAllowed: () => isAllowed,
      announces: () => announces,
      pathOf: (path) => path,
      log,
    });
  }

  function close(): void {
    unwatched.dispose();
    changes.dispose();
    sets.dispose();
  }

  function reload(): void {
    close();
    open();
  }

  const isMine = (pid: number) => pid === process.pid;
  const look = (before = ago(0)) => unwatched.ofFolders([folder], before);
  const path = (name: string) => join(folder, name);

  function ended(cwd = folder): RecordedCli {
    const recorded = new RecordedCli(config, cwd, 4711);
    recorded.time = ago(30);
    recorded.prompt('mend it\nall of it');
    return recorded;
  }

  /** The file and its record. */
  function edits(name: string, before: string, now: string, by = cli, agent?: string): void {
    fs.writeFileSync(path(name), now);
    by.edited(path(name), before, [before, now], agent === undefined ? {} : { agent });
  }

  const listed = () =>
    sets.all.flatMap(({ label, snapshots }) =>
      [...snapshots.values()].map(
        ({ path: each, source }) => `${label}: ${each.slice(folder.length + 1)} ${source}`,
      ),
    );
  const before = (name: string) => {
    const [entry] = sets.ofPath(path(name));
    assert.ok(entry, `${name} is not listed: ${log.lines.join('\n')}`);
    return sets.before(entry.snapshot)?.toString();
  };

  describe('of a session that has ended', () => {
    it('are listed with the text from before, under the words with which it began', async () => {
      edits('a.txt', 'one\n', '1\n');
      cli.wrote(path('new.txt'), 'new\n');
      fs.writeFileSync(path('new.txt'), 'new\n');
      await look();
      assert.deepEqual(listed(), [
        'Ended session · mend it: a.txt recorded',
        'Ended session · mend it: new.txt recorded',
      ]);
      assert.equal(before('a.txt'), 'one\n');
      assert.equal(before('new.txt'), undefined);
      assert.deepEqual(
        changes.all.map(({ comparison }) => comparison.kind),
        ['modified', 'created'],
      );
      assert.equal(sets.all[0]?.pid, undefined);
    });

    it('are listed soon where the clock was put back while the window opened', async () => {
      edits('a.txt', 'one\n', '1\n');
      await look(Date.now() + 3_600_000);
      assert.deepEqual(listed(), ['Ended session · mend it: a.txt recorded']);
    });

    it('are listed again after a reload, once', async () => {
      edits('a.txt', 'one\n', '1\n');
      await look();
      reload();
      await look();
      assert.deepEqual(listed(), ['Ended session · mend it: a.txt recorded']);
      assert.equal(before('a.txt'), 'one\n');
    });

    it('are not listed again once they are kept, reverted, or so by hand', async () => {
      for (const name of ['kept.txt', 'reverted.txt', 'byHand.txt']) {
        edits(name, 'one\n', '1\n');
      }
      await look();
      review.keep([path('kept.txt')]);
      const [entry] = sets.ofPath(path('reverted.txt'));
      assert.ok(entry);
      await review.revert(entry);
      fs.writeFileSync(path('byHand.txt'), 'one\n');
      review.didSave(path('byHand.txt'));
      fs.rmSync(join(root, 'watched.json')); // as if the window had crashed before
      replaceFile(join(root, 'watched.json'), JSON.stringify({ version: 1, lookedAt: ago(60), until: {} }));
      open();
      await look();
      assert.deepEqual(listed(), []);
    });

    it('count by its sub-agents, whose session was silent by then', async () => {
      cli.edited(path('early.txt'), 'one\n', ['one', '1']);
      const transcript = join(config, 'projects', slugOf(folder).name, `${cli.sessionId}.jsonl`);
      fs.utimesSync(transcript, ago(70) / 1_000, ago(70) / 1_000);
      edits('a.txt', 'one\n', '1\n', cli, 'a1b2');
      await look();
      assert.deepEqual(listed(), ['Ended session · mend it: a.txt recorded']);
    });

    it('count in a folder below, and not in one whose name is written alike', async () => {
      fs.mkdirSync(path('packages'));
      fs.mkdirSync(`${folder}-packages`);
      edits('packages/a.txt', 'one\n', '1\n', ended(path('packages')));
      edits('b.txt', 'one\n', '1\n', ended(`${folder}-packages`));
      await look();
      assert.deepEqual(listed(), ['Ended session · mend it: packages/a.txt recorded']);
    });

    it('are not listed where they failed, were written by the user, or are no longer there', async () => {
      cli.call('Edit', { file_path: path('failed.txt') });
      cli.result('String to replace not found');
      fs.writeFileSync(path('failed.txt'), 'a\n');
      edits('later.txt', 'one\n', '1\n');
      fs.writeFileSync(path('later.txt'), 'mine\n');
      edits('gone.txt', 'one\n', '1\n');
      fs.rmSync(path('gone.txt'));
      await look();
      assert.deepEqual(listed(), []);
      assert.match(log.lines.join('\n'), /later\.txt is not listed.*looks otherwise now/);
      assert.match(log.lines.join('\n'), /gone\.txt is not listed.*no longer there/);
    });

    it('are not listed where the user has seen them, and changed what was proposed', async () => {
      fs.writeFileSync(path('a.txt'), '1 and mine\n');
      cli.edited(path('a.txt'), 'one\n', ['one', '1'], { userModified: true });
      await look();
      assert.deepEqual(listed(), []);
    });

    it('leave what the user has written since, and say so', async () => {
      edits('a.txt', 'one\n\nthree\n', '1\n\nthree\n');
      fs.writeFileSync(path('a.txt'), '1\n\nthree\nmine\n');
      await look();
      assert.deepEqual(listed(), ['Ended session · mend it: a.txt rebuilt']);
      assert.equal(before('a.txt'), 'one\n\nthree\nmine\n');
    });

    it('give every byte back by what the CLI has kept', async () => {
      fs.writeFileSync(path('a.txt'), 'new\n');
      cli.keep(path('a.txt'), Buffer.from('one\r\ntwo\n'));
      cli.wrote(path('a.txt'), 'new\n', 'one\ntwo\n');
      await look();
      assert.equal(before('a.txt'), 'one\r\ntwo\n');
    });

    it('know the turn of each, and the files all their turns', async () => {
      edits('a.txt', 'one\n', '1\n');
      cli.time = ago(20);
      cli.prompt('and another');
      edits('a.txt', '1\n', '2\n');
      edits('b.txt', 'one\n', '1\n');
      cli.time = ago(10);
      cli.prompt('<task-notification>\n<task-id>x</task-id>');
      edits('b.txt', '1\n', '2\n');
      await look();
      const turns = (name: string) => sets.ofPath(path(name))[0]?.snapshot.turns?.map(({ prompt }) => prompt);
      assert.deepEqual(turns('a.txt'), ['mend it', 'and another']);
      assert.deepEqual(turns('b.txt'), ['and another', '']);
      reload();
      assert.deepEqual(turns('a.txt'), ['mend it', 'and another']);
    });

    it('are those of many files and bounded by what may be kept', async () => {
      limits.fileBytes = 1_000;
      edits('large.txt', 'one\n', `1${'x'.repeat(2_000)}\n`);
      for (let index = 0; index < 300; index++) {
        edits(`${index}.txt`, `one ${index}\n`, `1 ${index}\n`);
      }
      await look();
      assert.equal(listed().length, 300);
      assert.match(log.lines.join('\n'), /large\.txt is not listed.*too large/);
    });

    it('are not looked for from a moment when the user did not want that', async () => {
      edits('a.txt', 'one\n', '1\n');
      isAllowed = false;
      await look();
      assert.deepEqual(listed(), []);
      isAllowed = true;
      await look();
      assert.deepEqual(listed(), ['Ended session · mend it: a.txt recorded']);
    });

    it('are not those from before this folder was opened for the first time', async () => {
      edits('a.txt', 'one\n', '1\n');
      fs.rmSync(join(root, 'watched.json'));
      open();
      await look();
      assert.deepEqual(listed(), []);
      cli.time = ago(-1);
      edits('b.txt', 'one\n', '1\n');
      reload();
      await look(ago(-2));
      assert.deepEqual(listed(), ['Ended session · mend it: b.txt recorded']);
    });

    it('are not those of which an agent of the editor has told, though they are written down after that', async () => {
      edits('a.txt', 'one\n', '1\n');
      unwatched.didEdit(cli.sessionId);
      cli.time = Date.now() + 50;
      edits('b.txt', 'one\n', '1\n');
      reload();
      await look(Date.now() + 1_000);
      assert.deepEqual(listed(), []);
      cli.time = Date.now() + 3_000;
      edits('c.txt', 'one\n', '1\n');
      await look(Date.now() + 4_000);
      assert.deepEqual(listed(), ['Ended session · mend it: c.txt recorded']);
    });

    it('are listed beside what another session has changed there, and reverted one after the other', async () => {
      const other = { id: 2, pid: process.pid, label: 'Claude 2' };
      edits('a.txt', 'one\n\nthree\n', '1\n\nthree\n');
      review.willEdit(other, path('a.txt'));
      fs.writeFileSync(path('a.txt'), '1\n\n3\n');
      await look();
      assert.deepEqual(listed(), ['Claude 2: a.txt announced', 'Ended session · mend it: a.txt recorded']);
      const [first, second] = sets.ofPath(path('a.txt'));
      assert.ok(first && second);
      assert.equal(second.set.label, 'Claude 2');
      assert.deepEqual(lossOf({ sets, editor: new FakeEditor() }, first).later, [second.set]);
      await review.revert(second);
      assert.equal(fs.readFileSync(path('a.txt'), 'utf8'), '1\n\nthree\n');
      assert.deepEqual(listed(), ['Ended session · mend it: a.txt recorded']);
      await review.revert(first);
      assert.equal(fs.readFileSync(path('a.txt'), 'utf8'), 'one\n\nthree\n');
    });

    it('are told apart where two have edited a file, one after the other', async () => {
      edits('a.txt', 'one\n', '1\n');
      const second = ended();
      second.time = ago(20);
      edits('a.txt', '1\n', '2\n', second);
      await look();
      const [older, newer] = sets
        .ofPath(path('a.txt'))
        .map(({ snapshot }) => sets.before(snapshot)?.toString());
      assert.deepEqual([older, newer], ['one\n', '1\n']);
      reload();
      assert.deepEqual(
        sets.ofPath(path('a.txt')).map(({ snapshot }) => sets.before(snapshot)?.toString()),
        ['one\n', '1\n'],
      );
    });
  });

  describe('of a session that connects', () => {
    let records: Records;

    beforeEach(() => {
      records = new Records({ configDir: config, log: console });
      records.start();
    });
    afterEach(() => {
      cli.removeSessionFile();
      records.dispose();
    });

    /** One that runs, and was started so many seconds ago. */
    function running(seconds: number): RecordedCli {
      cli = new RecordedCli(config, folder, process.pid, '2.1.330', ago(seconds));
      cli.time = ago(30);
      cli.is('idle');
      cli.prompt('go on');
      return cli;
    }

    async function connect(connectedAt = ago(5)): Promise<{ session: Session; done: () => Promise<void> }> {
      const recorded = records.attach({ pid: process.pid, cwd: folder, version: '2.1.330' });
      await recorded.ready;
      await recorded.refresh();
      const session = { id: 1, pid: process.pid, label: 'Claude 1', connectedAt, lastUsed: 0, isOpen: true };
      const known = session as unknown as Session;
      const done = () => unwatched.ofSession(known, recorded);
      await done();
      return {
        session: known,
        done: async () => {
          session.lastUsed = Date.now();
          session.isOpen = false;
          recorded.dispose();
          await unwatched.ofSession(known, undefined);
        },
      };
    }

    it('are listed as its own', async () => {
      running(40);
      edits('a.txt', 'one\n', '1\n');
      await connect();
      assert.deepEqual(listed(), ['Claude 1: a.txt recorded']);
      assert.equal(before('a.txt'), 'one\n');
    });

    it('are not those from before its process began, as of a conversation that was resumed', async () => {
      running(25);
      cli.time = ago(30);
      edits('old.txt', 'one\n', '1\n');
      cli.time = ago(20);
      edits('new.txt', 'one\n', '1\n');
      await connect();
      assert.deepEqual(listed(), ['Claude 1: new.txt recorded']);
    });

    it('are not those that it has announced, as one that was accepted since', async () => {
      running(40);
      cli.time = ago(2);
      edits('accepted.txt', 'one\n', '1\n');
      await connect();
      assert.deepEqual(listed(), []);
    });

    it('are those alone that it has made while it was away', async () => {
      running(40);
      cli.time = Date.now();
      const { done } = await connect(ago(35));
      edits('watched.txt', 'one\n', '1\n');
      await done();
      await until('another millisecond', () => Date.now() > (cli.time ?? 0) + 1);
      cli.time = Date.now() + 10;
      edits('away.txt', 'one\n', '1\n');
      reload();
      await connect(Date.now() + 20);
      assert.deepEqual(listed(), ['Claude 1: away.txt recorded']);
    });

    it('make what an announced edit is compared with older', async () => {
      running(40);
      edits('a.txt', 'one\n\nthree\n', '1\n\nthree\n');
      const author = { id: 1, pid: process.pid, label: 'Claude 1' };
      review.willEdit(author, path('a.txt'));
      fs.writeFileSync(path('a.txt'), '1\n\n3\n');
      await connect();
      assert.deepEqual(listed(), ['Claude 1: a.txt announced']);
      assert.equal(before('a.txt'), 'one\n\nthree\n');
    });

    it('say of a file that it has made, and announced later, what others have written into it', async () => {
      running(60);
      cli.wrote(path('new.txt'), 'one\ntwo\n');
      fs.writeFileSync(path('new.txt'), 'one\ntwo\nmine\n');
      const author = { id: 1, pid: process.pid, label: 'Claude 1' };
      review.willEdit(author, path('new.txt'));
      fs.writeFileSync(path('new.txt'), 'one\n2\nmine\n');
      await connect();
      const [entry] = sets.ofPath(path('new.txt'));
      assert.ok(entry);
      assert.equal(before('new.txt'), undefined);
      assert.equal(entry.snapshot.source, 'rebuilt');
      assert.ok(lossOf({ sets, editor: new FakeEditor() }, entry).isSaved);
    });

    it('leave what an announced edit is compared with, where that is older', async () => {
      running(40);
      fs.writeFileSync(path('a.txt'), 'zero\n');
      const author = { id: 1, pid: process.pid, label: 'Claude 1' };
      review.willEdit(author, path('a.txt'));
      cli.time = Date.now() + 10;
      edits('a.txt', 'one\n', '1\n');
      await connect(Date.now() + 20);
      assert.equal(before('a.txt'), 'zero\n');
    });

    it('go on in the list that was found when the window opened', async () => {
      running(40);
      edits('a.txt', 'one\n', '1\n');
      await look();
      assert.deepEqual(listed(), ['Session · go on: a.txt recorded']);
      await connect();
      assert.deepEqual(listed(), ['Claude 1: a.txt recorded']);
    });

    it('go on in the list of an ended one whose conversation it resumes', async () => {
      edits('a.txt', 'one\n', '1\n');
      await look();
      const { sessionId } = cli;
      running(25);
      Object.assign(cli, { sessionId });
      cli.is('idle');
      await connect();
      assert.deepEqual(listed(), ['Claude 1: a.txt recorded']);
      assert.equal(sets.all[0]?.pid, process.pid);
    });

    it('name the turns of what it changes from then on', async () => {
      running(40);
      const { session } = await connect();
      review.willEdit(session, path('a.txt'));
      fs.writeFileSync(path('a.txt'), '1\n');
      const edit = { toolUseId: 'x', at: 1, filePath: path('a.txt'), before: null, after: '1\n', patch: [] };
      const turn = {
        id: 't',
        prompt: 'go on\nwith it',
        begun: 5,
        isInterrupted: false,
        files: [],
        toolUses: [],
      };
      const recorded = { ...edit, replacements: [], isUserModified: false };
      await unwatched.note({ session, edit: recorded, turn, conversation: cli.sessionId });
      assert.deepEqual(sets.ofPath(path('a.txt'))[0]?.snapshot.turns, [
        { id: 't', prompt: 'go on', begun: 5 },
      ]);
    });

    describe('and does not announce, as after it has come back', () => {
      let told = 0;

      /** Its record tells of an edit. @param from what of the text from before, if there was a file, became `to` */
      function tells(session: Session, name: string, text: string | null, from: string, to: string) {
        return text === null
          ? writes(session, name, text, to)
          : tell(session, name, { before: text, replacements: [{ from, to, isAll: false }] });
      }

      /** Its record tells that it has written a whole file. */
      function writes(session: Session, name: string, text: string | null, now: string) {
        return tell(session, name, { before: text, after: now });
      }

      async function tell(session: Session, name: string, what: Partial<PastEdit>): Promise<void> {
        const at = (told = Math.max(Date.now(), told + 1));
        const edit = {
          toolUseId: `tool ${at}`,
          at,
          filePath: path(name),
          before: undefined,
          after: undefined,
          replacements: [],
          patch: [],
          isUserModified: false,
          version: '2.1.330',
          ...what,
        };
        const turn = {
          id: 't',
          prompt: 'go on',
          begun: at - 5,
          isInterrupted: false,
          files: [],
          toolUses: [],
        };
        await unwatched.note({ session, edit, turn, conversation: cli.sessionId });
      }

      /** What it edits now, as its record tells. */
      async function editsNow(session: Session, name: string, text: string, now: string): Promise<void> {
        cli.time = Date.now();
        edits(name, text, now);
        await tells(session, name, text, text, now);
      }

      beforeEach(() => {
        announces = false;
        told = 0;
      });

      it('are listed as they come, with their turn', async () => {
        running(40);
        const { session } = await connect();
        const found: string[] = [];
        review.onDidFindEdit(({ author, path: each }) => found.push(`${author.label}: ${each}`));
        await editsNow(session, 'a.txt', 'one\n', '1\n');
        assert.deepEqual(listed(), ['Claude 1: a.txt told']);
        assert.equal(before('a.txt'), 'one\n');
        assert.deepEqual(
          sets.ofPath(path('a.txt'))[0]?.snapshot.turns?.map(({ id }) => id),
          ['t'],
        );
        assert.deepEqual(found, [`Claude 1: ${path('a.txt')}`]);
      });

      it('are listed that came before its record was known', async () => {
        running(40);
        cli.time = ago(2);
        edits('a.txt', 'one\n', '1\n');
        await connect();
        assert.deepEqual(listed(), ['Claude 1: a.txt told']);
      });

      it('are not those that the user has accepted, and are those after them, also after a reload', async () => {
        running(40);
        const { session, done } = await connect();
        unwatched.didAccept(session, path('a.txt'));
        await editsNow(session, 'a.txt', 'one\n', '1\n');
        assert.deepEqual(listed(), []);
        await editsNow(session, 'b.txt', 'one\n', '1\n');
        Object.assign(session, { lastUsed: 0 });
        unwatched.dispose();
        reload();
        await look(Date.now() + 1_000);
        assert.deepEqual(listed(), ['Claude 1: b.txt told']);
        await done();
      });

      it('are compared with what was kept', async () => {
        running(40);
        const { session } = await connect();
        await editsNow(session, 'a.txt', 'one\n', '1\n');
        review.keep([path('a.txt')]);
        await until('another millisecond', () => Date.now() > (sets.history.entries.at(-1)?.at ?? 0) + 1);
        await editsNow(session, 'a.txt', '1\n', '2\n');
        assert.equal(before('a.txt'), '1\n');
      });

      for (const [what, text, edited, steps] of [
        [
          'apart',
          'one\n\n\n\nfive\n',
          '1\n\n\n\n5\n',
          [
            ['one', '1'],
            ['five', '5'],
          ],
        ],
        [
          'of one line',
          'one\n',
          'three\n',
          [
            ['one', 'two'],
            ['two', 'three'],
          ],
        ],
        [
          'of a file that it has made',
          null,
          'a\nb\nX\n',
          [
            ['', 'a\nb\nc\n'],
            ['c', 'X'],
          ],
        ],
      ] as const) {
        for (const when of ['at once', 'one after the other']) {
          it(`are listed with all of them where two are on the disk already, ${what}, told ${when}`, async () => {
            running(40);
            const { session } = await connect();
            fs.writeFileSync(path('a.txt'), edited);
            let now: string | null = text;
            const telling = [];
            for (const [from, to] of steps) {
              telling.push(tells(session, 'a.txt', now, from, to));
              now = now === null ? to : now.replace(from, to);
              await (when === 'at once' ? undefined : telling.at(-1));
            }
            await Promise.all(telling);
            assert.deepEqual(listed(), ['Claude 1: a.txt told']);
            assert.equal(before('a.txt'), text ?? undefined);
          });
        }
      }

      it('are listed as they were before where a formatter has run since, and a revert says what goes', async () => {
        running(40);
        const { session } = await connect();
        fs.writeFileSync(path('a.ts'), '\uFEFFconst a = 2;\r\nfoo();\r\n');
        await tells(session, 'a.ts', '\uFEFFconst a=1\nfoo()\n', 'a=1', 'a=2');
        fs.writeFileSync(path('new.ts'), 'let x = 1;\n');
        await tells(session, 'new.ts', null, '', 'let x=1\n');
        assert.deepEqual(listed(), ['Claude 1: a.ts told', 'Claude 1: new.ts told']);
        assert.equal(before('a.ts'), '\uFEFFconst a=1\r\nfoo()\r\n');
        assert.equal(before('new.ts'), undefined);
        const [entry] = sets.ofPath(path('a.ts'));
        assert.ok(entry && lossOf({ sets, editor: new FakeEditor() }, entry).isSaved);
      });

      it('are not listed where a formatter has run since and nobody knows the bytes from before', async () => {
        running(40);
        const { session } = await connect();
        for (const [name, text] of Object.entries({
          'latin.ts': 'const \xe9 = 2;\n',
          'mixed.ts': 'a = 2;\r\nb;\n',
        })) {
          fs.writeFileSync(path(name), text, 'latin1');
          await tells(session, name, 'a=1\nb\n', 'a=1', 'a=2');
        }
        assert.deepEqual(listed(), []);
      });

      it('are listed that came just before a reload, after which it has called', async () => {
        running(40);
        const { session } = await connect();
        cli.time = Date.now();
        edits('a.txt', 'one\n', '1\n');
        Object.assign(session, { lastUsed: Date.now() + 50 });
        reload();
        await connect(Date.now() + 500);
        assert.deepEqual(listed(), ['Claude 1: a.txt recorded']);
      });

      it('are listed beside what was accepted of another in that file meanwhile', async () => {
        running(40);
        const { session } = await connect();
        fs.writeFileSync(path('a.txt'), '1\n\n\n\nfive\n');
        const told = tells(session, 'a.txt', 'one\n\n\n\nfive\n', 'one', '1');
        const other = { id: 2, pid: process.ppid, label: 'Other' };
        await until('another millisecond', () => Date.now() > (cli.time ?? 0) + 2);
        review.didAccept(other, path('a.txt'), '1\n\n\n\n5\n');
        review.willEdit(other, path('a.txt'));
        fs.writeFileSync(path('a.txt'), '1\n\n\n\n5\n');
        review.takeAccepted(path('a.txt'));
        await told;
        assert.ok(listed().includes('Claude 1: a.txt told'), String(listed()));
      });

      it('are listed as they were before where a formatter has run over a part of them', async () => {
        running(40);
        const { session } = await connect();
        fs.writeFileSync(path('a.ts'), 'a = 9;\nb\nc\nd = 5\n');
        await tells(session, 'a.ts', 'a=1\nb\nc\nd = 4\n', 'a=1\nb\nc\nd = 4', 'a=9\nb\nc\nd = 5');
        fs.writeFileSync(path('w.ts'), 'a = 9;\nb\nc\nd = 5\n');
        await writes(session, 'w.ts', 'a = 1\nb\nc\nd = 4\n', 'a=9\nb\nc\nd = 5\n');
        assert.deepEqual(listed(), ['Claude 1: a.ts told', 'Claude 1: w.ts told']);
        assert.equal(before('a.ts'), 'a=1\nb\nc\nd = 4\n');
        assert.equal(before('w.ts'), 'a = 1\nb\nc\nd = 4\n');
      });

      it('are listed where the CLI has kept no copy of what it has written over, and a revert says what goes', async () => {
        running(40);
        const { session } = await connect();
        fs.writeFileSync(path('a.txt'), '1\n');
        await writes(session, 'a.txt', 'one\n', '1\n');
        assert.equal(before('a.txt'), 'one\n');
        const [entry] = sets.ofPath(path('a.txt'));
        assert.ok(entry && lossOf({ sets, editor: new FakeEditor() }, entry).isSaved);
      });

      for (const [when, later] of [
        ['just after', 1],
        ['long after', 60_000],
      ] as const) {
        it(`stay listed once another is made elsewhere in the file, ${when} a formatter has run`, async () => {
          running(40);
          const { session } = await connect();
          fs.writeFileSync(path('a.ts'), 'a = 2;\n\n\nb\n');
          await tells(session, 'a.ts', 'a=1\n\n\nb\n', 'a=1', 'a=2');
          told += later;
          fs.writeFileSync(path('a.ts'), 'a = 2;\n\n\nB\n');
          await tells(session, 'a.ts', 'a = 2;\n\n\nb\n', 'b', 'B');
          assert.equal(before('a.ts'), 'a=1\n\n\nb\n');
        });
      }

      it('are not listed again that the user has kept while the next one is looked for', async () => {
        running(40);
        const { session } = await connect();
        await editsNow(session, 'a.txt', 'one\n\n\nb\n', '1\n\n\nb\n');
        const before = limits;
        const keep = () => {
          limits = before;
          review.keep([path('a.txt')]);
          return before.fileBytes;
        };
        limits = Object.defineProperty({ ...before }, 'fileBytes', { get: keep }); // asked as the file is read
        fs.writeFileSync(path('a.txt'), '1\n\n\nB\n');
        await tells(session, 'a.txt', '1\n\n\nb\n', 'b', 'B');
        assert.deepEqual(listed(), []);
      });

      it('are compared with what the user has made of the file since the last one', async () => {
        running(40);
        const { session } = await connect();
        await editsNow(session, 'a.ts', 'one\nb=1\n', '1\nb=1\n');
        review.willSave(path('a.ts'));
        fs.writeFileSync(path('a.ts'), 'one\nb=1\n'); // undone by hand
        review.didSave(path('a.ts'));
        assert.deepEqual(listed(), []);
        fs.writeFileSync(path('a.ts'), 'one\nb = 2;\nmine\n');
        told += 60_000;
        await tells(session, 'a.ts', 'one\nb=1\nmine\n', 'b=1', 'b=2');
        assert.equal(before('a.ts'), 'one\nb=1\nmine\n');
      });
    });
  });
});
