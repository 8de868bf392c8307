import { rmSync, writeFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import type { IdeClient } from '../../support/ideClient.ts';
import { reviewRows } from '../../support/reviewRows.ts';
import type { Ui } from '../../support/ui.ts';

/**
 * Edits a file as the CLI does: it announces the edit, writes, and asks for problems again.
 * @param content undefined deletes it
 */
export async function editAs(
  client: IdeClient,
  path: string,
  content: string | Buffer | undefined,
): Promise<void> {
  await client.call('getDiagnostics', { uri: `file://${path}` });
  if (content === undefined) {
    rmSync(path);
  } else {
    writeFileSync(path, content);
  }
  await client.call('getDiagnostics', {});
}

/** What is listed of them. */
export function changesRows({ page }: Pick<Ui, 'page'>): Locator {
  return reviewRows(page);
}
