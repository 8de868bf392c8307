import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { until } from '../support/until.ts';
import { DiffTab } from './diffTab.ts';

/** Keys of ours for what every scenario needs: the palette costs the machine most of a second each time. */
const shortcuts = {
  'workbench.action.terminal.new': 'Control+Alt+F9',
  'workbench.action.terminal.killAll': 'Control+Alt+F10',
  'notifications.clearAll': 'Control+Alt+F8',
  'workbench.action.closeAllEditors': 'Control+Alt+F11',
  'ideBridge.keepAllChanges': 'Control+Alt+F12',
};

/** For the user's keybindings.json. */
export const keybindings = Object.entries(shortcuts).map(([command, key]) => ({
  key: key.replace('Control', 'ctrl').toLowerCase(),
  command,
}));

/** The VS Code window as its user sees it: everything by mouse, keyboard and what is on the screen. */
export class EditorWindow {
  constructor(readonly page: Page) {}

  /** Runs a command by its title in the command palette. */
  async runCommand(title: string): Promise<void> {
    await this.pick('F1', `>${title}`, title);
  }

  /** Runs a command that offers a list, and takes an entry of it. The list may be there before the palette was seen to go. */
  async pickFrom(command: string, entry: string): Promise<void> {
    await this.choose('F1', `>${command}`, command);
    await this.page.locator('.quick-input-widget .monaco-list-row', { hasText: entry }).click();
  }

  /**
   * Runs a command that asks for a text, and types it. On a busy machine the palette was seen to go without a question of
   * the command: then it is run again, and what the window says is printed.
   */
  async answer(command: string, words: string): Promise<void> {
    const widget = this.page.locator('.quick-input-widget:visible');
    await until(`the question of "${command}"`, async () => {
      await this.choose('F1', `>${command}`, command);
      await widget.locator('.monaco-list-row').first().waitFor({ state: 'hidden' });
      try {
        await widget.waitFor({ timeout: 5_000 });
        return true;
      } catch {
        const said = await this.page.locator('.notification-toast').allInnerTexts();
        console.log(`      "${command}" has not asked; the window says: ${said.join(' | ') || 'nothing'}`);
        return false;
      }
    });
    await widget.locator('input').fill(words);
    await this.page.keyboard.press('Enter');
    await widget.waitFor({ state: 'hidden' });
  }

  /** Opens a file by its path; or by its name, which is searched for: a new file is not always found. */
  async openFile(file: string): Promise<void> {
    const name = path.basename(file);
    await this.pick('Control+KeyP', file, name);
    await this.page
      .locator('.editor-group-container.active .tab.active')
      .filter({ hasText: name })
      .waitFor({ timeout: 10_000 });
    // It takes the focus a moment later: from a terminal, in the midst of what is typed there. Notebooks lie elsewhere.
    if (!name.endsWith('.ipynb'))
      await this.page.locator('.editor-group-container.active :focus').first().waitFor({ state: 'attached' });
  }

  /** Selects whole lines of the active editor, from the start of line `first` (1-based) to the end of line `last`. */
  async selectLines(first: number, last: number): Promise<void> {
    await this.page.locator('.editor-group-container.active .view-line').first().click();
    const { keyboard } = this.page;
    await keyboard.press('Control+Home');
    for (let line = 1; line < first; line++) await keyboard.press('ArrowDown');
    await keyboard.down('Shift');
    for (let line = first; line < last; line++) await keyboard.press('ArrowDown');
    await keyboard.press('End');
    await keyboard.up('Shift');
  }

  /** The diff of a proposal for a file of that name, once its tab is there, brought to the front. */
  async diffOf(name: string): Promise<DiffTab> {
    const tab = this.tabs().filter({ hasText: name });
    await until(
      `a diff tab for ${name}`,
      async () => (await tab.count()) === 1,
      20_000,
      () => this.tabLabels(),
    );
    const diff = new DiffTab(this, tab, name);
    await diff.show();
    return diff;
  }

