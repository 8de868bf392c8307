import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { TypedTexts } from '../../../src/proposals/typedTexts.ts';

/** ms */
const day = 24 * 60 * 60 * 1_000;

describe('texts that were typed into proposals', () => {
  const typed = { id: 'a', uri: 'ide-bridge-proposal:/a.txt?1', language: 'plaintext', text: 'mine' };
  let root: string;
  let dir: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ide-bridge-typed-'));
    dir = join(root, 'proposals');
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const onlyFile = () => join(dir, readdirSync(dir)[0] ?? '');

  /** As if another process had written it. */
  function keepAs(pid: number): void {
    new TypedTexts(dir).keep(typed);
    const content = readFileSync(onlyFile(), 'utf8');
    writeFileSync(onlyFile(), content.replace(`"pid":${process.pid}`, `"pid":${pid}`));
  }

  it('are for the next extension host, not for the one that keeps them', async () => {
    const texts = new TypedTexts(dir);
    texts.keep({ ...typed, text: 'mi' });
    texts.keep(typed);
    assert.deepEqual(await othersOf(texts), []);
    assert.deepEqual(await othersOf(new TypedTexts(dir)), [{ ...typed, isLeft: true }]);
    texts.forget(typed.id);
    assert.deepEqual(readdirSync(dir), []);
  });

  it('can be read by this user only', () => {
    new TypedTexts(dir).keep(typed);
    assert.deepEqual(
      [dir, onlyFile()].map((path) => statSync(path).mode & 0o777),
      [0o700, 0o600],
    );
  });

  it('are left when their extension host is gone, not while it lives', async () => {
    const host = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    await once(host, 'spawn');
    assert.ok(host.pid);
    keepAs(host.pid);
    assert.deepEqual(await othersOf(new TypedTexts(dir)), [{ ...typed, isLeft: false }]);
    host.kill('SIGKILL');
    await once(host, 'exit');
    assert.deepEqual(await othersOf(new TypedTexts(dir)), [{ ...typed, isLeft: true }]);
  });

  it('are left when the machine was started since, whoever has the number of their process now', async () => {
    keepAs(process.ppid);
    assert.equal((await othersOf(new TypedTexts(dir)))[0]?.isLeft, false);
    const beforeStart = new Date(Date.now() - 1_000 * uptime() - 60_000);
    utimesSync(onlyFile(), beforeStart, beforeStart);
    assert.equal((await othersOf(new TypedTexts(dir)))[0]?.isLeft, true);
  });

  it('wait for their workspace to be opened again, however long that takes', async () => {
    new TypedTexts(dir).keep(typed);
    const longAgo = new Date(Date.now() - 365 * day);
    utimesSync(onlyFile(), longAgo, longAgo);
    assert.deepEqual(await othersOf(new TypedTexts(dir)), [{ ...typed, isLeft: true }]);
    assert.equal(readdirSync(dir).length, 1);
  });

  it('go when they cannot be read as such, and half written ones after 14 days', async () => {
    new TypedTexts(dir).keep(typed);
    rmSync(onlyFile());
    writeFileSync(join(dir, 'half.json'), '{"uri":');
    const temporary = join(dir, '.0123456789abcdef.tmp');
    writeFileSync(temporary, 'half');
    const longAgo = new Date(Date.now() - 15 * day);
    utimesSync(temporary, longAgo, longAgo);
    assert.deepEqual(await othersOf(new TypedTexts(dir)), []);
    assert.deepEqual(readdirSync(dir), []);
  });

  it('of a version that kept one for each proposal are not lost to this one', async () => {
    const texts = new TypedTexts(dir);
    texts.keep({ ...typed, id: typed.uri });
    const { id, ...rest } = z
      .looseObject({ id: z.string() })
      .parse(JSON.parse(readFileSync(onlyFile(), 'utf8')));
    writeFileSync(onlyFile(), JSON.stringify(rest));
    assert.deepEqual(await othersOf(new TypedTexts(dir)), [{ ...typed, id, isLeft: true }]);
    texts.forget(id);
    assert.deepEqual(readdirSync(dir), []);
  });

  it('are none where nothing was typed', async () => {
    assert.deepEqual(await othersOf(new TypedTexts(dir)), []);
  });

  it('leave alone what another window is just writing', async () => {
    new TypedTexts(dir).keep(typed);
    const temporary = join(dir, '.0123456789abcdef.tmp');
    writeFileSync(temporary, 'half');
    await othersOf(new TypedTexts(dir));
    assert.equal(readFileSync(temporary, 'utf8'), 'half');
  });

  it('of more than 32 MB are not kept', () => {
    assert.throws(
      () => new TypedTexts(dir).keep({ ...typed, text: 'x'.repeat(33 * 1024 * 1024) }),
      /too many/,
    );
  });

  it('of a window on another workspace are for the one that they belong to now, once they are its', async () => {
    const other = join(root, 'other');
    new TypedTexts(other).keep(typed);
    writeFileSync(join(root, 'stray'), 'no folder');
    const texts = new TypedTexts(dir);
    const [always, never] = [() => true, () => false];
    const left = [{ ...typed, isLeft: true }];
    assert.deepEqual(await othersOf(texts, never, always), []);
    assert.deepEqual(await othersOf(texts, always, never), left);
    assert.equal(readdirSync(other).length, 1);
    assert.deepEqual(await othersOf(texts, always, always), left);
    assert.deepEqual(readdirSync(other), []);
    texts.forget(typed.id);
    assert.deepEqual(readdirSync(dir), []);
  });
});

/** What a window is told of other hosts, but for those. */
async function othersOf(texts: TypedTexts, isHere = () => false, isOurs = () => true) {
  const left = await texts.ofOthers(isHere, isOurs);
  return left.map(({ id, uri, language, text, isLeft }) => ({ id, uri, language, text, isLeft }));
}
