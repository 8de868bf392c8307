import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { UserPlace } from '../../../src/editor/userPlace.ts';
import { Presses } from '../../../src/sessions/presses.ts';
import { until } from '../../support/until.ts';
import { holdMoment, letMomentPass, propose, tabs, useDesk } from '../bridge.ts';

describe('Ctrl+Escape', function () {
  this.timeout(60_000);
  const desk = useDesk();
  let notes: vscode.TextDocument;

  beforeEach(async () => {
    notes = await vscode.workspace.openTextDocument(desk.scratch.write('notes.txt', ''));
    await vscode.window.showTextDocument(notes, { preview: false });
    await desk.ui.page.locator('.editor-instance .view-lines').first().click();
  });
  afterEach(async () => {
    await vscode.window.showTextDocument(notes);
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closePanel');
    // The editor locks the group of a terminal, and the last group stays, with its lock: other files would open beside.
    await vscode.commands.executeCommand('workbench.action.editorLayoutSingle');
    await vscode.commands.executeCommand('workbench.action.unlockEditorGroup');
  });

  const keyboard = () => desk.ui.page.keyboard;
  const escape = async () => {
    letMomentPass();
    await keyboard().press('Control+Escape');
  };
  const hasEditorFocus = () =>
    desk.ui.page.evaluate<boolean>('document.activeElement.closest(".monaco-editor") !== null');

  /** A program that keeps what it is sent. @returns what that is */
  function listener(name: string): { script: string; isThere: () => boolean; heard: () => string } {
    const file = desk.scratch.path(`${name}.txt`);
    const script = `stty raw -echo; exec cat > "${file}"`;
    return { script, isThere: () => existsSync(file), heard: () => readFileSync(file, 'utf8') };
  }

  /** Starts the stand-in for the CLI with the key, and waits until it has the focus. @returns what it is sent */
  async function runClaude(location: string): Promise<() => string> {
    const { script, isThere, heard } = listener('claude');
    const command = desk.scratch.write('fake-claude', `#!/bin/sh\n${script}\n`);
    chmodSync(command, 0o755);
    await desk.configure('ideBridge.command', command);
    await desk.configure('ideBridge.location', location);
    await escape();
    await until('the CLI', isThere, 20_000);
    await until('the focus in it', () => desk.ui.hasTerminalFocus());
    return heard;
  }

  /** Opens a terminal in which no CLI runs, and clicks into it. @returns what it is sent */
  async function openShell(location: vscode.TerminalLocation): Promise<() => string> {
    const { script, isThere, heard } = listener('shell');
    const shellArgs = ['-c', script];
    const terminal = vscode.window.createTerminal({ shellPath: '/bin/sh', shellArgs, location });
    terminal.show();
    await until('the shell', isThere);
    await until('its terminal in front', () => vscode.window.activeTerminal === terminal);
    await until('the focus in it', () => desk.ui.hasTerminalFocus());
    return heard;
  }

  async function typeInNotes(words: string): Promise<void> {
    await until('the focus in the file', hasEditorFocus);
    await keyboard().type(words);
    await until(
      'the keys in the file',
      () => notes.getText().endsWith(words),
      5_000,
      () => notes.getText(),
    );
  }

  async function typeIn(heard: () => string, words: string): Promise<void> {
    await keyboard().type(words);
    await until('the keys in the terminal', () => heard().endsWith(words), 5_000, heard);
  }

  for (const location of ['beside', 'editor', 'panel']) {
    it(`goes from the terminal of Claude Code back to the file, and again to it: ${location}`, async () => {
      const claude = await runClaude(location);
      await escape();
      await typeInNotes('one');
      await escape();
      await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
      await typeIn(claude, 'two');
      await escape();
      await typeInNotes('three');
      assert.equal(claude(), 'two');
      assert.equal(notes.getText(), 'onethree');
      assert.equal(vscode.window.terminals.length, 1);
    });
  }

  for (const [shells, claudes] of [
    ['panel', 'beside'],
    ['panel', 'panel'],
    ['editor', 'panel'],
    ['editor', 'editor'],
  ] as const) {
    it(`goes from a terminal in the ${shells} to that of Claude Code: ${claudes}`, async () => {
      const claude = await runClaude(claudes);
      await escape();
      await until('the focus in the file', hasEditorFocus);
      const { Panel, Editor } = vscode.TerminalLocation;
      const shell = await openShell(shells === 'panel' ? Panel : Editor);
      await typeIn(shell, 'one');
      const isInShell = vscode.window.activeTerminal;
      await escape();
      await until('the other terminal', () => vscode.window.activeTerminal !== isInShell);
      await until('the focus in it', () => desk.ui.hasTerminalFocus());
      await typeIn(claude, 'two');
      await escape();
      await typeInNotes('three');
      assert.deepEqual([shell(), claude()], ['one', 'two']);
      assert.equal(notes.getText(), 'three');
    });
  }

  it('starts Claude Code from a terminal where none runs', async () => {
    const { script, isThere, heard } = listener('claude');
    const command = desk.scratch.write('fake-claude', `#!/bin/sh\n${script}\n`);
    chmodSync(command, 0o755);
    await desk.configure('ideBridge.command', command);
    const shell = await openShell(vscode.TerminalLocation.Panel);
    await escape();
    await until('the CLI', isThere, 20_000);
    await typeIn(heard, 'for Claude');
    assert.equal(shell(), '');
  });

  it('stays in the terminal where nothing else is open, and is not taken to have left it', async () => {
    const place = new UserPlace({ terminalOf: () => undefined }, () => false);
    try {
      await place.goToEditor();
      assert.ok(place.isInEditor);
      const claude = await runClaude('editor');
      await vscode.window.tabGroups.close(tabs().filter(({ input }) => input instanceof vscode.TabInputText));
      assert.ok(!place.isInEditor);
      await place.goToEditor();
      assert.ok(!place.isInEditor);
      await escape();
      await typeIn(claude, 'one');
    } finally {
      place.dispose();
    }
  });

  it('is not needed to copy and paste in the terminal when a proposal has come beside it', async () => {
    const claude = await runClaude('beside');
    const { clipboard } = vscode.env;
    const { answer } = await propose(desk.client, desk.scratch.write('hello.txt', 'one\n'), 'changed\n');
    await typeIn(claude, 'one');
    await clipboard.writeText('two');
    await keyboard().press('Control+Shift+V');
    await until('what was pasted', () => claude() === 'onetwo', 5_000, claude);
    await vscode.commands.executeCommand('workbench.action.terminal.selectAll');
    await keyboard().press('Control+Shift+C');
    await until('what is copied', async () => (await clipboard.readText()).includes('fake-claude'));
    await vscode.commands.executeCommand('ideBridge.acceptProposal');
    assert.deepEqual(await answer, ['FILE_SAVED', 'changed\n']);
    await typeIn(claude, 'three');
  });

  it('goes once while it is held', async () => {
    await runClaude('panel');
    const left = () => desk.ui.page.evaluate<string | undefined>('document.body.dataset.left');
    // Where the machine stands still, a key that is held comes as if it were pressed again: that is no key that is held.
    for (let isHeld = false; !isHeld;) {
      await vscode.window.showTextDocument(notes);
      await until('the focus in the file', hasEditorFocus);
      letMomentPass();
      const goOn = holdMoment();
      await keyboard().down('Control');
      await keyboard().down('Escape');
      await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
      await desk.ui.page.evaluate(
        'delete document.body.dataset.left; addEventListener("blur", () => document.body.dataset.left = "left", { capture: true })',
      );
      letMomentPass(400); // as keyboards wait before they repeat
      const begun = Date.now();
      await keyboard().down('Escape');
      for (let repeat = 0; repeat < 15; repeat++) {
        await setTimeout(33);
        letMomentPass(33);
        await keyboard().down('Escape');
        isHeld ||= repeat === 0 && Date.now() - begun < 100; // the next one tells that this was none of its own
      }
      await keyboard().up('Escape');
      await keyboard().up('Control');
      goOn();
      assert.ok(!isHeld || (await left()) === undefined);
    }
    await escape();
    await until('the focus in the file', hasEditorFocus);
  });

  it('leaves the focus where the user goes just after it', async () => {
    const claude = await runClaude('panel');
    await desk.ui.page.evaluate(
      `{
        const terminal = document.activeElement;
        addEventListener('focusin', () => setTimeout(() => terminal.focus()), { once: true });
      }`,
    );
    letMomentPass();
    await vscode.commands.executeCommand('ideBridge.run', 'fromTerminal');
    await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
    await typeIn(claude, 'one');
    assert.equal(notes.getText(), '');
  });

  it('is followed by a decision, which leads back to the file that it went to', async () => {
    const claude = await runClaude('panel');
    await typeIn(claude, 'one');
    await escape();
    await until('the focus in the file', hasEditorFocus);
    const { activeTab } = vscode.window.tabGroups.activeTabGroup;
    const { answer } = await propose(desk.client, desk.scratch.write('hello.txt', 'one\n'), 'changed\n');
    await keyboard().press('Shift+Alt+K');
    await until('the diff in front', () =>
      tabs().some(({ isActive, label }) => isActive && /proposed/.test(label)),
    );
    await until('the focus in it', hasEditorFocus);
    letMomentPass();
    await keyboard().press('Control+Enter');
    await answer;
    await until('the file in front', () =>
      tabs().some(({ isActive, label }) => isActive && label === activeTab?.label),
    );
    await setTimeout(300); // in which the focus went on to the terminal
    assert.ok(await hasEditorFocus());
  });

  it('goes on to the diff that covers the file since', async () => {
    const claude = await runClaude('beside');
    const { uri } = await propose(desk.client, desk.scratch.write('hello.txt', 'one\n'), 'changed\n');
    await typeIn(claude, 'one');
    await escape();
    await until('the focus in the diff', hasEditorFocus);
    await keyboard().type('two');
    const proposed = await vscode.workspace.openTextDocument(uri);
    await until('the keys in the diff', () => proposed.getText().includes('two'));
    await escape();
    await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
    await typeIn(claude, 'three');
  });

  it('goes once also where its repeats are heard late, as all has stood still', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const keys = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [window] = (await once(server, 'connection')) as [Socket];
    try {
      const presses = new Presses();
      assert.ok(await presses.isOwn());
      await setTimeout(400); // as keyboards wait before they repeat
      const first = presses.isOwn();
      window.once('data', () => void presses.isOwn());
      await new Promise(setImmediate); // timers are next
      keys.write('repeat');
      for (const end = Date.now() + 200; Date.now() < end;);
      assert.equal(await first, false);
    } finally {
      keys.destroy();
      server.close();
    }
  });
});
