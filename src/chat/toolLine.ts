import { counted } from '../base/text.ts';

/** What a tool is about to do, in a line. All but `verb` comes from the model. */
export interface ToolLine {
  readonly verb: string;
  /** Absolute, of the file that it is about. */
  readonly path?: string;
  /** 0-based. */
  readonly line?: number;
  readonly code?: string;
  readonly text?: string;
}

type Input = Readonly<Record<string, unknown>>;

/** By tool: the verb, and the field of its input that names the target, with its kind. */
const known: Readonly<Record<string, readonly [string, string, 'path' | 'code' | 'text']>> = {
  Read: ['Read', 'file_path', 'path'],
  Edit: ['Edit', 'file_path', 'path'],
  MultiEdit: ['Edit', 'file_path', 'path'],
  Write: ['Write', 'file_path', 'path'],
  NotebookEdit: ['Edit a cell of', 'notebook_path', 'path'],
  Bash: ['Run', 'command', 'code'],
  PowerShell: ['Run', 'command', 'code'],
  Glob: ['Look for files', 'pattern', 'code'],
  Grep: ['Search for', 'pattern', 'code'],
  WebFetch: ['Fetch', 'url', 'code'],
  WebSearch: ['Search the web for', 'query', 'text'],
  Task: ['Agent', 'description', 'text'],
  Agent: ['Agent', 'description', 'text'],
  Skill: ['Skill', 'skill', 'text'],
  EnterPlanMode: ['Plan first', '', 'text'],
  ExitPlanMode: ['Propose a plan', '', 'text'],
};

/** A question, and what is to do. */
const withoutLine: readonly string[] = [
  'AskUserQuestion',
  'TaskCreate',
  'TaskList',
  'TaskUpdate',
  'TodoWrite',
];

/** Undefined for what is shown in another way. */
export function toolLine(name: string, input: Input): ToolLine | undefined {
  if (withoutLine.includes(name)) {
    return undefined;
  }
  const tool = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!tool) {
    return { verb: 'Use', code: toolName(name) };
  }
  const [verb, field, kind] = tool;
  const target = input[field];
  const { offset } = input;
  return {
    verb,
    ...(typeof target === 'string' && target !== '' ? { [kind]: target } : {}),
    ...(kind === 'path' && typeof offset === 'number' && offset > 0 ? { line: offset - 1 } : {}),
  };
}

/** What to call a tool: one of an MCP server by both names. */
export function toolName(name: string): string {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? [];
  return server === undefined ? name : `${tool} of ${server}`;
}

/** Of a tool that answers at once: several of them run at a time, and each has its line when its result is there. */
export function isQuick(name: string): boolean {
  return name === 'Read' || name === 'Grep' || name === 'Glob';
}

/** Of a tool whose result says only that it did what its line says. */
export function isSilent(name: string): boolean {
  return ['Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'ExitPlanMode', 'Skill'].includes(name);
}

/** What a tool has found, in short and in words of ours. */
export function resultWords(name: string, text: string): string {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (/^No (files|matches) found/.test(text)) {
    return 'nothing';
  }
  if (lines.length > 0 && lines.every((line) => line === '[image]')) {
    return counted(lines.length, 'image');
  }
  if (name === 'Read') {
    const numbered = lines.filter((line) => /^ *\d+[\t→]/.test(line)); // around it are remarks of the CLI
    const isEnded = /[\t→]$/.test(numbered.at(-1) ?? ''); // by a line end, after which there is a line to the CLI
    return counted((isEnded ? numbered.length - 1 : numbered.length) || lines.length, 'line');
  }
  const isList = name === 'Glob' || (name === 'Grep' && /^Found \d+ files?\b/.test(text));
  return counted(lines.length - (/^Found \d+ /.test(text) ? 1 : 0), isList ? 'file' : 'line');
}

/** Of a tool whose output is worth a look even where all went well. */
export function showsOutput(name: string): boolean {
  return name === 'Bash' || name === 'PowerShell';
}
