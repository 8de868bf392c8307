import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Verdict = { ok: true } | { ok: false; status: 400 | 401 | 403; reason: string };

const tokenHeader = 'x-claude-code-ide-authorization';

/**
 * Decides on a WebSocket upgrade before the 101, cheapest check first; the CLI drops a connection that does not speak
 * `mcp`.
 */
export function checkUpgrade(request: IncomingMessage, port: number, token: string): Verdict {
  const verdict = checkCaller(request, port, token, ownTokens(request));
  const protocols = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  return verdict.ok && !protocols.includes('mcp')
    ? { ok: false, status: 400, reason: 'it does not offer the subprotocol mcp' }
    : verdict;
}

/** The same of a plain request, before any of its body is read. Clients of MCP over HTTP know bearers. */
export function checkRequest(request: IncomingMessage, port: number, token: string): Verdict {
  return checkCaller(request, port, token, [...ownTokens(request), ...bearers(request)]);
}

/**
 * Web pages send an `Origin`, the CLI never does (CVE-2025-52882 was a missing check of it); a foreign `Host` is DNS
 * rebinding; the token is in a file that only this user can read.
 */
function checkCaller(
  { headers, headersDistinct }: IncomingMessage,
  port: number,
  token: string,
  tokens: readonly string[],
): Verdict {
  if (headers.origin !== undefined) {
    return { ok: false, status: 403, reason: 'it has an Origin, so it comes from a web page' };
  }
  const hosts = headersDistinct.host ?? [];
  if (hosts.length !== 1 || !isLoopbackHost(hosts[0], port)) {
    return { ok: false, status: 403, reason: 'its Host is not this server' };
  }
  if (tokens.length !== 1 || !sameSecret(tokens[0], token)) {
    return { ok: false, status: 401, reason: tokens.length === 0 ? 'it has no token' : 'its token is wrong' };
  }
  return { ok: true };
}

function ownTokens({ headersDistinct }: IncomingMessage): readonly string[] {
  return headersDistinct[tokenHeader] ?? [];
}

function bearers({ headersDistinct }: IncomingMessage): readonly string[] {
  return (headersDistinct.authorization ?? []).map((value) => /^Bearer (\S+)$/i.exec(value)?.[1] ?? '');
}

/** `localhost` too: CLAUDE_CODE_IDE_HOST_OVERRIDE=localhost makes the CLI send it. */
export function isLoopbackHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

/** Takes the same time wherever the two differ, and however long the offered one is. */
export function sameSecret(offered: string | undefined, secret: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(offered ?? ''), digest(secret));
}
