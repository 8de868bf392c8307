import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import { until } from '../../support/until.ts';
import { askForReason, connectClient, propose, proposalTabs, useDesk } from '../bridge.ts';

interface Screen {
  /** What the user has run in the terminal of the CLI, which goes on in the background; %f is a file. */
  run: string;
  /** Shown once it is there. */
  shows: string;
  /** A reason that does harm where it is typed. */
  reason: string;
}

/** The harm: each of these reasons makes this file, or would, with an Enter behind it. */
const ran = 'ran.txt';

const screens: Record<string, Screen> = {
  'a shell, at its prompt': { run: 'echo ready', shows: 'ready', reason: `touch ${ran}` },
  'a shell, at a half-typed line': { run: '', shows: `touch ${ran}`, reason: 'and more' },
  vim: { run: 'vim -Nu NONE -n %f', shows: 'words to look at', reason: `:!touch ${ran}` },
  'vim, while it inserts': {
    run: 'vim -Nu NONE -n -c start %f',
    shows: 'INSERT',
    reason: `a line\x16`,
  },
  less: { run: 'less %f', shows: 'words to look at', reason: `!touch ${ran}` },
  fzf: { run: `fzf --bind 'enter:execute(touch ${ran})' < %f`, shows: '2/2', reason: 'words' },
  'a shell in a terminal of its own': {
    run: "script -qc 'sh -i' /dev/null",
    shows: '#',
    reason: `touch ${ran}`,
  },
  Python: { run: 'python3 -i -q', shows: '>>>', reason: `open("${ran}", "w")` },
};

/** What a screen shows once it has not changed for a moment: programs draw in several goes. */
async function atRest(text: () => Promise<string>): Promise<string> {
  let shown = await text();
  await until('the screen to stand still', async () => {
    await setTimeout(300);
    const last = shown;
    shown = await text();
    return shown === last;
  });
  return shown;
}

/** What is in the terminal when a reason is given is not always the CLI. */
describe('a reason, for a CLI that is not what reads its terminal,', () => {
  const desk = useDesk();

  for (const [name, screen] of Object.entries(screens)) {
    const program = /^\w+/.exec(screen.run)?.[0];
    for (const place of ['behind', 'within'] as const) {
      if (place === 'within' && name.startsWith('a shell,')) continue;
      it(`is not typed into ${name}, ${place === 'behind' ? 'with the CLI in the background' : 'which the CLI has opened'}`, async function () {
        if (program && spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) {
          this.skip();
        }
        const file = desk.scratch.write('looked at.txt', 'words to look at\nand more\n');
        const pidFile = desk.scratch.path('cli.pid');
        const terminal = vscode.window.createTerminal({ name: 'agent', cwd: desk.scratch.folder });
        terminal.show();
        const run = screen.run.replace('%f', `"${file}"`);
        // A script has no job control: the program is in the process group of the CLI, as its own editor is.
        const cli = desk.scratch.write('cli.sh', `echo $$ > "${pidFile}"\n${run}\nsleep 600\n`);
        terminal.sendText(
          place === 'within' ? `sh "${cli}"` : `sleep 600 & echo $! > "${pidFile}"; clear; ${run}`,
        );
        const pid = await until(
          'the CLI',
          () => existsSync(pidFile) && Number(readFileSync(pidFile, 'utf8')),
          20_000,
        );
        if (screen.run === '') terminal.sendText(`touch ${ran} `, false);
        const rows = () => desk.ui.page.locator('.terminal-wrapper.active .xterm-rows').innerText();
        const text = async () => (await rows()).replaceAll('\u00a0', ' ').trim();
        await until(screen.shows, async () => (await text()).includes(screen.shows), 10_000, text);

        const client = await connectClient(pid);
        const { answer } = await propose(client, file, 'changed\n');
        const input = await askForReason(desk.ui);
        await input.fill(screen.reason);
        const before = await atRest(text);
        await input.press('Enter');
        assert.deepEqual(await answer, ['DIFF_REJECTED', 'T1']);
        await client.callForTexts('close_tab', { tab_name: 'T1' });
        const harm = () => existsSync(desk.scratch.path(ran));
        const toast = desk.ui.page.locator('.notification-toast', {
          hasText: 'is what reads its terminal now',
        });
        await until('a word about it', async () => harm() || (await toast.isVisible()));
        assert.ok(!harm());
        assert.equal(await atRest(text), before);
        assert.equal(proposalTabs().length, 0);
        await client.close();
      });
    }
  }
});
