import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import * as vscode from 'vscode';
import { until } from '../../support/until.ts';
import type { Desk } from '../bridge.ts';

/** What stands above what is to be run: the answers, then who wants to run what. */
export function question({ ui }: Desk, words: string | RegExp): Locator {
  return ui.page.locator('.codelens-decoration', { hasText: words });
}

/** Clicks one of the answers, once it takes clicks. */
export async function answer(desk: Desk, title: string, words: string | RegExp): Promise<void> {
  const asked = question(desk, words);
  await asked.waitFor();
  await asked.locator('a', { hasText: title }).click();
  await asked.waitFor({ state: 'detached' });
}

/** All that is to be run, where somebody is asked about it. */
export function shownCode(): string | undefined {
  return vscode.window.visibleTextEditors
    .find(({ document }) => document.uri.scheme === 'ide-bridge-code')
    ?.document.getText();
}

/** A file of the folder `.vscode`, which is there for one test. */
export class FolderSettings {
  private readonly folder = join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', '.vscode');
  private readonly hadFolder = existsSync(this.folder);

  /** @param list what it has a list of, as the editor calls both */
  constructor(private readonly list: 'tasks.tasks' | 'launch.configurations') {}

  /** Settles once the editor has read it. */
  async write(version: string, entries: readonly object[], inputs?: readonly object[]): Promise<void> {
    const [section = '', key = ''] = this.list.split('.');
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(this.path, JSON.stringify({ version, [key]: entries, inputs }));
    await until(`the ${key} to be read`, () => {
      const read = vscode.workspace.getConfiguration(section);
      return (
        JSON.stringify(read.get(key)) === JSON.stringify(entries) &&
        (!inputs || JSON.stringify(read.get('inputs')) === JSON.stringify(inputs))
      );
    });
  }

  remove(): void {
    rmSync(this.hadFolder ? this.path : this.folder, { recursive: true, force: true });
  }

  private get path(): string {
    return join(this.folder, `${this.list.split('.')[0]}.json`);
  }
}
