import type * as vscode from 'vscode';
import { AnthropicUpstream, type ApiKey } from '../agent/proxy/anthropicUpstream.ts';
import { ApiError } from '../agent/proxy/apiError.ts';
import { ModelProxy, type ProxiedSession, type Upstream } from '../agent/proxy/modelProxy.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import { setting } from '../editor/settings.ts';
import { setApiKeyTitle, storedKey } from './apiKey.ts';
import type { Button } from './surface.ts';

/** Why nothing can be asked of the model, and what mends it. */
export interface Lack {
  readonly words: string;
  readonly button: Button;
}

const noKey = `No API key is stored. *IDE Bridge: ${setApiKeyTitle}* asks for it.`;

/** How the sessions of the chat reach the model where their CLIs do not do so by themselves. */
export class ModelApi implements vscode.Disposable {
  private proxy: Promise<ModelProxy> | undefined;

  constructor(
    private readonly secrets: vscode.SecretStorage,
    private readonly log: Logger,
  ) {}

  async lack(): Promise<Lack | undefined> {
    try {
      this.anthropic();
    } catch (error) {
      return { words: errorMessage(error), button: settingButton };
    }
    return (await storedKey(this.secrets)) === undefined
      ? { words: noKey, button: { title: 'Set API Key', command: 'setApiKey' } }
      : undefined;
  }

  /** @throws when no port can be had */
  async admit(): Promise<ProxiedSession> {
    this.proxy ??= ModelProxy.start(this.log);
    try {
      return (await this.proxy).admit(this.upstream);
    } catch (error) {
      this.proxy = undefined;
      throw error;
    }
  }

  dispose(): void {
    void this.proxy?.then((proxy) => proxy.dispose());
  }

  /** Address and key are looked up for each request: a session that runs goes on with others. */
  private readonly upstream: Upstream = {
    answer: (exchange) => this.anthropic().answer(exchange),
  };

  /** @throws for an address that is none */
  private anthropic(): AnthropicUpstream {
    return new AnthropicUpstream(setting('agent.apiUrl'), () => this.key());
  }

  private async key(): Promise<ApiKey> {
    const value = await storedKey(this.secrets);
    if (value === undefined) {
      throw new ApiError('authentication_error', noKey);
    }
    return { value, sentAs: 'x-api-key' };
  }
}

const settingButton: Button = {
  title: 'Open Settings',
  command: { id: 'workbench.action.openSettings' },
  args: ['@id:ideBridge.agent.apiUrl'],
};
