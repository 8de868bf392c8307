import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imagesBack } from '../../../src/records/imagesBack.ts';

describe('the images in the prompts of a session', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ide-bridge-images-'));
  const path = join(folder, 'session.jsonl');

  after(() => rmSync(folder, { recursive: true }));

  const prompt = (second: number, sizes: readonly number[], more: object = {}) => ({
    type: 'user',
    sessionId: 'mine',
    timestamp: new Date(second * 1_000).toISOString(),
    message: {
      role: 'user',
      content: [
        ...sizes.map((size) => ({
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: Buffer.alloc(size).toString('base64') },
        })),
        { type: 'text', text: 'the word "base64"' },
      ],
    },
    ...more,
  });
  const count = async (lines: readonly object[], until: number) => {
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return imagesBack(path, 'mine', until * 1_000);
  };

  it('are counted until then, and none of sub-agents or of other sessions', async () => {
    const lines = [
      prompt(1, [10, 20]),
      prompt(2, [5], { isSidechain: true }),
      prompt(2, [5], { sessionId: 'another' }),
      prompt(3, [3]),
      prompt(4, [7]),
    ];
    assert.deepEqual(await count(lines, 4), { count: 3, bytes: 33 });
    assert.deepEqual(await imagesBack(join(folder, 'gone'), 'mine', 4_000), { count: 0, bytes: 0 });
  });

  it('are those since it was compacted last', async () => {
    const boundary = { type: 'system', subtype: 'compact_boundary', sessionId: 'mine' };
    assert.deepEqual(await count([prompt(1, [10]), boundary, prompt(3, [3])], 9), { count: 1, bytes: 3 });
  });

  it('are also those that its tools have found', async () => {
    const found = { ...prompt(1, [10, 20]).message.content };
    const content = [{ type: 'tool_result', tool_use_id: 't', content: Object.values(found) }];
    const lines = [prompt(1, [3]), { ...prompt(2, []), message: { role: 'user', content } }];
    assert.deepEqual(await count(lines, 9), { count: 3, bytes: 33 });
  });
});
