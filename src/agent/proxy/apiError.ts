import type { ServerResponse } from 'node:http';

/** As the Messages API names them. */
export type ApiErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'not_found_error'
  | 'request_too_large'
  | 'rate_limit_error'
  | 'api_error'
  | 'overloaded_error';

const statuses: Readonly<Record<ApiErrorType, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
};

/** A failure that the CLI is told of in the form in which the Messages API tells its own. */
export class ApiError extends Error {
  constructor(
    readonly type: ApiErrorType,
    message: string,
  ) {
    super(message);
    this.name = 'ApiError';
  }

  get body(): object {
    return { type: 'error', error: { type: this.type, message: this.message } };
  }
}

/** The whole answer; of one that has begun the end, by an event if it streams. */
export function sendError(response: ServerResponse, error: ApiError): void {
  if (response.destroyed || response.writableEnded) {
    return;
  }
  if (!response.headersSent) {
    sendJson(response, statuses[error.type], error.body);
  } else if (/^text\/event-stream/.test(String(response.getHeader('content-type') ?? ''))) {
    response.end(serverSentEvent('error', error.body));
  } else {
    response.destroy();
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    // What the request itself has wrong is not mended by asking again; the CLI would, for minutes.
    ...(status >= 400 && status < 429 ? { 'x-should-retry': 'false' } : {}),
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

export function serverSentEvent(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
