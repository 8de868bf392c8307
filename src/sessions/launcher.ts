import * as vscode from 'vscode';
import type { Bridge } from '../server/bridge.ts';
import { isAlive } from '../server/processes.ts';
import { columnOfTerminals } from '../editor/columns.ts';
import { commandIds } from '../editor/commandIds.ts';
import { commandLine } from '../editor/commandLine.ts';
import { isOnPath } from './isOnPath.ts';
import type { AbsentCli, SessionStates } from './sessionStates.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { setting } from '../editor/settings.ts';
import type { Settings } from '../editor/settingNames.ts';
import { connectionEnvironment } from './terminals.ts';
import type { UserPlace } from '../editor/userPlace.ts';

export type Place = Settings['location'];

/** After a window reload the editor brings terminals back when it likes, and their CLIs come back later; ms. */
const restoringTime = 10_000;

/** Process ids of the shells of our terminals, which outlive a window reload. */
const rememberedShells = 'launchedShells';

/** MCP servers that each session is started with besides those of the settings, as long as the bridge is what it is. */
export interface McpServers {
  /** A file for `--mcp-config`; undefined where there are none. */
  mcpConfig(): Promise<string | undefined>;
}

/** Runs the CLI in integrated terminals, and finds the one to go back to. */
export class Launcher implements vscode.Disposable {
  /** Ours in which the CLI has not ended, oldest first; that it has is known through shell integration only. */
  private readonly launched = new Set<vscode.Terminal>();
  /** Those from before a window reload: they may run a CLI, or nothing. */
  private readonly restored = new WeakSet<vscode.Terminal>();
  private readonly fromProfile = new WeakSet<object>();
  private readonly startedAt = performance.now();
  private readonly commandNotFound = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable;

  /** The shell does not know the command. */
  readonly onDidNotFindCommand = this.commandNotFound.event;

  constructor(
    readonly bridge: Pick<Bridge, 'port' | 'start'>,
    private readonly sessionTerminals: SessionTerminals,
    private readonly states: Pick<SessionStates, 'absent'>,
    private readonly userPlace: UserPlace,
    private readonly memento: vscode.Memento,
    private readonly servers: McpServers,
  ) {
    this.subscriptions = vscode.Disposable.from(
      vscode.window.onDidOpenTerminal((terminal) => this.adopt(terminal)),
      vscode.window.onDidCloseTerminal((terminal) => this.launched.delete(terminal)),
      vscode.window.onDidEndTerminalShellExecution((event) => this.end(event)),
      vscode.window.registerTerminalProfileProvider('ideBridge.claude', {
        provideTerminalProfile: () => {
          const options = this.terminalOptions();
          this.fromProfile.add(options);
          return new vscode.TerminalProfile(options);
        },
      }),
    );
    for (const terminal of vscode.window.terminals) {
      this.adopt(terminal);
    }
  }

  /** Goes back to the CLI that was used last, or starts one. */
  async run(): Promise<void> {
    if (this.isReturning()) {
      await (await import('./launchProblems.ts')).tellReturning(() => this.isReturning());
    }
    const terminal = this.lastUsed;
    const absent = terminal && this.absentIn(terminal);
    if (!terminal) {
      this.launch([]);
    } else if (absent?.isLost) {
      await vscode.commands.executeCommand(commandIds.reconnect, absent.pid);
    } else {
      this.userPlace.show(terminal);
    }
  }

  /** From the terminal that has the focus: back to the editor where a CLI runs in it, else as `run`. */
  async runFromTerminal(): Promise<void> {
    const { activeTerminal } = vscode.window;
    const isOfCli =
      activeTerminal &&
      (this.isInUse(activeTerminal) ||
        this.absentIn(activeTerminal) ||
        this.sessionTerminals.sessionsIn(activeTerminal).length > 0);
    await (isOfCli ? this.userPlace.goToEditor() : this.run());
  }

