import assert from 'node:assert/strict';
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { RecordedCli } from '../../support/recordedCli.ts';
import { redrawTime } from '../../support/reviewRows.ts';
import { clickHovered, inWebview, tooltip } from '../../support/ui.ts';
import { until } from '../../support/until.ts';
import { connectClient, holdMoment, letMomentPass, tabs, useDesk } from '../bridge.ts';
import { useDialogs } from '../dialogs.ts';
import { closeTerminals, configure, FakeCli } from '../fakeCli.ts';

/** Hours ago: the first of all folders, in which other suites have left theirs. */
const now = -1 / 60;

describe('past sessions', function () {
  this.timeout(60_000);
  const desk = useDesk(() => 3_700_000); // of no process: nobody holds what is written for this one
  const dialog = useDialogs();
  const { executeCommand } = vscode.commands;
  const folder = realpathSync(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '');
  let fake: FakeCli;
  let written: RecordedCli[];

  beforeEach(async () => {
    fake = await FakeCli.install(desk.scratch);
    written = [];
  });
  afterEach(async () => {
    await executeCommand('ideBridge.pastOfThisFolder');
    written.forEach((each) => each.remove());
    await configure('command', undefined);
    await configure('records.enabled', undefined);
    await closeTerminals(fake);
  });

  /** What a CLI has written down, one hour after the other, the last that long ago. */
  function conversation(prompt: string, hoursAgo: number, cwd = folder, pid = process.pid): RecordedCli {
    const { CLAUDE_CONFIG_DIR } = process.env;
    assert.ok(CLAUDE_CONFIG_DIR, 'the runner sets CLAUDE_CONFIG_DIR');
    const cli = new RecordedCli(CLAUDE_CONFIG_DIR, cwd, pid);
    written.push(cli);
    cli.time = Date.now() - hoursAgo * 3_600_000 - 60_000;
    cli.prompt(prompt);
    cli.answer(`an answer to ${prompt}`);
    return cli;
  }

  const view = () =>
    desk.ui.page.locator('.pane', { has: desk.ui.page.getByText('Sessions', { exact: true }) });
  const rows = () => view().locator('.monaco-list-row');
  const row = (text: string) => rows().filter({ hasText: text }).first();
  const group = () => row('Past Sessions');
  const below = () => view().locator('.monaco-list-row[aria-level="2"]');
  /** Their words, from the first to the last. */
  const words = async () => {
    const all = await below().all();
    const found = await Promise.all(
      all.map(async (each) => {
        const parts = ['.label-name', '.label-description'].map((part) => each.locator(part).innerText());
        return [Number(await each.getAttribute('data-index')), (await Promise.all(parts)).join(' ')] as const;
      }),
    );
    return found.sort(([one], [other]) => one - other).map(([, text]) => text);
  };

  /** With what has been written meanwhile. */
  async function showGroup(
    scope: 'ideBridge.pastOfThisFolder' | 'ideBridge.pastOfAllFolders' = 'ideBridge.pastOfThisFolder',
  ): Promise<void> {
    await executeCommand(scope);
    await group().waitFor();
    if ((await group().getAttribute('aria-expanded')) !== 'true') {
      await group().click();
    }
    await below().first().waitFor();
    await setTimeout(redrawTime); // those of the test before may be there still
  }

  async function focusView(): Promise<void> {
    await executeCommand('ideBridge.sessions.focus');
    await until('the focus in the view', () =>
      desk.ui.page.evaluate<boolean>(
        'document.activeElement.closest(".pane")?.querySelector(".pane-header")?.textContent.includes("Sessions") === true',
      ),
    );
  }

  async function menu(text: string, title: string): Promise<void> {
    await row(text).click({ button: 'right' });
    const entry = desk.ui.page.locator('.context-view .action-label', { hasText: title }).first();
    await entry.waitFor();
    // The editor heeds no click just after the menu has come.
    await until('the menu to go', async () => {
      await entry.click({ timeout: 1_000 }).catch(() => {});
      return !(await entry.isVisible());
    });
  }

  it('are listed below the others, the newest first, with what is known of each', async () => {
    conversation('mend $(bell) the tests', 2);
    conversation('write a poem', 5 * 24);
    conversation('of another folder', 1, join(folder, 'other'));
    await showGroup();
    assert.deepEqual(await words(), ['mend $(bell) the tests 2 h ago', 'write a poem 5 d ago']);
    assert.equal(await group().getAttribute('data-index'), '1', 'below the session that is connected');
    assert.equal(await row('write a poem').getAttribute('aria-label'), 'write a poem, 5 d ago');
    const told = await tooltip(desk.ui, row('write a poem'), 'First prompt');
    assert.match(told, /First prompt: write a poem[^]*1 prompt[^]*Folder: [^]*Id: /);
    assert.ok(told.includes(folder) && told.includes(written[1]?.sessionId ?? '?'), told);
    await desk.ui.screenshot('past-rows');
  });

  it('are read only once the group is opened, and are not there where there are none, or none may be read', async () => {
    await executeCommand('ideBridge.sessions.focus');
    await row('Claude').waitFor();
    assert.equal(await group().count(), 0);
    conversation('a question', 1);
    await desk.client.close();
    await row('no session is connected').waitFor();
    await group().waitFor();
    await configure('records.enabled', false);
    await connectClient();
    await until('the group to go', async () => (await group().count()) === 0);
  });

  it('are shown by page', async () => {
    for (let index = 0; index < 45; index++) {
      conversation(`question ${index}.`, index);
    }
    await showGroup();
    const more = () => row('Show More…');
    await group().focus();
    await desk.ui.page.keyboard.press('End');
    await more().filter({ hasText: '25 more' }).click();
    await row('question 20.').waitFor();
    await desk.ui.page.keyboard.press('End');
    await more().filter({ hasText: '5 more' }).click();
    await row('question 40.').waitFor();
    await desk.ui.page.keyboard.press('End');
    await row('question 44.').waitFor();
    assert.equal(await more().count(), 0);
  });

  it('are those of all folders, where the user wants that', async () => {
    conversation('of this one', 1);
    conversation('of another', now, desk.scratch.folder);
    await showGroup();
    assert.equal(await row('of another').count(), 0);
    await clickHovered(group(), 'Past Sessions of All Folders');
    await row('of another')
      .filter({ hasText: desk.scratch.folder.split('/').at(-1) ?? '?' })
      .waitFor();
    await group().filter({ hasText: 'of all folders' }).waitFor();
    await desk.ui.screenshot('past-all-folders');
    await clickHovered(group(), 'Past Sessions of This Folder');
    await row('of another').waitFor({ state: 'detached' });
  });

  it('are no rows of their own while they go on, and are again when they have ended', async () => {
    const cli = conversation('still held', 1);
    cli.is('idle');
    await showGroup();
    await row('still held')
      .filter({ hasText: `open elsewhere (process ${process.pid})` })
      .waitFor();
    const client = await connectClient();
    await row('still held').filter({ hasNotText: 'elsewhere' }).waitFor(); // as what it was asked last
    await row('No other session was found').waitFor();
    cli.removeSessionFile();
    await client.close();
    await below().filter({ hasText: 'still held' }).waitFor();
  });

  it('open as a page in which nothing is taken for more than words', async () => {
    const cli = conversation('# do <b>this</b>\n![x](https://127.0.0.1/x.png)', 1);
    cli.call('Bash', { command: 'npm test' });
    cli.result('ok');
    cli.answer(
      'Done:\n\n- **first** `code`\n\n```ts\nconst a = "<b>";\n```\n[run](command:workbench.action.quit)',
    );
    await showGroup();
    await row('do <b>this').click();
    const frame = await until('the page', () => inWebview(desk.ui, 'h1', 'do'));
    const text = await frame.locator('body').innerText();
    assert.match(text, /You\s+do <b>this<\/b>\s*!\[x\] \(https:\/\/127.0.0.1\/x.png\)/);
    assert.match(text, /▸ Run npm test/);
    assert.match(text, /const a = "<b>";/);
    assert.match(text, /\[run\] \(command:workbench.action.quit\)/);
    assert.equal(await frame.locator('.markdown-body img, .markdown-body a').count(), 0);
    assert.ok(tabs().some(({ label }) => label.includes(cli.sessionId.slice(0, 8))));
    await desk.ui.screenshot('past-transcript');
  });

  it('have the name that the user gave them while they were held, also in the terminal in which they go on', async () => {
    await executeCommand('ideBridge.newSession');
    const { pid } = await fake.run(1);
    const cli = conversation('a prompt', now, folder, pid);
    cli.is('idle');
    const client = await connectClient(pid);
    await showGroup();
    await row('a prompt').filter({ hasText: 'Claude Code' }).waitFor();
    await clickHovered(row('a prompt'), 'Rename Claude Code Session', letMomentPass);
    await input().fill('Docs');
    await input().press('Enter');
    await row('Docs').waitFor();
    cli.removeSessionFile();
    await client.close();
    await closeTerminals(fake);
    await below().filter({ hasText: 'Docs' }).waitFor();
    await clickHovered(row('Docs'), 'Resume in Terminal', letMomentPass);
    await fake.run(2);
    assert.deepEqual(
      vscode.window.terminals.map(({ name }) => name),
      ['Docs'],
    );
  });

  it('go on in a terminal, in their folder, and as another by a fork', async () => {
    const { sessionId } = conversation('a question', now, desk.scratch.folder);
    await showGroup('ideBridge.pastOfAllFolders');
    await clickHovered(row('a question'), 'Resume in Terminal', letMomentPass);
    assert.equal((await fake.run(1)).args, `--resume ${sessionId}`);
    const [terminal] = vscode.window.terminals;
    assert.equal((terminal?.creationOptions as vscode.TerminalOptions).cwd, desk.scratch.folder);
    await menu('a question', 'Fork in Terminal');
    assert.equal((await fake.run(2)).args, `--resume ${sessionId} --fork-session`);
  });

  it('do not go on twice while their CLI starts', async () => {
    conversation('only once', 1);
    await showGroup();
    letMomentPass();
    await menu('only once', 'Resume in Terminal');
    // It takes the focus once more when its CLI has been started, which ends a menu.
    await fake.run(1);
    await until('the focus in the terminal', () => desk.ui.hasTerminalFocus());
    letMomentPass();
    await menu('only once', 'Resume in Terminal');
    await desk.ui.page
      .locator('.notification-toast', { hasText: 'is about to be open in a terminal' })
      .waitFor();
    assert.equal(vscode.window.terminals.length, 1);
  });

  it('do not go on by a click on a row that has just moved', async () => {
    conversation('a question', 1);
    const goOn = holdMoment();
    await showGroup();
    await clickHovered(row('a question'), 'Resume in Terminal');
    await desk.ui.page.getByText('the row has moved just now').waitFor();
    goOn();
    assert.equal(vscode.window.terminals.length, 0);
  });

  it('do not go on in a folder that is gone, and say so', async () => {
    const gone = join(desk.scratch.folder, 'gone');
    mkdirSync(gone);
    conversation('a question', now, gone);
    rmSync(gone, { recursive: true });
    await showGroup('ideBridge.pastOfAllFolders');
    letMomentPass();
    await menu('a question', 'Resume in Terminal');
    await desk.ui.page.locator('.notification-toast', { hasText: 'is gone' }).waitFor();
    assert.equal(vscode.window.terminals.length, 0);
  });

  it('do not go on in a second CLI where another has them open', async () => {
    const cli = conversation('a question', 1);
    cli.is('idle');
    await showGroup();
    await row('open elsewhere').waitFor(); // then it moves no more
    letMomentPass();
    await menu('a question', 'Resume in Terminal');
    const toast = desk.ui.page.locator('.notification-toast', { hasText: `(process ${process.pid})` });
    await toast.waitFor();
    assert.equal(vscode.window.terminals.length, 0);
  });

  const input = () => desk.ui.page.locator('.quick-input-widget:visible input.input');

  it('have the name that the user gives them, and the one from before when it is taken back', async () => {
    conversation('a question', 1);
    await showGroup();
    await row('a question').click();
    await until('the page', () => inWebview(desk.ui, 'h1', 'a question'));
    await focusView();
    await row('a question').and(desk.ui.page.locator('.focused')).waitFor();
    letMomentPass();
    await desk.ui.page.keyboard.press('F2');
    await until('its title', async () => (await input().inputValue()) === 'a question');
    await desk.ui.screenshot('past-rename');
    await input().fill('  Docs ');
    await input().press('Enter');
    await row('Docs').waitFor();
    void executeCommand('ideBridge.resumeSession'); // there, too
    const item = desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row', { hasText: 'Docs' });
    await item.waitFor();
    await desk.ui.page.keyboard.press('Escape');
    await menu('Docs', 'Rename Past Session');
    await input().fill('');
    await input().press('Enter');
    await row('a question').waitFor();
  });

  it('are deleted once the user has said so, with what their sub-agents have written', async () => {
    const cli = conversation('delete me', 1);
    cli.call('Bash', { command: 'ls' }, 'sub1');
    const { CLAUDE_CONFIG_DIR = '' } = process.env;
    const own = join(CLAUDE_CONFIG_DIR, 'projects', folder.replace(/[^a-zA-Z0-9]/g, '-'), cli.sessionId);
    assert.ok(existsSync(join(own, 'subagents')) && existsSync(`${own}.jsonl`));
    await showGroup();
    const press = async () => {
      await setTimeout(redrawTime);
      await focusView();
      await desk.ui.page.keyboard.press('End');
      await row('delete me').and(desk.ui.page.locator('.focused')).waitFor();
      letMomentPass();
      await desk.ui.page.keyboard.press('Delete');
      return dialog();
    };
    const first = await press();
    assert.ok(first.isModal && first.text.startsWith('Delete “delete me”?'), first.text);
    assert.deepEqual(first.buttons, ['Open Transcript', 'Move to Trash']);
    first.press('Open Transcript');
    await until('the page', () => inWebview(desk.ui, 'h1', 'delete me'));
    assert.ok(existsSync(`${own}.jsonl`));
    (await press()).press('Move to Trash');
    const second = await dialog(); // the editor of the tests has none
    assert.match(second.text, /cannot be moved to the trash/);
    second.press('Keep It');
    assert.ok(existsSync(own) && existsSync(`${own}.jsonl`));
    await row('delete me').waitFor();
    (await press()).press('Move to Trash');
    (await dialog()).press('Delete for Good');
    await row('delete me').waitFor({ state: 'detached' });
    await until('the files to go', () => !existsSync(own) && !existsSync(`${own}.jsonl`));
  });

  it('are not deleted while somebody has them open, and not as what they were when they were listed', async () => {
    const cli = conversation('a question', 1);
    await showGroup();
    const refused = (words: string) =>
      desk.ui.page.locator('.notification-toast', { hasText: words }).waitFor();
    await menu('a question', 'Delete Past Session');
    const question = await dialog();
    cli.is('idle'); // in another window, while the question is open
    question.press('Move to Trash');
    await refused(`open in another Claude Code (process ${process.pid})`);
    await row('a question').filter({ hasText: 'open elsewhere' }).waitFor();
    cli.removeSessionFile();
    await row('a question').filter({ hasNotText: 'open elsewhere' }).waitFor();
    await menu('a question', 'Delete Past Session');
    const next = await dialog();
    cli.prompt('more');
    next.press('Move to Trash');
    await refused('it has been written to since it was listed');
    await setTimeout(redrawTime);
    await focusView();
    await desk.ui.page.keyboard.press('Home');
    await row('Claude').and(desk.ui.page.locator('.focused')).waitFor();
    letMomentPass();
    await desk.ui.page.keyboard.press('Delete');
    await refused('goes on: only past sessions can be deleted');
  });

  it('are searched by title, prompt and folder, and each has its buttons there', async () => {
    const cli = conversation('mend the tests', 2);
    cli.prompt('and the $(bell) docs');
    cli.answer('done');
    conversation('write a poem', now, desk.scratch.folder);
    void executeCommand('ideBridge.searchPast');
    const item = (text: string) =>
      desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row', { hasText: text });
    await item('write a poem').waitFor();
    await input().fill('docs bell');
    await item('write a poem').waitFor({ state: 'hidden' });
    await item('mend the tests').hover();
    await desk.ui.screenshot('past-search');
    await item('mend the tests').locator('.codicon-edit').click();
    await until('its title', async () => (await input().inputValue()) === 'mend the tests');
    await input().fill('Tests');
    await input().press('Enter');
    await item('Tests').waitFor(); // as it was searched
    assert.equal(await input().inputValue(), 'docs bell');
    await item('Tests').locator('.codicon-terminal').click();
    assert.equal((await fake.run(1)).args, `--resume ${cli.sessionId}`);
    void executeCommand('ideBridge.openTranscript'); // from the palette
    await item('write a poem').click();
    await until('the page', () => inWebview(desk.ui, 'h1', 'write a poem'));
  });
});

describe('past sessions that may not be read', () => {
  const desk = useDesk();

  afterEach(() => configure('records.enabled', undefined));

  it('are not known, which is said with what mends it', async () => {
    await configure('records.enabled', false);
    void vscode.commands.executeCommand('ideBridge.searchPast');
    const { page } = desk.ui;
    const toast = page.locator('.notification-toast', { hasText: 'ideBridge.records.enabled is off' });
    await toast.getByRole('button', { name: 'Open Settings' }).click();
    await page.locator('.settings-editor', { hasText: 'Records: Enabled' }).waitFor();
  });
});
