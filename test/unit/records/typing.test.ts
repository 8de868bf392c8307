import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SessionState } from '../../../src/records/events.ts';
import { mayType, redraw, typeAtPrompt, type Typed } from '../../../src/records/typing.ts';

const states: Record<string, SessionState> = {
  idle: { status: 'idle', since: 0 },
  shell: { status: 'shell', since: 0 },
  working: { status: 'working', since: 0 },
  running: { status: 'running', since: 0 },
  asking: { status: 'waiting', since: 0, waitingFor: 'permission prompt', asks: [] },
  inDialog: { status: 'waiting', since: 0, waitingFor: 'dialog open', asks: [] },
};

describe('words for a CLI', () => {
  it('may be typed at its prompt only, while it does nothing', () => {
    const when = Object.entries(states).map(([name, state]) => [name, mayType(state)]);
    assert.deepEqual(Object.fromEntries(when), {
      idle: 'now',
      shell: 'now',
      working: 'later',
      running: 'later',
      asking: 'later',
      inDialog: 'later',
    });
    assert.equal(mayType(undefined), 'unknown');
  });

  /** What is on the screen from that time on, in ms: one of the states, or another, which no record tells. */
  interface Screen {
    at: number;
    name: string;
  }

  /** A CLI whose record follows its screen after so many ms, and on whose terminal another program may be. */
  async function typeInto(screens: readonly Screen[], lag: number, others: { from: number; to: number }) {
    let now = 0;
    const at = (time: number) => screens.findLast((screen) => screen.at <= time)?.name ?? 'unknown';
    const isOther = () => now >= others.from && now < others.to;
    const typed: { screen: string; recorded: string; isOther: boolean; at: number }[] = [];
    let looks = 0;
    const result: Typed = await typeAtPrompt(
      {
        look: () => Promise.resolve(states[at(now - lag)]).finally(() => looks++),
        readsTerminal: () => Promise.resolve(!isOther()),
        type: () =>
          void typed.push({ screen: at(now), recorded: at(now - lag), isOther: isOther(), at: now }),
      },
      (ms) => Promise.resolve(void (now += ms)),
    );
    return { result, typed, looks, end: at(now) };
  }

  const screen = fc.record({
    at: fc.integer({ min: -500, max: 2 * redraw }),
    name: fc.constantFrom(...Object.keys(states), 'unknown'),
  });
  const sequences = fc
    .array(screen, { minLength: 1, maxLength: 8 })
    .map((all) => [{ at: -10_000, name: 'idle' }, ...all.sort((a, b) => a.at - b.at)]);
  const others = fc.record({ from: fc.nat(2 * redraw), to: fc.nat(2 * redraw) });

  it('are typed at most once, and only when the record says so, before and after a pause', () =>
    fc.assert(
      fc.asyncProperty(sequences, fc.nat(2 * redraw), others, async (screens, lag, other) => {
        const { result, typed } = await typeInto(screens, lag, other);
        assert.equal(typed.length, result === 'typed' || result === 'lost' ? 1 : 0);
        for (const { recorded, isOther } of typed) {
          assert.match(recorded, /^(idle|shell)$/);
          assert.ok(!isOther, 'another program has the terminal');
        }
      }),
      { numRuns: 2_000 },
    ));

  it('never go to a question unseen: of one that the record does not have yet it is told that they may be lost', () =>
    fc.assert(
      fc.asyncProperty(sequences, fc.nat(redraw), others, async (screens, lag, other) => {
        const { result, typed } = await typeInto(screens, lag, other);
        for (const { screen: name, at } of typed) {
          const next = screens.find((later) => later.at > at)?.at ?? Infinity;
          const isAsked = /asking|inDialog/.test(name);
          // A question that has gone again by the next look was answered, or was none.
          if (isAsked && next > at + redraw) {
            assert.equal(result, 'lost');
          }
        }
      }),
      { numRuns: 2_000 },
    ));

  it('are not typed at a prompt that stands only for a moment', async () => {
    const screens = [
      { at: -100, name: 'idle' },
      { at: redraw - 100, name: 'working' },
    ];
    const { result, typed } = await typeInto(screens, 0, { from: 0, to: 0 });
    assert.deepEqual([result, typed], ['later', []]);
  });
});
