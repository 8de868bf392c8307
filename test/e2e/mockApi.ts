import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export interface ContentBlock {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  is_error?: boolean;
  content?: string | ContentBlock[];
  /** Of a text: it comes once that has settled. */
  after?: Promise<unknown>;
}

export interface Message {
  role: string;
  content: string | ContentBlock[];
}

export interface MessagesRequest {
  model: string;
  stream?: boolean;
  system?: string | ContentBlock[];
  messages: Message[];
  tools?: { name: string }[];
}

export interface ToolResult {
  text: string;
  isError: boolean;
}

/** What the model says when it is its turn. */
export type Turn = ContentBlock[];

let lastToolUse = 0;

export function text(words: string): Turn {
  return [{ type: 'text', text: words }];
}

export function toolUse(name: string, input: Record<string, unknown>): Turn {
  return [{ type: 'tool_use', id: `toolu_mock_${String(++lastToolUse)}`, name, input }];
}

/** The model's turns for one edit: it has to read a file before it may edit it. */
export function editTurns(path: string, oldText: string, newText: string): Turn[] {
  return [
    toolUse('Read', { file_path: path }),
    toolUse('Edit', { file_path: path, old_string: oldText, new_string: newText }),
  ];
}

/** What the last call of that tool was answered with, if the request carries an answer. */
export function resultOf(tool: string, request: MessagesRequest): ToolResult | undefined {
  const all = request.messages.flatMap(({ content }) => blocks(content));
  const call = all.findLast((block) => block.type === 'tool_use' && block.name === tool);
  const result = all.find((block) => block.type === 'tool_result' && block.tool_use_id === call?.id);
  return result && { text: plainText(result.content ?? ''), isError: result.is_error === true };
}

/** Everything that the model reads in the messages of that request (not the system prompt). */
export function contextText(request: MessagesRequest): string {
  return request.messages.map(({ content }) => plainText(content)).join('\n');
}

/**
 * A Messages API on loopback that plays the model for one CLI.
 *
 * A request that offers the editing tools is a turn of the conversation: it takes the next scripted turn. All others
 * (titles, topics, quotas, token counts, telemetry) are side requests, which the CLI makes as it likes; they get a
 * harmless answer and use up nothing.
 */
export class MockApi {
  /** Everything received, in order: what a failing scenario leaves behind. */
  readonly log: { method: string; path: string; turn: boolean; body: unknown }[] = [];
  /** With which it was asked, in order. */
  readonly keys: (string | undefined)[] = [];
  private readonly turns: MessagesRequest[] = [];
  private readonly scripted: { turn: Turn; begin: Promise<unknown> }[] = [];
  private readonly agents: { task: string; turns: Turn[]; begin: Promise<unknown> }[] = [];
  private handedOut = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
  }

  static async start(): Promise<MockApi> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return new MockApi(server);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** How often it was the model's turn. */
  get turnCount(): number {
    return this.turns.length;
  }

  /** Adds what the model will say, turn by turn, once it may begin. */
  script(turns: Turn[], begin: Promise<unknown> = Promise.resolve()): void {
    this.scripted.push(...turns.map((turn) => ({ turn, begin })));
  }

  /** What the model says as the agent that was given that task, once it may begin. */
  scriptAgent(task: string, turns: Turn[], begin: Promise<unknown> = Promise.resolve()): void {
    this.agents.push({ task, turns, begin });
  }

  /**
   * The next turn of the conversation that was not handed out yet and that satisfies `predicate`.
   * @throws after `timeoutMs` with `what` was awaited and what came instead.
   */
  async nextRequest(
    what: string,
    predicate: (request: MessagesRequest) => boolean = () => true,
    timeoutMs = 30_000,
  ): Promise<MessagesRequest> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      for (const request of this.turns.slice(this.handedOut)) {
        this.handedOut++;
        if (predicate(request)) return request;
      }
      if (Date.now() > deadline) {
        throw new Error(
          `no request with ${what} within ${String(timeoutMs)} ms; ${String(this.log.length)} requests came, ${String(this.turns.length)} of them turns`,
        );
      }
      await delay(25);
    }
  }

  /** What the CLI answers to the model's call of that tool, in the next request that carries it. */
  async nextResult(tool: string): Promise<ToolResult> {
    const request = await this.nextRequest(
      `the result of ${tool}`,
      (turn) => resultOf(tool, turn) !== undefined,
    );
    return resultOf(tool, request) as ToolResult;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    const body = parse(await readAll(request));
    const endpoint = path.split('?')[0];
    const messages =
      request.method === 'POST' && endpoint === '/v1/messages' ? (body as MessagesRequest) : undefined;
    const turn = messages !== undefined && isTurn(messages);
    this.log.push({ method: request.method ?? '', path, turn, body });
    this.keys.push(request.headersDistinct['x-api-key']?.[0]);

    if (messages === undefined) {
      const counted = endpoint === '/v1/messages/count_tokens';
      json(
        response,
        counted ? 200 : 404,
        counted
          ? { input_tokens: 10 }
          : { type: 'error', error: { type: 'not_found_error', message: 'mock' } },
      );
      return;
    }
    // Handed out only now that the answer is known: a scenario that waits for the request sees the script consumed.
    const content = turn ? await this.say(messages) : text('mock');
    if (turn) this.turns.push(messages);
    const message = envelope(messages.model, content);
    if (messages.stream === true) await stream(response, message);
    else json(response, 200, message);
  }

  private async say(request: MessagesRequest): Promise<Turn> {
    const agent = this.agentOf(request);
    if (agent) {
      await agent.begin;
      return agent.turns.shift() ?? text('nothing scripted');
    }
    const next = this.scripted.shift();
    await next?.begin;
    return next?.turn ?? text('nothing scripted');
  }

  /** An agent's conversation begins with its task. */
  private agentOf({ messages }: MessagesRequest) {
    const first = plainText(messages[0]?.content ?? '');
    return this.agents.find(({ task }) => first.includes(task));
  }
}

function isTurn({ tools, messages }: MessagesRequest): boolean {
  const warmUp = messages.length === 1 && plainText(messages[0]?.content ?? '').trim() === 'Warmup';
  return !warmUp && (tools ?? []).some(({ name }) => name === 'Edit');
}

function blocks(content: string | ContentBlock[]): ContentBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function plainText(content: string | ContentBlock[]): string {
  return blocks(content)
    .map((block) => block.text ?? plainText(block.content ?? []))
    .join('\n');
}

function envelope(model: string, content: Turn) {
  const usesTool = content.some(({ type }) => type === 'tool_use');
  return {
    id: `msg_mock_${String(Date.now())}`,
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason: usesTool ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      output_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  };
}

async function stream(response: ServerResponse, message: ReturnType<typeof envelope>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  const send = (event: { type: string } & Record<string, unknown>): void => {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  send({ type: 'message_start', message: { ...message, content: [], stop_reason: null } });
  for (const [index, block] of message.content.entries()) {
    await block.after;
    const isText = block.type === 'text';
    const start = isText ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) };
    send({ type: 'content_block_start', index, content_block: start });
    send({ type: 'content_block_delta', index, delta });
    send({ type: 'content_block_stop', index });
  }
  const { stop_reason, stop_sequence, usage } = message;
  send({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage });
  send({ type: 'message_stop' });
  response.end();
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
