import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorMessage } from '../../base/errors.ts';
import { late, within } from '../../base/within.ts';
import { AnswerStream, type StopReason } from './answerStream.ts';
import { ApiError, type ApiErrorType, sendJson } from './apiError.ts';
import {
  type AnswerPart,
  type LanguageModel,
  LanguageModelFailure,
  type LanguageModelFailureKind,
  type LanguageModels,
} from './languageModels.ts';
import { type MessagesRequest, parseRequest, textOfRequest, toLanguageModel } from './messagesApi.ts';
import type { Exchange, Upstream } from './modelProxy.ts';

/** Bytes of a request: the API's own limit. */
const maxRequest = 32 * 1024 * 1024;

/** Ms without a part of the answer; an editor's provider tells nothing while its model thinks. */
const defaultStall = 300_000;

/** Ms that a provider has to count tokens: the CLI waits for it, and would wait for ever. */
const defaultCountTime = 5_000;

/** Ms that the editor has to tell its models, for which it may have to start extensions. */
const listTime = 30_000;

const errorTypes: Readonly<Record<LanguageModelFailureKind, ApiErrorType>> = {
  notAllowed: 'permission_error',
  blocked: 'invalid_request_error',
  notFound: 'not_found_error',
  rateLimited: 'rate_limit_error',
  failed: 'api_error',
};

/** The Messages API, answered by the editor's own language models. */
export class LanguageModelUpstream implements Upstream {
  /**
   * @param preferred id or family of the model that answers; undefined: that of the name that the CLI asks for, else the
   *   first of Claude, else the first
   * @param stall ms without a part of the answer after which the request has failed
   * @param countTime ms after which tokens are estimated that the model has not counted
   */
  constructor(
    private readonly models: LanguageModels,
    private readonly preferred: () => string | undefined,
    private readonly stall = defaultStall,
    private readonly countTime = defaultCountTime,
  ) {}

  async answer({ path, request, response, signal }: Exchange): Promise<void> {
    const [route] = path.split('?');
    try {
      if (request.method === 'POST' && route === '/v1/messages') {
        await this.answerMessages(parseRequest(await bodyOf(request)), response, signal);
      } else if (request.method === 'POST' && route === '/v1/messages/count_tokens') {
        const asked = parseRequest(await bodyOf(request));
        const model = await this.model(asked.model, signal);
        const tokens = await this.count(model, textOfRequest(toLanguageModel(asked)), signal);
        sendJson(response, 200, { input_tokens: tokens });
      } else {
        throw new ApiError('not_found_error', 'There is nothing at this address.');
      }
    } catch (error) {
      throw error instanceof LanguageModelFailure
        ? new ApiError(errorTypes[error.kind], error.message)
        : error;
    }
  }

  private async answerMessages(
    asked: MessagesRequest,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const model = await this.model(asked.model, signal);
    const request = toLanguageModel(asked);
    const text = textOfRequest(request);
    const counted = this.count(model, text, signal);
    const over = new AbortController();
    const answer = new AnswerStream(response, asked.model, asked.stream === true, estimate(text.length));
    const held = new StopSequences(asked.stop_sequences ?? []);
    let said = 0;
    let reason: StopReason = 'end_turn';
    const parts = model.send(request, AbortSignal.any([signal, over.signal]));
    try {
      for await (const part of whileItSpeaks(parts, this.stall, signal)) {
        if (part.kind === 'toolUse') {
          await answer.add({ kind: 'text', text: held.rest() });
          await answer.add(part);
          reason = 'tool_use';
          said += JSON.stringify(part.input).length;
        } else {
          const text = held.take(part.text);
          await answer.add({ kind: 'text', text });
          said += text.length;
        }
        if (held.found !== undefined) {
          reason = 'stop_sequence';
          break;
        }
        if (asked.max_tokens !== undefined && estimate(said) >= asked.max_tokens) {
          reason = reason === 'tool_use' ? reason : 'max_tokens'; // a tool that was asked for is whole
          break;
        }
      }
    } finally {
      over.abort(); // a model that is asked no more shall not go on
    }
    if (signal.aborted) {
      return;
    }
    if (reason !== 'stop_sequence') {
      await answer.add({ kind: 'text', text: held.rest() });
    }
    await answer.end(reason, held.found ?? null, await counted, estimate(said));
  }

