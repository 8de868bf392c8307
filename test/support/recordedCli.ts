import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes what a CLI writes down of itself: its session file, and the transcript of one conversation. */
export class RecordedCli {
  readonly sessionId: string;
  /** When what it writes happens, in ms since the epoch; now, as a rule. */
  time: number | undefined;
  private readonly sessions: string;
  private readonly transcript: string;
  private readonly history: string;
  private lastCall: string | undefined;

  constructor(
    configDir: string,
    private readonly cwd: string,
    private readonly pid: number,
    private readonly version = '2.1.330',
    /** When its process was started, in ms since the epoch. */
    private readonly startedAt = Date.now(),
    /** Of a conversation that it goes on with. */
    sessionId: string = randomUUID(),
  ) {
    this.sessionId = sessionId;
    this.sessions = join(configDir, 'sessions');
    const project = join(configDir, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(this.sessions, { recursive: true });
    mkdirSync(project, { recursive: true });
    this.transcript = join(project, `${this.sessionId}.jsonl`);
    this.history = join(configDir, 'file-history', this.sessionId);
  }

  /** Replaces its session file, as the CLI does with each change of its state. @param status none while it starts */
  is(status?: 'idle' | 'busy' | 'shell' | 'waiting', waitingFor?: string): void {
    const { pid, sessionId, cwd, version } = this;
    const now = Date.now();
    const { startedAt } = this;
    const file = {
      pid,
      sessionId,
      cwd,
      version,
      startedAt,
      status,
      waitingFor,
      statusUpdatedAt: now,
      updatedAt: now,
    };
    const draft = join(this.sessions, `${pid}.json.tmp`);
    writeFileSync(draft, JSON.stringify(file));
    renameSync(draft, this.sessionFile);
  }

  /** As it does when it ends. */
  removeSessionFile(): void {
    rmSync(this.sessionFile, { force: true });
  }

  /** Nothing of it is left. */
  remove(): void {
    this.removeSessionFile();
    rmSync(this.transcript, { force: true });
  }

  prompt(content: string, permissionMode = 'default'): void {
    this.write({
      type: 'user',
      message: { role: 'user', content },
      promptId: randomUUID(),
      permissionMode,
    });
  }

  /** The model calls a tool. */
  call(name: string, input: object, agentId?: string): void {
    this.lastCall = `toolu_${randomUUID()}`;
    this.say([{ type: 'tool_use', id: this.lastCall, name, input }], 'tool_use', agentId);
  }

  /** The tool that was called last has run. */
  result(text: string): void {
    const content = [{ tool_use_id: this.lastCall, type: 'tool_result', content: text, is_error: false }];
    this.write({ type: 'user', message: { role: 'user', content }, toolUseResult: { stdout: text } });
  }

  /** The user, or a rule, has said no to the tool that was called last. */
  refusal(): void {
    const content = [{ tool_use_id: this.lastCall, type: 'tool_result', content: 'no', is_error: true }];
    const denial = { toolDenialKind: 'user-rejected', toolDenialBeforeRun: true };
    this.write({ type: 'user', message: { role: 'user', content }, toolUseResult: 'Error: no', ...denial });
  }

  /** An edit of a text, as 2.1.330 writes it down; the file itself is not touched. @param agent a sub-agent that makes it @param userModified the user has changed the proposal */
  edited(
    filePath: string,
    originalFile: string,
    [oldString, newString]: [string, string],
    { agent, userModified = false }: { agent?: string; userModified?: boolean } = {},
  ): void {
    const more = { oldString, newString, replaceAll: false, originalFile };
    this.change('Edit', filePath, { filePath, ...more, structuredPatch: [], userModified }, agent);
  }

  /** A file that was written as a whole, over another or anew. */
  wrote(filePath: string, content: string, originalFile: string | null = null): void {
    const type = originalFile === null ? 'create' : 'update';
    const result = { type, filePath, content, structuredPatch: [], originalFile, userModified: false };
    this.change('Write', filePath, result);
  }

  /** Keeps what a file was for its own undo. */
  keep(filePath: string, bytes: Buffer, version = 1): void {
    mkdirSync(this.history, { recursive: true });
    const name = createHash('sha256').update(filePath).digest('hex').slice(0, 16);
    writeFileSync(join(this.history, `${name}@v${version}`), bytes);
  }

  private change(tool: string, file_path: string, toolUseResult: object, agentId?: string): void {
    this.call(tool, { file_path }, agentId);
    const content = [{ tool_use_id: this.lastCall, type: 'tool_result', content: 'updated' }];
    this.write({ type: 'user', message: { role: 'user', content }, toolUseResult }, agentId);
  }

  /** The turn ends. */
  answer(text: string): void {
    this.say([{ type: 'text', text }], 'end_turn');
    this.write({ type: 'system', subtype: 'turn_duration', durationMs: 1 });
  }

  private get sessionFile(): string {
    return join(this.sessions, `${this.pid}.json`);
  }

  private say(content: object[], stop_reason: string, agentId?: string): void {
    const usage = {
      input_tokens: 1_000,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 200,
      output_tokens: 34,
    };
    const message = { type: 'message', role: 'assistant', model: 'mock-model', content, stop_reason, usage };
    this.write({ type: 'assistant', message: { id: randomUUID(), ...message } }, agentId);
  }

  private write(line: object, agentId?: string): void {
    const { sessionId, cwd, version, transcript, time = Date.now() } = this;
    const timestamp = new Date(time).toISOString();
    const common = { uuid: randomUUID(), timestamp, isSidechain: agentId !== undefined, agentId };
    const agents = join(dirname(transcript), sessionId, 'subagents');
    const path = agentId === undefined ? transcript : join(agents, `agent-${agentId}.jsonl`);
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, `${JSON.stringify({ ...line, ...common, cwd, sessionId, version })}\n`);
  }
}
