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
  ExitPlanMode: ['Propose a plan', '', 'text'],
  AskUserQuestion: ['Ask you', '', 'text'],
};

/** Undefined for what is shown in another way. */
export function toolLine(name: string, input: Input): ToolLine | undefined {
  if (name === 'TodoWrite') {
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

/** Of a tool whose output is worth a look even where all went well. */
export function showsOutput(name: string): boolean {
  return name === 'Bash' || name === 'PowerShell';
}
