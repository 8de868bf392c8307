import assert from 'node:assert/strict';
import fc from 'fast-check';
import { agreedLag, ShellWindows, whoseAt } from '../../../src/changes/shellWindows.ts';
import { Conversation } from '../../../src/records/conversation.ts';
import type { Entry, EntryResult } from '../../../src/records/entries.ts';
import type { RecordEvent, SessionState } from '../../../src/records/events.ts';

/** A session whose record is read as it is written, with the time of what is written given. */
class Recorded {
  /** ms since the epoch */
  now = 0;
  readonly windows = new ShellWindows(() => this.now);
  state: SessionState | undefined;
  private readonly conversation = new Conversation((event) => this.tell(event));

  get openTools() {
    return this.conversation.openTools;
  }

  get turn() {
    return this.conversation.turn;
  }

  is(status: 'idle' | 'shell' | 'working' | 'running', since: number): void {
    this.state = { status, since };
    this.tell({ type: 'state', state: this.state });
  }

  asks(since: number): void {
    this.state = { status: 'waiting', since, waitingFor: 'permission prompt', asks: this.openTools };
    this.tell({ type: 'state', state: this.state });
  }

  prompt(at: number): void {
    this.take({ kind: 'prompt', text: 'go', isTyped: true, at });
  }

  begin(at: number, id = 'one', name = 'Bash'): void {
    this.take({ kind: 'assistant', uses: [{ id, name, input: {} }], isLast: false, at });
  }

  end(at: number, id = 'one', how: Partial<EntryResult> = {}): void {
    const none = { isError: false, isRefused: false, isInterrupted: false, isInBackground: false };
    this.take({ kind: 'results', results: [{ toolUseId: id, ...none, ...how }], at });
  }

  take(entry: Entry): void {
    this.conversation.take(entry);
  }

  tell(event: RecordEvent): void {
    this.windows.take(event, this);
  }

  at(...times: number[]): (boolean | undefined)[] {
    return times.map((time) => this.windows.hasRunAt(time));
  }
}

