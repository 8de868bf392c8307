import * as vscode from 'vscode';
import type { IdeBridgeApi } from '../../api/ideBridge.d.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { printable } from '../base/printable.ts';
import type { EditorToolsFeature } from '../editorTools/feature.ts';
import { ApiError } from './apiError.ts';
import { mention, type MentionPorts } from './mention.ts';
import type { ProposePorts } from './propose.ts';
import { SessionList, type SessionListPorts } from './sessionList.ts';

export interface ApiPorts extends SessionListPorts, MentionPorts, ProposePorts {
  readonly editorTools: Pick<EditorToolsFeature, 'load'>;
  readonly log: Logger;
}

/** The extension that asks, as it names itself. */
export interface Caller {
  /** In lower case, as the editor compares them. */
  readonly id: string;
  /** Fit to be shown. */
  readonly name: string;
}

/** What other extensions get, one for each of them: plain objects, by which nothing else of ours is reached. */
export class Apis implements Disposable {
  private readonly apis = new Map<string, IdeBridgeApi>();
  private readonly store = new DisposableStore();
  /** Of tools that were not taken back. */
  private readonly registrations = new Set<Disposable>();
  private readonly sessionList: SessionList;
  private isDisposed = false;

  constructor(private readonly ports: ApiPorts) {
    this.sessionList = this.store.add(new SessionList(ports));
  }

  /** See `IdeBridgeExports`. */
  get(version: unknown, extensionId: unknown): IdeBridgeApi {
    this.check();
    if (version !== 1) {
      throw new ApiError(
        'UnknownVersion',
        `This IDE Bridge has the API of version 1 only, not ${shown(version)}.`,
      );
    }
    const caller = callerOf(extensionId);
    const api = this.apis.get(caller.id) ?? this.create(caller);
    this.apis.set(caller.id, api);
    return api;
  }

  dispose(): void {
    this.isDisposed = true;
    this.store.dispose();
    this.registrations.forEach((registration) => registration.dispose());
  }

  private create(caller: Caller): IdeBridgeApi {
    const proposals = lazy(async () => {
      const { ExtensionProposals } = await import('./propose.ts');
      return new ExtensionProposals(this.ports, caller);
    });
    const recentMentions: number[] = [];
    const enabled = this.store.add(new vscode.EventEmitter<boolean>());
    this.store.add(vscode.workspace.onDidGrantWorkspaceTrust(() => enabled.fire(true)));
    return Object.freeze({
      version: 1,
      get enabled() {
        return vscode.workspace.isTrusted;
      },
      onDidChangeEnabled: enabled.event,
      sessions: this.sessionList.sessions,
      registerTool: async (input: unknown) => {
        this.check();
        const [{ registerTool }, { others }] = await Promise.all([
          import('./registerTool.ts'),
          this.ports.editorTools.load(),
        ]);
        const registration = await registerTool(others, caller, input, this.ports.log);
        this.registrations.add(registration);
        const dispose = () => {
          this.registrations.delete(registration);
          registration.dispose();
        };
        if (this.isDisposed) {
          dispose();
        }
        this.check();
        return Object.freeze({ dispose });
      },
      mention: async (input: unknown) => {
        this.check();
        mustBeTrusted();
        return mention(this.ports, caller.name, recentMentions, input);
      },
      propose: async (input: unknown, token?: unknown) => {
        this.check();
        mustBeTrusted();
        return (await proposals()).propose(input, token);
      },
    } satisfies IdeBridgeApi);
  }

  private check(): void {
    if (this.isDisposed) {
      throw new ApiError('Deactivated', 'IDE Bridge was deactivated: nothing of its API works any more.');
    }
  }
}

function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

function mustBeTrusted(): void {
  if (!vscode.workspace.isTrusted) {
    throw new ApiError('Untrusted', 'This workspace is not trusted: IDE Bridge stays off in it.');
  }
}

/** Not everything can be made a text. */
function shown(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number'
    ? printable(String(value), 100)
    : typeof value;
}

function callerOf(extensionId: unknown): Caller {
  const extension = typeof extensionId === 'string' ? vscode.extensions.getExtension(extensionId) : undefined;
  if (!extension) {
    throw new ApiError(
      'InvalidArgument',
      `getAPI needs the id of your extension (context.extension.id): there is no extension ${shown(extensionId)}.`,
    );
  }
  const { displayName, name } = extension.packageJSON as { displayName?: unknown; name?: unknown };
  return {
    id: extension.id.toLowerCase(),
    name: printable(String(displayName ?? name), 60),
  };
}
