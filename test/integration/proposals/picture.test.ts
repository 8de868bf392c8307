// The picture in the README is a screenshot of this test, alone in its window:
// npm run test:integration -- --update-golden --grep "golden picture"
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { testEnvironment } from '../../support/testEnvironment.ts';
import { connectUi } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, extensionUnderTest, propose, proposalTabs } from '../bridge.ts';

const proposed = `/** A greeting for anybody, or for the world. */
export function greet(name = 'world'): string {
  return \`Hello, \${name}!\`;
}

console.log(greet());
`;

async function setBreadcrumbs(enabled: boolean | undefined): Promise<void> {
  const target = vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration('breadcrumbs').update('enabled', enabled, target);
}

describe('golden picture', () => {
  it('shows a proposed edit with its buttons, its changes and the views', async () => {
    const root = vscode.workspace.workspaceFolders?.[0]?.uri;
    assert.ok(root);
    const ui = await connectUi();
    const client = await connectClient();
    try {
      await propose(client, vscode.Uri.joinPath(root, 'greet.ts').fsPath, proposed);
      await vscode.commands.executeCommand('ideBridge.review.focus');
      await ui.page.getByText('2/2', { exact: true }).first().waitFor();
      await ui.page.locator('.pane-body .monaco-list-row', { hasText: '+3 −2' }).first().waitFor();
      for (const button of ['Accept Proposed Changes', 'Reject Proposed Changes']) {
        await ui.page.locator(`.editor-actions [aria-label^="${button}"]`).first().waitFor();
      }
      await ui.page.mouse.move(200, 800); // away from scroll bars
      await setBreadcrumbs(false); // they tell where the clone lies
      const picture = await ui.screenshot('diff');
      if (process.env[testEnvironment.updateGolden]) {
        copyFileSync(picture, join(extensionUnderTest().extensionPath, 'media', 'diff.png'));
      }
    } finally {
      await setBreadcrumbs(undefined);
      await client.close();
      await until('the diff to go', () => proposalTabs().length === 0);
      await vscode.commands.executeCommand('workbench.view.explorer');
      await ui.close();
    }
  });
});
