import { cut } from '../base/text.ts';
import { imagesIn } from '../records/imagesIn.ts';
import type { Conversation } from './conversation.ts';
import type { ConversationState, ErrorCause, Item, StreamState, Todo, ToolResult, Usage } from './items.ts';
import type {
  AssistantMessage,
  CliMessage,
  ContentBlock,
  ResultMessage,
  StreamEventMessage,
  SystemMessage,
  UserMessage,
} from './messages.ts';
import { noImages } from './promptImages.ts';
import { TaskList, todosIn } from './todos.ts';

/** UTF-16 units; the whole stands in the session's transcript. */
const maxResult = 200_000;
/** The same, of all results of a session that runs; of what was said before the last of them the beginnings are kept. */
export const maxResults = 16_000_000;
const maxOldResult = 2_000;
/** What nobody knows is kept as it came, the last of it: so many messages, of so many UTF-16 units of JSON together. */
export const maxOthers = { count: 200, size: 1_000_000 };

/** Whether the CLI says that it does not have the session that it is to go on with. */
export function saysGone(words: string): boolean {
  return words.includes('No conversation found');
}

/** A message of the model that is being written: by session or sub-agent one at a time. */
interface Stream {
  readonly messageId: string;
  /** Ids of items by the block's index. */
  readonly blocks: Map<number, string>;
}

/** Tells a conversation what the CLI prints. */
export class CliConversation {
  private readonly streams = new Map<string, Stream>();
  /** How many whole blocks of a message have come: the CLI prints each by itself, in order. */
  private readonly whole = new Map<string, number>();
  private todosId: string | undefined;
  private readonly tasks = new TaskList();
  private added = 0;
  private costBefore = 0;
  private isInterrupted = false;
  /** What the CLI itself has said in the model's place: an error comes once more, as the result of the turn. */
  private ownWords: ContentBlock[] = [];
  /** UTF-16 units of whole results, by their tool uses, the oldest first. */
  private readonly results = new Map<string, number>();
  private kept = 0;
  /** UTF-16 units of JSON that nobody knows, by their items, the oldest first. */
  private readonly others = new Map<string, number>();
  private othersSize = 0;

  /** @param limit UTF-16 units of results that are kept whole, the last ones */
  constructor(
    private readonly conversation: Conversation,
    private readonly limit = Infinity,
  ) {}

  take(message: CliMessage, json: unknown): void {
    if (message.type !== 'result') {
      this.addOwnWords();
    }
    switch (message.type) {
      case 'assistant':
        this.takeAssistant(message);
        break;
      case 'user':
        this.takeUser(message);
        break;
      case 'stream_event':
        this.takeStream(message);
        break;
      case 'result':
        this.endTurn(message);
        break;
      case 'system':
        this.takeSystem(message, json);
        break;
      default:
        break; // what is asked and answered is the session's
    }
  }

  /** A message of a type that nobody knows. */
  takeOther(json: unknown): void {
    const { length } = JSON.stringify(json);
    this.others.set(this.add({ kind: 'other', json }), length);
    this.othersSize += length;
    for (const [old, length] of this.others) {
      if (this.others.size <= maxOthers.count && this.othersSize <= maxOthers.size) {
        return;
      }
      this.others.delete(old);
      this.othersSize -= length;
      this.conversation.apply({ type: 'remove', id: old });
    }
  }

  /** @returns its id */
  addPrompt(text: string, state: 'queued' | 'sent'): string {
    this.addOwnWords();
    return this.add({ kind: 'prompt', text, state });
  }

  addQuestion(tool: string, toolUseId: string | undefined): string {
    return this.add({
      kind: 'question',
      tool,
      state: 'open',
      ...(toolUseId === undefined ? {} : { toolUseId }),
    });
  }

  addError(cause: ErrorCause, message: string, detail?: string): void {
    this.add({ kind: 'error', cause, message, ...(detail === undefined || detail === '' ? {} : { detail }) });
  }

  change(id: string, fields: Readonly<Record<string, unknown>>): void {
    this.conversation.apply({ type: 'change', id, fields });
  }

