import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isWhole } from '../support/ui.ts';
import { until } from '../support/until.ts';
import type { Desk } from './desk.ts';
import { editTurns, resultOf, text, toolUse } from './mockApi.ts';

/** Files, decisions and windows beyond the everyday edit. */
export function reviewScenarios(desk: () => Desk): void {
  it('closes the diff when the edit is refused in the terminal', async () => {
    const file = await desk().file('refused.txt', 'one\ntwo\n');
    const claude = await desk().startClaude();
    claude.api.script(editTurns(file.path, 'two', 'TWO'));
    await claude.prompt('please edit');

    const diff = await desk().window.diffOf('refused.txt');
    await claude.sayNo();
    await diff.gone();

    assert.equal(resultOf('Edit', await claude.ask('why not?'))?.isError, true);
    assert.equal(await file.text(), 'one\ntwo\n');
  });

  it('creates a new file in a new folder', async () => {
    const file = await desk().file('new/folder/created.txt');
    const claude = await desk().startClaude();
    claude.api.script([
      toolUse('Write', { file_path: file.path, content: 'first\nsecond\n' }),
      text('created it'),
    ]);
    await claude.prompt('please create');

    const diff = await desk().window.diffOf('created.txt');
    assert.deepEqual((await diff.lines('modified')).slice(0, 2), ['first', 'second']);
    assert.equal(file.exists(), false);
    await diff.accept();

    const result = await claude.api.nextResult('Write');
    assert.equal(result.isError, false);
    assert.match(result.text, /File created successfully/);
    assert.equal(await file.text(), 'first\nsecond\n');
    await diff.gone();
  });

  it('creates nothing when a new file is rejected', async () => {
    const file = await desk().file('other/folder/unwanted.txt');
    const claude = await desk().startClaude();
    claude.api.script([toolUse('Write', { file_path: file.path, content: 'first\n' })]);
    await claude.prompt('please create');

    const diff = await desk().window.diffOf('unwanted.txt');
    await diff.reject();
    await diff.gone();

    assert.equal(resultOf('Write', await claude.ask('why not?'))?.isError, true);
    assert.equal(file.exists(), false);
  });

  it("keeps a CRLF file CRLF, the user's own lines included", async () => {
    const file = await desk().file('dos.txt', 'one\r\ntwo\r\nthree\r\n');
    const claude = await desk().startClaude();
    claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
    await claude.prompt('please edit');

    const diff = await desk().window.diffOf('dos.txt');
    await diff.typeAfter('TWO', '\nand more');
    await diff.accept();

    assert.equal((await claude.api.nextResult('Edit')).isError, false);
    assert.equal(await file.text(), 'one\r\nTWO\r\nand more\r\nthree\r\n');
    await diff.gone();
  });

  it('keeps two CLIs in one window apart', async () => {
    const mine = await desk().file('mine.txt', 'one\ntwo\n');
    const yours = await desk().file('yours.txt', 'one\ntwo\n');
    const first = await desk().startClaude();
    const second = await desk().startClaude();
    first.api.script([...editTurns(mine.path, 'two', 'MINE'), text('edited it')]);
    second.api.script(editTurns(yours.path, 'two', 'YOURS'));
    await first.prompt('please edit');
    const accepted = await desk().window.diffOf('mine.txt');
    await second.prompt('please edit too');
    const rejected = await desk().window.diffOf('yours.txt');

    await rejected.reject();
    await rejected.gone();
    await accepted.accept();
    await accepted.gone();

    assert.equal((await first.api.nextResult('Edit')).isError, false);
    assert.equal(await mine.text(), 'one\nMINE\n');
    assert.equal(resultOf('Edit', await second.ask('why not?'))?.isError, true);
    assert.equal(await yours.text(), 'one\ntwo\n');
  });

  it('closes the diff of a CLI that is killed, and leaves its terminal usable', async () => {
    const file = await desk().file('orphan.txt', 'one\ntwo\n');
    const note = await desk().file('alive.txt');
    const claude = await desk().startClaude();
    claude.api.script(editTurns(file.path, 'two', 'TWO'));
    await claude.prompt('please edit');

    const diff = await desk().window.diffOf('orphan.txt');
    claude.kill();
    await diff.gone();
    await desk().window.connectedClients(0);

    assert.equal(await file.text(), 'one\ntwo\n');
    await claude.terminal.shows('Killed');
    await claude.terminal.type(`echo alive > ${note.path}`);
    await claude.terminal.press('Enter');
    await until(
      'the note of the shell',
      () => note.exists(),
      10_000,
      () => claude.terminal.text(),
    );
  });
}

