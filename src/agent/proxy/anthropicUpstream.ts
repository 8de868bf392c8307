import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { errorMessage } from '../../base/errors.ts';
import { ApiError } from './apiError.ts';
import type { Exchange, Upstream } from './modelProxy.ts';

/** Each is for one connection only (RFC 9110, 7.6.1), or is ours to say. */
const notPassedOn = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'host',
  'x-api-key',
  'authorization',
]);

/** This machine, which the key does not leave in the clear. */
const ownHosts = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Ms without a byte. The API sends a ping every few seconds while a model thinks. */
const defaultStall = 120_000;

export interface ApiKey {
  readonly value: string;
  /** `x-api-key`: the Anthropic API's own; `bearer`: `Authorization`, as many gateways want it. */
  readonly sentAs: 'x-api-key' | 'bearer';
}

/** The Anthropic API, or one that is compatible with it: passed through as it comes, with another key. */
export class AnthropicUpstream implements Upstream {
  private readonly base: URL;

  /**
   * @param base such as `https://api.anthropic.com`; may have a path
   * @param key asked for at each request, so that a new one is used at once
   * @param stall ms without a byte after which the request has failed
   * @throws for an address that is none, or to which the key would travel in the clear
   */
  constructor(
    base: string,
    private readonly key: () => Promise<ApiKey | undefined>,
    private readonly stall = defaultStall,
  ) {
    if (!URL.canParse(base)) {
      throw new Error(`"${base}" is no address of an API.`);
    }
    this.base = new URL(base);
    const { protocol, hostname } = this.base;
    if (protocol !== 'https:' && !(protocol === 'http:' && ownHosts.has(hostname))) {
      throw new Error(`"${base}" is no address that a key can be sent to: it must begin with https://.`);
    }
  }

  async answer({ path, request, response, signal }: Exchange): Promise<void> {
    const target = this.target(path);
    const key = await this.key();
    if (!key) {
      throw new ApiError('authentication_error', 'No API key is stored in the editor.');
    }
    const answered = await this.ask(target, request, key, signal);
    response.writeHead(answered.statusCode ?? 502, passedOn(answered.headers));
    try {
      await pipeline(answered, response, { signal });
    } catch (error) {
      throw new ApiError('api_error', `The model's answer was cut off: ${errorMessage(error)}`);
    }
  }

  /** The API's own paths only: with the user's key nothing else shall be asked for. */
  private target(path: string): URL {
    const prefix = this.base.pathname.replace(/\/$/, '');
    const target = new URL(`${this.base.origin}${prefix}${path}`);
    if (!target.pathname.startsWith(`${prefix}/v1/`)) {
      throw new ApiError('not_found_error', 'There is nothing at this address.');
    }
    return target;
  }

  private ask(
    target: URL,
    request: IncomingMessage,
    key: ApiKey,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
      const outgoing = send(target, {
        method: request.method ?? 'POST',
        headers: {
          ...passedOn(request.headers),
          ...(key.sentAs === 'bearer'
            ? { authorization: `Bearer ${key.value}` }
            : { 'x-api-key': key.value }),
        },
        signal,
      });
      outgoing.setTimeout(this.stall, () =>
        outgoing.destroy(new Error(`nothing came for ${this.stall / 1_000} s`)),
      );
      outgoing.once('response', resolve);
      outgoing.on('error', (error) =>
        reject(new ApiError('api_error', `${target.host} cannot be reached: ${error.message}`)),
      );
      request.once('error', (error) => outgoing.destroy(error));
      request.pipe(outgoing);
    });
  }
}

function passedOn(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !notPassedOn.has(name)));
}