  setState(fields: Partial<ConversationState>): void {
    const current = this.conversation.current;
    const isNew = Object.entries(fields).some(
      ([name, value]) => current[name as keyof ConversationState] !== value,
    );
    if (isNew) {
      this.conversation.apply({ type: 'state', fields });
    }
  }

  /** Nothing more will come of what is under way. */
  stopAll(): void {
    this.addOwnWords();
    this.stop(() => true);
    this.streams.clear();
    this.whole.clear();
    this.isInterrupted = false;
    this.setState({ isRunning: false });
  }

  private stop(isOver: (item: Item) => boolean): void {
    for (const item of this.conversation.snapshot().items) {
      if ('state' in item && (item.state === 'streaming' || item.state === 'running') && isOver(item)) {
        this.change(item.id, { state: 'stopped' });
      }
    }
  }

  private add(item: WithoutId<Item>, id = `item-${++this.added}`): string {
    this.conversation.apply({ type: 'add', item: { ...item, id } as Item });
    return id;
  }

  private takeAssistant({ message, parent_tool_use_id }: AssistantMessage): void {
    const { id: messageId = '', content, model, usage } = message;
    if (model === '<synthetic>' && typeof parent_tool_use_id !== 'string') {
      this.ownWords.push(...content);
      return;
    }
    if (usage && typeof parent_tool_use_id !== 'string') {
      const { input, output, cacheRead, cacheWritten } = usageOf(usage);
      this.setState({ contextTokens: input + output + cacheRead + cacheWritten });
    }
    const stream = this.streams.get(parent_tool_use_id ?? '');
    for (const block of content) {
      const index = this.whole.get(messageId) ?? 0;
      this.whole.set(messageId, index + 1);
      const streamed = stream?.messageId === messageId ? stream.blocks.get(index) : undefined;
      this.setBlock(block, streamed ?? idOf(block), parent_tool_use_id);
    }
  }

  /** The whole of a block, in the place of what has streamed of it. */
  private setBlock(block: ContentBlock, id: string | undefined, parent: string | null | undefined): void {
    const item = itemOf(block, parent, 'done');
    if (!item) {
      return;
    }
    const known = id === undefined ? undefined : this.conversation.get(id);
    if (!known) {
      this.add(item, id);
    } else if (known.kind === item.kind) {
      this.change(known.id, item);
    }
    if (block.type === 'tool_use' && block.name === 'TodoWrite' && typeof parent !== 'string') {
      this.setTodos(todosIn(block.input)); // a sub-agent's list is its own
    }
  }

  private setTodos(todos: readonly Todo[] | undefined): void {
    if (!todos) {
      return;
    }
    if (this.todosId === undefined) {
      this.todosId = this.add({ kind: 'todos', todos });
    } else {
      this.change(this.todosId, { todos });
    }
  }

  private takeUser({ message, isReplay, parent_tool_use_id }: UserMessage): void {
    const { content } = message;
    if (isReplay === true) {
      return; // ours
    }
    if (typeof content === 'string') {
      return; // what a slash command has printed comes as the result of its turn, too
    }
    for (const block of content) {
      if (block.type === 'tool_result' && block.tool_use_id !== undefined) {
        const result = toolResult(block);
        this.change(block.tool_use_id, { state: result.isError ? 'failed' : 'done', result });
        this.keep(block.tool_use_id, result);
        if (typeof parent_tool_use_id !== 'string') {
          this.countImages(block.content);
        }
        const use = this.conversation.get(block.tool_use_id);
        if (use?.kind === 'toolUse' && !result.isError) {
          this.setTodos(this.tasks.take(use.name, use.input ?? {}, result.text));
        }
      } else if (block.type === 'text' && block.text?.startsWith('[Request interrupted by user') === true) {
        this.isInterrupted ||= typeof parent_tool_use_id !== 'string';
      }
    }
  }

  private countImages(content: unknown): void {
    const images = imagesIn(content);
    if (images.length > 0) {
      const { count, bytes } = this.conversation.current.resultImages ?? noImages;
      const more = images.reduce((sum, data) => sum + Buffer.byteLength(data, 'base64'), 0);
      this.setState({ resultImages: { count: count + images.length, bytes: bytes + more } });
    }
  }

