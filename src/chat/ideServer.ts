import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { setting } from '../editor/settings.ts';
import { removeLeftTemporaries } from '../server/leftTemporaries.ts';
import { isAlive } from '../server/processes.ts';
import { writeMcpConfig } from '../editorTools/mcpConfig.ts';
import type { Bridge, Endpoint } from '../server/bridge.ts';
import type { ToolCall } from '../server/session.ts';
import { type CodeRunner, executeCode } from '../tools/executeCode.ts';
import { type DiagnosticsSource, getDiagnostics } from '../tools/getDiagnostics.ts';
import { ToolRegistry } from '../tools/registry.ts';

export interface IdePorts {
  readonly bridge: Pick<Bridge, 'endpoints' | 'onDidChangeState' | 'lockFilePath'>;
  readonly diagnostics: DiagnosticsSource;
  readonly notebooks: CodeRunner;
  readonly storageUri: vscode.Uri | undefined;
  readonly log: Logger;
}

/** What the CLI calls it: of a server of that name it offers the model these two tools, and no others. */
const server = 'ide';

/** With the process that has written it; versions before this one did not name it. The others are of `ModelApi`. */
const leftName = /^(?:ide|proxy)-(\d+-|)\d+\.json$/;

/**
 * The bridge as the CLIs of the chat have it: at a path of its own, so that they are no sessions beside those that the
 * chat shows already, and open no diffs beside those of the engine.
 */
export class IdeServer implements Endpoint, vscode.Disposable {
  /** Its clients do not speak HTTP. */
  readonly isOn = false;
  readonly clients = 'Claude in the chat';
  private readonly tools: ToolRegistry;
  private readonly following: vscode.Disposable;
  private readonly written = new Set<string>();
  private readonly names: readonly string[];
  private starts = 0;

  constructor(private readonly ports: IdePorts) {
    const { bridge, diagnostics, notebooks, log } = ports;
    // What it edits is followed by the hooks of the engine.
    const tools = [getDiagnostics(diagnostics, { willEdit: () => {} }), executeCode(notebooks)];
    this.names = tools.map(({ name }) => `mcp__${server}__${name}`);
    this.tools = new ToolRegistry(tools, log, () => setting('tools.disabled'));
    bridge.endpoints.set(`/${server}`, this);
    this.sweep();
    this.following = bridge.onDidChangeState(({ kind }) => {
      if (kind !== 'listening') {
        this.starts++;
      }
    });
  }

  list() {
    return this.tools.list();
  }

  call(name: string, args: unknown, call: ToolCall) {
    return this.tools.call(name, args, call);
  }

  /** Unless the user's own rules want it otherwise: one only reads what the editor shows, the other asks by itself, with the code in sight. */
  isUsedUnasked(tool: string): boolean {
    return this.names.includes(tool);
  }

  /**
   * The file for `--mcp-config` with which a CLI has it, undefined while the bridge does not listen. Another one after each
   * start of the bridge, so that sessions go on in a new process: the token may be another, and CLI 1.0 does not connect
   * again even with the same.
   */
  mcpConfig(): string | undefined {
    const { bridge, storageUri, log } = this.ports;
    const { lockFilePath } = bridge;
    if (!storageUri || lockFilePath === undefined) {
      return undefined;
    }
    try {
      const path = join(storageUri.fsPath, `${server}-${process.pid}-${this.starts}.json`);
      writeMcpConfig(path, lockFilePath, server);
      this.written.add(path);
      return path;
    } catch (error) {
      log.warn(`@claude has neither problems nor notebooks: ${errorMessage(error)}`);
      return undefined;
    }
  }

  dispose(): void {
    this.following.dispose();
    this.ports.bridge.endpoints.delete(`/${server}`);
    this.written.forEach((path) => rmSync(path, { force: true })); // not before: a process that starts may name it
  }

  /** Files with a token, of extension hosts that were killed. */
  private sweep(): void {
    const folder = this.ports.storageUri?.fsPath;
    if (folder === undefined) {
      return;
    }
    removeLeftTemporaries(folder);
    try {
      for (const name of readdirSync(folder)) {
        const [, pid] = leftName.exec(name) ?? [];
        if (pid !== undefined && !isAlive(Number.parseInt(pid) || 0)) {
          rmSync(join(folder, name), { force: true });
        }
      }
    } catch {
      // There is no folder yet.
    }
  }
}
