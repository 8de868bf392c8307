import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export type Verdict = { ok: true } | { ok: false; status: 400 | 401 | 403; reason: string };

const tokenHeader = 'x-claude-code-ide-authorization';

/**
 * Decides on a WebSocket upgrade before the 101, cheapest check first. Web pages send an `Origin`, the CLI never
 * does (CVE-2025-52882 was a missing check of it); a foreign `Host` is DNS rebinding; the token is in a file that
 * only this user can read; and the CLI drops a connection that does not speak `mcp`.
 */
export function checkUpgrade(request: IncomingMessage, port: number, token: string): Verdict {
  const { headers, headersDistinct } = request;
  if (headers.origin !== undefined) {
    return { ok: false, status: 403, reason: 'it has an Origin, so it comes from a web page' };
  }
  const hosts = headersDistinct.host ?? [];
  if (hosts.length !== 1 || !isLoopbackHost(hosts[0], port)) {
    return { ok: false, status: 403, reason: 'its Host is not this server' };
  }
  const tokens = headersDistinct[tokenHeader] ?? [];
  if (tokens.length !== 1 || !sameSecret(tokens[0], token)) {
    return { ok: false, status: 401, reason: tokens.length === 0 ? 'it has no token' : 'its token is wrong' };
  }
  const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  if (!protocols.includes('mcp')) {
    return { ok: false, status: 400, reason: 'it does not offer the subprotocol mcp' };
  }
  return { ok: true };
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