  /** A turn can use thousands of tools. */
  private keep(id: string, { text }: ToolResult): void {
    if (text.length <= maxOldResult || this.results.has(id)) {
      return;
    }
    this.results.set(id, text.length);
    this.kept += text.length;
    for (const [old, length] of this.results) {
      if (this.kept <= this.limit) {
        return;
      }
      this.results.delete(old);
      this.kept -= length;
      const item = this.conversation.get(old);
      if (item?.kind === 'toolUse' && item.result) {
        this.change(old, { result: shortened(item.result, maxOldResult) });
      }
    }
  }

  private takeStream({ event, parent_tool_use_id }: StreamEventMessage): void {
    const key = parent_tool_use_id ?? '';
    if (event.type === 'message_start') {
      this.dropUnfinished(key);
      this.streams.set(key, { messageId: event.message?.id ?? '', blocks: new Map() });
      return;
    }
    const stream = this.streams.get(key);
    const { index, content_block: block, delta } = event;
    if (!stream || index === undefined) {
      return;
    }
    if (event.type === 'content_block_start' && block) {
      const item = itemOf(block, parent_tool_use_id, 'streaming');
      if (item) {
        stream.blocks.set(index, this.add(item, idOf(block)));
      }
    } else if (event.type === 'content_block_delta' && delta) {
      const id = stream.blocks.get(index);
      const text = delta.text ?? delta.thinking ?? delta.partial_json ?? '';
      if (id !== undefined && text !== '') {
        this.conversation.apply({ type: 'append', id, text });
      }
    }
  }

  /** The request was made again (the CLI tries several times): what the first had written of it is not said. */
  private dropUnfinished(key: string): void {
    const stream = this.streams.get(key);
    for (const [index, id] of stream?.blocks ?? []) {
      const item = this.conversation.get(id);
      const isWhole = index < (this.whole.get(stream?.messageId ?? '') ?? 0);
      if (!isWhole && item && 'state' in item && item.state === 'streaming') {
        this.conversation.apply({ type: 'remove', id });
      }
    }
    this.whole.delete(stream?.messageId ?? '');
  }

  private endTurn(message: ResultMessage): void {
    // Sub-agents in the background go on.
    this.stop(({ parent }) => parent === undefined);
    this.streams.delete('');
    const isFailed = message.is_error === true || message.subtype !== 'success';
    const outcome = this.isInterrupted ? 'interrupted' : isFailed ? 'failed' : 'done';
    const reasons = message.errors ?? (message.result === undefined ? [] : [message.result]);
    this.addOwnWords(outcome === 'failed' ? reasons : []);
    if (outcome === 'failed' && !reasons.some(saysGone)) {
      const [message = 'The turn has failed.', ...more] = reasons;
      this.addError(/\/login/.test(message) ? 'notLoggedIn' : 'failed', message, more.join('\n'));
    }
    this.isInterrupted = false;
    const cost = message.total_cost_usd;
    this.add({
      kind: 'turnEnd',
      outcome,
      ...(message.duration_ms === undefined ? {} : { duration: message.duration_ms }),
      ...(message.usage === undefined ? {} : { usage: usageOf(message.usage) }),
      ...(cost === undefined ? {} : { cost: Math.max(0, cost - this.costBefore) }),
    });
    this.costBefore = cost ?? this.costBefore;
    const models = Object.values(message.modelUsage ?? {});
    const windows = models.flatMap(({ contextWindow }) => contextWindow ?? []);
    const outputs = models.flatMap(({ maxOutputTokens }) => maxOutputTokens ?? []);
    this.setState({
      isRunning: false,
      ...(cost === undefined ? {} : { cost }),
      ...(windows.length > 0 ? { contextWindow: Math.max(...windows) } : {}),
      ...(outputs.length > 0 ? { maxOutput: Math.max(...outputs) } : {}),
    });
  }

