import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { History } from '../../../src/agent/history.ts';
import type { Conversation } from '../../../src/agent/conversation.ts';
import { PastSessions } from '../../../src/records/pastSessions.ts';
import { cwd, linesOf, recorded, versions } from '../records/fixtures.ts';

describe('The history of sessions', () => {
  let projects: string;
  let trash: string[];
  let history: History;

  beforeEach(() => {
    projects = fs.mkdtempSync(join(tmpdir(), 'ide-bridge-history-'));
    trash = [];
    history = new History(new PastSessions(projects), (path) => {
      trash.push(path);
      fs.rmSync(path, { recursive: true });
      return Promise.resolve();
    });
  });

  afterEach(() => fs.rmSync(projects, { recursive: true }));

  function write(name: string, lines: readonly string[]): void {
    const path = join(projects, name);
    fs.mkdirSync(dirname(path), { recursive: true });
    fs.writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
  }

  const shown = (conversation: Conversation) =>
    conversation
      .snapshot()
      .items.map((item) =>
        item.kind === 'toolUse'
          ? `${item.name} ${item.state}`
          : 'text' in item
            ? `${item.kind}: ${item.text}`
            : item.kind,
      );

  for (const version of versions) {
    it(`reads a conversation of ${version}, whatever its folder is called`, async () => {
      const { sessionId } = recorded[version];
      write(`some name/${sessionId}.jsonl`, linesOf(version));
      const [session, ...others] = await history.list(cwd);
      assert.ok(session);
      assert.deepEqual(others, []);
      assert.equal(session.cwd, cwd);
      assert.deepEqual(await history.list(`${cwd}-other`), []);
      assert.equal((await history.list()).length, 1);
      const { conversation, leftOut, broken } = await history.read(session);
      const lines = shown(conversation);
      assert.deepEqual([leftOut, broken], [0, 0]);
      assert.equal(lines[0], 'prompt: say hello');
      assert.ok(lines.some((line) => line.startsWith('text: ')));
      assert.ok(lines.includes('Edit done') && lines.includes('Write done'), lines.join('\n'));
      assert.ok(!lines.some((line) => /running|streaming/.test(line)));
      assert.equal(conversation.current.isRunning, false);
    });
  }

  it('leaves out what is broken, being written, or too long ago, and says so', async () => {
    const { sessionId } = recorded['2.1.330'];
    const [first = '', ...lines] = linesOf('2.1.330');
    write(`a/${sessionId}.jsonl`, [first, '{"type":"user","mess', ...lines]);
    const [session] = await history.list(cwd);
    assert.ok(session);
    fs.appendFileSync(session.path, '{"type":"user","message":{"role":"user","content":"unfin');
    const whole = await history.read(session);
    assert.equal(whole.broken, 1);
    assert.ok(!shown(whole.conversation).some((line) => line.includes('unfin')));
    const end = await history.read(session, 4_000);
    assert.equal(end.leftOut, fs.statSync(session.path).size - 4_000);
    assert.equal(end.broken, 0);
    assert.ok(shown(end.conversation).length < shown(whole.conversation).length);
    fs.rmSync(session.path);
    await assert.rejects(history.read(session), /could not be read/);
  });

  it('renames a session as the CLI does, while it writes too', async () => {
    const { sessionId } = recorded['2.1.330'];
    write(`a/${sessionId}.jsonl`, linesOf('2.1.330'));
    const [session] = await history.list();
    assert.ok(session);
    history.rename(session, '  The\nnew   "name" ');
    assert.equal((await history.list())[0]?.title, 'The new "name"');
    assert.throws(() => history.rename(session, ' \n'), /needs a name/);
    fs.renameSync(session.path, `${session.path}.elsewhere`);
    fs.symlinkSync(`${session.path}.elsewhere`, session.path);
    assert.throws(() => history.rename(session, 'x'), /could not be renamed/);
  });

  it('puts a session with its sub-agents into the trash', async () => {
    const { sessionId } = recorded['2.1.330'];
    write(`a/${sessionId}.jsonl`, linesOf('2.1.330'));
    write(`a/${sessionId}/subagents/agent-1.jsonl`, ['{}']);
    write(`a/memory/notes.jsonl`, ['{}']);
    const [session] = await history.list();
    assert.ok(session);
    await history.delete(session);
    assert.deepEqual(trash, [join(projects, 'a', `${sessionId}.jsonl`), join(projects, 'a', sessionId)]);
    assert.deepEqual(await history.list(), []);
  });

  it('renames a session also where the CLI has left its last line half', async () => {
    const { sessionId } = recorded['2.1.330'];
    write(`a/${sessionId}.jsonl`, linesOf('2.1.330'));
    const [session] = await history.list();
    assert.ok(session);
    fs.appendFileSync(session.path, '{"type":"assistant","mess');
    history.rename(session, 'The new name');
    assert.equal((await history.list())[0]?.title, 'The new name');
    assert.equal((await history.read(session)).broken, 1);
  });
});
