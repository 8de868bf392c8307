import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { sendJson, serverSentEvent } from './apiError.ts';
import type { AnswerPart, ToolUsePart } from './languageModels.ts';

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'stop_sequence';

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Readonly<Record<string, unknown>> };

/** An answer of the Messages API, made of what a model says: as events, or in one piece at its end. */
export class AnswerStream {
  private readonly content: Block[] = [];
  private isTextOpen = false;
  private readonly message;

  /** @param inputTokens an estimate: the count comes with the end */
  constructor(
    private readonly response: ServerResponse,
    model: string,
    private readonly isStreaming: boolean,
    inputTokens: number,
  ) {
    this.message = {
      id: `msg_${randomBytes(12).toString('hex')}`,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usage(inputTokens, 0),
    };
  }

  /** Waits while who reads is slow. */
  async add(part: AnswerPart): Promise<void> {
    if (part.kind === 'toolUse') {
      await this.addToolUse(part);
    } else if (part.text !== '') {
      await this.addText(part.text);
    }
  }

  async end(
    reason: StopReason,
    stopSequence: string | null,
    inputTokens: number,
    outputTokens: number,
  ): Promise<void> {
    await this.closeText();
    if (!this.isStreaming) {
      sendJson(this.response, 200, {
        ...this.message,
        content: this.content,
        stop_reason: reason,
        stop_sequence: stopSequence,
        usage: usage(inputTokens, outputTokens),
      });
      return;
    }
    await this.event('message_delta', {
      delta: { stop_reason: reason, stop_sequence: stopSequence },
      usage: usage(inputTokens, outputTokens),
    });
    await this.event('message_stop', {});
    this.response.end();
  }

  private async addText(text: string): Promise<void> {
    const last = this.content.at(-1);
    if (this.isTextOpen && last?.type === 'text') {
      last.text += text;
    } else {
      this.isTextOpen = true;
      this.content.push({ type: 'text', text });
      await this.blockEvent('start', { content_block: { type: 'text', text: '' } });
    }
    await this.blockEvent('delta', { delta: { type: 'text_delta', text } });
  }

  private async addToolUse({ id, name, input }: ToolUsePart): Promise<void> {
    await this.closeText();
    this.content.push({ type: 'tool_use', id, name, input });
    await this.blockEvent('start', { content_block: { type: 'tool_use', id, name, input: {} } });
    await this.blockEvent('delta', {
      delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) },
    });
    await this.blockEvent('stop', {});
  }

  private async closeText(): Promise<void> {
    if (this.isTextOpen) {
      this.isTextOpen = false;
      await this.blockEvent('stop', {});
    }
  }

  private blockEvent(what: 'start' | 'delta' | 'stop', data: object): Promise<void> {
    return this.event(`content_block_${what}`, { index: this.content.length - 1, ...data });
  }

  private async event(type: string, data: object): Promise<void> {
    if (!this.isStreaming) {
      return;
    }
    if (!this.response.headersSent) {
      // Not by writeHead: what tells of a failure asks the response for it.
      this.response.setHeader('content-type', 'text/event-stream; charset=utf-8');
      this.response.setHeader('cache-control', 'no-cache');
      this.response.writeHead(200);
      this.response.write(serverSentEvent('message_start', { type: 'message_start', message: this.message }));
    }
    if (!this.response.write(serverSentEvent(type, { type, ...data }))) {
      await Promise.race([once(this.response, 'drain'), once(this.response, 'close')]);
    }
  }
}

function usage(input: number, output: number): object {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}
