import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Desk, patience } from './desk.ts';
import { extensionUnderTest } from './extensionUnderTest.ts';
import { editTurns, text } from './mockApi.ts';

/** What is said of a CLI that has lost the bridge, and where that leads. */
export function absentScenarios(desk: () => Desk): void {
  describe('that was cut off', () => {
    const row = (state: string) => desk().window.page.locator('.pane .monaco-list-row', { hasText: state });
    const status = () => desk().window.page.locator('.statusbar-item[id*="ideBridge.status"]');
    const hasFocus = () =>
      desk().window.page.locator('.panel .terminal-wrapper.active .xterm.focus').waitFor();

    it('still asks, and Show goes there, after the window was reloaded with its proposal open', async () => {
      const file = await desk().file('asked.txt', 'one\ntwo\n');
      const claude = await desk().startClaude();
      claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
      await claude.prompt('please edit');
      await desk().window.diffOf('asked.txt');
      await desk().window.runCommand('Claude Code: Focus on Sessions View');
      await row('Proposal open').waitFor();

      await desk().reload();
      await row('Asks: Edit: asked.txt').waitFor();
      await status().filter({ hasText: 'Claude: 1 asks' }).waitFor();
      await status().click();
      await desk()
        .window.page.locator('.quick-input-widget .monaco-list-row')
        .first()
        .getByText('Show ')
        .click();
      await hasFocus();
      await claude.sayYes();
      await claude.terminal.shows('edited it');
      await row('Idle').waitFor();
      assert.equal(await file.text(), 'one\nTWO\n');
    });

    it('is to be reconnected after the extension was disabled and enabled, and is by /ide', async function () {
      if (extensionUnderTest().vsix.length === 0) this.skip(); // what is under development is not installed
      const { page } = desk().window;
      const press = async (action: string) => {
        await desk().window.runCommand('Extensions: Show Installed Extensions');
        await page.locator('.extensions-viewlet .extension-list-item', { hasText: 'IDE Bridge' }).click();
        await button(action).click();
      };
      const button = (name: string) =>
        page.locator('.extension-editor .action-label:visible').getByText(name, { exact: true }).first();

      const claude = await desk().startClaude();
      await claude.ask('hello there'); // by then the handshake is over
      await press('Disable');
      await button('Reload Window').waitFor();
      await Promise.all([page.waitForEvent('domcontentloaded'), button('Reload Window').click()]);
      await page.locator('[id="status.problems"]').waitFor({ timeout: 60_000 });
      await sleep(patience + 1_000); // it does not say when it gives up
      await press('Enable');
      await status().filter({ hasText: 'Claude: 1 not connected' }).waitFor();
      await desk().window.runCommand('Claude Code: Focus on Sessions View');
      await row('Not connected, type /ide').click();
      await hasFocus();
      await page.locator('.notification-toast', { hasText: 'Type /ide' }).waitFor();

      await desk().reconnect(claude);
      await row('Not connected').waitFor({ state: 'detached' });
      await desk().window.connectedClients(1);
    });
  });
}
