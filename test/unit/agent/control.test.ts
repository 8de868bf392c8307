import assert from 'node:assert/strict';
import { ControlChannel, ControlError, type ControlHandler } from '../../../src/agent/control.ts';
import { Deferred } from '../../../src/base/deferred.ts';

interface Sent {
  type: string;
  request_id?: string;
  request?: object;
  response?: { request_id: string; subtype: string; response?: unknown; error?: string };
}

function channel(handlers: Record<string, ControlHandler> = {}): { control: ControlChannel; sent: Sent[] } {
  const sent: Sent[] = [];
  return { control: new ControlChannel((message) => sent.push(message as Sent), handlers), sent };
}

function answer(control: ControlChannel, id: string | undefined, fields: object): void {
  control.takeResponse({
    type: 'control_response',
    response: { request_id: id ?? '', subtype: 'success', ...fields },
  });
}

const kind = (expected: string) => (error: unknown) =>
  error instanceof ControlError && error.kind === expected;

describe('The control channel', () => {
  it('gives each answer to who has asked', async () => {
    const { control, sent } = channel();
    const [first, second] = [control.request('a'), control.request('b', { mode: 'plan' })];
    assert.deepEqual(sent[1]?.request, { subtype: 'b', mode: 'plan' });
    answer(control, sent[1]?.request_id, { response: 2 });
    answer(control, 'of somebody else', { response: 3 });
    answer(control, sent[0]?.request_id, { response: 1 });
    answer(control, sent[0]?.request_id, { response: 'again' });
    assert.deepEqual(await Promise.all([first, second]), [1, 2]);
  });

  it('says why there is no answer', async () => {
    const { control, sent } = channel();
    const unknown = control.request('a');
    answer(control, sent[0]?.request_id, {
      subtype: 'error',
      error: 'Unsupported control request subtype: a',
      error_code: 'unsupported_request',
    });
    await assert.rejects(unknown, kind('unsupported'));
    const refused = control.request('b');
    answer(control, sent[1]?.request_id, { subtype: 'error', error: 'no such model' });
    await assert.rejects(refused, /no such model/);
    await assert.rejects(control.request('c', {}, 10), kind('noAnswer'));
    const late = control.request('d');
    control.end();
    await assert.rejects(late, kind('ended'));
    await assert.rejects(control.request('e'), kind('ended'));
  });

  it('answers what it is asked, once, and errors for what nobody knows', async () => {
    const { control, sent } = channel({ add: async ({ a }) => Number(a) + 1 });
    await control.takeRequest({
      type: 'control_request',
      request_id: '1',
      request: { subtype: 'add', a: 1 },
    });
    await control.takeRequest({ type: 'control_request', request_id: '2', request: { subtype: 'other' } });
    assert.deepEqual(
      sent.map(({ response }) => response),
      [
        { request_id: '1', subtype: 'success', response: 2 },
        { request_id: '2', subtype: 'error', error: 'Unsupported control request subtype: other' },
      ],
    );
  });

  it('never answers what was withdrawn, nor after the end', async () => {
    const [first, second] = [new Deferred<string>(), new Deferred<string>()];
    const signals: AbortSignal[] = [];
    const { control, sent } = channel({
      ask: (request, signal) => {
        signals.push(signal);
        return request['of'] === 1 ? first.promise : second.promise;
      },
    });
    const asked = [1, 2].map((of) =>
      control.takeRequest({ type: 'control_request', request_id: `${of}`, request: { subtype: 'ask', of } }),
    );
    control.withdraw('1');
    control.end();
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [true, true],
    );
    first.settle('yes');
    second.settle('yes');
    await Promise.all(asked);
    assert.deepEqual(sent, []);
  });

  it('answers the newest question of an id only', async () => {
    const answers = [new Deferred<string>(), new Deferred<string>()];
    let asked = 0;
    const { control, sent } = channel({
      ask: () => answers[asked++]?.promise ?? Promise.reject(new Error('?')),
    });
    const request = { type: 'control_request', request_id: '1', request: { subtype: 'ask' } } as const;
    const both = [control.takeRequest(request), control.takeRequest(request)];
    answers[0]?.settle('old');
    answers[1]?.settle('new');
    await Promise.all(both);
    assert.deepEqual(
      sent.map(({ response }) => response?.response),
      ['new'],
    );
  });
});
