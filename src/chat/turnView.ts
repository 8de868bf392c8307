import { applyDelta, type Update } from '../agent/conversation.ts';
import type { ConversationState, Delta, Item, ToolResult } from '../agent/items.ts';
import { counted } from '../base/text.ts';
import { block, code, head, plain } from './markdown.ts';
import type { Button, Surface } from './surface.ts';
import { isQuick, isSilent, resultWords, showsOutput, type ToolLine, toolLine } from './toolLine.ts';

type Of<K extends Item['kind']> = Extract<Item, { kind: K }>;

/** Of output and errors; the rest is a click away. */
const shownLines = 8;
const shownCharacters = 800;

/** Uses of tools that have a line of their own in a turn: the editor draws much of an answer anew with each part of it. */
const maxLines = 300;
/** Of the others, how many are told of at once. */
const toldAtOnce = 100;

export interface TurnAids {
  /** Buttons that mend what went wrong. */
  remedies(error: Of<'error'>): readonly Button[];
}

/** Shows one turn of a conversation as it comes. What has been shown cannot be taken back: only what is whole is. */
export class TurnView {
  private readonly items = new Map<string, Item>();
  /** What of each item is shown: UTF-16 units of a text, steps of a tool use. */
  private readonly shown = new Map<string, number>();
  private shownTodos: readonly string[] = [];
  private phase: 'before' | 'during' | 'after' = 'before';
  /** The tool use that was shown last. */
  private last: string | undefined;
  /** Of the turn before, which runs while its prompt waits. */
  private readonly earlier = new Set<string>();
  private uses = 0;
  private retries = 0;
  /** Undefined while it has not ended, or where only its process has. */
  outcome: Of<'turnEnd'>['outcome'] | undefined;
  /** It has ended, or was ended, before the agent was done, and can be gone on with. */
  isBrokenOff = false;

  /** @param promptId of the item that begins the turn @param state before it */
  constructor(
    private readonly surface: Surface,
    private readonly promptId: string,
    private readonly aids: TurnAids,
    private state: ConversationState,
  ) {}

  show(update: Update): void {
    if (update.type === 'deltas') {
      update.deltas.forEach((delta) => this.take(delta));
      return;
    }
    // It was too far behind: what was missed is in there.
    const { items, state } = update.snapshot;
    this.items.clear();
    items.forEach((item) => this.items.set(item.id, item));
    this.state = state;
    const begin = items.findIndex(({ id }) => id === this.promptId);
    items
      .slice(Math.max(0, begin))
      .filter(({ id }) => !this.earlier.has(id))
      .forEach((item) => this.showItem(item));
  }

  private take(delta: Delta): void {
    this.state = applyDelta(this.items, this.state, delta);
    if (delta.type === 'remove' && (this.shown.get(delta.id) ?? 0) > 0) {
      this.surface.markdown('\n\n*The connection broke; it begins anew:*\n\n');
    }
    const id = delta.type === 'add' ? delta.item.id : 'id' in delta ? delta.id : undefined;
    const item = id === undefined ? undefined : this.items.get(id);
    if (item) {
      this.showItem(item);
    }
  }

  private showItem(item: Item): void {
    if (item.kind === 'prompt') {
      if (item.id === this.promptId && item.state === 'sent' && this.phase === 'before') {
        this.phase = 'during';
      }
    } else if (this.phase === 'before') {
      this.earlier.add(item.id);
      if (item.kind === 'error' && !this.state.isRunning) {
        this.showError(item); // else it is of the turn before
      }
    } else if (this.phase === 'during') {
      this.showPart(item);
    }
  }

  private showPart(item: Exclude<Item, { kind: 'prompt' }>): void {
    switch (item.kind) {
      case 'text':
        if (item.parent === undefined) {
          this.showText(item);
        }
        break;
      case 'thinking':
        if (this.isFirst(item.id)) {
          this.tell('Thinking');
        }
        break;
      case 'toolUse':
        this.showToolUse(item);
        break;
      case 'retry':
        if (this.isFirst(item.id)) {
          if (this.retries++ > 0) {
            this.surface.quote(''); // the editor hides progress once it has something else after it
          }
          this.tell(retryWords(item));
        }
        break;
      case 'todos':
        this.showTodos(item);
        break;
      case 'error':
        this.showError(item);
        break;
      case 'turnEnd':
        this.phase = 'after';
        this.outcome = item.outcome;
        this.isBrokenOff ||= item.outcome === 'interrupted';
        if (this.uses > maxLines) {
          const more = counted(this.uses - maxLines, 'more use of a tool is', 'more uses of tools are');
          this.surface.markdown(`\n\n*${more} not listed.*`);
        }
        this.surface.markdown(`\n\n${endLine(item, this.state, this.retries)}`);
        break;
      case 'question': // is put by who asks it, after the line of its tool
        this.last = undefined;
        break;
      case 'other':
        break;
    }
  }

  private isFirst(id: string): boolean {
    const isFirst = !this.shown.has(id);
    this.shown.set(id, this.shown.get(id) ?? 0);
    return isFirst;
  }

  /** Each is a part of the answer, too. */
  private tell(words: string): void {
    if (this.uses < maxLines) {
      this.surface.progress(words);
    }
  }

  private showText({ id, text }: Of<'text' | 'thinking'>): void {
    const before = this.shown.get(id) ?? 0;
    if (text.length > before) {
      this.surface.quote((before === 0 ? '\n\n' : '') + text.slice(before));
      this.shown.set(id, text.length);
    }
  }

