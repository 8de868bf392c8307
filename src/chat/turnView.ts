import { applyDelta, type Update } from '../agent/conversation.ts';
import type { ConversationState, Delta, Item } from '../agent/items.ts';
import { counted } from '../base/text.ts';
import { block, code, head, plain } from './markdown.ts';
import type { Button, Surface } from './surface.ts';
import { showsOutput, toolLine } from './toolLine.ts';

type Of<K extends Item['kind']> = Extract<Item, { kind: K }>;

/** Of output and errors; the rest is a click away. */
const shownLines = 8;
const shownCharacters = 800;

export interface TurnAids {
  /** Buttons that mend what went wrong. */
  remedies(error: Of<'error'>): readonly Button[];
  /** Keeps a long text. @returns the button that opens it */
  keep(title: string, text: string): Button;
}

/** Shows one turn of a conversation as it comes. What has been shown cannot be taken back: only what is whole is. */
export class TurnView {
  private readonly items = new Map<string, Item>();
  private state: ConversationState = { isRunning: false };
  /** What of each item is shown: UTF-16 units of a text, steps of a tool use. */
  private readonly shown = new Map<string, number>();
  private shownTodos = '';
  private phase: 'before' | 'during' | 'after' = 'before';

  /** @param promptId of the item that begins the turn */
  constructor(
    private readonly surface: Surface,
    private readonly promptId: string,
    private readonly aids: TurnAids,
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
    items.slice(Math.max(0, begin)).forEach((item) => this.showItem(item));
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
    } else if (item.kind === 'error' && this.phase === 'before') {
      this.showError(item); // it did not even begin
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
          this.surface.progress('Thinking');
        }
        break;
      case 'toolUse':
        this.showToolUse(item);
        break;
      case 'todos':
        this.showTodos(item);
        break;
      case 'error':
        this.showError(item);
        break;
      case 'turnEnd':
        this.phase = 'after';
        this.surface.markdown(`\n\n${endLine(item, this.state)}`);
        break;
      case 'question': // is put by who asks it
      case 'other':
        break;
    }
  }

  private isFirst(id: string): boolean {
    const isFirst = !this.shown.has(id);
    this.shown.set(id, this.shown.get(id) ?? 0);
    return isFirst;
  }

  private showText({ id, text }: Of<'text' | 'thinking'>): void {
    const before = this.shown.get(id) ?? 0;
    if (text.length > before) {
      this.surface.quote((before === 0 ? '\n\n' : '') + text.slice(before));
      this.shown.set(id, text.length);
    }
  }

  private showToolUse(item: Of<'toolUse'>): void {
    const { id, name, input, state, result, parent } = item;
    const line = toolLine(name, input ?? {});
    const indent = parent === undefined ? '' : '↳ ';
    const step = this.shown.get(id) ?? 0;
    if (state === 'streaming') {
      if (this.isFirst(id) && line) {
        this.surface.progress(line.verb);
      }
      return;
    }
    if (step < 1 && input && line) {
      this.shown.set(id, 1);
      this.surface.markdown(`\n\n${indent}**${plain(line.verb)}** `);
      if (line.path !== undefined) {
        this.surface.file(line.path, line.line);
      }
      this.surface.markdown(`${line.code === undefined ? plain(line.text ?? '') : code(line.code)}\n\n`);
    }
    if (step < 2 && result && line) {
      this.shown.set(id, 2);
      this.showResult(item, result);
    }
  }

  private showResult(
    { id, name, parent }: Of<'toolUse'>,
    result: NonNullable<Of<'toolUse'>['result']>,
  ): void {
    // Of what the user has refused the answer says so already.
    const isRefused = () =>
      [...this.items.values()].some(
        (item) => item.kind === 'question' && item.toolUseId === id && item.state === 'denied',
      );
    const isShown = result.isError ? !isRefused() : showsOutput(name) && parent === undefined;
    if (!isShown || result.text.trim() === '') {
      return;
    }
    const { shown, leftOut } = head(result.text, shownLines, shownCharacters);
    this.surface.markdown(`${result.isError ? '\n\nFailed:' : ''}${block(shown, shownCharacters, 'text')}`);
    if (leftOut > 0 || shown.length < result.text.trimEnd().length) {
      const more = leftOut > 0 ? ` (${counted(leftOut, 'More Line', 'More Lines')})` : '';
      this.surface.buttons([
        { ...this.aids.keep(`Output of ${name}`, result.text), title: `Show All${more}` },
      ]);
    }
  }

  private showTodos({ todos }: Of<'todos'>): void {
    const marks = { done: '✓', running: '▸', pending: '○' };
    const list = todos.map(({ text, state }) => `${marks[state]} ${plain(text)}`).join('  \n');
    if (list !== this.shownTodos) {
      this.shownTodos = list;
      this.surface.markdown(`\n\n${list}\n\n`);
    }
  }

  private showError(error: Of<'error'>): void {
    if (!this.isFirst(error.id)) {
      return;
    }
    const detail = error.detail ? block(error.detail, 2_000, 'text') : '';
    this.surface.markdown(`\n\n**${plain(error.message, 1_000)}**${detail}\n\n`);
    const buttons = this.aids.remedies(error);
    if (buttons.length > 0) {
      this.surface.buttons(buttons);
    }
  }
}

const outcomes = { done: '', interrupted: 'Interrupted', failed: 'Failed' };

/** `12 s · 3.4k tokens in, 120 out · $0.012 · 8 % of the context` */
function endLine({ outcome, duration, usage, cost }: Of<'turnEnd'>, state: ConversationState): string {
  const { contextTokens, contextWindow } = state;
  const parts = [
    outcomes[outcome],
    duration === undefined ? '' : `${Math.max(1, Math.round(duration / 1_000))} s`,
    usage
      ? `${tokens(usage.input + usage.cacheRead + usage.cacheWritten)} tokens in, ${tokens(usage.output)} out`
      : '',
    cost === undefined ? '' : `$${cost.toFixed(cost < 1 ? 3 : 2)}`,
    contextTokens === undefined || contextWindow === undefined
      ? ''
      : `${Math.round((100 * contextTokens) / contextWindow)} % of the context`,
  ];
  return `*${parts.filter((part) => part !== '').join(' · ')}*`;
}

function tokens(count: number): string {
  return count < 1_000 ? String(count) : `${(count / 1_000).toFixed(1)}k`;
}
