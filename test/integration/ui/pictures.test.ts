// Every screen of ours in three themes and two widths, to be looked at; only when asked for:
// npm run test:integration -- --grep "pictures of"
import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:net';
import * as vscode from 'vscode';
import { RecordedCli } from '../../support/recordedCli.ts';
import { reviewRows } from '../../support/reviewRows.ts';
import { testEnvironment } from '../../support/testEnvironment.ts';
import { inWebview, tooltip } from '../../support/ui.ts';
import { asText, original } from '../../support/threeChanges.ts';
import { until } from '../../support/until.ts';
import { connectClient, currentLock, endReview, propose, useDesk } from '../bridge.ts';
import { editAs } from '../changes/edits.ts';
import { answer, FolderSettings, question } from '../editorTools/runQuestion.ts';
import { callTool, connectTools } from '../editorTools/toolClient.ts';
import { closeTerminals, FakeCli } from '../fakeCli.ts';

const themes = {
  light: 'Default Light Modern',
  dark: 'Default Dark Modern',
  contrast: 'Default High Contrast',
} as const;
const classes = { light: 'vs', dark: 'vs-dark', contrast: 'hc-black' } as const;
const widths = [1400, 900];

const proposed = [...original.slice(0, 2), 'LINE 2', ...original.slice(3, 20), 'more', ...original.slice(20)];
const notebook = (source: string) =>
  JSON.stringify({
    cells: [
      { cell_type: 'code', id: 'a', metadata: {}, outputs: [], execution_count: null, source: [source] },
    ],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });

