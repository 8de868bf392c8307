import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { connectUi } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { currentLock } from '../bridge.ts';

describe('a port that somebody else has taken', () => {
  it('is replaced; terminals that still have it are named, and one is shown on request, in which nothing is typed', async () => {
    const ui = await connectUi();
    const terminal = vscode.window.createTerminal('before the change');
    const { port, authToken } = await currentLock();
    await terminal.processId;
    const squatter = createServer();
    squatter.on('error', () => setImmediate(() => squatter.listen(port, '127.0.0.1')));
    squatter.listen(port, '127.0.0.1');
    await vscode.commands.executeCommand('ideBridge.restart');
    const after = await currentLock();
    assert.notEqual(after.port, port);
    assert.notEqual(after.authToken, authToken);
    const toast = ui.page.locator('.notification-toast', { hasText: 'has a new port' });
    await toast.filter({ hasText: 'before the change' }).waitFor();
    await ui.screenshot('new port');
    await toast.getByText('Reconnect…').click();
    await ui.page.locator('.notification-toast', { hasText: 'Type /ide' }).waitFor();
    await ui.page.locator('.xterm-rows', { hasText: /[$#]/ }).waitFor();
    await ui.screenshot('reconnect');
    assert.equal(vscode.window.activeTerminal?.name, 'before the change');
    assert.equal(await ui.page.locator('.xterm-rows', { hasText: /[$#]\s*\/ide/ }).count(), 0);
    const out = join(dirname(after.path), 'port.txt');
    const next = vscode.window.createTerminal('after the change');
    next.sendText(`echo "$CLAUDE_CODE_SSE_PORT" > "${out}"`);
    await until('the port in a new terminal', () => existsSync(out) && readFileSync(out, 'utf8').trim());
    assert.equal(readFileSync(out, 'utf8').trim(), String(after.port));
    rmSync(out);
    next.dispose();
    await toast.waitFor();
    terminal.dispose();
    await toast.waitFor({ state: 'detached' }); // it is about nothing any more
    squatter.close();
    await ui.close();
  });
});