  private showToolUse(item: Of<'toolUse'>): void {
    const { id, name, input, state, result } = item;
    const line = toolLine(name, input ?? {});
    if (!line) {
      return;
    }
    if (state === 'streaming') {
      if (this.isFirst(id)) {
        this.tell(line.verb);
      }
      return;
    }
    const step = this.shown.get(id) ?? 0;
    if (step < 1 && input && (result || !isQuick(name))) {
      this.shown.set(id, 1);
      this.uses++;
      if (this.uses <= maxLines) {
        this.showLine(item, line);
      } else if (this.uses % toldAtOnce === 0) {
        this.surface.progress(counted(this.uses, 'use of tools', 'uses of tools'));
      }
    }
    if (step < 2 && result) {
      this.shown.set(id, 2);
      if (this.uses <= maxLines) {
        this.showResult(item, line, result);
      }
    }
  }

  private showLine(
    { id, parent }: Of<'toolUse'>,
    { verb, path, line, code: quoted, text = '' }: ToolLine,
  ): void {
    this.last = id;
    this.surface.markdown(`\n\n${parent === undefined ? '' : '↳ '}**${plain(verb)}** `);
    if (path !== undefined) {
      this.surface.file(path, line);
    }
    this.surface.markdown(quoted === undefined ? plain(text) : code(quoted));
  }

  private showResult(item: Of<'toolUse'>, line: ToolLine, { text, isError }: ToolResult): void {
    const { id, name, parent } = item;
    // Of what the user has refused the answer says so already.
    const isRefused = () =>
      [...this.items.values()].some(
        (item) => item.kind === 'question' && item.toolUseId === id && item.state === 'denied',
      );
    if ((isError ? isRefused() : isSilent(name)) || text.trim() === '') {
      return;
    }
    if (this.last !== id) {
      this.showLine(item, line); // others came between
    }
    let words = resultWords(name, text);
    if (isError || (showsOutput(name) && parent === undefined)) {
      const { shown, leftOut } = head(text, shownLines, shownCharacters);
      this.surface.markdown(`${isError ? '\n\nFailed:' : ''}${block(shown, shownCharacters, 'text')}`);
      if (leftOut === 0 && shown.length === text.trimEnd().length) {
        return;
      }
      words = `All ${counted(text.trimEnd().split('\n').length, 'line')}`;
    } else {
      this.surface.markdown(' ');
    }
    const { sessionId = '' } = this.state;
    this.surface.output(words, { sessionId, toolUseId: id, tool: name });
  }

  /** Those that are another than before: an agent can change its list for each step of many. */
  private showTodos({ todos }: Of<'todos'>): void {
    const marks = { done: '✓', running: '▸', pending: '○' };
    const list = todos.map(({ text, state }) => `${marks[state]} ${plain(text)}`);
    const changed = list.filter((line) => !this.shownTodos.includes(line));
    this.shownTodos = list;
    if (changed.length > 0 && this.uses < maxLines) {
      this.uses++;
      this.surface.markdown(`\n\n${changed.join('  \n')}\n\n`);
    }
  }

  private showError(error: Of<'error'>): void {
    if (!this.isFirst(error.id)) {
      return;
    }
    this.isBrokenOff ||= error.cause === 'failed' || error.cause === 'ended';
    const detail = error.detail ? block(error.detail, 2_000, 'text') : '';
    this.surface.markdown(`\n\n**${plain(error.message, 1_000)}**${detail}\n\n`);
    const buttons = this.aids.remedies(error);
    if (buttons.length > 0) {
      this.surface.buttons(buttons);
    }
  }
}

function retryWords({ attempt, attempts, delay, status, reason }: Of<'retry'>): string {
  const what =
    status === undefined
      ? 'The model’s API cannot be reached'
      : `The model’s API answers ${status}${reason === undefined ? '' : ` (${plain(reason.replaceAll('_', ' '))})`}`;
  return `${what}: attempt ${attempt} of ${attempts} in ${Math.max(1, Math.round(delay / 1_000))} s`;
}

const outcomes = { done: '', interrupted: 'Interrupted', failed: 'Failed' };

/** `12 s · 3.4k tokens in, 120 out · $0.012 · 8 % of the context` */
function endLine(
  { outcome, duration, usage, cost }: Of<'turnEnd'>,
  state: ConversationState,
  retries: number,
): string {
  const { contextTokens, contextWindow } = state;
  const parts = [
    outcomes[outcome],
    duration === undefined ? '' : durationText(duration),
    usage
      ? `${tokens(usage.input + usage.cacheRead + usage.cacheWritten)} tokens in, ${tokens(usage.output)} out`
      : '',
    cost === undefined ? '' : `$${cost.toFixed(cost < 1 ? 3 : 2)}`,
    contextTokens === undefined || contextWindow === undefined
      ? ''
      : `${Math.round((100 * contextTokens) / contextWindow)}\u00a0% of the context`,
    retries === 0 ? '' : `tried again ${counted(retries, 'time')}`,
  ];
  return `*${parts.filter((part) => part !== '').join(' · ')}*`;
}

/** @param duration ms */
function durationText(duration: number): string {
  const seconds = Math.max(1, Math.round(duration / 1_000));
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}

function tokens(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`;
}
