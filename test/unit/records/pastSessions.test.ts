import assert from 'node:assert/strict';
import fsModule, * as fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readPast } from '../../../src/agent/history.ts';
import { nameOf, type NameStore, setName } from '../../../src/records/pastNames.ts';
import { PastSessions } from '../../../src/records/pastSessions.ts';
import { removePast } from '../../../src/records/removePast.ts';
import { foldersOf, hasTranscript, projectFolders, slugOf } from '../../../src/records/transcriptPlace.ts';
import { cwd, fixturePath, linesOf, pastedLines, recorded, slug, versions } from './fixtures.ts';

describe('past sessions of a folder', () => {
  let projects: string;
  let past: PastSessions;

  beforeEach(() => {
    projects = fs.mkdtempSync(join(tmpdir(), 'records-'));
    past = new PastSessions(projects);
  });

  afterEach(() => fs.rmSync(projects, { recursive: true, force: true }));

  const place = (name: string) => join(projects, slug, name);

  function write(name: string, lines: readonly string[]): void {
    fs.mkdirSync(dirname(place(name)), { recursive: true });
    fs.writeFileSync(place(name), lines.map((line) => `${line}\n`).join(''));
  }

  for (const version of versions) {
    it(`of ${version} have a title, times, and on demand turns and files`, async () => {
      const { sessionId, agent } = recorded[version];
      write(`${sessionId}.jsonl`, linesOf(version));
      if (agent !== undefined) {
        write(agent, linesOf(version, agent));
      }
      const [session, ...others] = await past.list(cwd);
      assert.ok(session);
      assert.deepEqual(others, []);
      assert.equal(session.sessionId, sessionId);
      // 1.0 writes the summary of a session into its own transcript, when it is resumed.
      assert.equal(session.title, version === '1.0.128' ? 'mock' : 'say hello');
      assert.ok((session.begun ?? Infinity) < session.lastActive);
      const { turns, files, isComplete } = await past.count(session);
      assert.deepEqual(files, [`${cwd}/greet.ts`, `${cwd}/new.md`].sort());
      assert.ok(turns >= 10, `${turns}`);
      assert.equal(isComplete, true);
      assert.equal((await past.count(session, 2_000)).isComplete, false);
      assert.equal(await past.count(session), await past.count(session), 'it is counted anew');
    });
  }

  it('are not those of a folder whose name is written alike', async () => {
    const { sessionId } = recorded['2.1.330'];
    write(`${sessionId}.jsonl`, linesOf('2.1.330'));
    assert.deepEqual(await past.list('/home/user.project'), []);
    assert.equal((await past.list(cwd)).length, 1);
    const below = linesOf('2.1.330').map((line) => line.replaceAll(`"${cwd}"`, `"${cwd}/packages/a"`));
    write(`${sessionId}.jsonl`, below);
    assert.equal((await past.list(cwd)).length, 1);
  });

  it('are none where the folder of all transcripts is a link', async () => {
    const { sessionId } = recorded['2.1.330'];
    write(`${sessionId}.jsonl`, linesOf('2.1.330'));
    fs.renameSync(join(projects, slug), join(projects, 'elsewhere'));
    fs.mkdirSync(join(projects, 'all'));
    fs.renameSync(join(projects, 'elsewhere'), join(projects, 'all', slug));
    fs.symlinkSync(join(projects, 'all'), join(projects, 'link'));
    assert.equal((await new PastSessions(join(projects, 'all')).list(cwd)).length, 1);
    assert.deepEqual(await new PastSessions(join(projects, 'link')).list(cwd), []);
  });

  it('are those of a folder, the last active first', async () => {
    const { sessionId, cleared } = recorded['2.1.330'];
    write(`${sessionId}.jsonl`, linesOf('2.1.330'));
    write(`${cleared}.jsonl`, linesOf('2.1.330', `${cleared}.jsonl`));
    const found = await past.list(cwd);
    assert.deepEqual(
      found.map((session) => session.title),
      ['are you there', 'say hello'],
    );
    assert.deepEqual(await past.list('/home/user/other'), []);
  });

  it('are each listed once, where somebody has copied a folder of transcripts', async () => {
    const { sessionId } = recorded['2.1.330'];
    write(`${sessionId}.jsonl`, linesOf('2.1.330'));
    fs.cpSync(join(projects, slug), join(projects, `${slug}-new`), { recursive: true });
    assert.equal((await past.listAll()).length, 1);
  });

  it('say where they were begun, also after a long first line and a change of the folder', async () => {
    const { sessionId } = recorded['2.1.330'];
    const entry = (at: string, text: string, second: number) =>
      JSON.stringify({
        type: 'user',
        uuid: `u${second}`,
        sessionId,
        cwd: at,
        timestamp: `2026-01-01T00:00:0${second}.000Z`,
        message: { role: 'user', content: text },
      });
    const lines = [
      entry(cwd, `look at this ${'x'.repeat(300_000)}`, 1),
      entry(`${cwd}/packages`, 'and that', 2),
    ];
    write(`${sessionId}.jsonl`, lines);
    const [found] = await past.list(cwd);
    assert.equal(found?.cwd, cwd);
    assert.match(found?.title ?? '', /^look at this x/);
    assert.ok((found?.title ?? '').length <= 200);
  });

  it('have the title that the user has given, before that of the CLI', async () => {
    const { sessionId } = recorded['2.1.330'];
    const title = (fields: object) => JSON.stringify({ ...fields, sessionId });
    const own = title({ type: 'ai-title', aiTitle: 'Greets' });
    write(`${sessionId}.jsonl`, [...linesOf('2.1.330'), own]);
    assert.equal((await past.list(cwd))[0]?.title, 'Greets');
    const given = title({ type: 'custom-title', customTitle: 'Mine' });
    write(`${sessionId}.jsonl`, [...linesOf('2.1.330'), given, own]);
    assert.equal((await past.list(cwd))[0]?.title, 'Mine');
  });

  it('have the name before all others that the user has given here, until it is taken back', async () => {
    const { sessionId } = recorded['2.1.330'];
    const given = JSON.stringify({ type: 'custom-title', customTitle: 'Mine', sessionId });
    write(`${sessionId}.jsonl`, [...linesOf('2.1.330'), given]);
    const kept = new Map<string, unknown>();
    const store: NameStore = {
      get: <T>(key: string, fallback: T) => (kept.get(key) ?? fallback) as T,
      update: (key, value) => Promise.resolve(void kept.set(key, value)),
    };
    const named = new PastSessions(projects, (id) => nameOf(store, id));
    await setName(store, sessionId, 'Ours');
    await setName(store, 'another', 'Not this one');
    assert.equal((await named.list(cwd))[0]?.title, 'Ours');
    await setName(store, sessionId, undefined);
    assert.equal((await named.list(cwd))[0]?.title, 'Mine');
    for (let index = 0; index < 600; index++) {
      await setName(store, `s${index}`, 'x');
    }
    assert.deepEqual(
      ['another', 's99', 's100', 's599'].map((id) => nameOf(store, id)),
      [undefined, undefined, 'x', 'x'],
    );
  });

  it('have their branch, and the first and the last of their prompts, each once', async () => {
    const at = (index: number) => ({
      uuid: `u${index}`,
      sessionId: 'e1',
      cwd,
      timestamp: '2026-01-01T00:00:00Z',
    });
    const prompt = (index: number) =>
      JSON.stringify({
        type: 'user',
        message: { role: 'user', content: `prompt ${index}\n${'x'.repeat(10_000)}` },
        gitBranch: index < 15 ? 'main' : index < 19 ? 'next' : 'HEAD', // by which the CLI means none
        ...at(index),
      });
    write(
      'e1.jsonl',
      Array.from({ length: 20 }, (_, index) => prompt(index)),
    ); // 200 kB: its two ends meet
    const [session] = await past.list(cwd);
    assert.equal(session?.branch, 'next');
    assert.deepEqual(
      session?.prompts,
      [0, 13, 14, 15, 16, 17, 18, 19].map((index) => `prompt ${index}`),
    );
  });

  it('are there, by their names alone', () => {
    const folders = () => foldersOf(projects, cwd);
    assert.equal(hasTranscript(folders()), false);
    write('notes.txt', []);
    write('agent-1.jsonl', []);
    assert.equal(hasTranscript(folders()), false);
    write('e1.jsonl', []);
    assert.equal(hasTranscript(folders()), true);
    assert.equal(hasTranscript(projectFolders(projects)), true);
  });

  it('are taken away with what their sub-agents have written, and nothing of others', async () => {
    const own = (sessionId: string) => [
      JSON.stringify({ type: 'user', message: { content: 'x' }, sessionId }),
    ];
    const { sessionId } = recorded['2.1.330'];
    write(`${sessionId}.jsonl`, linesOf('2.1.330'));
    write(`${sessionId}/tool-results/1.txt`, ['x']);
    write('agent-1.jsonl', own(sessionId)); // as 2.0 has them
    write('agent-2.jsonl', own('another'));
    const [session] = await past.list(cwd);
    assert.ok(session);
    const removed: string[] = [];
    const remove = (path: string) => Promise.resolve(void removed.push(path));
    await removePast(session, remove);
    assert.deepEqual(removed, [place(`${sessionId}.jsonl`), place('agent-1.jsonl'), place(sessionId)]);
    fs.rmSync(place(sessionId), { recursive: true });
    fs.symlinkSync(projects, place(sessionId));
    removed.length = 0;
    await removePast(session, remove);
    assert.deepEqual(removed.slice(1), [place('agent-1.jsonl')], 'a link is left alone');
    await assert.rejects(
      removePast(session, () => Promise.reject(new Error('no'))),
      /no/,
    );
  });

  it('of 2.0.77 have the summary that is written into the transcript of another', async () => {
    for (const name of ['2f72e5ef-1606-4e3a-814b-4a962da603e3', recorded['2.0.77'].sessionId]) {
      fs.mkdirSync(join(projects, slug), { recursive: true });
      fs.copyFileSync(fixturePath('2.0.77', `${name}.jsonl`), place(`${name}.jsonl`));
    }
    const leaf = (JSON.parse(linesOf('2.0.77').at(-1) ?? '') as { uuid: string }).uuid;
    fs.appendFileSync(
      place('2f72e5ef-1606-4e3a-814b-4a962da603e3.jsonl'),
      `${JSON.stringify({ type: 'summary', summary: 'Greetings', leafUuid: leaf })}\n`,
    );
    assert.deepEqual(
      (await past.list(cwd)).map(({ title }) => title),
      ['Greetings'],
    );
  });

  it('are read at their ends only, and again only when they have changed', async () => {
    const { sessionId } = recorded['2.1.330'];
    const lines = linesOf('2.1.330');
    write(`${sessionId}.jsonl`, [...lines.slice(0, 30), '', ...lines.slice(30)]);
    const big = fs.openSync(place(`${sessionId}.jsonl`), 'a');
    fs.ftruncateSync(big, 2 ** 30);
    fs.writeSync(big, `\n${lines.slice(30).join('\n')}\n`);
    fs.closeSync(big);
    let bytes = 0;
    const { readSync } = fsModule;
    const counting = (...args: Parameters<typeof readSync>) => {
      const read = readSync(...args);
      bytes += read;
      return read;
    };
    fsModule.readSync = counting as typeof readSync;
    syncBuiltinESMExports();
    try {
      assert.equal((await past.list(cwd))[0]?.title, 'say hello');
      assert.ok(bytes > 0 && bytes < 1_000_000, `${bytes} bytes`);
      bytes = 0;
      await past.list(cwd);
      assert.equal(bytes, 0);
      fs.appendFileSync(place(`${sessionId}.jsonl`), '\n');
      await past.list(cwd);
      assert.ok(bytes > 0);
    } finally {
      fsModule.readSync = readSync;
      syncBuiltinESMExports();
    }
  });

  it('are not what is a link, a folder, empty, or not theirs', async () => {
    const { sessionId, cleared } = recorded['2.1.330'];
    write('elsewhere.txt', linesOf('2.1.330'));
    fs.symlinkSync(place('elsewhere.txt'), place(`${sessionId}.jsonl`));
    fs.mkdirSync(place(`${cleared}.jsonl`));
    write('empty.jsonl', []);
    write('noise.jsonl', ['', '{', 'null', '{"type":"user"}']);
    write('agent-abc.jsonl', linesOf('2.0.77', recorded['2.0.77'].agent));
    write('--help.jsonl', linesOf('2.1.330')); // what its command line would take for an option
    assert.deepEqual(await past.list(cwd), []);
  });

  it('are found by their id, in whatever folder, as they are listed there', async () => {
    const { sessionId, cleared } = recorded['2.1.330'];
    write(`${cleared}.jsonl`, linesOf('2.1.330', `${cleared}.jsonl`));
    fs.renameSync(join(projects, slug), join(projects, '-another-folder'));
    write(`${sessionId}.jsonl`, linesOf('2.1.330'));
    assert.deepEqual(await past.find(sessionId), (await past.list(cwd))[0]);
    assert.equal((await past.find(cleared))?.path, join(projects, '-another-folder', `${cleared}.jsonl`));
    assert.equal(await past.find('00000000-0000-4000-8000-000000000000'), undefined);
  });

  it('are not found by what is a path, or a link to one', async () => {
    const { sessionId } = recorded['2.1.330'];
    write(`${sessionId}.jsonl`, linesOf('2.1.330'));
    assert.equal(await past.find(`../${slug}/${sessionId}`), undefined);
    fs.renameSync(join(projects, slug), join(projects, '..', `${slug}-elsewhere`));
    try {
      fs.symlinkSync(join(projects, '..', `${slug}-elsewhere`), join(projects, slug));
      assert.equal(await past.find(sessionId), undefined);
    } finally {
      fs.rmSync(join(projects, '..', `${slug}-elsewhere`), { recursive: true });
    }
  });

  it('are called after what was pasted into their first prompt, not after the marks around it', async () => {
    const [first = ''] = pastedLines();
    write(`${(JSON.parse(first) as { sessionId: string }).sessionId}.jsonl`, pastedLines());
    const [session] = await past.list(cwd);
    assert.equal(session?.title, 'Review of your changes, with 1 comment:');
    assert.deepEqual(session.prompts, [session.title, 'look at alpha beta and l1', 'd1']);
    const { conversation } = await readPast(session);
    const [prompt] = conversation.snapshot().items;
    assert.ok(prompt?.kind === 'prompt' && prompt.text.startsWith(session.title), JSON.stringify(prompt));
  });
});

describe('the folder of transcripts', () => {
  // As 2.1.330 named them.
  for (const [folder, name] of [
    ['/tmp/a b.c_d-e', '-tmp-a-b-c-d-e'],
    ['/tmp/ünï-漢字😀', '-tmp--n------'],
    ['/tmp/UPPER@(1)', '-tmp-UPPER--1-'],
  ] as const) {
    it(`of ${folder} is ${name}`, () => {
      assert.deepEqual(slugOf(folder), { name, isWhole: true });
    });
  }

  it('of a long one begins with 200 characters of it', () => {
    const { name, isWhole } = slugOf(`/home/${'x'.repeat(100)}/${'y'.repeat(120)}`);
    assert.deepEqual([name.length, isWhole], [201, false]);
    assert.equal(name, `-home-${'x'.repeat(100)}-${'y'.repeat(93)}-`);
  });
});