/** Port and token are the same afterwards: the CLI is connected again without anybody's doing, and shows its next diff. */
export function comesBackAfter(what: string, desk: () => Desk, interrupt: () => Promise<void>): void {
  it(`is found again by the same CLI after ${what}`, async () => {
    const file = await desk().file('again.txt', 'one\ntwo\n');
    const claude = await desk().startClaude();
    // A CLI that is cut off while it is still shaking hands does not come back.
    await claude.ask('hello there');
    const before = claude.pids();
    const away = await desk().absenceOf(Number(claude.terminal.bridgePort), interrupt);
    console.log(`      after ${what} the bridge was away for ${away} ms`);
    assert.equal(await desk().comesBack(claude, away), false, 'it comes back by itself');
    assert.deepEqual(claude.pids(), before);

    claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
    await claude.prompt('please edit');
    const diff = await desk().window.diffOf('again.txt');
    await diff.accept();

    assert.equal((await claude.api.nextResult('Edit')).isError, false);
    assert.equal(await file.text(), 'one\nTWO\n');
    await diff.gone();
  });
}

/**
 * Neither a tab, nor a question about what was typed there: that is in documents of its own, if the editor had backed it
 * up. It does so 1 s later, and a browser that is not asked does not wait for that.
 */
export function leavesNoTabAfter(what: string, desk: () => Desk, again: () => Promise<void>): void {
  it(`leaves no tab of a proposal behind when ${what}, edited or not, and asks nothing`, async () => {
    const edited = await desk().file('edited.txt', 'one\ntwo\n');
    const created = await desk().file('created.txt');
    const claudes = [await desk().startClaude(), await desk().startClaude()] as const;
    claudes[0].api.script(editTurns(edited.path, 'two', 'TWO'));
    claudes[1].api.script([toolUse('Write', { file_path: created.path, content: 'new\n' })]);
    await claudes[1].prompt('please create');
    const first = await desk().window.diffOf('created.txt');
    await first.typeAfter('new', ' and mine');
    await claudes[0].prompt('please edit');
    const second = await desk().window.diffOf('edited.txt');
    await second.typeAfter('TWO', ' and mine');
    await desk().window.runCommand('IDE Bridge: Review All Proposals');
    const tabs = () => desk().window.tabTexts();
    const ofProposals = async () =>
      (await tabs()).filter((text) => /proposed|proposals of|\.txt/i.test(text));
    await until('all in one editor', async () => (await ofProposals()).length === 3, 20_000, tabs);

    await again();
    const messages = new Set<string>();
    const isAllThatIsLeft = async () => {
      (await desk().window.messages()).forEach((message) => messages.add(message));
      const all = await tabs();
      return (
        (await ofProposals()).length === 0 &&
        ['new and mine', 'one'].every((line) => all.some((text) => text.startsWith(`${line}\n`)))
      );
    };
    await until(
      'what was typed, and nothing else, to be left',
      // The editor brings back what it has kept of a tab when it likes.
      async () => (await isAllThatIsLeft()) && (await sleep(2_000).then(isAllThatIsLeft)),
      40_000,
      async () => [...(await tabs()), ...messages],
    );
    for (const message of messages) {
      // After a reload the CLIs are there still, and ask in their terminals.
      assert.match(
        message,
        /No session waits for your version of (edited|created)\.txt any more|waits for you .* Asks: (Edit|Write)/,
      );
    }
    assert.equal(await edited.text(), 'one\ntwo\n');
    assert.equal(created.exists(), false);
  });
}

/** In a wide window and in a narrow one. */
export function leavesBranchItsPlaceAfter(what: string, desk: () => Desk, again: () => Promise<void>): void {
  it(`leaves the branch its place in the status bar when ${what}, with a CLI that asks`, async () => {
    const file = await desk().file('on-a-branch.txt', 'one\ntwo\n');
    const branch = 'feature/status-bar';
    execFileSync('git', ['init', '--quiet', `--initial-branch=${branch}`], { cwd: path.dirname(file.path) });
    const { page } = desk().window;
    // Git looks for a repository when a file is opened, and on a busy machine not when it is opened too early.
    const isKnown = async () => {
      await desk().window.closeEditors();
      await desk().window.openFile(file.path);
      const shown = page.locator('.statusbar-item', { hasText: branch }).waitFor({ timeout: 5_000 });
      return shown.then(
        () => true,
        () => false,
      );
    };
    await until('the branch', isKnown, 40_000);
    const claude = await desk().startClaude();
    claude.api.script(editTurns(file.path, 'two', 'TWO'));
    await claude.prompt('please edit');
    await desk().window.diffOf('on-a-branch.txt');

    await again();
    const { width, height } = page.viewportSize() ?? assert.fail();
    try {
      for (const each of [1400, 900]) {
        await page.setViewportSize({ width: each, height });
        for (const words of ['Claude: 1 asks', branch]) {
          const item = page.locator('.statusbar-item', { hasText: words });
          const isShown = async () => (await item.count()) === 1 && isWhole(item);
          await until(`${words}, whole`, isShown, 40_000, () =>
            page.locator('.statusbar-item').allInnerTexts(),
          );
        }
      }
    } finally {
      await page.setViewportSize({ width, height });
    }
  });
}