  /**
   * Starts one more CLI in a terminal of its own.
   * @param args for this time, after those of the settings
   * @param cwd absolute; as the editor has it for terminals by default
   * @param name that the user has given to the conversation
   */
  launch(args: readonly string[], place = setting('location'), cwd?: string, name?: string): void {
    const terminal = vscode.window.createTerminal({
      ...this.terminalOptions(name),
      location: location(place),
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.own(terminal);
    this.userPlace.show(terminal);
    const again = () => this.launch(args, place, cwd, name);
    void this.start(terminal, args, again).then(() => this.focusFirst(terminal));
  }

  /** The first one of a window takes the focus only once it can show something. */
  private focusFirst(terminal: vscode.Terminal): void {
    if (this.userPlace.isStillIn(terminal)) {
      terminal.show();
    }
  }

  dispose(): void {
    this.subscriptions.dispose();
    this.commandNotFound.dispose();
  }

  private get lastUsed(): vscode.Terminal | undefined {
    const { sessions } = this.sessionTerminals;
    const connected = sessions.flatMap((session) => this.sessionTerminals.terminalOf(session) ?? []);
    const launched = [...this.launched].filter((terminal) => this.isInUse(terminal));
    const absent = this.states.absent.find(({ terminal }) => terminal);
    return connected.at(0) ?? launched.at(-1) ?? absent?.terminal;
  }

  private isRestoring(): boolean {
    return performance.now() - this.startedAt < restoringTime;
  }

  /** As far as is known: in one that has been restored, a CLI is to come back in time. */
  private isInUse(terminal: vscode.Terminal): boolean {
    return this.launched.has(terminal) && (!this.restored.has(terminal) || this.isRestoring());
  }

  private absentIn(terminal: vscode.Terminal): AbsentCli | undefined {
    return this.states.absent.find((cli) => cli.terminal === terminal);
  }

  /** A CLI or shell from before a window reload lives, and none is back yet. */
  private isReturning(): boolean {
    return (
      !this.lastUsed &&
      this.isRestoring() &&
      (this.shells.some(isAlive) || this.sessionTerminals.absent.length > 0)
    );
  }

  private get shells(): readonly number[] {
    return this.memento.get<number[]>(rememberedShells, []);
  }

  private terminalOptions(name = 'Claude Code'): vscode.TerminalOptions {
    const { port } = this.bridge;
    return {
      name: this.sessionTerminals.newTerminalName(name),
      iconPath: new vscode.ThemeIcon('sparkle'),
      env: { ...(port !== undefined && connectionEnvironment(port)), ...setting('environment') },
    };
  }

  /** Takes in a terminal of our profile, and one of ours that the editor has restored after a reload. */
  private adopt(terminal: vscode.Terminal): void {
    if (this.fromProfile.has(terminal.creationOptions)) {
      this.own(terminal);
      terminal.show(); // the one that was in front before would keep the keys
      void this.start(terminal, []);
      return;
    }
    void terminal.processId.then((shell) => {
      // One that we have just launched is remembered by then.
      if (shell !== undefined && !this.launched.has(terminal) && this.shells.includes(shell)) {
        this.launched.add(terminal);
        this.restored.add(terminal);
      }
    });
  }

  private own(terminal: vscode.Terminal): void {
    this.launched.add(terminal);
    void this.remember(terminal);
  }

  private async remember(terminal: vscode.Terminal): Promise<void> {
    const shell = await terminal.processId;
    if (shell !== undefined) {
      const others = this.shells.filter(isAlive);
      await this.memento.update(rememberedShells, [...others, shell]);
    }
  }

  /** @param again starts it in another one */
  private async start(
    terminal: vscode.Terminal,
    args: readonly string[],
    again = () => this.launch(args),
  ): Promise<void> {
    const { runInNewTerminal } = await import('../editor/terminalInput.ts');
    const servers = await this.servers.mcpConfig();
    const line = commandLine(
      setting('command'),
      // In one word: the option takes several values, and would swallow a prompt that follows.
      configuredArguments().concat(args, servers === undefined ? [] : `--mcp-config=${servers}`),
    );
    if (!(await runInNewTerminal(terminal, line))) {
      this.launched.delete(terminal);
      void (await import('./launchProblems.ts')).tellUsed(again);
    }
  }

  private end({ terminal, execution, exitCode }: vscode.TerminalShellExecutionEndEvent): void {
    if (!this.launched.has(terminal)) {
      return;
    }
    // What the user may have typed there since is not to be run with it, so it is not used again.
    this.launched.delete(terminal);
    const command = setting('command');
    if (execution.commandLine.value.startsWith(command) && isNotFound(exitCode, command)) {
      this.commandNotFound.fire();
    }
  }
}

function location(place: Place): vscode.TerminalLocation | vscode.TerminalEditorLocationOptions {
  switch (place) {
    case 'panel':
      return vscode.TerminalLocation.Panel;
    case 'editor':
      return vscode.TerminalLocation.Editor;
    case 'beside':
      return { viewColumn: columnOfTerminals() ?? vscode.ViewColumn.Beside };
  }
}

/** 127: POSIX shells; 9009: cmd.exe. The editor reports 1 for whatever fails in PowerShell. */
function isNotFound(exitCode: number | undefined, command: string): boolean {
  return exitCode === 1 && /powershell|pwsh/i.test(vscode.env.shell)
    ? !isOnPath(command, setting('environment').PATH)
    : exitCode === 127 || exitCode === 9009;
}

function configuredArguments(): string[] {
  const mode = setting('permissionMode');
  return [...setting('arguments'), ...(mode ? ['--permission-mode', mode] : [])];
}
