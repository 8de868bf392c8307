import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { clickHovered } from './ui.ts';

/** ms after which the editor has drawn what it was told of: until then it may know of no row that has the focus. */
export const redrawTime = 700;

/** Clicks a button of a row that may have come just now: as on such a row, a click on it does nothing then. */
export async function clickRowButton(row: Locator, button: string): Promise<void> {
  await sleep(redrawTime);
  await clickHovered(row, button);
}

/** Clicks a row that may have come just now. */
export async function clickRow(row: Locator): Promise<void> {
  await row.waitFor();
  await sleep(redrawTime);
  await row.click();
}

/** The view of what is to be reviewed. */
export function reviewPane(page: Page): Locator {
  const title = page.locator('.pane-header').getByText('Review', { exact: true });
  return page.locator('.pane', { has: title });
}

/** What stands below *Waiting for You* and *Changed*. */
export function reviewRows(page: Page): Locator {
  return reviewPane(page).locator('.monaco-list-row:not([aria-level="1"])');
}

/** The rows of both themselves. */
export function reviewGroups(page: Page): Locator {
  return reviewPane(page).locator('.monaco-list-row[aria-level="1"]');
}

export function hasReviewFocus(page: Page): Promise<boolean> {
  return page.evaluate<boolean>(
    'document.activeElement.closest(".pane")?.querySelector(".pane-header")?.textContent.includes("Review") === true',
  );
}
