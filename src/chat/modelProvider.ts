import type { Initialized } from '../agent/messages.ts';
import { contextWindowOf, modelsOf } from '../agent/models.ts';

/** As the editor wants to know of a model; the types that we build with are older. */
export interface ModelInformation {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly tooltip: string;
  readonly detail: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  /** `toolCalling`: else the editor does not offer them in its agent mode. */
  readonly capabilities: { readonly toolCalling: boolean; readonly imageInput: boolean };
}

const maxOutputTokens = 32_000;

/** What the model picker of the chat offers: the models of the CLI, as far as it has told them. */
export function modelInformation(initialized: Initialized | undefined): ModelInformation[] {
  const models = modelsOf(initialized);
  const isDefault = models.some(({ id }) => id === 'default');
  const all = isDefault ? models : [{ id: 'default', label: 'Default', description: '' }, ...models];
  return all.map(({ id, label, description = '' }) => ({
    id,
    name: `Claude Code: ${label}`,
    family: 'claude-code',
    version: id,
    tooltip: `${description}${description && '. '}Answers @claude only, by your own Claude Code.`,
    detail: '@claude only',
    maxInputTokens: contextWindowOf(id),
    maxOutputTokens,
    capabilities: { toolCalling: true, imageInput: true },
  }));
}

/** Whoever else asks one of them, another extension say, is not to spend the user's tokens by a CLI that can do anything. */
export function refuseRequest(): never {
  throw new Error('The models of Claude Code answer @claude only. Begin your message with @claude.');
}

/** Tokens, about: nothing counts them without a request. */
export function estimateTokens(text: unknown): number {
  return Math.ceil((typeof text === 'string' ? text : JSON.stringify(text)).length / 4);
}
