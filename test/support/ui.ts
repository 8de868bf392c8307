// Hands and eyes for tests that run inside the extension host: clicks, keys and screenshots in their own window.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Frame, type Locator, type Page } from 'playwright-core';
import { testEnvironment } from './testEnvironment.ts';
import { until } from './until.ts';

export interface Ui {
  readonly page: Page;
  /** Writes a PNG of the window and returns its path. */
  screenshot(name: string): Promise<string>;
  hasTerminalFocus(): Promise<boolean>;
  /** Has the editor believe that its window has the focus, or not: Playwright lets each page believe that it has, even behind another. */
  setWindowFocus(hasFocus: boolean): Promise<void>;
  /** Disconnects; the window stays. */
  close(): Promise<void>;
}

/** Connects to the window of this extension host, over the debugging port that the runner opened. */
export async function connectUi(): Promise<Ui> {
  const address = process.env[testEnvironment.cdp];
  const folder = process.env[testEnvironment.screenshots];
  if (!address || !folder)
    throw new Error('No window to connect to. Start the tests with "npm run test:integration".');
  const browser = await chromium.connectOverCDP(address);
  const page = await workbenchPage(() => browser.contexts().flatMap((context) => context.pages()));
  return {
    page,
    screenshot: async (name) => {
      await mkdir(folder, { recursive: true });
      const file = path.join(folder, `${name.replace(/[^\w.-]+/g, '-').slice(0, 120)}.png`);
      await page.screenshot({ path: file });
      return file;
    },
    hasTerminalFocus: () =>
      page.evaluate<boolean>('document.activeElement.classList.contains("xterm-helper-textarea")'),
    setWindowFocus: (hasFocus) =>
      page.evaluate(
        `document.hasFocus = () => ${hasFocus}; document.dispatchEvent(new Event('visibilitychange')); undefined`,
      ),
    close: () => browser.close(),
  };
}

/** The last of them on the screen: a multi-diff of VS Code 1.96 keeps editors that it does not use far outside of it. */
export async function onScreen(locator: Locator): Promise<Locator | undefined> {
  for (const element of (await locator.all()).reverse()) {
    const box = await element.boundingBox().catch(() => null);
    if (box && box.y >= 0) {
      return element;
    }
  }
  return undefined;
}

/** Whether nothing lies over an element that has an id, nor cuts it off at its left or right end. */
export async function isWhole(element: Locator): Promise<boolean> {
  const [box, id] = [await element.boundingBox(), await element.getAttribute('id')];
  if (!box) {
    return false;
  }
  const { x, y, width, height } = box;
  const isThere = `document.elementFromPoint(x, ${y + height / 2})?.closest('[id="${id}"]')`;
  return element.page().evaluate<boolean>(`[${x + 1}, ${x + width - 1}].every((x) => ${isThere})`);
}

/** What it says of the row, once it has these words: a row that is drawn anew has none until the mouse comes again. */
export function tooltip({ page }: Ui, row: Locator, words: string): Promise<string> {
  const hover = page.locator('.monaco-hover', { hasText: words });
  return until(`the tooltip with ${words}`, async () => {
    await page.mouse.move(700, 500);
    await row.hover();
    return hover.innerText({ timeout: 2_000 }).catch(() => undefined);
  });
}

/**
 * Clicks a button that shows while the mouse is over `what`: what is drawn anew under it shows none until that moves.
 * @param justBefore is done when the button is there, each time
 * @param begin is done first, each time: so that `what` is there
 */
export function clickHovered(
  what: Locator,
  button: string,
  justBefore?: () => void,
  begin?: () => Promise<void>,
): Promise<unknown> {
  const click = async () => {
    await begin?.();
    await what.page().mouse.move(700, 500); // where it is already, the mouse tells of no move
    await what.hover({ timeout: 2_000 });
    const found = what.getByRole('button', { name: button });
    await found.waitFor({ timeout: 2_000 });
    justBefore?.();
    await found.click({ timeout: 2_000 });
    return true;
  };
  return until(`${button} to be clicked`, () => click().catch(() => false), 30_000);
}

/** The web view that shows an element with these words now: its frame goes when the page in it is written anew. */
export async function inWebview(
  { page }: Pick<Ui, 'page'>,
  selector: string,
  words: string,
): Promise<Frame | undefined> {
  for (const frame of page.frames()) {
    const found = frame.locator(selector, { hasText: words }).first();
    if (await found.isVisible().catch(() => false)) {
      return frame;
    }
  }
  return undefined;
}

/** The desktop has pages without a workbench too (shared process, issue reporter), and may still be loading ours. */
async function workbenchPage(pages: () => Page[]): Promise<Page> {
  for (let attempt = 0; attempt < 50; attempt++) {
    for (const page of pages()) {
      if (
        (await page
          .locator('.monaco-workbench')
          .count()
          .catch(() => 0)) > 0
      )
        return page;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('The debugging port shows no window with a VS Code workbench.');
}
