import * as vscode from 'vscode';
import { setContext } from '../editor/setContext.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import { once } from '../base/emitter.ts';
import type { UserPlace } from '../editor/userPlace.ts';
import { onDidChangeSetting, setting } from '../editor/settings.ts';
import type { Logger } from '../base/logger.ts';
import { fromElsewhere, fromTerminal } from '../editor/commandIds.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { Bridge, BridgeState } from '../server/bridge.ts';
import { configDir } from '../server/configDir.ts';
import { Attention } from './attention.ts';
import { launch, reportMissingCommand, run } from './launch.ts';
import { Launcher, type McpServers } from './launcher.ts';
import { Presses } from './presses.ts';
import { SessionRecords } from './sessionRecords.ts';
import { SessionStates } from './sessionStates.ts';
import type { SessionTerminals } from './sessionTerminals.ts';
import { registerTerminalLinks } from './terminalLinks.ts';
import type { Session } from '../server/session.ts';
import type { SessionRows } from './renameSession.ts';
import type { Resuming } from './resume.ts';
import { injectEnvironment } from './terminals.ts';
import { TerminalSigns } from './terminalSigns.ts';

/** CLIs in terminals: how they start, find this window, and wait for the user. */
export class SessionsFeature implements Disposable {
  readonly attention: Attention;
  readonly signs: TerminalSigns;
  readonly records: SessionRecords;
  readonly states: SessionStates;
  readonly launcher: Launcher;
  private readonly store = new DisposableStore();

  constructor(
    bridge: Bridge,
    proposals: Proposals,
    private readonly sessionTerminals: SessionTerminals,
    private readonly userPlace: UserPlace,
    { workspaceState, globalState, environmentVariableCollection }: vscode.ExtensionContext,
    servers: McpServers,
    changedFiles: (session: Session) => number,
    log: Logger,
  ) {
    const { store } = this;
    this.signs = store.add(new TerminalSigns());
    this.records = store.add(
      new SessionRecords(bridge, {
        isAllowed: () => vscode.workspace.isTrusted && setting('records.enabled'),
        folderOf: (session) => sessionTerminals.folderOf(session),
        configDir: configDir({ ...process.env, ...setting('environment') }), // that of the CLIs started from here
        names: globalState,
        log,
      }),
    );
    store.add(sessionTerminals.onDidChange(() => this.records.update()));
    store.add(
      sessionTerminals.onDidName(async (session) =>
        (await import('./whenAsked.ts')).nameConversation(this.records, session),
      ),
    );
    store.add(onDidChangeSetting('records.enabled', () => this.records.update()));
    this.attention = store.add(
      new Attention({
        bridge,
        proposals,
        sessionTerminals,
        userPlace,
        signs: this.signs,
        sessionRecords: this.records,
        changedFiles,
      }),
    );
    const { attention, signs, records } = this;
    this.states = store.add(
      new SessionStates({ bridge, proposals, sessionTerminals, attention, signs, records }),
    );
    let asked = false;
    store.add(
      this.states.onDidChange(() => {
        const asks = this.states.asking !== undefined;
        if (asks !== asked) {
          setContext('ideBridge.sessionAsks', asks);
        }
        asked = asks;
      }),
    );
    store.add(
      once(proposals.onDidChange, async () => {
        const { returnFocus } = await import('./focusReturn.ts');
        const asks = (session: Session) => ['asks', 'proposes'].includes(this.states.of(session).kind);
        store.add(
          // What the decided one is at is known a moment later.
          returnFocus(proposals, userPlace, (terminal, decided) =>
            sessionTerminals.sessionsIn(terminal).some((each) => each !== decided && asks(each)),
          ),
        );
      }),
    );
    this.launcher = store.add(
      new Launcher(bridge, sessionTerminals, this.states, userPlace, workspaceState, servers),
    );
    store.add(registerTerminalLinks(sessionTerminals));
    store.add(reportMissingCommand(this.launcher));
    let before: BridgeState | undefined;
    store.add(
      bridge.onDidChangeState((state) => {
        if (state.kind === 'listening' && state !== before) {
          const isNewPort = injectEnvironment(environmentVariableCollection, state.port);
          if (isNewPort || sessionTerminals.absent.length > 0) {
            void import('./reconnect.ts').then(({ tellCutOff }) =>
              tellCutOff(bridge, sessionTerminals, this.states, isNewPort),
            );
          }
        }
        before = state;
      }),
    );
  }

  commands(view: SessionRows, resuming: Resuming) {
    const { launcher, records, sessionTerminals, states, userPlace } = this;
    const presses = new Presses();
    return {
      run: async (argument: unknown) => {
        const isKey = argument === fromTerminal || argument === fromElsewhere;
        if (!isKey || (await presses.isOwn())) {
          await run(launcher, argument === fromTerminal);
        }
      },
      newSession: () => launch(launcher),
      newSessionInPanel: () => launch(launcher, [], 'panel'),
      newSessionInEditor: () => launch(launcher, [], 'editor'),
      newSessionBeside: () => launch(launcher, [], 'beside'),
      continueSession: () => launch(launcher, ['--continue']),
      resumeSession: async () => {
        const { resume } = await import('./resume.ts');
        await resume(launcher, records, resuming);
      },
      showSession: async (argument: unknown) =>
        (await import('./whenAsked.ts')).showSession(sessionTerminals, states, userPlace, argument),
      renameSession: async (argument: unknown, focused?: unknown) =>
        (await import('./whenAsked.ts')).renameSession(sessionTerminals, view, argument, focused),
    };
  }

  dispose(): void {
    this.store.dispose();
  }
}
