import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { until } from '../support/until.ts';
import type { EditorWindow } from './editorWindow.ts';

/** One integrated terminal of the window's panel. */
export class Terminal {
  private constructor(
    private readonly window: EditorWindow,
    /** Its place in the list of terminals. */
    private readonly index: number,
    readonly shellPid: number,
    /** CLAUDE_CODE_SSE_PORT as the shell sees it, '' without. */
    readonly bridgePort: string,
  ) {}

  /**
   * Opens a new terminal and waits for its shell.
   * @param index how many terminals there are already.
   * @param note a file that does not exist yet, in which the shell will write down who it is.
   */
  static async open(window: EditorWindow, index: number, note: string): Promise<Terminal> {
    await window.newTerminal();
    const stranger = new Terminal(window, index, 0, '');
    const said = async () =>
      /^(\d+) (\d*)\.$/m.exec(await readFile(note, 'utf8').catch(() => '')) ?? undefined;
    // A terminal that has just come takes the keys before its shell does, and may lose the first of them.
    const [, pid, port] = await until(
      'the shell to say its pid',
      async () => {
        await stranger.run(`echo "$$ $CLAUDE_CODE_SSE_PORT." > ${note}`);
        return until('its words', said, 5_000).catch(() => stranger.press('Control+c').then(() => undefined));
      },
      40_000,
      () => stranger.text(),
    );
    return new Terminal(window, index, Number(pid), port ?? '');
  }

  /**
   * Waits for the shell's prompt, then types a command and Enter. What is seen of it is no sign that it is there: a shell
   * whose terminal is only just given its size draws one row over the other.
   */
  async run(command: string): Promise<void> {
    await until(
      'the shell prompt',
      async () => (await this.text()).endsWith('$'),
      40_000,
      () => this.text(),
    );
    await this.focus();
    await this.window.page.keyboard.type(command);
    await this.press('Enter');
  }

  /** Types and waits until the words are on the screen once more: keys that follow too soon count as one paste. */
  async type(words: string): Promise<void> {
    const count = async () => squeezed(await this.text()).split(squeezed(words)).length;
    await this.focus();
    const before = await count();
    await this.window.page.keyboard.type(words);
    await until(
      `"${words}" to be typed in the terminal`,
      async () => (await count()) > before,
      15_000,
      () => this.text(),
    );
  }

  async press(key: string): Promise<void> {
    await this.focus();
    await this.window.page.keyboard.press(key);
  }

  /** Waits until the screen shows the words, wherever its lines break and in whatever case. */
  async shows(words: string, limit = 15_000): Promise<void> {
    await until(
      `"${words}" in the terminal`,
      async () => squeezed(await this.text()).includes(squeezed(words)),
      limit,
      () => this.text(),
    );
  }

  /** Waits until nothing has changed on the screen for half a second, and returns what is on it. */
  async settled(): Promise<string> {
    let last = await this.text();
    let since = performance.now();
    return until('the screen to stand still', async () => {
      const now = await this.text();
      if (now !== last) {
        last = now;
        since = performance.now();
      }
      return performance.now() - since > 500 && last;
    });
  }

  /** What is on the screen. */
  async text(): Promise<string> {
    const rows = await this.screen().locator('.xterm-rows > div').allTextContents();
    return rows
      .map((row) => row.replaceAll('\u00a0', ' ').trimEnd())
      .join('\n')
      .trim();
  }

  /** Brings this terminal to the front and gives it the keyboard. */
  private async focus(): Promise<void> {
    // There is no list while there is only one.
    const entry = this.window.page.locator('.terminal-tabs-entry').nth(this.index);
    if (await entry.isVisible()) await entry.click();
    await this.screen().locator('.xterm-helper-textarea').focus();
  }

  private screen(): Locator {
    return this.window.page.locator('.panel .terminal-wrapper.active .xterm');
  }
}

function squeezed(words: string): string {
  return words.replaceAll(/\s/g, '').toLowerCase();
}
