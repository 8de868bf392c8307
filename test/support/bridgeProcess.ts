import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Deferred } from '../../src/base/deferred.ts';
import { openDiff, type Outcome } from '../../src/tools/openDiff.ts';
import { ToolRegistry } from '../../src/tools/registry.ts';
import { hello, TestBridges } from './testBridges.ts';

export interface WindowOptions {
  /** The configuration folder. */
  root: string;
  /** What the window remembers lies in a folder of this name. */
  name: string;
  editorPid: number;
  pingInterval?: number;
}

/** A bridge in a process of its own, as in an extension host. Its tools are hello and openDiff. */
export class BridgeProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly pid: number,
  ) {}

  static async start(options: WindowOptions): Promise<BridgeProcess> {
    const program = fileURLToPath(import.meta.url);
    const child = spawn(process.execPath, ['--import', 'tsx', program, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    if (child.pid === undefined) throw new Error('no process');
    await once(createInterface(child.stdout), 'line');
    return new BridgeProcess(child, child.pid);
  }

  /** The user accepts every proposal. */
  accept(): void {
    this.child.stdin?.write('accept\n');
  }

  /** Ends the process from within: `exit`, `throw` or `stop`, as a deactivation does. */
  async end(how: string): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.stdin?.write(`${how}\n`);
    await exit;
  }

  async kill(): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }
}

async function run({ root, name, editorPid, pingInterval = 25_000 }: WindowOptions): Promise<void> {
  const bridges = new TestBridges(root);
  const accepted = new Deferred<Outcome>();
  const tools = [hello, openDiff({ review: () => accepted.promise })];
  const bridge = bridges.create({
    tools: new ToolRegistry(tools, bridges.log),
    identityFile: `${root}/${name}/bridge.json`,
    editorPid,
    pingInterval,
    checkInterval: 100,
  });
  await bridge.start();
  console.log(bridge.state.kind);
  for await (const how of createInterface(process.stdin)) {
    if (how === 'accept') {
      accepted.settle({ kind: 'accepted', finalText: 'accepted' });
    } else if (how === 'throw') {
      setImmediate(() => {
        throw new Error('as a fault in another extension');
      });
    } else {
      if (how === 'stop') await bridge.stop();
      process.exit(how === 'stop' ? 0 : 1);
    }
  }
}

const [, program, options] = process.argv;
if (program === fileURLToPath(import.meta.url) && options !== undefined) {
  void run(JSON.parse(options) as WindowOptions);
}
