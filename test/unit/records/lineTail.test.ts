import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { linesBack } from '../../../src/records/linesBack.ts';
import { LineTail, type LineLimits } from '../../../src/records/lineTail.ts';
import { memoryInUse } from '../../support/memory.ts';

describe('following the lines of a file', () => {
  let folder: string;
  let path: string;
  let tails: LineTail[];

  beforeEach(() => {
    folder = fs.mkdtempSync(join(tmpdir(), 'records-'));
    path = join(folder, 'transcript.jsonl');
    tails = [];
  });

  afterEach(() => {
    tails.forEach((tail) => tail.dispose());
    fs.rmSync(folder, { recursive: true, force: true });
  });

  function follow(limits: LineLimits = { line: 1_000, chunk: 7 }) {
    const told: string[] = [];
    const tail = new LineTail(
      path,
      {
        line: (bytes) => told.push(bytes.toString('utf8')),
        skipped: (bytes) => told.push(`skipped ${bytes}`),
        restarted: () => {
          told.push('restarted');
          return true;
        },
      },
      limits,
    );
    tails.push(tail);
    return { tail, told };
  }

  /** Lines that differ, with what is not ASCII in them. */
  const lines = (count: number, what: string) =>
    Array.from({ length: count }, (_, i) => `${what} ${i} ${'é漢😀'.repeat(i % 5)}`);

  it('goes on where it is told to within the telling that the file is another one', async () => {
    const told: string[] = [];
    const tail: LineTail = new LineTail(path, {
      line: (bytes) => told.push(bytes.toString('utf8')),
      skipped: () => {},
      restarted: () => {
        tail.startAt(0, undefined);
        return false;
      },
    });
    tails.push(tail);
    fs.writeFileSync(path, 'one and more\n');
    await tail.read();
    fs.writeFileSync(path, 'two\n');
    await tail.read();
    fs.appendFileSync(path, 'three\n');
    await tail.read();
    assert.deepEqual(told, ['one and more', 'two', 'three']);
  });

  it('tells each whole line once, in order, in whatever pieces its bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(60), { maxLength: 40 }),
        fc.integer({ min: 1, max: 30 }),
        fc.nat(12),
        async (cuts, chunk, count) => {
          fs.rmSync(path, { force: true });
          const { tail, told } = follow({ line: 1_000, chunk });
          const expected = lines(count, 'line');
          let rest = Buffer.from(expected.map((line) => `${line}\n`).join(''));
          for (const cut of [...cuts, rest.length]) {
            fs.appendFileSync(path, rest.subarray(0, cut));
            rest = rest.subarray(cut);
            await tail.read();
          }
          assert.deepEqual(told, expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('begins anew, once, when the file was cut, replaced, or removed and made again', async () => {
    const loss = fc.record({
      how: fc.constantFrom('cut', 'cut and written', 'replaced', 'removed and made'),
      before: fc.integer({ min: 1, max: 8 }),
      after: fc.nat(20),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(loss, { minLength: 1, maxLength: 4 }), async (losses) => {
        fs.rmSync(path, { force: true });
        const { tail, told } = follow({ line: 1_000, chunk: 50 });
        const expected: string[] = [];
        for (const [round, { how, before, after }] of losses.entries()) {
          const grown = lines(before, `round ${round}, before`);
          fs.appendFileSync(path, `${grown.join('\n')}\n`);
          await tail.read();
          expected.push(...grown);
          const next = lines(after, `round ${round}, after`);
          const text = next.map((line) => `${line}\n`).join('');
          if (how === 'cut') {
            fs.truncateSync(path);
            await tail.read();
            fs.appendFileSync(path, text);
          } else if (how === 'cut and written') {
            fs.writeFileSync(path, text);
          } else if (how === 'replaced') {
            fs.writeFileSync(`${path}.new`, text);
            fs.renameSync(`${path}.new`, path);
          } else {
            fs.rmSync(path);
            await tail.read();
            fs.writeFileSync(path, text);
          }
          await tail.read();
          expected.push('restarted', ...next);
        }
        assert.deepEqual(told, expected);
      }),
      { numRuns: 60 },
    );
  });

  it('reads on where it was told to start', async () => {
    fs.writeFileSync(path, 'one\ntwo\n');
    const { tail, told } = follow();
    tail.startAt(4, fs.statSync(path));
    await tail.read();
    fs.appendFileSync(path, 'three\n');
    await tail.read();
    assert.deepEqual(told, ['two', 'three']);
  });

  it('tells what is written while it reads', async () => {
    const { tail, told } = follow({ line: 1_000, chunk: 4 });
    fs.writeFileSync(path, 'one\ntwo\n');
    const reading = tail.read();
    fs.appendFileSync(path, 'three\n');
    await Promise.all([reading, tail.read()]);
    assert.deepEqual(told, ['one', 'two', 'three']);
  });

  it('loses no call, at whatever moment of the one before it comes', async () => {
    const { tail, told } = follow();
    fs.writeFileSync(path, '');
    const expected: string[] = [];
    for (let moments = 0; moments < 20; moments++) {
      void tail.read();
      for (let i = 0; i < moments; i++) {
        await Promise.resolve();
      }
      fs.appendFileSync(path, `${moments}\n`);
      await tail.read();
      expected.push(String(moments));
      assert.deepEqual(told, expected);
    }
  });

  it('leaves out a line over the limit and goes on with the next', async () => {
    const { tail, told } = follow({ line: 10, chunk: 4 });
    fs.writeFileSync(path, `short\n${'x'.repeat(5_000)}\nnext\n0123456789\n0123456789a\n`);
    await tail.read();
    assert.deepEqual(told, ['short', 'skipped 5000', 'next', '0123456789', 'skipped 11']);
  });

  it('holds nothing of a line of 50 MB', async () => {
    const { tail, told } = follow({ line: 1024 * 1024, chunk: 256 * 1024 });
    const part = Buffer.alloc(1024 * 1024, 'x');
    for (let i = 0; i < 50; i++) {
      fs.appendFileSync(path, part);
    }
    const before = await memoryInUse();
    await tail.read();
    const held = (await memoryInUse()) - before;
    fs.appendFileSync(path, '\nnext\n');
    await tail.read();
    assert.deepEqual(told, [`skipped ${50 * 1024 * 1024}`, 'next']);
    assert.ok(held < 2 * 1024 * 1024, `${held} bytes`);
  });

  it('says why it cannot read, and reads once it can', async () => {
    const { tail, told } = follow();
    await tail.read();
    assert.equal(tail.reason, undefined);
    assert.equal(tail.isThere, false);
    fs.writeFileSync(join(folder, 'elsewhere'), 'secret\n');
    fs.symlinkSync(join(folder, 'elsewhere'), path);
    await tail.read();
    assert.match(tail.reason ?? '', /is a link$/);
    fs.unlinkSync(path);
    fs.mkdirSync(path);
    await tail.read();
    assert.match(tail.reason ?? '', /not a regular file$/);
    fs.rmdirSync(path);
    fs.writeFileSync(path, 'at last\n');
    await tail.read();
    assert.deepEqual([tail.reason, told], [undefined, ['at last']]);
  });

  it('finds the same lines backwards', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 40 }),
        fc.nat(12),
        fc.boolean(),
        async (chunk, count, isHalf) => {
          const expected = lines(count, 'line');
          const text = expected.map((line) => `${line}\n`).join('') + (isHalf ? 'half a li' : '');
          fs.writeFileSync(path, text);
          const fd = fs.openSync(path, 'r');
          try {
            const whole: string[] = [];
            const halves: number[] = [];
            for await (const found of linesBack(fd, fs.fstatSync(fd).size, undefined, {
              line: 1_000,
              chunk,
            })) {
              const { line, offset, isWhole } = found;
              assert.equal(isWhole, line !== undefined);
              if (line) {
                whole.unshift(line.toString('utf8'));
                assert.ok(
                  Buffer.from(text)
                    .subarray(offset, offset + line.length)
                    .equals(line),
                );
              } else {
                halves.push(offset);
              }
            }
            assert.deepEqual(whole, expected);
            assert.deepEqual(halves, isHalf ? [Buffer.byteLength(text) - 'half a li'.length] : []);
          } finally {
            fs.closeSync(fd);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('goes backwards past a line over the limit without holding it', async () => {
    fs.writeFileSync(path, `first\n${'x'.repeat(5_000)}\nlast\n`);
    const fd = fs.openSync(path, 'r');
    const found: (string | undefined)[] = [];
    for await (const { line } of linesBack(fd, fs.fstatSync(fd).size, undefined, { line: 100, chunk: 64 })) {
      found.push(line?.toString());
    }
    fs.closeSync(fd);
    assert.deepEqual(found, ['last', undefined, 'first']);
  });
});
