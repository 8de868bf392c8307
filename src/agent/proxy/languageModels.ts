/** The editor's own language models, as a port: what `vscode.lm` gives, without the editor. */
export interface LanguageModels {
  list(): Promise<readonly LanguageModel[]>;
}

export interface LanguageModel {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly vendor: string;
  /** Tokens. */
  readonly maxInputTokens: number;
  /** Tokens. */
  countTokens(text: string, signal: AbortSignal): Promise<number>;
  /** @throws {LanguageModelFailure} at once or in the middle */
  send(request: LanguageModelRequest, signal: AbortSignal): AsyncIterable<AnswerPart>;
}

export interface LanguageModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
  /** The model has to use one of the tools. */
  readonly mustUseTool: boolean;
}

export interface ModelMessage {
  readonly role: 'user' | 'assistant';
  readonly parts: readonly ModelPart[];
}

export interface ModelImage {
  readonly kind: 'image';
  readonly mimeType: string;
  readonly data: Uint8Array;
}

export type ModelPart =
  | { readonly kind: 'text'; readonly text: string }
  | ModelImage
  | ToolUsePart
  | {
      readonly kind: 'toolResult';
      readonly id: string;
      readonly parts: readonly ({ kind: 'text'; text: string } | ModelImage)[];
    };

export interface ToolUsePart {
  readonly kind: 'toolUse';
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type AnswerPart = { readonly kind: 'text'; readonly text: string } | ToolUsePart;

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

export type LanguageModelFailureKind = 'notAllowed' | 'blocked' | 'notFound' | 'rateLimited' | 'failed';

export class LanguageModelFailure extends Error {
  constructor(
    readonly kind: LanguageModelFailureKind,
    message: string,
  ) {
    super(message);
    this.name = 'LanguageModelFailure';
  }
}
