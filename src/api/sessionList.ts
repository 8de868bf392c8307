import * as vscode from 'vscode';
import type { Session, Sessions } from '../../api/ideBridge.d.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { Throttle } from '../base/throttle.ts';
import type { ChatFeature } from '../chat/feature.ts';
import type { Bridge } from '../server/bridge.ts';
import type { Session as BridgeSession } from '../server/session.ts';
import type { SessionStates } from '../sessions/sessionStates.ts';
import type { SessionTerminals } from '../sessions/sessionTerminals.ts';

export interface SessionListPorts {
  readonly bridge: Bridge;
  readonly states: SessionStates;
  readonly sessionTerminals: SessionTerminals;
  readonly chat: Pick<ChatFeature, 'sessions' | 'onDidChangeSessions'>;
}

/** The sessions as other extensions see them: what they are and are at, and nothing that is said in them. */
export class SessionList implements Disposable {
  private readonly store = new DisposableStore();
  private readonly opened = this.store.add(new vscode.EventEmitter<Session>());
  private readonly closed = this.store.add(new vscode.EventEmitter<Session>());
  private readonly changed = this.store.add(new vscode.EventEmitter<Session>());
  private known = new Map<string, Session>();
  readonly sessions: Sessions;

  constructor(private readonly ports: SessionListPorts) {
    const all = () => this.all();
    this.sessions = Object.freeze({
      get all() {
        return all();
      },
      onDidOpen: this.opened.event,
      onDidClose: this.closed.event,
      onDidChange: this.changed.event,
    });
    this.known = byId(this.all());
    const look = this.store.add(new Throttle(50, () => this.tell()));
    this.store.add(ports.states.onDidChange(() => look.schedule()));
    this.store.add(ports.chat.onDidChangeSessions(() => look.schedule()));
  }

  dispose(): void {
    this.store.dispose();
  }

  private all(): Session[] {
    const { bridge, states, sessionTerminals, chat } = this.ports;
    const clis = [...bridge.sessions]
      .filter(({ clientInfo }) => clientInfo)
      .map((session): Session => {
        const terminal = sessionTerminals.terminalOf(session);
        return Object.freeze({
          id: idOf(session),
          kind: 'terminal',
          label: session.label,
          state: states.of(session).kind,
          connectedSince: session.connectedAt,
          ...(terminal && { terminal }),
        });
      });
    const chats = chat.sessions.map(({ chatId, state, since }) =>
      Object.freeze({
        id: `chat:${-chatId}`,
        kind: 'chat' as const,
        label: `Chat ${-chatId}`, // the user's label begins with the first prompt
        state: state.kind,
        connectedSince: since,
      }),
    );
    return [...clis, ...chats];
  }

  private tell(): void {
    const before = this.known;
    this.known = byId(this.all());
    before.forEach((session, id) => this.known.has(id) || this.closed.fire(session));
    for (const [id, session] of this.known) {
      const last = before.get(id);
      if (!last) {
        this.opened.fire(session);
      } else if (looksOther(last, session)) {
        this.changed.fire(session);
      }
    }
  }
}

export function idOf({ id }: BridgeSession): string {
  return `terminal:${id}`;
}

function byId(sessions: readonly Session[]): Map<string, Session> {
  return new Map(sessions.map((session) => [session.id, session]));
}

function looksOther(one: Session, other: Session): boolean {
  return one.label !== other.label || one.state !== other.state || one.terminal !== other.terminal;
}
