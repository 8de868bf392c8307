import assert from 'node:assert/strict';
import fc from 'fast-check';
import fsModule, * as fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { RecordEvent } from '../../../src/records/events.ts';
import { GrowingTranscript } from '../../../src/records/growingTranscript.ts';
import type { AttachedCli, RecordedSession } from '../../../src/records/recordedSession.ts';
import { lineLimits } from '../../../src/records/lineTail.ts';
import { Records } from '../../../src/records/records.ts';
import { memoryInUse } from '../../support/memory.ts';
import { until } from '../../support/until.ts';
import { cwd, linesOf, recorded, sessionFileTexts, slug, type Version } from './fixtures.ts';

describe('a session and its records', () => {
  const { pid } = process;
  let config: string;
  let records: Records;
  let errors: string[];
  let sessions: RecordedSession[];

  beforeEach(() => {
    config = fs.mkdtempSync(join(tmpdir(), 'records-'));
    errors = [];
    sessions = [];
    records = new Records({ configDir: config, log: { error: (message) => errors.push(message) } });
  });

  afterEach(() => {
    sessions.forEach((session) => session.dispose());
    records.dispose();
    fs.rmSync(config, { recursive: true, force: true });
    assert.deepEqual(errors, []);
  });

  const project = (name = '') => join(config, 'projects', slug, name);
  const pathOf = (version: Version) => project(`${recorded[version].sessionId}.jsonl`);

  function append(path: string, ...lines: string[]): void {
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.appendFileSync(path, lines.map((line) => `${line}\n`).join(''));
  }

  /** What the CLI keeps of itself in `<config>/sessions`. */
  function tellState(fields: object): void {
    fs.mkdirSync(join(config, 'sessions'), { recursive: true });
    const known = JSON.parse(sessionFileTexts()[0] ?? '') as object;
    const file = { ...known, pid, procStart: undefined, sessionId: recorded['2.1.330'].sessionId, ...fields };
    fs.writeFileSync(join(config, 'sessions', 'tmp'), JSON.stringify(file));
    fs.renameSync(join(config, 'sessions', 'tmp'), join(config, 'sessions', `${pid}.json`));
  }

  async function attach(cli: Partial<AttachedCli> = {}) {
    records.start();
    const session = records.attach({ pid, ...cli });
    sessions.push(session);
    const events: RecordEvent[] = [];
    session.onDidHappen((event) => events.push(event));
    await session.ready;
    const of = <T extends RecordEvent['type']>(type: T) =>
      events.filter((event): event is Extract<RecordEvent, { type: T }> => event.type === type);
    return { session, events, of };
  }

  const lineWith = (version: Version, part: string) => {
    const index = linesOf(version).findIndex((line) => line.includes(part));
    assert.ok(index >= 0, part);
    return index;
  };

  /** What the system does with what is below these paths, or with all, meanwhile. */
  async function whileFailing<T>(
    name: 'lstatSync' | 'readSync',
    code: string,
    below: readonly string[] | undefined,
    run: () => Promise<T>,
  ): Promise<T> {
    const original: unknown = fsModule[name];
    assert.ok(typeof original === 'function');
    const failing = (...args: unknown[]): unknown => {
      if (below?.some((path) => `${String(args[0])}/`.startsWith(path)) ?? true) {
        throw Object.assign(new Error(code), { code });
      }
      return Reflect.apply(original, fsModule, args);
    };
    Object.assign(fsModule, { [name]: failing });
    syncBuiltinESMExports();
    try {
      return await run();
    } finally {
      Object.assign(fsModule, { [name]: original });
      syncBuiltinESMExports();
    }
  }

  describe('of 2.1.330', () => {
    const version = '2.1.330';
    const { sessionId, agent, cleared } = recorded[version];

    it('is known by its last turn when it is attached, without events', async () => {
      append(pathOf(version), ...linesOf(version).slice(0, lineWith(version, '"content":"use an agent"')));
      tellState({ status: 'idle', statusUpdatedAt: 5 });
      const { session, events } = await attach();
      assert.deepEqual(events, []);
      assert.equal(session.sessionId, sessionId);
      assert.equal(session.turn?.prompt, 'edit and write');
      assert.deepEqual(session.turn?.files, [`${cwd}/greet.ts`, `${cwd}/new.md`]);
      assert.deepEqual([session.mode, session.model], ['acceptEdits', 'claude-opus-5-5']);
      assert.equal(session.contextTokens, 20);
      assert.deepEqual(session.state, { status: 'idle', since: 5 });
      assert.deepEqual(session.source, { known: 'session file and transcript', reasons: [] });
    });

    it('tells each thing that is written from then on once, in order', async () => {
      tellState({ status: 'idle' });
      const { events } = await attach();
      for (const line of linesOf(version)) {
        append(pathOf(version), line);
      }
      await until(
        'all turns',
        () => events.filter(({ type }) => type === 'turnEnded').length === 12,
        10_000,
        () => events.filter(({ type }) => type === 'turnEnded').length,
      );
      const began = events.flatMap((event) => (event.type === 'toolBegun' ? event.use.id : []));
      const ended = events.flatMap((event) => (event.type === 'toolEnded' ? event.result.use.id : []));
      assert.deepEqual([...began].sort(), [...ended].sort());
      assert.equal(new Set(began).size, began.length);
      assert.equal(events.filter(({ type }) => type === 'prompt').length, 12);
      assert.equal(events.filter(({ type }) => type === 'edit').length, 3);
    });

    it('tells exactly what comes after it was attached, wherever in a turn that is', async () => {
      const lines = linesOf(version);
      const used = (line: string) => /"type":"tool_use","id":"(\w+)"/.exec(line)?.[1] ?? [];
      await fc.assert(
        fc.asyncProperty(
          fc.nat(lines.length),
          fc.nat(lines.length),
          fc.nat(200),
          async (attached, next, cut) => {
            fs.rmSync(pathOf(version), { force: true });
            append(pathOf(version), ...lines.slice(0, attached));
            const rest = Buffer.from(
              lines
                .slice(attached)
                .map((line) => `${line}\n`)
                .join(''),
            );
            const half = Math.min(rest.length, cut);
            fs.appendFileSync(pathOf(version), rest.subarray(0, half)); // in the middle of a line
            tellState({ status: 'busy' });
            const { session, of } = await attach();
            const whole = rest.subarray(0, half).toString().split('\n').length - 1;
            const upTo = Math.min(rest.length, half + next * 500);
            fs.appendFileSync(pathOf(version), rest.subarray(half, upTo));
            await session.refresh();
            fs.appendFileSync(pathOf(version), rest.subarray(upTo));
            await session.refresh();
            assert.deepEqual(
              of('toolBegun').map(({ use }) => use.id),
              lines.slice(attached + whole).flatMap(used),
            );
            assert.deepEqual(session.openTools, []);
            assert.equal(session.turn?.prompt, 'plan it');
            session.dispose();
          },
        ),
        { numRuns: 25 },
      );
    });

    it('says which tool a question is about, also if it reads of it later than of the question', async () => {
      const lines = linesOf(version);
      const at = lineWith(version, 'touch made.txt');
      append(pathOf(version), ...lines.slice(0, at));
      tellState({ status: 'busy' });
      const { session, of } = await attach();
      assert.equal(session.state?.status, 'working');
      tellState({ status: 'waiting', waitingFor: 'permission prompt', statusUpdatedAt: 7 });
      await until('the question', () => session.state?.status === 'waiting');
      append(pathOf(version), lines[at] ?? '');
      const asked = await until('the tool', () => {
        const { state } = session;
        return state?.status === 'waiting' && state.asks[0];
      });
      assert.deepEqual([asked.name, asked.input.command], ['Bash', 'touch made.txt']);
      tellState({ status: 'busy' });
      await until('the answer', () => session.state?.status === 'working');
      const states = of('state').map(({ state }) =>
        state?.status === 'waiting' ? `${state.waitingFor}: ${state.asks.length}` : state?.status,
      );
      assert.deepEqual(states, ['permission prompt: 0', 'permission prompt: 1', 'working']);
    });

    it('tells of a turn that has ended while a command of it runs on', async () => {
      tellState({ status: 'shell' });
      const { session } = await attach();
      assert.equal(session.state?.status, 'shell');
    });

    it('is in no state once its session file has gone, as that goes with the process', async () => {
      append(pathOf(version), ...linesOf(version));
      tellState({ status: 'idle' });
      const { session, of } = await attach();
      fs.unlinkSync(join(config, 'sessions', `${pid}.json`));
      await until('the end', () => session.state === undefined);
      assert.deepEqual(of('state').at(-1), { type: 'state', state: undefined });
      assert.deepEqual(session.source.reasons, ['it keeps no session file']);
    });

    it('says no state that it does not know', async () => {
      tellState({ status: 'dreaming' });
      const { session } = await attach();
      assert.equal(session.state, undefined);
    });

    it('counts the edits of its sub-agents, in files that come later', async () => {
      append(pathOf(version), ...linesOf(version).slice(0, lineWith(version, '"content":"use an agent"')));
      tellState({ status: 'busy' });
      const { of, session } = await attach();
      append(project(agent), ...linesOf(version, agent));
      const { edit } = await until('the edit', () => of('edit')[0]);
      assert.deepEqual([edit.filePath, edit.agentId], [`${cwd}/greet.ts`, 'af41cf9484cff6642']);
      assert.ok(session.turn?.files.includes(`${cwd}/greet.ts`));
    });

    for (const [when, age] of [
      ['in this turn', () => {}],
      ['long before', (path: string) => fs.utimesSync(path, 1, 1)],
    ] as const) {
      it(`does not tell again what its sub-agents did ${when}`, async () => {
        append(pathOf(version), ...linesOf(version));
        const lines = linesOf(version, agent);
        append(project(agent), ...lines.slice(0, -4));
        age(project(agent));
        tellState({ status: 'idle' });
        const { of, session } = await attach();
        append(project(agent), ...lines.slice(-4));
        await until('the edit', () => of('edit')[0]);
        await session.refresh();
        assert.deepEqual(
          of('toolBegun').map(({ use }) => use.name),
          ['Edit'],
        );
      });
    }

    it('goes on with another transcript after /clear', async () => {
      append(pathOf(version), ...linesOf(version));
      tellState({ status: 'idle' });
      const { session, of } = await attach();
      tellState({ status: 'idle', sessionId: cleared });
      await until('the other session', () => of('session')[0]?.sessionId === cleared);
      append(project(`${cleared}.jsonl`), ...linesOf(version, `${cleared}.jsonl`));
      await until('its turns', () => of('turnEnded').length === 2);
      assert.equal(session.turn?.prompt, 'go on');
      assert.deepEqual(
        of('prompt').map(({ turn }) => turn.prompt),
        ['are you there', 'go on'],
      );
    });

    it('goes on with a resumed one without telling what is in it', async () => {
      append(pathOf(version), ...linesOf(version));
      append(project(agent), ...linesOf(version, agent));
      fs.utimesSync(project(agent), 1, 1);
      tellState({ status: 'idle', sessionId: cleared });
      const { session, events, of } = await attach();
      tellState({ status: 'idle' });
      await until('the other session', () => of('session')[0]?.sessionId === sessionId);
      assert.equal(session.turn?.prompt, 'plan it');
      append(pathOf(version), ...linesOf(version).slice(0, lineWith(version, '"content":"list files"')));
      await until('what comes then', () => of('turnEnded')[0]);
      assert.deepEqual(
        events.flatMap((event) => (event.type === 'prompt' ? event.turn.prompt : [])),
        ['say hello'],
      );
      assert.deepEqual(of('toolBegun'), []);
    });

    it('does not take what another session has written into its transcript', async () => {
      tellState({ status: 'idle' });
      const { of } = await attach();
      const lines = linesOf(version).slice(0, lineWith(version, '"content":"list files"'));
      append(pathOf(version), ...lines.map((line) => line.replaceAll(sessionId, cleared)), ...lines);
      await until('a turn', () => of('turnEnded')[0]);
      assert.equal(of('prompt').length, 1);
    });

    it('is found where its conversation was begun in another folder', async () => {
      const elsewhere = join(config, 'projects', '-somewhere-else', `${sessionId}.jsonl`);
      append(elsewhere, ...linesOf(version));
      tellState({ status: 'idle' });
      const { session } = await attach();
      assert.equal(session.turn?.prompt, 'plan it');
    });

    it('is found by the beginning of a long folder name, once that is there', async () => {
      const long = `/home/user/${'x'.repeat(300)}`;
      tellState({ status: 'idle', cwd: long });
      const { session } = await attach();
      assert.equal(session.source.known, 'session file');
      const name = `${long.replace(/[^a-z]/gi, '-').slice(0, 200)}-84ca1x`;
      append(join(config, 'projects', name, `${sessionId}.jsonl`), ...linesOf(version));
      tellState({ status: 'busy', cwd: long });
      await until('its turn', () => session.turn?.prompt === 'plan it');
    });

    for (const [how, lose] of [
      ['cut', (path: string) => fs.truncateSync(path, 300)],
      [
        'replaced',
        (path: string) => {
          fs.copyFileSync(path, `${path}.copy`);
          fs.renameSync(`${path}.copy`, path);
        },
      ],
      [
        'removed and made again',
        (path: string) => {
          const bytes = fs.readFileSync(path);
          fs.rmSync(path);
          fs.writeFileSync(path, bytes.subarray(0, 300));
        },
      ],
    ] as const) {
      it(`tells of a transcript that is ${how} that something is missing, and goes on`, async () => {
        const lines = linesOf(version);
        append(pathOf(version), ...lines.slice(0, 40));
        tellState({ status: 'idle' });
        const { of, session } = await attach();
        append(pathOf(version), ...lines.slice(40, 60));
        await session.refresh();
        const before = of('toolBegun').length;
        lose(pathOf(version));
        await session.refresh();
        await until('the gap', () => of('gap')[0]);
        assert.match(of('gap')[0]?.reason ?? '', /was cut or replaced$/);
        assert.equal(of('toolBegun').length, before, 'nothing is told twice');
        append(pathOf(version), '', ...lines.slice(-8));
        await until('what comes then', () => of('toolBegun').length > before);
      });
    }

    it('tells of a line over the limit that something is missing', async () => {
      tellState({ status: 'idle' });
      const { of } = await attach();
      append(
        pathOf(version),
        `{"type":"user","x":"${'x'.repeat(17 * 1024 * 1024)}"}`,
        ...linesOf(version).slice(0, 20),
      );
      await until('the turn', () => of('turnEnded')[0]);
      assert.match(of('gap')[0]?.reason ?? '', /a line of 178\d+ bytes in .* was left out/);
    });

    it('is read at the end of a transcript of 1 GB, at once and with bounded memory', async () => {
      append(pathOf(version), 'x');
      fs.truncateSync(pathOf(version), 2 ** 30); // which takes no place on the disk
      append(pathOf(version), '', ...linesOf(version));
      tellState({ status: 'idle' });
      const before = await memoryInUse();
      const start = performance.now();
      const { session } = await attach();
      const elapsed = performance.now() - start;
      assert.equal(session.turn?.prompt, 'plan it');
      assert.ok(elapsed < 1_000, `${elapsed} ms`);
      assert.ok((await memoryInUse()) - before < 20_000_000);
    });

    it('is known by its session file alone where there is no transcript to be read, and says why', async () => {
      fs.mkdirSync(join(config, 'projects'));
      fs.writeFileSync(project().slice(0, -1), 'not a folder');
      tellState({ status: 'busy' });
      const { session } = await attach();
      assert.equal(session.state?.status, 'working');
      assert.equal(session.source.known, 'session file');
      assert.match(session.source.reasons.join(), /not a folder|no transcript/);
    });

    it('is known in a configuration folder that is a link, as some have it', async () => {
      append(pathOf(version), ...linesOf(version));
      tellState({ status: 'idle' });
      fs.symlinkSync(config, `${config}-link`);
      records.dispose();
      records = new Records({ configDir: `${config}-link`, log: console });
      const { session } = await attach();
      fs.unlinkSync(`${config}-link`);
      assert.equal(session.source.known, 'session file and transcript');
      assert.equal(session.turn?.prompt, 'plan it');
    });

    it('does not follow a transcript that is a link', async () => {
      append(join(config, 'secret'), ...linesOf(version));
      fs.mkdirSync(project(), { recursive: true });
      fs.symlinkSync(join(config, 'secret'), pathOf(version));
      tellState({ status: 'idle' });
      const { session } = await attach();
      assert.equal(session.turn, undefined);
      assert.match(session.source.reasons.join(), /is a link/);
    });

    it('is looked at every while where the system cannot watch, and says so', async () => {
      const watch = (() => {
        throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      }) as typeof fs.watch;
      records.dispose();
      records = new Records({ configDir: config, log: console, watchOptions: { interval: 20, watch } });
      append(pathOf(version), ...linesOf(version).slice(0, 20));
      tellState({ status: 'idle' });
      const { session, of } = await attach();
      append(pathOf(version), ...linesOf(version).slice(20));
      append(project(agent), ...linesOf(version, agent));
      tellState({ status: 'busy' });
      await until('the state', () => session.state?.status === 'working');
      await until('all edits', () => of('edit').length === 4);
      const { known, reasons } = session.source;
      assert.equal(known, 'session file and transcript');
      assert.match(reasons.join('\n'), /projects\/-home-user-project is looked at every 0.02 s \(EMFILE\)/);
    });

    it('finds what was edited since then, by sub-agents, too', async () => {
      append(pathOf(version), ...linesOf(version));
      append(project(agent), ...linesOf(version, agent));
      tellState({ status: 'idle' });
      const { session } = await attach();
      const all = await session.editsSince(0);
      assert.deepEqual(
        all.edits.map(({ filePath, before }) => [filePath.slice(cwd.length + 1), before?.length]),
        [
          ['greet.ts', 40],
          ['greet.ts', 41],
          ['new.md', undefined],
          ['greet.ts', 42],
        ],
      );
      assert.equal(all.isComplete, true);
      const third = all.edits[2]?.at ?? 0;
      assert.deepEqual((await session.editsSince(third)).edits, all.edits.slice(2));
      assert.equal((await session.editsSince(0, { bytes: 1_000 })).isComplete, false);
    });

    it('finds its last turns', async () => {
      append(pathOf(version), ...linesOf(version));
      tellState({ status: 'idle' });
      const { session } = await attach();
      const { turns } = await session.recentTurns({ turns: 3 });
      assert.deepEqual(
        turns.map(({ prompt, toolUses }) => [prompt.slice(0, 10), toolUses.map(({ name }) => name).join()]),
        [
          ['run in bac', 'Bash'],
          ['<task-noti', ''],
          ['plan it', 'ExitPlanMode'],
        ],
      );
      const whole = await session.recentTurns({ turns: 100 });
      assert.equal(whole.turns.length, 12);
      assert.deepEqual(whole.turns.at(-1), session.turn);
    });

    it('loses nothing for others because one who listens fails', async () => {
      tellState({ status: 'idle' });
      const { session, of } = await attach();
      session.onDidHappen(({ type }) => {
        if (type === 'prompt') {
          throw new Error('cannot');
        }
      });
      append(pathOf(version), ...linesOf(version));
      await until('all turns', () => of('turnEnded').length === 12);
      assert.equal(errors.length, 12);
      errors = [];
    });

    for (const code of ['EACCES', 'EIO', 'ESTALE']) {
      it(`is followed where another folder cannot be looked at (${code})`, async () => {
        const other = join(config, 'projects', '-other');
        fs.mkdirSync(other, { recursive: true });
        await whileFailing('lstatSync', code, [other], async () => {
          tellState({ status: 'waiting', statusUpdatedAt: 1 });
          const { session } = await attach();
          assert.equal(session.state?.status, 'waiting');
          tellState({ status: 'idle', statusUpdatedAt: 2 });
          await until('the state', () => session.state?.status === 'idle');
          append(pathOf(version), ...linesOf(version));
          await until('the transcript', () => session.source.known === 'session file and transcript');
        });
      });

      it(`says why where its own folder cannot be looked at (${code}), and goes on when it can`, async () => {
        append(pathOf(version), ...linesOf(version).slice(0, 4));
        tellState({ status: 'idle' });
        await whileFailing('lstatSync', code, [project()], async () => {
          const { session } = await attach();
          const folder = join(config, 'projects', slug);
          assert.deepEqual(session.source, {
            known: 'session file',
            reasons: [
              `${pathOf(version)} cannot be read (${code})`,
              `${folder} is looked at every 2 s (${code})`,
              `${join(folder, sessionId, 'subagents')} is looked at every 2 s (${code})`,
            ],
          });
        });
        const [session] = sessions;
        append(pathOf(version), ...linesOf(version).slice(4));
        await session?.refresh();
        assert.equal(session?.turn?.prompt, 'plan it');
      });
    }

    it('says why its transcript cannot be read, and goes on when it can', async () => {
      append(pathOf(version), ...linesOf(version).slice(0, 4));
      tellState({ status: 'idle' });
      const session = await whileFailing('readSync', 'EIO', undefined, async () => {
        const attached = await attach();
        assert.deepEqual(attached.session.source.reasons, [`${pathOf(version)} cannot be read (EIO)`]);
        return attached.session;
      });
      append(pathOf(version), ...linesOf(version).slice(4));
      await session.refresh();
      assert.equal(session.turn?.prompt, 'plan it');
      assert.equal(session.source.known, 'session file and transcript');
    });

    it('is not asked about a tool whose end was in a line that was left out', async () => {
      append(pathOf(version), ...linesOf(version).slice(0, 4));
      tellState({ status: 'waiting' });
      const { session, of } = await attach();
      const uses = (id: string, agentId?: string) =>
        JSON.stringify({
          type: 'assistant',
          sessionId,
          agentId,
          message: { content: [{ type: 'tool_use', id, name: 'Write', input: {} }], stop_reason: 'tool_use' },
        });
      append(pathOf(version), uses('large'));
      append(project(agent), uses('of the agent', 'af41cf9484cff6642'));
      await session.refresh();
      append(pathOf(version), 'x'.repeat(lineLimits.line + 1), uses('next'));
      await session.refresh();
      assert.equal(of('gap').length, 1);
      assert.deepEqual(
        session.openTools.map(({ id }) => id),
        ['of the agent', 'next'],
      );
    });

    it("does not follow a link in place of the session's own folder", async () => {
      append(pathOf(version), ...linesOf(version).slice(0, 4));
      append(join(config, 'elsewhere', 'subagents', basename(agent)), ...linesOf(version, agent));
      fs.symlinkSync(join(config, 'elsewhere'), project(sessionId));
      tellState({ status: 'busy' });
      const { session, of } = await attach();
      append(join(config, 'elsewhere', 'subagents', basename(agent)), ...linesOf(version, agent));
      await session.refresh();
      assert.deepEqual(of('toolBegun'), []);
      assert.deepEqual((await session.editsSince(0)).edits, []);
    });

    it('looks through all folders once for a session that has no transcript yet', async () => {
      fs.mkdirSync(join(config, 'projects', '-other'), { recursive: true });
      let scans = 0;
      const { readdirSync } = fsModule;
      const counting = (...args: unknown[]): unknown => {
        scans += args[0] === join(config, 'projects') ? 1 : 0;
        return Reflect.apply(readdirSync, fsModule, args);
      };
      Object.assign(fsModule, { readdirSync: counting });
      syncBuiltinESMExports();
      try {
        tellState({ status: 'idle', statusUpdatedAt: 0 });
        const { session } = await attach();
        for (let change = 1; change < 5; change++) {
          tellState({ status: 'idle', statusUpdatedAt: change });
          await session.refresh();
        }
        assert.equal(scans, 1);
        append(
          join(config, 'projects', '-other', `${cleared}.jsonl`),
          ...linesOf(version, `${cleared}.jsonl`),
        );
        tellState({ status: 'idle', sessionId: cleared });
        await session.refresh();
        await until('the turn', () => session.turn);
        assert.deepEqual([scans, session.sessionId], [2, cleared]);
      } finally {
        Object.assign(fsModule, { readdirSync });
        syncBuiltinESMExports();
      }
    });

    it('follows as many sub-agents as there are, and lets others have their turn meanwhile', async () => {
      append(pathOf(version), ...linesOf(version).slice(0, 4));
      const path = (index: number) => project(`${sessionId}/subagents/agent-a${index}.jsonl`);
      for (let index = 0; index < 600; index++) {
        append(path(index));
      }
      tellState({ status: 'idle' });
      const { session } = await attach();
      const [line = ''] = linesOf(version, agent).filter((each) => each.includes('"tool_use"'));
      for (let index = 0; index < 600; index++) {
        append(path(index), line.replaceAll(/toolu_\w+/g, `toolu_${index}`));
      }
      let [turns, isDone] = [0, false];
      const count = () => {
        turns += 1;
        if (!isDone) {
          setImmediate(count);
        }
      };
      setImmediate(count);
      await session.refresh();
      isDone = true;
      assert.equal(session.openTools.length, 600);
      assert.ok(turns >= 10, `${turns}`);
    });

    it('costs no read and no timer while nothing changes, or others write', async () => {
      append(pathOf(version), ...linesOf(version));
      tellState({ status: 'idle' });
      const { session, of } = await attach();
      const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
      const before = timers();
      const opened: string[] = [];
      const { openSync } = fsModule;
      fsModule.openSync = (...args) => {
        opened.push(String(args[0]));
        return openSync(...args);
      };
      syncBuiltinESMExports();
      try {
        append(project('11111111-2222-3333-4444-555555555555.jsonl'), ...linesOf(version));
        append(pathOf(version), ...linesOf(version).slice(0, 20)); // after which the others' has been heard
        await until('a turn', () => of('turnEnded')[0]);
      } finally {
        fsModule.openSync = openSync;
        syncBuiltinESMExports();
      }
      const others = opened.filter((path) => path.startsWith(config) && path !== pathOf(version));
      assert.deepEqual(others, []);
      assert.ok(timers() <= before, session.source.reasons.join());
    });
  });

  describe('of 2.0.77, which keeps no session file', () => {
    const version = '2.0.77';
    const { sessionId, agent, cleared } = recorded[version];

    it('is known by the transcript that grows when it calls', async () => {
      const lines = linesOf(version);
      append(pathOf(version), ...lines.slice(0, 4));
      const { session, of } = await attach({ cwd, version });
      assert.deepEqual(session.source, {
        known: 'nothing',
        reasons: ['it keeps no session file', 'no transcript has grown with its calls yet'],
      });
      assert.equal(session.state, undefined);
      session.noteCall();
      append(pathOf(version), ...lines.slice(4, 6));
      await until('it', () => session.sessionId === sessionId && session.state?.status === 'running');
      assert.deepEqual(of('source').at(-1)?.source.known, 'transcript');
      append(pathOf(version), ...lines.slice(6));
      await until('the end', () => session.state?.status === 'idle' && session.turn?.prompt === 'plan it');
      assert.equal(session.mode, undefined, 'it does not say');
    });

    it('counts sub-agents whose first line is long, and says if one is too long', async () => {
      const { session, of } = await attach({ cwd, version });
      session.noteCall();
      append(pathOf(version), ...linesOf(version).slice(0, lineWith(version, '"name":"Task"') + 1));
      await until('it', () => session.state?.status === 'running');
      const long = (bytes: number) => {
        const [first = '', ...rest] = linesOf(version, agent);
        const json = JSON.parse(first) as object;
        return [JSON.stringify({ ...json, message: { role: 'user', content: 'x'.repeat(bytes) } }), ...rest];
      };
      append(project(agent), ...long(500_000));
      await session.refresh();
      assert.equal(of('edit').length, 1);
      append(project('agent-100ng.jsonl'), ...long(1_500_000));
      await session.refresh();
      await session.refresh();
      assert.equal(of('edit').length, 1);
      assert.deepEqual(
        of('gap').map(({ reason }) => reason),
        [`${project('agent-100ng.jsonl')} is not read: its first line, which says whose it is, is too long`],
      );
    });

    it('is not looked for where the folder of all transcripts is a link', async () => {
      fs.mkdirSync(join(config, 'elsewhere', slug), { recursive: true });
      fs.symlinkSync(join(config, 'elsewhere'), join(config, 'projects'));
      const { session } = await attach({ cwd, version });
      assert.deepEqual(session.source.reasons, [
        'it keeps no session file',
        `nothing in ${join(config, 'projects')} is for its folder, or that is a link`,
      ]);
    });

    it('is not that of a folder whose name is written alike', async () => {
      const { session } = await attach({ cwd: '/home/user.project', version });
      const { session: own } = await attach({ cwd, version });
      [session, own].forEach((attached) => attached.noteCall());
      append(pathOf(version), ...linesOf(version));
      await until('its own', () => own.sessionId === sessionId);
      assert.equal(session.sessionId, undefined);
    });

    it('is not found any more once it is disposed of', async () => {
      const folder = project();
      append(pathOf(version), ...linesOf(version).slice(0, 4));
      const found: string[] = [];
      const growing = new GrowingTranscript(folder, { cwd, version }, (id) => found.push(id));
      const { openSync, closeSync } = fsModule;
      let [opened, closed] = [-1, -1];
      fsModule.openSync = (...args) => {
        opened = openSync(...args);
        growing.dispose(); // while it is being read
        return opened;
      };
      fsModule.closeSync = (fd) => closeSync((closed = fd));
      syncBuiltinESMExports();
      try {
        growing.noteCall();
        fs.writeSync(openSync(pathOf(version), 'a'), `${linesOf(version)[4]}\n`);
        await until('it was read', () => opened >= 0 && closed === opened);
        await new Promise((resolve) => setImmediate(resolve));
      } finally {
        Object.assign(fsModule, { openSync, closeSync });
        syncBuiltinESMExports();
      }
      assert.deepEqual(found, []);
    });

    it('is not taken for one of another version, nor for one of two that grow', async () => {
      const { session } = await attach({ cwd, version: '2.0.76' });
      session.noteCall();
      append(pathOf(version), ...linesOf(version));
      const { session: other } = await attach({ cwd, version });
      other.noteCall();
      append(project(`${cleared}.jsonl`), ...linesOf(version, `${cleared}.jsonl`));
      append(pathOf(version), ...linesOf(version).slice(0, 4));
      await new Promise((resolve) => setTimeout(resolve, 1_200)); // after which it would have been found
      assert.deepEqual([session.source.known, other.source.known], ['nothing', 'nothing']);
    });

    it('counts the edits of its own sub-agents, whose transcripts lie beside those of others', async () => {
      const { session, of } = await attach({ cwd, version });
      session.noteCall();
      append(pathOf(version), ...linesOf(version).slice(0, lineWith(version, '"name":"Task"') + 1));
      await until('it', () => session.state?.status === 'running');
      const others = linesOf(version, agent).map((line) => line.replaceAll(sessionId, cleared));
      append(project('agent-0ther.jsonl'), ...others);
      append(project(agent), ...linesOf(version, agent));
      await until('the edit', () => of('edit')[0]);
      await session.refresh();
      assert.deepEqual(
        of('edit').map(({ edit }) => edit.agentId),
        ['aca0ac0'],
      );
      assert.deepEqual(
        (await session.editsSince(0)).edits.map(({ agentId }) => agentId),
        [undefined, undefined, undefined, 'aca0ac0'],
      );
    });
  });

  it('of an unknown folder is known by nothing, and says why', async () => {
    const { session } = await attach();
    assert.deepEqual(session.source, {
      known: 'nothing',
      reasons: ['it keeps no session file', 'its folder or version is not known'],
    });
  });
});
