import { randomUUID } from 'node:crypto';
import { errorMessage } from '../base/errors.ts';
import type { ControlRequest, ControlResponse } from './messages.ts';

export type ControlFailure =
  /** This version of the CLI does not know the request, and says so (2.1). */
  | 'unsupported'
  | 'refused'
  /** Nothing came: 1.0 and 2.0 do not answer what they do not know. */
  | 'noAnswer'
  | 'ended';

export class ControlError extends Error {
  constructor(
    readonly kind: ControlFailure,
    message: string,
  ) {
    super(message);
    this.name = 'ControlError';
  }
}

/** Answers a request of the CLI; what it throws becomes the error of the answer. @param signal the CLI has withdrawn it */
export type ControlHandler = (request: Record<string, unknown>, signal: AbortSignal) => Promise<unknown>;

/** Ms. The CLI answers what it knows at once, a mode or model within some seconds. */
const defaultTimeout = 15_000;

interface Waiting {
  readonly resolve: (response: unknown) => void;
  readonly reject: (error: ControlError) => void;
  readonly timer: NodeJS.Timeout;
}

/** Requests and answers, both ways, over the lines of one CLI process. */
export class ControlChannel {
  private readonly waiting = new Map<string, Waiting>();
  private readonly asked = new Map<string, AbortController>();
  private isEnded = false;

  /** @param handlers by subtype */
  constructor(
    private readonly send: (message: object) => void,
    private readonly handlers: Readonly<Record<string, ControlHandler>>,
  ) {}

  /** @param timeout ms; @throws {ControlError} */
  request(subtype: string, fields: object = {}, timeout = defaultTimeout): Promise<unknown> {
    if (this.isEnded) {
      return Promise.reject(new ControlError('ended', `Claude Code has ended before "${subtype}".`));
    }
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(
          new ControlError('noAnswer', `Claude Code did not answer "${subtype}" in ${timeout / 1_000} s.`),
        );
      }, timeout);
      this.waiting.set(id, { resolve, reject, timer });
      this.send({ type: 'control_request', request_id: id, request: { subtype, ...fields } });
    });
  }

  /** Answers that are not to ours (2.0 and later print back what they were sent) and late ones say nothing. */
  takeResponse({ response }: ControlResponse): void {
    const waiting = this.waiting.get(response.request_id);
    if (!waiting) {
      return;
    }
    this.waiting.delete(response.request_id);
    clearTimeout(waiting.timer);
    if (response.subtype === 'success') {
      waiting.resolve(response.response);
    } else {
      const isUnknown =
        response.error_code === 'unsupported_request' ||
        /^Unsupported control request/.test(response.error ?? '');
      waiting.reject(
        new ControlError(isUnknown ? 'unsupported' : 'refused', response.error ?? 'Claude Code has refused.'),
      );
    }
  }

  /** Each is answered once, unless the CLI takes it back first. */
  async takeRequest({ request_id: id, request }: ControlRequest): Promise<void> {
    if (this.isEnded) {
      return; // nobody would hear the answer
    }
    const abort = new AbortController();
    this.asked.get(id)?.abort();
    this.asked.set(id, abort);
    let answer: object;
    try {
      const handler = this.handlers[request.subtype];
      if (!handler) {
        throw new Error(`Unsupported control request subtype: ${request.subtype}`);
      }
      answer = { subtype: 'success', response: await handler(request, abort.signal) };
    } catch (error) {
      answer = { subtype: 'error', error: errorMessage(error) };
    }
    if (this.asked.get(id) === abort && !abort.signal.aborted) {
      this.asked.delete(id);
      this.send({ type: 'control_response', response: { request_id: id, ...answer } });
    }
  }

  withdraw(id: string): void {
    this.asked.get(id)?.abort();
    this.asked.delete(id);
  }

  /** The CLI is gone: nobody waits for it any more, and nothing is answered. */
  end(): void {
    this.isEnded = true;
    for (const [id, { reject, timer }] of this.waiting) {
      clearTimeout(timer);
      this.waiting.delete(id);
      reject(new ControlError('ended', 'Claude Code has ended before it answered.'));
    }
    for (const id of [...this.asked.keys()]) {
      this.withdraw(id);
    }
  }
}