  /** Estimated where the model fails to, or takes too long. */
  private async count(model: LanguageModel, text: string, signal: AbortSignal): Promise<number> {
    const over = new AbortController();
    const counting = () => model.countTokens(text, AbortSignal.any([signal, over.signal]));
    try {
      const counted = await within(this.countTime, signal, counting());
      return counted === late ? estimate(text.length) : counted;
    } catch {
      return estimate(text.length);
    } finally {
      over.abort();
    }
  }

  /** The CLI asks for `claude-…`, or what the user has chosen. */
  private async model(wanted: string, signal: AbortSignal): Promise<LanguageModel> {
    const models = await listOf(this.models, signal);
    const preferred = this.preferred();
    const isOfClaude = ({ family }: LanguageModel) => family.startsWith('claude');
    const found =
      preferred === undefined
        ? (modelNamed(wanted, models) ?? models.find(isOfClaude) ?? models[0])
        : modelNamed(preferred, models);
    if (!found) {
      throw new ApiError('not_found_error', noSuchModel(preferred ?? wanted, models));
    }
    return found;
  }
}

/** @throws {ApiError} when the editor does not tell them in time */
export async function listOf(
  models: LanguageModels,
  signal = new AbortController().signal,
): Promise<readonly LanguageModel[]> {
  const found = await within(listTime, signal, models.list());
  if (found === late) {
    throw new ApiError(
      'overloaded_error',
      `The editor did not tell its language models within ${listTime / 1_000} s.`,
    );
  }
  return found;
}

/** By its id, else the first of that family. */
export function modelNamed(name: string, models: readonly LanguageModel[]): LanguageModel | undefined {
  return models.find(({ id }) => id === name) ?? models.find(({ family }) => family === name);
}

export function noSuchModel(name: string, models: readonly LanguageModel[]): string {
  return models.length === 0
    ? 'This editor has no language model.'
    : `This editor has no language model "${name}"; it has ${models.map(({ id }) => id).join(', ')}.`;
}

/** Tokens, by the length of English text and code, roughly. */
function estimate(length: number): number {
  return Math.ceil(length / 4);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Not destroyed where it is too large: its sender would not hear of that.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxRequest) {
      throw new ApiError('request_too_large', `The request has more than ${maxRequest} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Until its end, or nobody waits any more. @throws {ApiError} when nothing comes for so long */
async function* whileItSpeaks(
  parts: AsyncIterable<AnswerPart>,
  stall: number,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const iterator = parts[Symbol.asyncIterator]();
  const aborted = new Promise<undefined>((resolve) =>
    signal.addEventListener('abort', () => resolve(undefined), { once: true }),
  );
  try {
    while (!signal.aborted) {
      let timer: NodeJS.Timeout | undefined;
      const stalled = new Promise<never>((_, reject) => {
        timer = setTimeout(
          () =>
            reject(new ApiError('overloaded_error', `The model has said nothing for ${stall / 1_000} s.`)),
          stall,
        );
      });
      const next = await Promise.race([iterator.next(), stalled, aborted]).finally(() => clearTimeout(timer));
      if (!next || next.done === true) {
        return;
      }
      yield next.value;
    }
  } catch (error) {
    throw error instanceof LanguageModelFailure || error instanceof ApiError
      ? error
      : new ApiError('api_error', errorMessage(error));
  } finally {
    void iterator.return?.().catch(() => undefined); // one that stalls does not answer this either
  }
}

/** Holds back what may be the beginning of a text at which the answer ends. */
class StopSequences {
  found: string | undefined;
  private held = '';
  private readonly longest: number;

  constructor(private readonly sequences: readonly string[]) {
    this.longest = Math.max(0, ...sequences.map(({ length }) => length));
  }

  /** @returns what can be said now */
  take(text: string): string {
    const all = this.held + text;
    const found = this.sequences
      .map((sequence) => ({ sequence, at: sequence === '' ? -1 : all.indexOf(sequence) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (found) {
      this.found = found.sequence;
      this.held = '';
      return all.slice(0, found.at);
    }
    const kept = Math.max(0, this.longest - 1);
    this.held = kept === 0 ? '' : all.slice(-kept);
    return all.slice(0, all.length - this.held.length);
  }

  /** At the end of a block: nothing more belongs to what was held back. */
  rest(): string {
    const { held } = this;
    this.held = '';
    return held;
  }
}
