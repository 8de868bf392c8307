import type { Initialized } from './messages.ts';

/** A model that a session can be told to use. */
export interface Model {
  /** What `--model` and `set_model` take. */
  readonly id: string;
  readonly label: string;
  readonly description?: string;
}

/** Names that each version of the CLI knows, for the newest of a kind. */
const aliases: readonly Model[] = [
  { id: 'sonnet', label: 'Sonnet', description: 'For most work' },
  { id: 'opus', label: 'Opus', description: 'For what is hard' },
  { id: 'haiku', label: 'Haiku', description: 'For what shall be quick' },
];

/** Of a sub-agent: the model of who has started it. */
export const inherit: Model = { id: 'inherit', label: 'As its parent' };

/** What the CLI offers, in its order, and the aliases that it does not name itself. */
export function modelsOf(initialized: Initialized | undefined): Model[] {
  const offered = (initialized?.models ?? []).map(({ value, displayName, description }): Model => ({
    id: value,
    label: displayName ?? value,
    ...(description === undefined ? {} : { description }),
  }));
  return [...offered, ...aliases.filter(({ id }) => !offered.some((model) => model.id === id))];
}

/**
 * Tokens that a model takes, until the CLI has said it itself at the end of a turn.
 * @param model as `--model` takes it
 */
export function contextWindowOf(model: string): number {
  return /\[1m\]$/.test(model) ? 1_000_000 : 200_000;
}
