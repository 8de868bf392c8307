/// <reference lib="dom" />
import type { Locator } from 'playwright-core';
import { until } from '../support/until.ts';
import type { EditorWindow } from './editorWindow.ts';

/** One proposal under review in the diff editor. */
export class DiffTab {
  constructor(
    private readonly window: EditorWindow,
    private readonly tab: Locator,
    private readonly name: string,
  ) {}

  /** Brings the diff to the front. */
  async show(): Promise<void> {
    await this.tab.click();
    await this.editor('modified').locator('.view-line').first().waitFor();
  }

  async accept(): Promise<void> {
    await this.press('Accept Proposed Changes');
  }

  async reject(): Promise<void> {
    await this.press('Reject Proposed Changes');
  }

  /** Waits until the tab is gone. */
  async gone(): Promise<void> {
    const labels = () => this.window.tabLabels();
    await until(
      `the diff tab of ${this.name} to go away`,
      async () => (await this.tab.count()) === 0,
      15_000,
      labels,
    );
  }

  /** The text that is on the screen on that side, line by line. */
  async lines(side: 'original' | 'modified'): Promise<string[]> {
    // The order of the elements is not that of the lines.
    const lines = await this.editor(side)
      .locator('.view-line')
      .evaluateAll((elements) =>
        elements.map((element) => ({
          top: (element as HTMLElement).offsetTop,
          text: element.textContent.replaceAll('\u00a0', ' '),
        })),
      );
    return lines.sort((a, b) => a.top - b.top).map(({ text }) => text);
  }

  /** Types at the end of the line of the proposed side that shows `line`. */
  async typeAfter(line: string, words: string): Promise<void> {
    const { keyboard } = this.window.page;
    await this.editor('modified').locator('.view-line').filter({ hasText: line }).click();
    await keyboard.press('End');
    await keyboard.type(words);
    await until(
      `"${line}${words}" on the proposed side of ${this.name}`,
      async () => (await this.lines('modified')).join('\n').includes(line + words),
      20_000,
      () => this.lines('modified'),
    );
  }

  private editor(side: 'original' | 'modified'): Locator {
    return this.window.page.locator(`.editor-group-container.active .monaco-diff-editor .editor.${side}`);
  }

  private async press(title: string): Promise<void> {
    await this.show();
    await this.window.page
      .locator(`.editor-group-container.active .editor-actions .action-label[aria-label^="${title}"]`)
      .click();
  }
}
