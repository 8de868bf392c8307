/** Finds out how a window ended; the first finding counts. */
export class Outcome {
  readonly code: Promise<number>;
  private resolve!: (code: number) => void;
  private liveHosts = 0;
  private hostDied = false;

  constructor(private readonly runsTests: boolean) {
    this.code = new Promise((resolve) => (this.resolve = resolve));
  }

  settle(code: number): void {
    this.resolve(code);
  }

  /**
   * The workbench's word on a test run. It says 0 also when the extension host was killed, which the server tells
   * at about the same time: so wait a moment for that.
   */
  testsEnded(code: number): void {
    setTimeout(() => this.settle(this.hostDied ? code || 1 : code), 250);
  }

  /** Reads what the server prints about extension hosts. */
  watchServerLine(line: string): void {
    if (/<\d+> Launched Extension Host Process/.test(line)) this.liveHosts++;
    const exited = /Extension Host Process exited with code: (\S+), signal: (\S+?)\./.exec(line);
    if (!exited) return;
    this.liveHosts--;
    if (exited[1] === '0' && exited[2] === 'null') return;
    this.hostDied = true;
    // A test may kill the host on purpose where none run inside it.
    if (this.runsTests) this.testsEnded(1);
  }

  get extensionHostsRunning(): boolean {
    return this.liveHosts > 0;
  }
}
