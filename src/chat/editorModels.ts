import * as vscode from 'vscode';
import { tokenOf } from '../editor/cancellation.ts';
import { modelVendor } from './names.ts';
import {
  type AnswerPart,
  type LanguageModel,
  LanguageModelFailure,
  type LanguageModelFailureKind,
  type LanguageModelRequest,
  type LanguageModels,
  type ModelImage,
  type ModelMessage,
  type ModelPart,
} from '../agent/proxy/languageModels.ts';

/** What newer editors have for pictures. */
const { LanguageModelDataPart: DataPart } = vscode as {
  LanguageModelDataPart?: { image(data: Uint8Array, mimeType: string): vscode.LanguageModelTextPart };
};

/** The models that others give the editor, for the model proxy. It asks the user once for each provider. */
export const editorModels: LanguageModels = {
  async list() {
    const models = await vscode.lm.selectChatModels();
    return models.filter(({ vendor }) => vendor !== modelVendor).map(adapted);
  },
};

function adapted(model: vscode.LanguageModelChat): LanguageModel {
  const { id, name, family, vendor, maxInputTokens } = model;
  return {
    id,
    name,
    family,
    vendor,
    maxInputTokens,
    countTokens: (text, signal) => withToken(signal, async (token) => model.countTokens(text, token)),
    send: (request, signal) => answerOf(model, request, signal),
  };
}

async function* answerOf(
  model: vscode.LanguageModelChat,
  { messages, tools, mustUseTool }: LanguageModelRequest,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  const cancellation = tokenOf(signal);
  try {
    const response = await model.sendRequest(
      messages.map(messageOf),
      {
        justification: 'Claude Code runs on this model, as you have set.',
        tools: [...tools],
        toolMode: mustUseTool
          ? vscode.LanguageModelChatToolMode.Required
          : vscode.LanguageModelChatToolMode.Auto,
      },
      cancellation.token,
    );
    for await (const part of response.stream) {
      if (part instanceof vscode.LanguageModelTextPart) {
        yield { kind: 'text', text: part.value };
      } else if (part instanceof vscode.LanguageModelToolCallPart) {
        yield { kind: 'toolUse', id: part.callId, name: part.name, input: { ...part.input } };
      }
    }
  } catch (error) {
    throw failureOf(error);
  } finally {
    cancellation.dispose();
  }
}

async function withToken<T>(
  signal: AbortSignal,
  ask: (token: vscode.CancellationToken) => Promise<T>,
): Promise<T> {
  const cancellation = tokenOf(signal);
  try {
    return await ask(cancellation.token);
  } catch (error) {
    throw failureOf(error);
  } finally {
    cancellation.dispose();
  }
}

function messageOf({ role, parts }: ModelMessage): vscode.LanguageModelChatMessage {
  const content = parts.map(partOf);
  const message = vscode.LanguageModelChatMessage.User('');
  message.role =
    role === 'user'
      ? vscode.LanguageModelChatMessageRole.User
      : vscode.LanguageModelChatMessageRole.Assistant;
  message.content = content;
  return message;
}

function partOf(part: ModelPart): vscode.LanguageModelChatMessage['content'][number] {
  switch (part.kind) {
    case 'toolUse':
      return new vscode.LanguageModelToolCallPart(part.id, part.name, part.input);
    case 'toolResult':
      return new vscode.LanguageModelToolResultPart(part.id, part.parts.map(shownOf));
    default:
      return shownOf(part);
  }
}

function shownOf(part: ModelImage | { kind: 'text'; text: string }): vscode.LanguageModelTextPart {
  if (part.kind === 'text') {
    return new vscode.LanguageModelTextPart(part.text);
  }
  return DataPart?.image(part.data, part.mimeType) ?? new vscode.LanguageModelTextPart('[image left out]');
}

const kinds: Readonly<Record<string, LanguageModelFailureKind>> = {
  NoPermissions: 'notAllowed',
  Blocked: 'blocked',
  NotFound: 'notFound',
};

/** Providers say in their own words that there is too much at once: the editor has no code for it. */
function failureOf(error: unknown): LanguageModelFailure {
  const { code = '', message = '', cause } = error as Partial<vscode.LanguageModelError>;
  const words = [message, cause instanceof Error ? cause.message : '']
    .filter((each) => each !== '')
    .join(': ');
  const isTooMuch = /rate.?limit|too many requests|quota|\b429\b/i.test(words);
  return new LanguageModelFailure(
    isTooMuch ? 'rateLimited' : (kinds[code] ?? 'failed'),
    words || 'The editor does not say why its language model has failed.', // as of a picture that is none
  );
}
