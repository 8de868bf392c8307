import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { Logger } from '../base/logger.ts';
import { setting } from '../editor/settings.ts';
import type { Tool } from '../tools/tool.ts';
import { DebugSessions } from './debugSessions.ts';
import {
  breakpoints,
  debugSessions,
  evaluate,
  setBreakpoint,
  stack,
  startDebugging,
  stepDebugging,
  stopDebugging,
  variables,
} from './debugTools.ts';
import type { MayRun } from './mayRun.ts';
import type { Workshop } from './workshop.ts';

export interface DebuggingWorkshop extends Workshop {
  readonly sessions: DebugSessions;
  readonly mayRun: MayRun;
  readonly log: Logger;
}

/** The tools that debug. Loaded once the user has switched them on. */
export class Debugging implements Disposable {
  private readonly store = new DisposableStore();
  /** In the order of tools/list. */
  readonly tools: Tool[];

  constructor(workshop: Workshop, mayRun: MayRun, log: Logger) {
    const isOn = () =>
      workshop.access.isOn && setting('editorTools.enabled') && setting('editorTools.debugging');
    const sessions = this.store.add(new DebugSessions(isOn));
    const debugging = { ...workshop, sessions, mayRun, log };
    this.tools = [
      debugSessions,
      startDebugging,
      stepDebugging,
      stopDebugging,
      stack,
      variables,
      evaluate,
      breakpoints,
      setBreakpoint,
    ].map((create) => create(debugging));
  }

  dispose(): void {
    this.store.dispose();
  }
}
