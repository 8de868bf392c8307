import { request } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.ts';
import type { HostState } from '../fixtures/remote/extension.ts';

/** Built by `node esbuild.mjs --tests`. */
const helper = path.resolve('out/test/remote');

/** ms for which an extension host may be busy: one that hangs never answers. */
const patience = 5_000;

/** Runs commands in a window without its palette, by an extension that works in Restricted Mode, too. */
export class Remote {
  /** What a window needs to have. */
  readonly extension = helper;
  readonly env: Record<string, string>;
  private readonly socketPath: string;

  constructor(folder: string) {
    this.socketPath = path.join(folder, 'remote.sock');
    this.env = { IDE_BRIDGE_TEST_REMOTE: this.socketPath };
  }

  /** Waits until the window takes commands. */
  async ready(): Promise<void> {
    await until(
      'the extension host to answer',
      () =>
        this.state().then(
          () => true,
          () => false,
        ),
      30_000,
    );
  }

  /** @throws when the extension host does not answer, as one that is blocked */
  async state(): Promise<HostState> {
    const answer = this.ask('state', []) as Promise<HostState>;
    return Promise.race([
      answer,
      sleep(patience, undefined, { ref: false }).then(() => {
        throw new Error(`The extension host has not answered for ${patience} ms.`);
      }),
    ]);
  }

  /** Settles when the command has: one that asks something, when it is answered. */
  async execute(command: string, ...args: unknown[]): Promise<void> {
    await this.ask(command, args);
  }

  private ask(command: string, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const asked = request({ socketPath: this.socketPath, method: 'POST' }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (data: string) => (body += data));
        response.on('error', reject);
        response.on('end', () => {
          const { value, error } = JSON.parse(body) as { value?: unknown; error?: string };
          if (error === undefined) resolve(value);
          else reject(new Error(`${command}: ${error}`));
        });
      });
      asked.on('error', reject);
      asked.end(JSON.stringify({ command, args }));
    });
  }
}
