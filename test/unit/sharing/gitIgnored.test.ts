import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GitIgnored } from '../../../src/sharing/gitIgnored.ts';
import { Git } from '../../../src/server/git.ts';
import { trustedProcesses } from '../../support/trusted.ts';
import { until } from '../../support/until.ts';

describe('what Git has told of ignored files', () => {
  let folder: string;
  let file: string;
  let ignored: GitIgnored;
  let now: number;
  let told: number;
  /** What Git was asked for. */
  const asked: string[] = [];
  let onAnswer: (() => void) | undefined;

  class ToldGit extends Git {
    override async run(...[cwd, args, options]: Parameters<Git['run']>): ReturnType<Git['run']> {
      asked.push(...(options?.input ?? '').split('\0').filter(Boolean));
      const answer = await super.run(cwd, args, options);
      onAnswer?.();
      return answer;
    }
  }

  beforeEach(async () => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'ide-bridge-ignored-')));
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    file = join(folder, 'a.txt');
    now = 0;
    told = 0;
    ignored = new GitIgnored(
      new ToldGit(trustedProcesses),
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

  it('counts no longer after five minutes, and is told anew, be it the same', async () => {
    now = 300_000;
    assert.equal(ignored.isIgnored(file), false);
    await ignored.learn([]);
    assert.equal(told, 1);
    now = 600_001;
    assert.equal(ignored.isIgnored(file), undefined);
    await until('the same answer', () => told === 2);
    assert.equal(ignored.isIgnored(file), false);
  });

  it('counts no longer when the rules are others, which is told at once', async () => {
    ignore();
    ignored.forget();
    assert.equal(told, 2);
    assert.equal(ignored.isIgnored(file), undefined);
    ignored.forget(); // no answer has come since
    assert.equal(told, 2);
    await until('the new answer', () => ignored.isIgnored(file) === true);
    assert.equal(told, 3);
  });

  it('does not count when it comes from the rules before', async () => {
    onAnswer = () => {
      onAnswer = undefined;
      ignore();
      ignored.forget();
    };
    await ignored.learn([file]);
    assert.equal(onAnswer, undefined);
    assert.equal(ignored.isIgnored(file), true);
  });

  it('is asked for all folders anew when the rules are others before the last of them is answered', async () => {
    const other = join(folder, 'other', 'b.txt');
    mkdirSync(dirname(other));
    onAnswer = () => {
      onAnswer = () => {
        onAnswer = undefined;
        ignored.forget();
      };
    };
    await ignored.learn([file, other]);
    assert.equal(onAnswer, undefined);
    assert.equal(ignored.isIgnored(file), false);
    assert.equal(ignored.isIgnored(other), false);
  });

  it('counts until Git has answered anew when the index is another, and is told if it has changed', async () => {
    ignored.renew();
    assert.equal(ignored.isIgnored(file), false);
    await ignored.learn([]);
    assert.equal(told, 1);
    ignore();
    ignored.renew();
    await until('the new answer', () => ignored.isIgnored(file) === true);
    assert.equal(told, 2);
  });

  it('is not asked anew for ever, but while somebody looks at it', async () => {
    const other = join(folder, 'other.txt');
    await ignored.learn([other]);
    for (const time of [200_000, 400_000]) {
      now = time;
      ignored.isIgnored(file);
      asked.length = 0;
      ignored.renew();
      await ignored.learn([]);
    }
    assert.deepEqual(asked, ['./a.txt']);
    assert.equal(ignored.isIgnored(file), false);
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
