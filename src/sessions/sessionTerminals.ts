import * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import type { Event } from '../base/emitter.ts';
import type { Logger } from '../base/logger.ts';
import { Queue } from '../base/queue.ts';
import type { ChildProcesses } from '../server/childProcesses.ts';
import { isAlive } from '../server/processes.ts';
import type { Proposer } from '../server/proposer.ts';
import type { Session, Told } from '../server/session.ts';

/** The sessions of the bridge, as those who show them see them. */
export interface SessionSource {
  /** Undefined while it does not listen, and while it ends. */
  readonly port: number | undefined;
  readonly sessions: ReadonlySet<Session>;
  readonly onDidIdentify: Event<Session>;
  readonly onDidTell: Event<Told & { session: Session }>;
}

/** Pairs of a CLI's process id and its label, so that a session has the same one after a window reload. */
const rememberedLabels = 'sessionLabels';

/** Process ids of CLIs, that of the one that the user had to do with last at the end: they come back in any order. */
const rememberedOrder = 'sessionOrder';

/** Process ids of CLIs that have ended the connection by themselves: nothing says that they will be back. */
const rememberedLeft = 'sessionsLeft';

/**
 * Which integrated terminal each session runs in, found by walking from the CLI's process up to a terminal's
 * shell; and what the session is called: the name of that terminal, until the user gives it another.
 */
export class SessionTerminals implements vscode.Disposable {
  private readonly terminals = new WeakMap<Proposer, vscode.Terminal>();
  private readonly labels: Map<number, string>;
  private readonly folders = new WeakMap<Session, string>();
  /** Those whose label is only for as long as no terminal of theirs is found. */
  private readonly unnamed = new WeakSet<Session>();
  /** As terminals were last seen to be called. */
  private readonly names = new WeakMap<vscode.Terminal, string>();
  /** See `rememberedLeft`. */
  private left: readonly number[];
  private order: number[];
  /** One after the other: a look starts processes where there is no /proc, and clients may come by the hundred. */
  private readonly looks = new Queue();
  private readonly changed = new vscode.EventEmitter<Session>();
  private readonly named = new vscode.EventEmitter<Session>();
  private readonly subscriptions: vscode.Disposable;

  /** The terminal, the folder or the label of a session is another. */
  readonly onDidChange = this.changed.event;
  /** The user has given it another label. */
  readonly onDidName = this.named.event;

  constructor(
    private readonly bridge: SessionSource,
    private readonly memento: vscode.Memento,
    private readonly processes: ChildProcesses,
    private readonly log: Logger,
  ) {
    const remembered = memento.get<[number, string][]>(rememberedLabels, []);
    this.labels = new Map(remembered.filter(([pid]) => isAlive(pid)));
    this.order = memento.get<number[]>(rememberedOrder, []).filter(isAlive);
    this.left = memento.get<number[]>(rememberedLeft, []).filter(isAlive);
    this.subscriptions = vscode.Disposable.from(
      bridge.onDidIdentify((session) => {
        const { pid = 0 } = session;
        session.label = this.labels.get(pid) ?? session.label; // on a busy machine the look takes seconds
        this.setLeft(pid, false);
        session.onDidClose(() => {
          // A CLI may be back before its broken connection is given up.
          if (bridge.port !== undefined && !this.sessions.some((other) => other.pid === pid)) {
            this.setLeft(pid, true);
          }
        });
        if (this.rank(session) < 0) {
          this.touch(session);
        }
        this.look(session);
      }),
      // The CLI calls this tool with each prompt, and others as it works along by itself.
      bridge.onDidTell(({ what, session }) => {
        this.followName(session);
        if (what === 'closeAllDiffTabs') {
          this.touch(session);
        }
      }),
      vscode.window.onDidChangeActiveTerminal((terminal) => {
        if (terminal) {
          this.sessionsIn(terminal).forEach((session) => this.touch(session));
        }
        this.sessions.forEach((session) => this.followName(session));
      }),
      // After a window reload a CLI may be back before the editor has restored its terminal.
      vscode.window.onDidOpenTerminal(() => this.sessions.forEach((session) => this.look(session))),
    );
  }

  /** What others are called of whom something is still shown. @param own the process of which it is not asked */
  otherNames: (own: number | undefined) => string[] = () => [];

  /** Those that have said who they are; the one that the user had to do with last comes first. */
  get sessions(): Session[] {
    return [...this.bridge.sessions]
      .filter(({ pid }) => pid !== undefined)
      .reverse() // a CLI may be back before its broken connection is given up
      .sort((a, b) => this.rank(b) - this.rank(a));
  }

  /** Live CLIs that were connected when the bridge went, also by a window reload, and are not back; in the same order. */
  get absent(): { pid: number; label: string }[] {
    const connected = new Set(this.sessions.map(({ pid }) => pid));
    return [...this.labels]
      .map(([pid, label]) => ({ pid, label }))
      .filter(({ pid }) => !connected.has(pid) && !this.left.includes(pid) && isAlive(pid))
      .sort((a, b) => this.rank(b) - this.rank(a));
  }

