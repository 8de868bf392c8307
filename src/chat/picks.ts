import { type AgentOptions, type PermissionMode, permissionModes } from '../agent/options.ts';

/** What the user has picked for a conversation. What is not there is as the settings and the CLI have it. */
export interface Picks {
  readonly mode?: PermissionMode;
  readonly model?: string;
  readonly agent?: string;
  readonly effort?: string;
}

export type PickName = keyof Picks;

/** What a conversation is held with, as its thread has it over a reload of the window. */
export interface HeldWith {
  readonly picks: Picks;
  /** Where neither picks nor settings name one: by its name, once the conversation had another. */
  readonly own?: Pick<Picks, 'model' | 'agent'>;
  /** The model of the editor's picker, as a request had it last. */
  readonly model?: string | undefined;
  /** Whether nothing was picked after it. */
  readonly isModelHeld?: boolean | undefined;
}

/** @param value as a workspace remembers it, perhaps by another version of ours */
export function picksIn(value: unknown): Picks {
  const { mode, model, agent, effort } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const known = permissionModes.find((each) => each === mode);
  return {
    ...(known ? { mode: known } : {}),
    ...(isName(model) ? { model } : {}),
    ...(isName(agent) ? { agent } : {}),
    ...(isName(effort) ? { effort } : {}),
  };
}

/** @param value undefined: as the settings and the CLI have it */
export function withPick(picks: Picks, name: PickName, value: Picks[PickName]): Picks {
  const others = Object.entries(picks).filter(([other]) => other !== name);
  return picksIn({ ...Object.fromEntries(others), ...(value === undefined ? {} : { [name]: value }) });
}

/** @param value undefined: as the settings and the CLI have it; a model goes before that of the editor's picker */
export function heldWithPick(held: HeldWith, name: PickName, value: Picks[PickName]): HeldWith {
  const isModelHeld = held.isModelHeld === true && name !== 'model';
  return { ...held, picks: withPick(held.picks, name, value), isModelHeld };
}

/** @param options as the settings have it, which alone can allow to ask nothing */
export function withPicks(options: AgentOptions, { mode, ...others }: Picks): AgentOptions {
  const isAllowed = mode !== undefined && (mode !== 'bypassPermissions' || options.mayBypass);
  return { ...options, ...others, ...(isAllowed ? { mode } : {}) };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
