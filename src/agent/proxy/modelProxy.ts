import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorMessage } from '../../base/errors.ts';
import type { Disposable } from '../../base/disposable.ts';
import type { Logger } from '../../base/logger.ts';
import { isLoopbackHost, sameSecret } from '../../server/guards.ts';
import { ApiError, sendError } from './apiError.ts';

/** A request of a session's CLI to the model, and where the answer goes. */
export interface Exchange {
  /** Below the session's address, with its query: `/v1/messages?beta=true`. */
  readonly path: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The CLI does not wait any more. */
  readonly signal: AbortSignal;
}

/** Who answers a session's requests to the model. */
export interface Upstream {
  /** Sends the whole answer. @throws {ApiError} also in the middle of one */
  answer(exchange: Exchange): Promise<void>;
}

/** What a session's CLI is started with, so that it asks here. */
export interface ProxiedSession extends Disposable {
  /** @param added by the user, of which only the way here is not theirs to change */
  envWith(added: Environment): Environment;
  /** For a file that `--settings` names: the `env` of the CLI's own settings goes before its environment, but not before this. */
  readonly settings: object;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Admitted {
  readonly nonce: string;
  readonly upstream: Upstream;
  readonly running: Set<AbortController>;
}

/**
 * A server on loopback that CLIs take for the Messages API, so that no key has to be in their environment. Each session
 * has an address and a key of its own, which are worth nothing elsewhere. What is said is never logged.
 */
export class ModelProxy implements Disposable {
  private readonly sessions = new Map<string, Admitted>();

  private constructor(
    private readonly server: Server,
    private readonly log: Logger,
  ) {
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void this.take(request, response);
    });
  }

  /**
   * @param headersTimeout ms that the head of a request may take; its body has all the time that it needs
   * @throws when no port can be had
   */
  static async start(log: Logger, headersTimeout = 10_000): Promise<ModelProxy> {
    const server = createServer({
      requestTimeout: 0,
      headersTimeout,
      connectionsCheckingInterval: headersTimeout,
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    server.unref();
    return new ModelProxy(server, log);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Its disposal ends what it is being told. */
  admit(upstream: Upstream): ProxiedSession {
    const id = randomBytes(8).toString('hex');
    const nonce = randomBytes(32).toString('hex');
    const session: Admitted = { nonce, upstream, running: new Set() };
    this.sessions.set(id, session);
    const wayHere: Environment = {
      ANTHROPIC_BASE_URL: `http://127.0.0.1:${this.port}/${id}`,
      ANTHROPIC_API_KEY: nonce,
      // Else the CLI would ask there, with what it has.
      ANTHROPIC_AUTH_TOKEN: undefined,
      CLAUDE_CODE_OAUTH_TOKEN: undefined,
      CLAUDE_CODE_USE_BEDROCK: undefined,
      CLAUDE_CODE_USE_VERTEX: undefined,
      CLAUDE_CODE_USE_FOUNDRY: undefined,
      CLAUDE_CODE_USE_MANTLE: undefined,
      CLAUDE_CODE_USE_ANTHROPIC_AWS: undefined,
      CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD: undefined,
    };
    return {
      envWith: (added) => ({ ...added, ...wayHere }),
      settings: {
        env: Object.fromEntries(Object.entries(wayHere).map(([name, value = '']) => [name, value])),
      },
      dispose: () => {
        this.sessions.delete(id);
        session.running.forEach((running) => running.abort());
      },
    };
  }

  dispose(): void {
    this.sessions.clear();
    this.server.close();
    this.server.closeAllConnections();
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const abort = new AbortController();
    let session: Admitted | undefined;
    response.on('error', () => undefined); // who has gone is told nothing; 'close' follows
    response.on('close', () => abort.abort());
    try {
      const found = this.admitted(request);
      session = found.session;
      session.running.add(abort);
      await session.upstream.answer({ path: found.path, request, response, signal: abort.signal });
      if (!response.writableEnded) {
        throw new ApiError('api_error', 'The answer is not whole.');
      }
    } catch (error) {
      if (!response.destroyed && abort.signal.aborted) {
        response.destroy(); // the session has ended
      } else if (!abort.signal.aborted) {
        this.log.warn(`A request to the model failed: ${kindOf(error)}`);
        sendError(
          response,
          error instanceof ApiError ? error : new ApiError('api_error', errorMessage(error)),
        );
        request.resume();
      }
    } finally {
      session?.running.delete(abort);
    }
  }

  /** Web pages send an `Origin`; a foreign `Host` is DNS rebinding; a key is good at its own session's address only. */
  private admitted(request: IncomingMessage): { session: Admitted; path: string } {
    const hosts = request.headersDistinct.host ?? [];
    if (request.headers.origin !== undefined || hosts.length !== 1 || !isLoopbackHost(hosts[0], this.port)) {
      throw new ApiError('permission_error', 'This server answers Claude Code only.');
    }
    const [, id = '', path = ''] = /^\/([0-9a-f]{16})(\/.*)$/.exec(request.url ?? '') ?? [];
    const session = this.sessions.get(id);
    const offered = request.headers['x-api-key'] ?? bearer(request.headers.authorization);
    if (!sameSecret(typeof offered === 'string' ? offered : undefined, session?.nonce ?? '') || !session) {
      throw new ApiError('authentication_error', 'This is not the key of a session that runs.');
    }
    return { session, path };
  }
}

function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
}

/** What an upstream says may quote the request. */
function kindOf(error: unknown): string {
  return error instanceof ApiError ? error.type : error instanceof Error ? error.name : 'unknown';
}
