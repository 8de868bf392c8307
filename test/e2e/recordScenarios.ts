import { spawnSync } from 'node:child_process';
import { Deferred } from '../../src/base/deferred.ts';
import type { Claude } from './claude.ts';
import type { Desk } from './desk.ts';
import { text, toolUse } from './mockApi.ts';

/** What the first session of the list is at. */
function isAt(desk: () => Desk, state: string): Promise<void> {
  const view = desk().window.page.locator('.pane', { hasText: 'Sessions' });
  return view.locator('.monaco-list-row').first().filter({ hasText: state }).waitFor();
}

/** A turn that asks for a tool, with `during` before its question, and `after` between the answer and its end. */
async function turn(
  desk: () => Desk,
  claude: Claude,
  {
    before = 'Idle',
    during,
    asking,
    after,
  }: { before?: string } & Record<'during' | 'asking' | 'after', string>,
): Promise<void> {
  const command = `touch ${(await desk().file('touched')).path}`;
  const [mayAsk, mayEnd] = [new Deferred<void>(), new Deferred<void>()];
  claude.api.script([toolUse('Bash', { command, description: 'touch' })], mayAsk.promise);
  claude.api.script([text('it is done')], mayEnd.promise);
  await desk().window.runCommand('Claude Code: Focus on Sessions View');
  await isAt(desk, before);
  const prompted = claude.prompt('please touch it');
  await isAt(desk, during);
  mayAsk.settle();
  await prompted;
  await isAt(desk, asking);
  await claude.sayYes();
  await isAt(desk, after);
  mayEnd.settle();
  await claude.terminal.shows('it is done');
  await isAt(desk, 'Idle');
}

/** The CLI writes down what it is at, wherever it runs. */
export function recordScenarios(desk: () => Desk): void {
  it('shows what a session in tmux is at, through a whole turn', async function () {
    if (spawnSync('tmux', ['-V']).status !== 0) this.skip();
    const server = `ide-bridge-${process.pid}`;
    try {
      const claude = await desk().startClaude(
        'default',
        `tmux -L ${server} -f /dev/null new bash \\; set status off`,
      );
      await turn(desk, claude, { during: 'Working', asking: 'Asks: Bash: touch', after: 'Working' });
    } finally {
      spawnSync('tmux', ['-L', server, 'kill-server']);
    }
  });
}

/** The CLI keeps no session file. */
export function withoutRecordScenarios(desk: () => Desk): void {
  it('shows of a session no more than its transcript tells', async () => {
    const claude = await desk().startClaude();
    const running = 'Working or asking';
    await turn(desk, claude, { before: 'Connected', during: running, asking: running, after: running });
  });
}
