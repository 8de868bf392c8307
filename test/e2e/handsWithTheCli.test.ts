import assert from 'node:assert/strict';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../support/until.ts';
import { askToEdit } from './coreScenarios.ts';
import type { WorkspaceFile } from './desk.ts';
import { editTurns, resultOf, text } from './mockApi.ts';
import { cliVersions } from './provisionCli.ts';
import { useDesk } from './useDesk.ts';

/** ms after which a key can only have been meant for what is in front. */
const aMoment = 1_200;

describe(`The user's keys, with Claude Code ${cliVersions.newest} in a terminal:`, () => {
  const desk = useDesk(cliVersions.newest);
  const page = () => desk().window.page;
  const keyboard = () => page().keyboard;
  const hundredKeys = 'abcdefghi.'.repeat(10);

  /** Opens a file of the user's, empty, and clicks into it. @param name another in each test: an older one is opened first */
  async function openNotes(name: string): Promise<WorkspaceFile> {
    const notes = await desk().file(name, '');
    await desk().window.openFile(notes.path);
    await page().locator('.editor-group-container.active .view-lines').first().click();
    return notes;
  }

  /** Waits until the tab of that label is in front, with the focus in its editor. */
  async function isIn(label: string): Promise<void> {
    await page().locator('.editor-group-container.active .tab.active', { hasText: label }).waitFor();
    await page().locator('.editor-group-container.active .monaco-editor.focused').waitFor();
  }

  const isInTerminal = () => page().locator('.xterm-helper-textarea:focus').waitFor({ state: 'attached' });

  /** Saves by the key what is typed in. */
  async function save(file: WorkspaceFile, contents: RegExp): Promise<void> {
    await keyboard().press('Control+s');
    await until(
      'the file to be saved',
      async () => contents.test(await file.text()),
      5_000,
      () => file.text(),
    );
  }

  async function goToProposal(name: string): Promise<void> {
    await keyboard().press('Shift+Alt+K');
    await isIn(`${name} (proposed`);
  }

  /** Again where it came too soon for what had only just come to the front. @returns when, in ms since the epoch */
  async function decide(key: string, isDecided: () => Promise<boolean>): Promise<number> {
    let pressedAt = 0;
    await until(`what ${key} decides`, async () => {
      await sleep(aMoment);
      if (await isDecided()) return true;
      pressedAt = Date.now();
      await keyboard().press(key);
      return false;
    });
    return pressedAt;
  }

  const isEdited = async (file: WorkspaceFile) => (await file.text()) === 'one\nTWO\n';

  /** Accepts the edit of that file, after which the next one of the same answer has the focus, if it comes soon enough. */
  async function decideBefore(next: string, file: WorkspaceFile): Promise<void> {
    const tab = `${next} (proposed`;
    const comesAt = page().evaluate<number>(`new Promise((done) => {
      const isThere = () => [...document.querySelectorAll('.tab')].some(({ textContent }) => textContent.includes('${tab}'));
      const look = () => (isThere() ? done(Date.now()) : setTimeout(look, 20));
      look();
    })`);
    const pressedAt = await decide('Control+Enter', () => isEdited(file));
    // On a busy machine the CLI takes longer for it.
    if ((await comesAt) - pressedAt < 1_300) await isIn(tab);
    else await goToProposal(next);
  }

  const waiting = async () =>
    (await desk().window.tabLabels()).filter((label) => label.includes('(proposed edit)'));

  it('none is lost or decides when an edit is proposed while they type; what they then write in it is kept', async () => {
    const file = await desk().file('target.txt', 'one\ntwo\n');
    const { claude, goOn } = await askToEdit(desk(), file);
    const notes = await openNotes('notes.txt');
    const typed = keyboard().type(hundredKeys, { delay: 20 });
    goOn();
    await until('the proposal', async () => (await waiting()).length === 1, 20_000);
    await typed;
    await claude.terminal.shows('Do you want to make this edit');
    await isIn('notes.txt');
    await save(notes, /^(abcdefghi\.){10}$/);
    assert.deepEqual(await waiting(), ['target.txt (proposed edit)']);

    await goToProposal('target.txt');
    await keyboard().press('Control+Home');
    await keyboard().type('mine ');
    await decide('Control+Shift+Backspace', async () => (await waiting()).length === 0);
    await claude.terminal.shows('rejected update to');
    await isIn('notes.txt');
    assert.equal(await file.text(), 'one\ntwo\n');
    await until(
      'what was written in it',
      async () => (await desk().window.tabLabels()).some((label) => label.startsWith('mine one')),
      5_000,
      () => desk().window.tabLabels(),
    );
    assert.equal(resultOf('Edit', await claude.ask('why not?'))?.isError, true);
  });

  it('Ctrl+Escape goes to its prompt and back; Ctrl+Enter accepts one edit, and the next, after which they are back', async () => {
    const files = [
      await desk().file('a.txt', 'one\ntwo\n'),
      await desk().file('b.txt', 'one\ntwo\n'),
    ] as const;
    const claude = await desk().startClaude();
    const notes = await openNotes('diary.txt');
    await keyboard().press('Control+Escape');
    await isInTerminal();
    await keyboard().type('edit both');
    await claude.terminal.shows('edit both');
    claude.api.script([...files.flatMap(({ path }) => editTurns(path, 'two', 'TWO')), text('edited them')]);
    await claude.terminal.settled(); // an Enter that comes with the words is one of them
    await keyboard().press('Enter');
    await keyboard().press('Control+Escape');
    await isIn('diary.txt');
    const [first, second] = files;
    await until(
      'the proposal',
      async () => {
        await keyboard().type('x', { delay: 50 });
        return (await waiting()).join().startsWith('a.txt');
      },
      20_000,
    );
    await isIn('diary.txt');
    await goToProposal('a.txt');
    await decideBefore('b.txt', first);
    await decide('Control+Enter', () => isEdited(second));
    await isIn('diary.txt');
    await claude.terminal.shows('edited them');
    await save(notes, /^x+$/);
  });

  it('decide one by one what two of them propose, in Review All', async () => {
    const files = [await desk().file('a.txt', 'one\ntwo\n'), await desk().file('b.txt', 'one\ntwo\n')];
    for (const file of files) {
      const claude = await desk().startClaude();
      claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
      await claude.prompt('please edit');
      await desk().window.diffOf(path.basename(file.path));
    }
    const edited = async () => (await Promise.all(files.map(isEdited))).filter(Boolean).length;

    await desk().window.runCommand('IDE Bridge: Review All Proposals');
    await isIn('Proposals of ');
    await decide('Control+Enter', async () => (await edited()) === 1);
    await page().locator('.tab.active', { hasText: '(1 file' }).waitFor();
    await isIn('Proposals of ');
    await decide('Control+Shift+Backspace', async () => (await desk().window.tabLabels()).length === 0);
    assert.equal(await edited(), 1);
  });

  it('Alt+K mentions while it asks whether to trust its folder, and the mention is in its prompt afterwards', async () => {
    // Of each try: it is trusted from then on.
    const stranger = await desk().file(`../../untrusted-${Date.now()}/readme.txt`, 'trust me\n');
    const started = desk().startClaude('default', `cd ${path.dirname(stranger.path)}`);
    started.catch(() => {}); // awaited below, if the test comes so far
    const terminal = page().locator('.panel .terminal-wrapper.active');
    await terminal.getByText('Yes, I trust this folder').waitFor();
    await openNotes('more.txt');
    await desk().window.mention();
    await page().getByText('waits for the next one').first().waitFor();
    await terminal.locator('.xterm-helper-textarea').focus();
    await keyboard().press('ArrowDown');
    await terminal.getByText('❯ Yes, I trust this folder').waitFor();
    await keyboard().press('Enter');
    const claude = await started;
    // From the folder of the CLI.
    await claude.terminal.shows('@../workspace/');
    await claude.terminal.shows('/more.txt');
  });

  it('none is lost in a file to which they have gone by its name while it works: the edit waits behind it', async () => {
    const file = await desk().file('target.txt', 'one\ntwo\n');
    const notes = await openNotes('list.txt');
    await openNotes('other.txt');
    const { claude, goOn } = await askToEdit(desk(), file);
    await desk().window.openFile(notes.path);
    await isIn('list.txt');
    goOn();
    await until('the proposal', async () => (await waiting()).length === 1, 20_000);
    await keyboard().type('milk');
    await claude.terminal.shows('Do you want to make this edit');
    await isIn('list.txt');
    await save(notes, /^milk$/);
    await goToProposal('target.txt');
    await decide('Control+Enter', () => isEdited(file));
    await isIn('list.txt');
  });

  it('Ctrl+Enter accepts one edit after another, though they have come from its terminal, and then they are back there', async () => {
    const names = ['a.txt', 'b.txt', 'c.txt'];
    const files = await Promise.all(names.map((name) => desk().file(name, 'one\ntwo\n')));
    const claude = await desk().startClaude();
    claude.api.script([...files.flatMap(({ path }) => editTurns(path, 'two', 'TWO')), text('edited them')]);
    await claude.prompt('edit all');
    await page().locator('.tab.active', { hasText: 'a.txt (proposed' }).waitFor();
    await isInTerminal();
    await goToProposal('a.txt');
    for (const [index, file] of files.entries()) {
      const next = names[index + 1];
      if (next === undefined) await decide('Control+Enter', () => isEdited(file));
      else await decideBefore(next, file);
    }
    await claude.terminal.shows('edited them');
    await isInTerminal();
  });
});