if (process.env[testEnvironment.grep]?.includes('pictures')) {
  describe('pictures of', function () {
    this.timeout(120_000);
    let nextPid = 3_800_000;
    const desk = useDesk(() => nextPid++);
    const { executeCommand } = vscode.commands;

    afterEach(async () => {
      await endReview();
      await desk.ui.page.setViewportSize({ width: 1400, height: 900 });
      await executeCommand('workbench.view.explorer');
    });

    /** @param prepare before each, for what goes when the window changes its size */
    async function photograph(name: string, prepare?: () => Promise<unknown>): Promise<void> {
      for (const [theme, id] of Object.entries(themes)) {
        await desk.configure('workbench.colorTheme', id);
        await desk.ui.page.locator(`.monaco-workbench.${classes[theme as keyof typeof themes]}`).waitFor();
        for (const width of widths) {
          await desk.ui.page.setViewportSize({ width, height: 700 });
          await desk.ui.page.waitForTimeout(400); // the editor lays out what has no end that could be waited for
          await prepare?.();
          await desk.ui.screenshot(`picture-${name}-${width}-${theme}`);
        }
      }
    }

    const edit = (path: string, text: string) => editAs(desk.client, path, text);

    const row = (text: string) => desk.ui.page.locator('.monaco-list-row', { hasText: text }).first();
    const lens = () => desk.ui.page.locator('.codelens-decoration a', { hasText: 'Drop' }).first();

    it('a proposal', async () => {
      await propose(
        desk.client,
        desk.scratch.write('a-file-with-a-long-name.txt', asText(original)),
        asText(proposed),
      );
      await executeCommand('ideBridge.review.focus');
      await lens().waitFor();
      await photograph('proposal');
    });

    it('a proposal in Markdown', async () => {
      await propose(desk.client, desk.scratch.write('read.md', asText(original)), asText(proposed));
      await lens().waitFor();
      await photograph('markdown');
    });

    it('a proposal in a notebook', async () => {
      void desk.client
        .callForTexts('openDiff', {
          old_file_path: desk.scratch.write('a.ipynb', notebook('1')),
          new_file_path: desk.scratch.path('a.ipynb'),
          new_file_contents: notebook('2'),
          tab_name: 'N',
        })
        .catch(() => {});
      await desk.ui.page.locator('.notebook-text-diff-editor').first().waitFor();
      await photograph('notebook');
    });

    it('a proposal for a binary', async () => {
      await propose(desk.client, desk.scratch.write('b.png', Buffer.from([0x89, 0x50, 0, 1])), 'text\n');
      await photograph('binary');
    });

    it('all proposals', async () => {
      await propose(desk.client, desk.scratch.write('a.txt', asText(original)), asText(proposed), 'A');
      const other = await connectClient(nextPid++);
      await propose(other, desk.scratch.path('new.txt'), 'new\n', 'B');
      await executeCommand('ideBridge.review.focus');
      await executeCommand('ideBridge.reviewAllProposals');
      await lens().waitFor();
      await photograph('review-all');
      const proposal = reviewRows(desk.ui.page);
      await photograph('proposals-hovered', () => proposal.filter({ hasText: 'a.txt' }).first().hover());
    });

    it('what agents have changed', async () => {
      const file = desk.scratch.write('changed.txt', asText(original));
      await edit(file, asText(proposed));
      await edit(desk.scratch.path('new.txt'), 'new\n');
      await executeCommand('ideBridge.review.focus');
      await row('changed.txt').click();
      await desk.ui.page.getByText('changed.txt (modified').first().waitFor();
      await row('changed.txt').hover();
      await photograph('changes');
      await executeCommand('ideBridge.reviewChanges');
      await desk.ui.page.locator('.multiDiffEntry, .multiDiffEditor').first().waitFor();
      await row('Claude').hover();
      await photograph('changes-all');
      await executeCommand('ideBridge.keepAllChanges');
      await desk.ui.page.locator('.notification-toast').first().waitFor();
      await photograph('notice');
    });

    it('turns, a file under review, and a comment in it', async () => {
      const file = desk.scratch.write('changed.txt', asText(original));
      await executeCommand('ideBridge.review.focus');
      await desk.client.call('closeAllDiffTabs'); // as a prompt begins
      await edit(file, asText(original.with(2, 'LINE 2')));
      await desk.client.call('closeAllDiffTabs');
      await edit(file, asText(proposed));
      await edit(desk.scratch.path('new.txt'), 'new\n');
      await row('1 file above').waitFor();
      await vscode.window.showTextDocument(vscode.Uri.file(file), { preview: false });
      await desk.ui.page.locator('.codelens-decoration a', { hasText: 'Revert' }).first().waitFor();
      await row('A prompt').hover();
      await photograph('turns');
      await executeCommand('ideBridge.commentOnLines', vscode.Uri.file(file), 2, 2);
      const input = desk.ui.page
        .locator('.review-widget')
        .locator('.monaco-editor textarea:visible, .monaco-editor .native-edit-context:visible');
      await input.first().waitFor();
      await desk.ui.page.keyboard.insertText('Keep it small.');
      await photograph('comment-written');
      await desk.ui.page.getByRole('button', { name: 'Add Comment' }).click();
      await desk.ui.page.locator('.review-comment', { hasText: 'Keep it small.' }).hover();
      await photograph('comment');
      await desk.ui.page.getByRole('button', { name: 'Delete Comment' }).first().click();
    });

    it('sessions, the status bar and its menu', async () => {
      await connectClient(nextPid++);
      await executeCommand('ideBridge.sessions.focus');
      await row('Claude').hover();
      await photograph('sessions');
      const item = desk.ui.page.locator('.statusbar-item', { hasText: 'Claude' }).first();
      await photograph('status-bar', () => tooltip(desk.ui, item, 'Claude'));
      void executeCommand('ideBridge.showMenu');
      await desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row').first().waitFor();
      await photograph('menu');
      await executeCommand('workbench.action.closeQuickOpen');
    });

    it('a session that asks, one that proposes, and their menu', async () => {
      const cli = new RecordedCli(process.env.CLAUDE_CONFIG_DIR ?? '', desk.scratch.folder, process.pid);
      await connectClient();
      cli.prompt('mend the test that fails on Mondays');
      cli.call('Bash', { command: 'npm test -- --grep "a long pattern"' });
      cli.is('waiting', 'permission prompt');
      await executeCommand('ideBridge.sessions.focus');
      await row('Asks: Bash').waitFor();
      await desk.ui.page.locator('.notification-toast', { hasText: 'waits for you' }).waitFor();
      await propose(desk.client, desk.scratch.write('a.txt', asText(original)), asText(proposed));
      await photograph('asks', () => tooltip(desk.ui, row('Asks: Bash'), 'Prompt: '));
      void executeCommand('ideBridge.showMenu');
      await desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row').first().waitFor();
      await photograph('asks-menu');
      await executeCommand('workbench.action.closeQuickOpen');
      cli.removeSessionFile();
    });

    it('past sessions, a transcript, and the search', async () => {
      const [root] = vscode.workspace.workspaceFolders ?? [];
      const folder = realpathSync(root?.uri.fsPath ?? '');
      const { CLAUDE_CONFIG_DIR = '' } = process.env;
      const prompts = [
        'mend the test that fails on Mondays',
        'write the release notes',
        'why is the start slow?',
      ];
      const written = prompts.map((prompt, index) => {
        const cli = new RecordedCli(CLAUDE_CONFIG_DIR, index === 1 ? desk.scratch.folder : folder, nextPid++);
        cli.time = Date.now() - index * 1_000; // before those that other suites have left
        cli.prompt(`${prompt}\n\nIt is the one in `.concat('`test/dates.test.ts`.'));
        cli.call('Bash', { command: 'npm test -- --grep dates' });
        cli.result('1 failing');
        cli.answer(
          'Found it:\n\n1. **Monday** is `1`, not `0`\n2. so the loop ends too early\n\n```ts\nconst monday = 1;\n```\nIt passes now.',
        );
        return cli;
      });
      await executeCommand('ideBridge.pastOfAllFolders');
      await row('Past Sessions').waitFor();
      if ((await row('Past Sessions').getAttribute('aria-expanded')) !== 'true')
        await row('Past Sessions').click();
      await row('fails on Mondays').click();
      await until('the page', () => inWebview(desk.ui, 'h1', 'fails on Mondays'));
      await photograph('past', () => row('release notes').hover());
      void executeCommand('ideBridge.searchPast');
      await desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row').first().waitFor();
      await photograph('past-search', () =>
        desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row').nth(1).hover(),
      );
      await executeCommand('workbench.action.closeQuickOpen');
      await executeCommand('ideBridge.pastOfThisFolder');
      written.forEach((cli) => cli.remove());
    });

    it('a question whether a task may run', async () => {
      await desk.configure('ideBridge.editorTools.enabled', true);
      await desk.configure('ideBridge.editorTools.running', true);
      const tasks = new FolderSettings('tasks.tasks');
      const client = await connectTools();
      try {
        await tasks.write('2.0.0', [
          { label: 'lint', type: 'shell', command: 'npm run lint' },
          {
            label: 'check',
            type: 'shell',
            command: 'npm test -- --reporter dot',
            options: { env: { CI: 'true' } },
            dependsOn: 'lint',
          },
        ]);
        const file = await vscode.workspace.openTextDocument(desk.scratch.write('a.txt', asText(original)));
        await vscode.window.showTextDocument(file);
        const running = callTool(client, 'runTask', { name: 'check' });
        await question(desk, 'wants to run the task').locator('a', { hasText: 'Run Once' }).waitFor();
        await photograph('run-question');
        await answer(desk, 'Refuse', 'wants to run the task');
        await running;
      } finally {
        await client.close();
        tasks.remove();
      }
    });

    it('calls of clients of the editor tools', async () => {
      for (const name of ['enabled', 'running', 'editing']) {
        await desk.configure(`ideBridge.editorTools.${name}`, true);
      }
      const tasks = new FolderSettings('tasks.tasks');
      const clients = [await connectTools('claude-code'), await connectTools('Inspector')];
      const [claude, inspector] = clients;
      assert.ok(claude && inspector);
      try {
        await tasks.write('2.0.0', [
          { label: 'check', type: 'shell', command: 'true' },
          { label: 'a task with a long name that says what it is for', type: 'shell', command: 'true' },
        ]);
        const run = async (name: string, words: string) => {
          const running = callTool(claude, 'runTask', { name });
          await answer(desk, words, 'wants to run the task');
          await running;
        };
        await run('check', 'Run Once');
        await run('a task with a long name that says what it is for', 'Refuse');
        await callTool(claude, 'runTask', { name: 'no such task' });
        const asking = callTool(inspector, 'runTask', { name: 'check' });
        await question(desk, 'wants to run the task').waitFor();
        await executeCommand('ideBridge.sessions.focus');
        await row('Claude Code').locator('.monaco-tl-twistie').click();
        await row('Inspector').locator('.monaco-tl-twistie').click();
        await photograph('editor-tool-calls', () => row('runTask: no such task').hover());
        await answer(desk, 'Refuse', 'wants to run the task');
        await asking;
        await row('runTask: check').click();
        await photograph('editor-tool-call');
      } finally {
        await Promise.all(clients.map((client) => client.close()));
        tasks.remove();
      }
    });

    it('sessions that have lost the bridge', async () => {
      const cli = await FakeCli.install(desk.scratch);
      await executeCommand('ideBridge.sessions.focus');
      const connect = async (pid: number, name: string) => {
        await connectClient(pid);
        await row(name)
          .filter({ hasText: /Connected/ })
          .waitFor();
      };
      const start = async (count: number, name: string) => {
        await executeCommand('ideBridge.newSession');
        const { pid } = await cli.run(count);
        await connect(pid, name);
        return pid;
      };
      await start(1, 'Claude Code');
      const second = await start(2, 'Claude Code 2');
      const { port } = await currentLock();
      const squatter = createServer();
      squatter.on('error', () => setImmediate(() => squatter.listen(port, '127.0.0.1')));
      squatter.listen(port, '127.0.0.1');
      await executeCommand('ideBridge.restart');
      await row('Not connected').waitFor();
      await photograph('lost', () => row('Not connected').hover());
      await connect(second, 'Claude Code 2');
      void executeCommand('ideBridge.showMenu');
      await desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row').first().waitFor();
      await photograph('lost-menu');
      await executeCommand('workbench.action.closeQuickOpen');
      await executeCommand('ideBridge.restart');
      await row('Coming back…').waitFor();
      await photograph('coming-back');
      squatter.close();
      await desk.configure('ideBridge.command', undefined);
      await closeTerminals(cli);
    });

    it('pages and the choice of sharing', async () => {
      await executeCommand('ideBridge.doctor');
      await until('the page', () => inWebview(desk.ui, 'h1', 'a CLI from connecting'));
      await photograph('doctor');
      await executeCommand('ideBridge.showShared');
      await until('the page', () => inWebview(desk.ui, 'h1', 'What Is Shared Now'));
      await photograph('shared');
      void executeCommand('ideBridge.chooseSharing');
      await desk.ui.page.locator('.quick-input-widget:visible .monaco-list-row').first().waitFor();
      await photograph('sharing');
      await executeCommand('workbench.action.closeQuickOpen');
    });
  });
}