  /** @param told what the end of the turn says, too */
  private addOwnWords(told: readonly string[] = []): void {
    for (const block of this.ownWords.splice(0)) {
      if (!told.includes(block.text ?? '')) {
        this.setBlock(block, undefined, undefined);
      }
    }
  }

  /** A process that begins counts its cost from nothing. */
  beginProcess(): void {
    this.costBefore = 0;
  }

  private takeSystem(message: SystemMessage, json: unknown): void {
    if ('session_id' in message) {
      const { session_id, model, permissionMode, claude_code_version } = message;
      if (session_id !== this.conversation.current.sessionId) {
        this.tasks.clear();
      }
      this.setState({
        isRunning: true, // printed with each turn, also those that the CLI begins by itself
        sessionId: session_id,
        ...(model === undefined ? {} : { model }),
        ...(permissionMode === undefined ? {} : { mode: permissionMode }),
        ...(claude_code_version === undefined ? {} : { version: claude_code_version }),
      });
    } else if ('retry_delay_ms' in message) {
      const { attempt, max_retries, retry_delay_ms, error_status, error } = message;
      this.add({
        kind: 'retry',
        attempt,
        attempts: max_retries,
        delay: retry_delay_ms,
        ...(typeof error_status === 'number' ? { status: error_status } : {}),
        ...(error === undefined || error === 'unknown' ? {} : { reason: error }),
      });
    } else if (message.subtype === 'status') {
      if (message.permissionMode !== undefined) {
        this.setState({ mode: message.permissionMode });
      }
    } else if (message.subtype === 'compact_boundary') {
      const { compactions = 0 } = this.conversation.snapshot().state;
      this.setState({ compactions: compactions + 1, resultImages: noImages });
    } else if (!('lost' in message)) {
      this.takeOther(json);
    }
  }
}

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;

/** A tool use has an id of its own, by which its result and its sub-agent refer to it. */
function idOf({ type, id }: ContentBlock): string | undefined {
  return type === 'tool_use' ? id : undefined;
}

function itemOf(
  block: ContentBlock,
  parentId: string | null | undefined,
  state: Extract<StreamState, 'streaming' | 'done'>,
) {
  const parent = typeof parentId === 'string' ? { parent: parentId } : {};
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text ?? '', state, ...parent } as const;
    case 'thinking':
      return { kind: 'thinking', text: block.thinking ?? '', state, ...parent } as const;
    case 'tool_use': {
      const { name = '', input = {} } = block;
      return state === 'streaming'
        ? ({ kind: 'toolUse', name, inputText: '', state, ...parent } as const)
        : ({ kind: 'toolUse', name, inputText: '', input, state: 'running', ...parent } as const);
    }
    default:
      return undefined; // signatures, redacted thinking, what a server has searched
  }
}

/** What all three versions put around some failures, for the model. */
const errorTags = /^<tool_use_error>([^]*)<\/tool_use_error>$/;

function toolResult(block: ContentBlock): ToolResult {
  const text = textOf(block.content);
  const isError = block.is_error === true;
  return shortened({ text: isError ? (errorTags.exec(text)?.[1] ?? text) : text, isError }, maxResult);
}

/** @param limit UTF-16 units */
function shortened({ text, isError, leftOut = 0 }: ToolResult, limit: number): ToolResult {
  if (text.length <= limit) {
    return { text, isError };
  }
  // Copied: a part of a string holds on to the whole.
  const kept = Buffer.from(cut(text, limit)).toString();
  return { text: kept, isError, leftOut: leftOut + text.length - kept.length };
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) {
    return typeof content === 'string' ? content : '';
  }
  return content
    .map((part: unknown) => {
      if (typeof part === 'string') {
        return part;
      }
      const { type, text } = (part ?? {}) as { type?: unknown; text?: unknown };
      return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'content'}]`;
    })
    .join('\n');
}

function usageOf(usage: NonNullable<ResultMessage['usage']>): Usage {
  return {
    input: usage.input_tokens ?? 0,
    output: usage.output_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWritten: usage.cache_creation_input_tokens ?? 0,
  };
}
