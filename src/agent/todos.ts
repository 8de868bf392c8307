import type { Todo } from './items.ts';

type Input = Readonly<Record<string, unknown>>;

/** The list that TodoWrite has as a whole; undefined where it is none. */
export function todosIn(input: Input | undefined): Todo[] | undefined {
  const list = input?.['todos'];
  if (!Array.isArray(list)) {
    return undefined;
  }
  return list.flatMap((todo: unknown): Todo[] => {
    const { content, status } = (todo ?? {}) as { content?: unknown; status?: unknown };
    return typeof content === 'string' ? [{ text: content, state: stateOf(status) }] : [];
  });
}

/**
 * The list of which 2.1 has a tool for each step, as their results tell it; sub-agents work on the same one. Its newest
 * models have neither these tools nor TodoWrite.
 */
export class TaskList {
  private readonly tasks = new Map<string, Todo>();

  /** @returns the list; undefined where the tool is none of its own, or did nothing */
  take(tool: string, input: Input, result: string): Todo[] | undefined {
    const { tasks } = this;
    if (tool === 'TaskCreate') {
      const [, id, text = ''] = /^Task #(\S+) created successfully: (.*)/.exec(result) ?? [];
      if (id === undefined) {
        return undefined;
      }
      tasks.set(id, { text, state: 'pending' });
    } else if (tool === 'TaskUpdate') {
      const id = /^Updated task #(\S+)/.exec(result)?.[1];
      if (id === undefined) {
        return undefined;
      }
      this.update(id, input);
    } else if (tool === 'TaskList') {
      this.read(result);
    } else {
      return undefined;
    }
    return [...tasks.values()];
  }

  /** Of another conversation. */
  clear(): void {
    this.tasks.clear();
  }

  private update(id: string, { status, subject }: Input): void {
    if (status === 'deleted') {
      this.tasks.delete(id);
      return;
    }
    const { text, state } = this.tasks.get(id) ?? { text: `#${id}`, state: 'pending' }; // made before it was resumed
    this.tasks.set(id, {
      text: typeof subject === 'string' ? subject : text,
      state: status === undefined ? state : stateOf(status),
    });
  }

  /** Behind its name stands who works on one, and what it waits for. */
  private read(list: string): void {
    const known = new Map(this.tasks);
    this.tasks.clear();
    for (const [, id = '', status, text = ''] of list.matchAll(/^#(\S+) \[(\w+)\] (.*)$/gm)) {
      const before = known.get(id)?.text;
      this.tasks.set(id, {
        text: before !== undefined && text.startsWith(before) ? before : text,
        state: stateOf(status),
      });
    }
  }
}

function stateOf(status: unknown): Todo['state'] {
  return status === 'completed' ? 'done' : status === 'in_progress' ? 'running' : 'pending';
}
