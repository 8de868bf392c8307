import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { IdeClient } from '../support/ideClient.ts';
import { until } from '../support/until.ts';
import { currentLock, proposalTabs, useDesk } from './bridge.ts';

describe('names of files and clients', () => {
  const desk = useDesk();

  it('like links, icons or scripts show as plain text', async () => {
    const name = '[x](command:workbench.action.quit)$(alert)<img src=x>\u202Egnp.ts';
    const path = desk.scratch.write(name, 'a');
    const { answer } = desk.client.start('tools/call', {
      name: 'openDiff',
      arguments: { old_file_path: path, new_file_path: path, new_file_contents: 'b', tab_name: name },
    });
    const [label] = await until('the diff', () => (proposalTabs().length > 0 ? proposalTabs() : false));
    assert.ok(label && !label.includes('\u202E'), label);
    const { port, authToken } = await currentLock();
    const guest = await IdeClient.open({ port, token: authToken });
    const clientInfo = { name: name.slice(0, 59), version: '<b>1</b>' };
    await guest.request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
    guest.notify('notifications/initialized');
    guest.notify('ide_connected', { pid: process.pid });
    for (const view of ['review', 'sessions']) {
      await vscode.commands.executeCommand(`ideBridge.${view}.focus`);
    }
    const rows = desk.ui.page.locator('.pane-body .monaco-list-row');
    await rows.filter({ hasText: '<img src=x>' }).first().waitFor();
    await rows.filter({ hasText: '<b>1</b>' }).first().waitFor();
    await desk.ui.screenshot('hostile');
    assert.equal(
      await desk.ui.page.locator('img[src="x"], a[href*="action.quit"], a[data-href*="action.quit"]').count(),
      0,
    );
    await guest.close();
    await desk.client.call('close_tab', { tab_name: name });
    await answer;
  });
});