  /** Mentions by Alt+K what is selected in the active editor, once that has the keyboard: its tab is there before. */
  async mention(): Promise<void> {
    await this.page.locator('.editor-group-container.active .monaco-editor.focused').waitFor();
    await this.page.keyboard.press('Alt+k');
  }

  /** Sends what waits for a CLI that does not tell whether its prompt is there. */
  async sendNow(): Promise<void> {
    const toast = this.page.locator('.notification-toast', { hasText: 'waits for the prompt of' });
    await toast.getByRole('button', { name: 'Send Now' }).click();
  }

  /** Mentions files and folders beside the active editor's file, by the menu of the explorer. */
  async mentionInExplorer(...names: string[]): Promise<void> {
    await this.runCommand('File: Reveal Active File in Explorer View');
    const rows = this.page.locator('.explorer-folders-view .monaco-list-row');
    await this.page.locator('.explorer-folders-view .monaco-list-row.focused.selected').waitFor();
    for (const [index, name] of names.entries()) {
      await rows
        .filter({ hasText: name })
        .last()
        .click({ modifiers: index === 0 ? [] : ['Control'] });
    }
    await rows
      .filter({ hasText: names.at(-1) ?? '' })
      .last()
      .click({ button: 'right' });
    const entry = this.page.locator('.monaco-menu').getByText('Mention in Claude Code');
    await entry.waitFor();
    // A menu takes no click in its first moment.
    await until('the menu to go', async () => {
      await entry.click({ timeout: 1_000 }).catch(() => {});
      return !(await entry.isVisible());
    });
  }

  /** Selects a kernel for the notebook in front, by its provider and its own name. */
  async selectKernel(provider: string, name: string): Promise<void> {
    await this.page.locator('.kernel-label').click();
    for (const label of [provider, name]) {
      const row = this.page.locator('.quick-input-widget:visible .monaco-list-row');
      await row.filter({ hasText: label }).click();
    }
    await this.page.locator('.kernel-label').filter({ hasText: name }).waitFor();
  }

  /** Whether it asks, within 2 s, if code may run in that notebook. */
  async asksToExecuteIn(notebook: string): Promise<boolean> {
    return this.questionOf(notebook)
      .waitFor({ timeout: 2_000 })
      .then(
        () => true,
        () => false,
      );
  }

  /** Answers that question with the mouse. */
  async chooseToExecuteIn(notebook: string): Promise<void> {
    const question = this.questionOf(notebook);
    await question.locator('a').filter({ hasText: 'Run' }).click();
    await question.waitFor({ state: 'hidden' });
  }

  newTerminal(): Promise<void> {
    return this.pressShortcut('workbench.action.terminal.new');
  }

  /** More than once, if need be: a window that starts brings back terminals when it likes. */
  async killTerminals(): Promise<void> {
    const what = 'all terminals to go away';
    const areGone = async () => (await this.page.locator('.terminal-wrapper').count()) === 0;
    const kill = async () => {
      await this.pressShortcut('workbench.action.terminal.killAll');
      return until(what, areGone, 3_000).then(
        () => true,
        () => false,
      );
    };
    await until(what, kill, 60_000);
  }

  /** Waits until at least that many terminals are in the panel, and the one in front shows something. */
  async terminals(count: number): Promise<void> {
    const entries = this.page.locator('.terminal-tabs-entry'); // no list while there is only one
    const screen = this.page.locator('.panel .terminal-wrapper.active .xterm-rows');
    await until(
      `${count} terminals or more`,
      async () =>
        count === 0 ||
        ((await screen.allInnerTexts()).some((text) => text.trim() !== '') &&
          (count === 1 || (await entries.count()) >= count)),
      30_000,
      () => entries.allInnerTexts(),
    );
  }

  clearNotifications(): Promise<void> {
    return this.pressShortcut('notifications.clearAll');
  }

