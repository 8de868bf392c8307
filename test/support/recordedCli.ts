import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes what a CLI writes down of itself: its session file, and the transcript of one conversation. */
export class RecordedCli {
  readonly sessionId = randomUUID();
  private readonly sessions: string;
  private readonly transcript: string;
  private lastCall: string | undefined;

  constructor(
    configDir: string,
    private readonly cwd: string,
    private readonly pid: number,
    private readonly version = '2.1.330',
  ) {
    this.sessions = join(configDir, 'sessions');
    const project = join(configDir, 'projects', cwd.replace(/[^a-zA-Z0-9]/g, '-'));
    mkdirSync(this.sessions, { recursive: true });
    mkdirSync(project, { recursive: true });
    this.transcript = join(project, `${this.sessionId}.jsonl`);
  }

  /** Replaces its session file, as the CLI does with each change of its state. */
  is(status: 'idle' | 'busy' | 'shell' | 'waiting', waitingFor?: string): void {
    const { pid, sessionId, cwd, version } = this;
    const now = Date.now();
    const file = { pid, sessionId, cwd, version, status, waitingFor, statusUpdatedAt: now, updatedAt: now };
    const draft = join(this.sessions, `${pid}.json.tmp`);
    writeFileSync(draft, JSON.stringify(file));
    renameSync(draft, this.sessionFile);
  }

  /** As it does when it ends. */
  removeSessionFile(): void {
    rmSync(this.sessionFile, { force: true });
  }

  prompt(content: string): void {
    this.write({
      type: 'user',
      message: { role: 'user', content },
      promptId: randomUUID(),
      permissionMode: 'default',
    });
  }

  /** The model calls a tool. */
  call(name: string, input: object): void {
    this.lastCall = `toolu_${randomUUID()}`;
    this.say([{ type: 'tool_use', id: this.lastCall, name, input }], 'tool_use');
  }

  /** The tool that was called last has run. */
  result(text: string): void {
    const content = [{ tool_use_id: this.lastCall, type: 'tool_result', content: text, is_error: false }];
    this.write({ type: 'user', message: { role: 'user', content }, toolUseResult: { stdout: text } });
  }

  /** The turn ends. */
  answer(text: string): void {
    this.say([{ type: 'text', text }], 'end_turn');
    this.write({ type: 'system', subtype: 'turn_duration', durationMs: 1 });
  }

  private get sessionFile(): string {
    return join(this.sessions, `${this.pid}.json`);
  }

  private say(content: object[], stop_reason: string): void {
    const usage = {
      input_tokens: 1_000,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 200,
      output_tokens: 34,
    };
    const message = { type: 'message', role: 'assistant', model: 'mock-model', content, stop_reason, usage };
    this.write({ type: 'assistant', message: { id: randomUUID(), ...message } });
  }

  private write(line: object): void {
    const { sessionId, cwd, version } = this;
    const common = { uuid: randomUUID(), timestamp: new Date().toISOString(), isSidechain: false };
    appendFileSync(this.transcript, `${JSON.stringify({ ...line, ...common, cwd, sessionId, version })}\n`);
  }
}
