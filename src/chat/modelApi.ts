import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type * as vscode from 'vscode';
import { AnthropicUpstream, type ApiKey } from '../agent/proxy/anthropicUpstream.ts';
import { ApiError } from '../agent/proxy/apiError.ts';
import {
  LanguageModelUpstream,
  listOf,
  modelNamed,
  noSuchModel,
} from '../agent/proxy/languageModelUpstream.ts';
import { ModelProxy, type ProxiedSession, type Upstream } from '../agent/proxy/modelProxy.ts';
import { errorMessage } from '../base/errors.ts';
import type { Logger } from '../base/logger.ts';
import type { Settings } from '../editor/settingNames.ts';
import { setting } from '../editor/settings.ts';
import { replaceFile } from '../server/replaceFile.ts';
import { setApiKeyTitle, storedKey } from './apiKey.ts';
import { editorModels } from './editorModels.ts';
import { plain } from './markdown.ts';
import type { Button } from './surface.ts';

/** Why nothing can be asked of the model, and what mends it. */
export interface Lack {
  readonly words: string;
  readonly button: Button;
}

export interface AdmittedSession extends ProxiedSession {
  /** Absolute, of `settings`; readable by this user alone, as the arguments of a process can be read by all. */
  readonly settingsFile: string;
}

const noModel =
  'This editor has no language model for `@claude`: an extension such as GitHub Copilot Chat has to give it one, and you may have to sign in there.';
const noKey = `No API key is stored. *IDE Bridge: ${setApiKeyTitle}* asks for it.`;

/** How the sessions of the chat reach the model where their CLIs do not do so by themselves. */
export class ModelApi implements vscode.Disposable {
  private proxy: Promise<ModelProxy> | undefined;
  private admitted = 0;

  /** @param folder of ours */
  constructor(
    private readonly folder: string,
    private readonly secrets: vscode.SecretStorage,
    private readonly log: Logger,
  ) {}

  async lack(): Promise<Lack | undefined> {
    if (setting('agent.api') === 'editor') {
      return lackOfModels();
    }
    try {
      this.anthropic();
    } catch (error) {
      return { words: errorMessage(error), button: settingButton('agent.apiUrl') };
    }
    return (await storedKey(this.secrets)) === undefined
      ? { words: noKey, button: { title: 'Set API Key', command: 'setApiKey' } }
      : undefined;
  }

  /** @throws when no port can be had, or the file cannot be written */
  async admit(): Promise<AdmittedSession> {
    this.proxy ??= ModelProxy.start(this.log);
    const proxy = await this.proxy.catch((error: unknown) => {
      this.proxy = undefined;
      throw error;
    });
    const settingsFile = join(this.folder, `proxy-${process.pid}-${++this.admitted}.json`);
    const session = proxy.admit(this.upstream(setting('agent.api')));
    mkdirSync(this.folder, { recursive: true });
    replaceFile(settingsFile, JSON.stringify(session.settings));
    const dispose = () => {
      session.dispose();
      rmSync(settingsFile, { force: true });
    };
    return { ...session, settingsFile, dispose };
  }

  dispose(): void {
    void this.proxy?.then((proxy) => proxy.dispose());
  }

  /** Settings and key are looked up for each request: a session that runs goes on with others. */
  private upstream(begun: Settings['agent.api']): Upstream {
    return {
      answer: (exchange) => {
        const api = setting('agent.api');
        // One that is to ask by itself from now on does so with the next prompt.
        const isOfEditor = (api === 'cli' ? begun : api) === 'editor';
        return (isOfEditor ? ofEditor : this.anthropic()).answer(exchange);
      },
    };
  }

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

/** The CLI would tell it in words of its own, of a model that nobody has chosen. */
async function lackOfModels(): Promise<Lack | undefined> {
  try {
    const models = await listOf(editorModels);
    if (models.length === 0) {
      return { words: noModel, button: settingButton('agent.api') };
    }
    const name = setting('agent.editorModel');
    return name === '' || modelNamed(name, models)
      ? undefined
      : { words: plain(noSuchModel(name, models), 1_000), button: settingButton('agent.editorModel') };
  } catch (error) {
    return { words: plain(errorMessage(error), 1_000), button: settingButton('agent.api') };
  }
}

const ofEditor = new LanguageModelUpstream(editorModels, () => setting('agent.editorModel') || undefined);

const settingButton = (name: 'agent.api' | 'agent.apiUrl' | 'agent.editorModel'): Button => ({
  title: 'Open Settings',
  command: { id: 'workbench.action.openSettings' },
  args: [`@id:ideBridge.${name}`],
});