describe('the windows of shell commands', () => {
  let session: Recorded;
  beforeEach(() => {
    session = new Recorded();
    session.prompt(1_000);
    session.is('working', 1_000);
  });

  it('last from when the model asks for one until it has run', () => {
    session.begin(2_000);
    assert.deepEqual(session.at(1_500, 2_000, 9_000), [false, true, true]);
    session.end(3_000);
    assert.deepEqual(session.at(1_500, 2_000, 2_500, 3_000, 3_001), [false, true, true, true, false]);
  });

  it('are those of the tools that run programs, sub-agents’ and MCP servers’ included, and not of ours', () => {
    for (const [name, expected] of Object.entries({
      Bash: true,
      PowerShell: true,
      mcp__files__move: true,
      mcp__ide__getDiagnostics: false,
      Edit: false,
      Task: false,
    })) {
      session = new Recorded();
      session.is('working', 1_000);
      session.take({
        kind: 'assistant',
        uses: [{ id: 'one', name, input: {} }],
        isLast: false,
        at: 2_000,
        agentId: 'a1',
      });
      assert.deepEqual(session.at(2_500), [expected], name);
    }
  });

  it('were none where the user has refused', () => {
    session.begin(2_000);
    session.asks(2_050);
    session.end(3_000, 'one', { isRefused: true, isError: true });
    assert.deepEqual(session.at(2_500), [false]);
  });

  it('begin when the user has agreed', () => {
    session.begin(2_000);
    session.asks(2_050);
    assert.deepEqual(session.at(2_500), [false]);
    session.is('working', 4_000);
    session.end(5_000);
    assert.deepEqual(session.at(2_500, 4_500, 5_500), [false, true, false]);
  });

  it('begin before it is told that the user has agreed, which a busy CLI does late', () => {
    session.begin(2_000);
    session.asks(2_050);
    session.is('working', 4_000);
    session.end(4_100);
    assert.deepEqual(session.at(3_500, 3_830), [false, true]);
  });

  it('are all that there is to say, while the question may be about another one that runs', () => {
    session.begin(2_000, 'one');
    session.begin(2_001, 'two');
    session.asks(2_050);
    assert.deepEqual(session.at(2_500), [true]);
  });

  it('are known only at their end of a CLI that does not say whether it asks', () => {
    session.is('running', 1_000);
    session.begin(2_000, 'one');
    assert.deepEqual(session.at(1_000, 2_500), [false, undefined]);
    session.end(3_000, 'one');
    session.begin(4_000, 'two');
    session.end(5_000, 'two', { isRefused: true });
    assert.deepEqual(session.at(2_500, 4_500), [true, false]);
  });

  it('are of nobody yet, where one of two sessions’ may turn out not to have run', () => {
    const older = new Recorded();
    older.is('running', 1_000);
    older.begin(2_000);
    session.begin(2_000);
    const sessions = new Map([
      ['new', session],
      ['old', older],
    ]);
    assert.deepEqual(whoseAt(2_500, sessions), undefined);
    older.end(3_000);
    assert.deepEqual(whoseAt(2_500, sessions), ['new', 'old']);
  });

  for (const status of ['idle', 'shell'] as const) {
    it(`end with the turn where the command goes on in the background: ${status}`, () => {
      session.begin(2_000);
      session.end(3_000, 'one', { isInBackground: true });
      session.begin(3_500, 'two', 'Read');
      session.end(3_600, 'two');
      assert.deepEqual(session.at(4_000), [true]);
      session.is(status, 5_000);
      assert.deepEqual(session.at(4_000, 5_001), [true, false]);
    });
  }

  it('end when nobody waits for them any more', () => {
    session.begin(2_000);
    session.now = 3_000;
    session.prompt(3_000);
    assert.deepEqual(session.at(2_500, 3_500), [true, false]);
  });

  it('end with the session', () => {
    session.begin(2_000);
    session.now = 3_000;
    session.windows.close();
    assert.deepEqual(session.at(2_500, 3_500), [true, false]);
  });

  it('are found in the turn of a session that was not followed from its begin', () => {
    session.begin(2_000, 'ran');
    session.end(3_000, 'ran');
    session.begin(4_000, 'refused');
    session.end(5_000, 'refused', { isRefused: true });
    session.begin(6_000, 'runs');
    const windows = new ShellWindows(() => 0);
    windows.catchUp(session);
    const at = (...times: number[]) => times.map((time) => windows.hasRunAt(time));
    assert.deepEqual(at(2_500, 3_500, 4_500, 5_500, 9_000), [true, false, false, false, true]);
    session.end(9_500, 'runs');
    windows.take({ type: 'gap', reason: 'a test' }, session);
    assert.deepEqual(at(9_000, 9_600), [true, false]);
  });

  it('hold what ran, and nothing else, of whichever session, in any sequence', () => {
    /** ms; longer than what clocks may differ by, and all of it within what is remembered */
    const unit = 50;
    const command = fc.record({
      session: fc.nat({ max: 1 }),
      begin: fc.integer({ min: 1, max: 40 }),
      asked: fc.option(fc.integer({ min: 1, max: 20 })),
      length: fc.integer({ min: 1, max: 40 }),
      isRefused: fc.boolean(),
      knowsState: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(command, { maxLength: 10 }), (commands) => {
        const sessions = new Map([0, 1].map((id) => [id, new Recorded()] as const));
        const ran: { session: number; from: number; to: number }[] = [];
        const clocks = [0, 0];
        const steps: { at: number; run: () => void }[] = [];
        for (const [index, each] of commands.entries()) {
          const recorded = sessions.get(each.session) as Recorded;
          const id = `tool ${index}`;
          const now = clocks[each.session] ?? 0;
          const begun = now + each.begin * unit;
          const from = begun + (each.asked ?? 0) * unit;
          const to = from + each.length * unit;
          clocks[each.session] = to;
          const add = (at: number, write: () => void) => {
            const run = () => {
              recorded.now = at;
              write();
            };
            steps.push({ at, run });
          };
          const status = each.knowsState ? 'working' : 'running';
          add(begun - 1, () => recorded.is(status, begun - 1));
          add(begun, () => recorded.begin(begun, id));
          if (each.asked !== null && each.knowsState) {
            add(begun + 1, () => recorded.asks(begun + 1));
            if (!each.isRefused) {
              add(from, () => recorded.is('working', from));
            }
          }
          add(to, () => recorded.end(to, id, { isRefused: each.isRefused }));
          if (!each.isRefused) {
            const told = each.knowsState ? Math.max(begun, from - agreedLag) : begun;
            ran.push({ session: each.session, from: told, to });
          }
        }
        steps.sort((a, b) => a.at - b.at).forEach(({ run }) => run());
        for (let time = unit / 2; time < Math.max(...clocks) + 2 * unit; time += unit) {
          const expected = [0, 1].filter((each) =>
            ran.some(({ session: by, from, to }) => by === each && from <= time && time <= to),
          );
          assert.deepEqual(whoseAt(time, sessions), expected, `at ${time}`);
        }
      }),
    );
  });
});