  /** Keeps all that agents have changed, if there is anything. */
  async keepAgentChanges(): Promise<void> {
    await this.pressShortcut('ideBridge.keepAllChanges');
  }

  /** What asks, warns or informs above the window. */
  async messages(): Promise<string[]> {
    return this.page.locator('.monaco-dialog-box, .notification-toast').allInnerTexts();
  }

  /** Without saving what would ask, such as a notebook in which code was run. */
  async closeEditors(): Promise<void> {
    await this.pressShortcut('workbench.action.closeAllEditors');
    const dontSave = this.page.getByRole('button', { name: "Don't Save" });
    await until(
      'all editors to close',
      async () => {
        if (await dontSave.isVisible()) await dontSave.click();
        return (await this.tabs().count()) === 0;
      },
      10_000,
      () => this.tabLabels(),
    );
  }

  /** From wherever the focus is: a terminal would take the key for its program. */
  private async pressShortcut(command: keyof typeof shortcuts): Promise<void> {
    await this.page.evaluate('document.activeElement.blur()');
    await this.page.keyboard.press(shortcuts[command]);
  }

  /** With their extensions and descriptions, on lines of their own. */
  tabTexts(): Promise<string[]> {
    return this.tabs().allInnerTexts();
  }

  tabLabels(): Promise<string[]> {
    return this.tabs().locator('.label-name').allInnerTexts();
  }

  /** Waits until the status bar counts that many connected CLIs. */
  async connectedClients(count: number, limit = 20_000): Promise<void> {
    const item = this.page.locator('.statusbar-item[id*="ideBridge.status"]');
    const words = async () => (await item.allInnerTexts()).join();
    const wanted =
      count === 0 ? /Claude(\D*|: \d+ waiting)$/ : new RegExp(`Claude: ${count}\\b(?! waiting| not)`);
    await until(
      `the status bar to count ${count} connected CLIs`,
      async () => wanted.test((await words()).trim()),
      limit,
      words,
    );
  }

  private questionOf(notebook: string): Locator {
    return this.page
      .locator('.codelens-decoration')
      .filter({ hasText: `wants to run this code in ${notebook}` });
  }

  private tabs(): Locator {
    return this.page.locator('.tabs-container .tab');
  }

  /** Takes an entry of a quick input, which then goes. */
  private async pick(keys: string, query: string, entry: string): Promise<void> {
    await this.choose(keys, query, entry);
    await this.page.locator('.quick-input-widget:visible').waitFor({ state: 'hidden' });
  }

  /**
   * Types into a quick input and takes the entry that shows `entry`, once it is the one that Enter takes. It goes with the
   * focus, which a terminal may take back, and a list that is open does not learn what a starting window learns: then it is
   * opened again.
   */
  private async choose(keys: string, query: string, entry: string): Promise<void> {
    const widget = this.page.locator('.quick-input-widget:visible');
    const input = widget.locator('input');
    await until(
      `the entry "${entry}"`,
      async () => {
        await this.page.keyboard.press(keys);
        try {
          await input.fill(query, { timeout: 3_000 });
          const rows = widget.locator('.monaco-list-row').filter({ hasText: entry });
          await rows.first().waitFor({ timeout: 3_000 });
          // It may stand below one of the editor’s own that has all of these words, too.
          const focused = rows.and(widget.locator('.focused'));
          for (let below = 0; below < 3 && !(await appears(focused)); below++) await input.press('ArrowDown');
          await focused.waitFor({ timeout: 1_000 });
          await input.press('Enter', { timeout: 1_000 });
          return true;
        } catch {
          if (await widget.isVisible()) await input.press('Escape', { timeout: 1_000 }).catch(() => {});
          return false;
        }
      },
      60_000,
    );
  }
}

async function appears(locator: Locator): Promise<boolean> {
  return locator.waitFor({ timeout: 1_000 }).then(
    () => true,
    () => false,
  );
}
