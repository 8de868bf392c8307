import assert from 'node:assert/strict';
import { Deferred } from '../../src/base/deferred.ts';
import { reviewRows } from '../support/reviewRows.ts';
import { until } from '../support/until.ts';
import type { Claude } from './claude.ts';
import type { Desk, WorkspaceFile } from './desk.ts';
import { contextText, editTurns, resultOf, text } from './mockApi.ts';

/** Asks a new CLI to edit that file, which says "one" and "two", and has the model wait before it does. @returns lets it */
export async function askToEdit(
  desk: Desk,
  { path }: WorkspaceFile,
): Promise<{ claude: Claude; goOn: () => void }> {
  const claude = await desk.startClaude();
  const [read = [], edit = []] = editTurns(path, 'two', 'TWO');
  const mayEdit = new Deferred<void>();
  claude.api.script([read]);
  claude.api.script([edit], mayEdit.promise);
  await claude.prompt('please edit');
  return { claude, goOn: () => mayEdit.settle() };
}

/** What has to work with every CLI that people still use. */
export function coreScenarios(desk: () => Desk): void {
  it('connects by itself when it is started in an integrated terminal', async () => {
    const claude = await desk().startClaude();
    assert.notEqual(claude.terminal.bridgePort, '');

    // Only a connected IDE makes the CLI offer this tool: in its list, or by name in the context. It fetches the list
    // in its own time after it has connected, so the first prompt can be too early.
    let prompts = 0;
    await until("a request that offers the editor's tools", async () => {
      const { tools, system, messages } = await claude.ask(`hello number ${++prompts}`);
      return JSON.stringify([tools, system, messages]).includes('mcp__ide__getDiagnostics');
    });
  });

  it("puts the editor's selection into the model's context", async () => {
    const file = await desk().file(
      'poem.txt',
      'roses are red\nviolets are blue\nsugar is sweet\nso are you\n',
    );
    await desk().window.openFile('poem.txt');
    await desk().window.selectLines(2, 3);
    const claude = await desk().startClaude();
    await claude.terminal.shows('2 lines selected');
    const context = contextText(await claude.ask('what is this?'));
    assert.match(context, /violets are blue\nsugar is sweet/);
    assert.ok(context.includes(file.path));
    assert.doesNotMatch(context, /roses are red|so are you/);
  });

  it('writes an edit that is accepted in the diff', async () => {
    const file = await desk().file('accepted.txt', 'one\ntwo\nthree\n');
    const claude = await desk().startClaude();
    claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
    await claude.prompt('please edit');

    const diff = await desk().window.diffOf('accepted.txt');
    assert.deepEqual((await diff.lines('original')).slice(0, 3), ['one', 'two', 'three']);
    assert.deepEqual((await diff.lines('modified')).slice(0, 3), ['one', 'TWO', 'three']);
    assert.equal(await file.text(), 'one\ntwo\nthree\n');
    await diff.accept();

    const result = await claude.api.nextResult('Edit');
    assert.equal(result.isError, false);
    assert.match(result.text, /has been updated/);
    assert.doesNotMatch(result.text, /user modified/);
    assert.equal(await file.text(), 'one\nTWO\nthree\n');
    await diff.gone();
    await claude.terminal.shows('edited it');
    await desk().window.runCommand('Claude Code: Focus on Review View');
    const changes = reviewRows(desk().window.page);
    await changes.filter({ hasText: 'all reviewed' }).waitFor();
    assert.equal(await changes.count(), 1); // not the file
  });

  it("writes the user's changes to an edit and tells the model of them", async () => {
    const file = await desk().file('amended.txt', 'one\ntwo\nthree\n');
    const claude = await desk().startClaude();
    claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
    await claude.prompt('please edit');

    const diff = await desk().window.diffOf('amended.txt');
    await diff.typeAfter('TWO', ' and a half');
    await diff.accept();

    const result = await claude.api.nextResult('Edit');
    assert.equal(result.isError, false);
    assert.match(result.text, /user modified your proposed changes/);
    assert.equal(await file.text(), 'one\nTWO and a half\nthree\n');
    await diff.gone();
    await claude.terminal.shows('edited it');
  });

  it('leaves the file alone when the edit is rejected in the diff', async () => {
    const file = await desk().file('rejected.txt', 'one\ntwo\nthree\n');
    const claude = await desk().startClaude();
    claude.api.script(editTurns(file.path, 'two', 'TWO'));
    await claude.prompt('please edit');

    const diff = await desk().window.diffOf('rejected.txt');
    await diff.reject();
    await diff.gone();
    await claude.terminal.shows('rejected update to');

    // The CLI stops here and tells the model with the next prompt.
    const result = resultOf('Edit', await claude.ask('why not?'));
    assert.equal(result?.isError, true);
    assert.match(result.text, /doesn't want to proceed/);
    assert.equal(await file.text(), 'one\ntwo\nthree\n');
  });

  it('closes the diff when the edit is approved in the terminal', async () => {
    const file = await desk().file('approved.txt', 'one\ntwo\nthree\n');
    const claude = await desk().startClaude();
    claude.api.script([...editTurns(file.path, 'two', 'TWO'), text('edited it')]);
    await claude.prompt('please edit');

    const diff = await desk().window.diffOf('approved.txt');
    await claude.sayYes();
    await diff.gone();

    const result = await claude.api.nextResult('Edit');
    assert.equal(result.isError, false);
    assert.doesNotMatch(result.text, /user modified/);
    assert.equal(await file.text(), 'one\nTWO\nthree\n');
    await claude.terminal.shows('edited it');
  });
}
