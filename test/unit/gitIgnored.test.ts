import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GitIgnored } from '../../src/editor/gitIgnored.ts';
import { trustedGit } from '../support/trusted.ts';
import { until } from '../support/until.ts';

describe('what Git has told of ignored files', () => {
  let folder: string;
  let file: string;
  let ignored: GitIgnored;
  let now: number;
  let told: number;

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'ide-bridge-ignored-')));
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    file = join(folder, 'a.txt');
    now = 0;
    told = 0;
    ignored = new GitIgnored(
      trustedGit,
      () => true,
      () => now,
    );
    ignored.onDidLearn(() => told++);
    assert.equal(ignored.isIgnored(file), undefined);
    await until('the answer', () => ignored.isIgnored(file) === false);
    await ignored.learn([]); // what was asked meanwhile
  });
  afterEach(() => {
    ignored.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  /** By a way that nothing watches. */
  function ignore(): void {
    writeFileSync(join(folder, 'rules'), '*.txt\n');
    execFileSync('git', ['config', 'core.excludesFile', join(folder, 'rules')], { cwd: folder });
  }

  it('is asked anew by the first look after 30 seconds', async () => {
    ignore();
    now = 30_000;
    assert.equal(ignored.isIgnored(file), false);
    await ignored.learn([]);
    assert.equal(ignored.isIgnored(file), false, 'asked too early');
    now = 30_001;
    ignored.isIgnored(file);
    await until('the new answer', () => ignored.isIgnored(file) === true);
    assert.equal(told, 2);
  });

  it('is asked anew when the rules may be others, and told if they are', async () => {
    ignored.renew();
    await ignored.learn([]);
    assert.equal(told, 1);
    ignore();
    ignored.renew();
    await until('the new answer', () => ignored.isIgnored(file) === true);
    assert.equal(told, 2);
  });

  it('is asked anew before a mention', async () => {
    ignore();
    await ignored.learn([file]);
    assert.equal(ignored.isIgnored(file), true);
  });

  it('counts no longer when Git fails', async () => {
    appendFileSync(join(folder, '.git/config'), 'no configuration');
    await ignored.learn([file]);
    assert.equal(ignored.isIgnored(file), undefined);
    assert.equal(told, 2);
  });
});