  /** See `lineage`. */
  async lineageOf(pid: number): Promise<number[]> {
    const { lineage } = await import('../server/lineage.ts');
    return lineage(pid, this.processes);
  }

  /** For one more terminal: neither a terminal nor a session is called so. */
  newTerminalName(name: string): string {
    const names = vscode.window.terminals.map((terminal) => terminal.name);
    return firstUnused([...this.labelsOfOthers(undefined), ...names], numbered(name));
  }

  sessionsIn(terminal: vscode.Terminal): Session[] {
    return this.sessions.filter((session) => this.terminalOf(session) === terminal);
  }

  /** Undefined for a CLI outside of this window's terminals, in tmux or in a container, and for a closed terminal. */
  terminalOf(session: Proposer): vscode.Terminal | undefined {
    const terminal = this.terminals.get(session);
    return terminal?.exitStatus === undefined ? terminal : undefined;
  }

  /** The CLI's working directory when it connected, where it can be known. */
  folderOf(session: Session): string | undefined {
    return this.folders.get(session) ?? this.terminalOf(session)?.shellIntegration?.cwd?.fsPath;
  }

  /** As the user says. */
  rename(session: Session, label: string): void {
    this.setLabel(session, label);
    this.named.fire(session);
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.changed.dispose();
    this.named.dispose();
  }

  private setLabel(session: Session, label: string): void {
    session.label = label;
    if (session.pid !== undefined) {
      this.labels.set(session.pid, label);
      void this.memento.update(rememberedLabels, [...this.labels]);
    }
    this.changed.fire(session);
  }

  private setLeft(pid: number, hasLeft: boolean): void {
    if (this.left.includes(pid) !== hasLeft) {
      this.left = hasLeft ? [...this.left, pid] : this.left.filter((other) => other !== pid);
      void this.memento.update(rememberedLeft, this.left);
    }
  }

  private rank({ pid = 0 }: Pick<Session, 'pid'>): number {
    return this.order.indexOf(pid);
  }

  private touch({ pid }: Session): void {
    if (pid !== undefined && pid !== this.order.at(-1)) {
      this.order = [...this.order.filter((other) => other !== pid), pid];
      void this.memento.update(rememberedOrder, this.order);
    }
  }

  private look(session: Session): void {
    void this.looks.run(() => this.locate(session));
  }

  private async locate(session: Session): Promise<void> {
    const { pid } = session;
    if (pid === undefined || !session.isOpen || this.terminals.has(session)) {
      return;
    }
    try {
      const { workingDirectory } = await import('../server/lineage.ts');
      const [pids, folder] = await Promise.all([this.lineageOf(pid), workingDirectory(pid, this.processes)]);
      if (folder !== undefined) {
        this.folders.set(session, folder);
      }
      const label = this.unnamed.has(session) ? undefined : this.labels.get(pid);
      if (label === undefined) {
        this.unnamed.add(session);
        const name = (number: number) => `Claude ${session.id + number - 1}`;
        this.setLabel(session, firstUnused(this.labelsOfOthers(pid), name));
      } else {
        session.label = label;
        this.changed.fire(session);
      }
      for (const terminal of vscode.window.terminals) {
        // Not all at once: the process id of a terminal that does not start never comes.
        void terminal.processId.then((shell) => {
          if (shell !== undefined && pids.includes(shell) && !this.terminals.has(session)) {
            this.terminals.set(session, terminal);
            if (terminal === vscode.window.activeTerminal) {
              this.touch(session);
            }
            this.names.set(terminal, terminal.name);
            // Where a terminal is called after its title, the CLI's sign of work comes first.
            const name = numbered(terminal.name.replace(/^[✳\u25d0-\u25d3\u2800-\u28ff] /, ''));
            this.unnamed.delete(session);
            this.setLabel(session, label ?? firstUnused(this.labelsOfOthers(pid), name));
          }
        });
      }
    } catch (error) {
      this.log.warn(`The terminal of session ${session.id} is not known: ${errorMessage(error)}`);
    }
  }

  /** VS Code does not tell when the user renames a terminal. One without a name of its own is called after its title. */
  private followName(session: Session): void {
    const terminal = this.terminalOf(session);
    const before = terminal && this.names.get(terminal);
    if (terminal?.creationOptions.name === undefined || before === terminal.name) {
      return;
    }
    this.names.set(terminal, terminal.name);
    if (session.label !== terminal.name) {
      this.rename(session, terminal.name);
    }
  }

  /** Also those of CLIs that are still to come back. */
  private labelsOfOthers(own: number | undefined): string[] {
    const live = [...this.labels].flatMap(([pid, label]) => (pid !== own && isAlive(pid) ? label : []));
    return [...live, ...this.otherNames(own)];
  }
}

function numbered(name: string): (number: number) => string {
  return (number) => (number === 1 ? name : `${name} ${number}`);
}

function firstUnused(used: readonly string[], name: (number: number) => string): string {
  let number = 1;
  while (used.includes(name(number))) {
    number++;
  }
  return name(number);
}
