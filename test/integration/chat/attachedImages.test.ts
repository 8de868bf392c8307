import assert from 'node:assert/strict';
import { symlinkSync } from 'node:fs';
import * as vscode from 'vscode';
import { noImages } from '../../../src/agent/promptImages.ts';
import { attachedImages } from '../../../src/chat/attachedImages.ts';
import { useDesk } from '../bridge.ts';

describe('images attached to a prompt', () => {
  const desk = useDesk();
  const gif = Buffer.from('GIF89a');
  const none = () => Promise.resolve(noImages);
  const sharing = {
    learn: () => Promise.resolve(),
    exclusion: ({ path }: vscode.Uri) => (path.endsWith('secret.gif') ? 'excluded by a test' : undefined),
  };
  const attached = (value: unknown, id = 'attached') => attachedImages([{ id, value }], sharing, none);
  const file = (name: string, bytes: Buffer) => vscode.Uri.file(desk.scratch.write(name, bytes));
  const refusal = async (value: unknown) => {
    const { images, refusals } = await attached(value);
    assert.deepEqual(images, []);
    return refusals.join();
  };

  it('are files by their names, and data that the editor hands over', async () => {
    const data = { mimeType: 'image/gif', data: () => Promise.resolve(gif) };
    for (const value of [file('a.gif', gif), data]) {
      const { images, refusals } = await attached(value);
      assert.deepEqual(refusals, []);
      assert.equal(images[0]?.mediaType, 'image/gif');
    }
  });

  it('are none of what the editor attaches by itself, and of what is no image', async () => {
    const nothing = { images: [], refusals: [] };
    assert.deepEqual(await attached(file('a.gif', gif), 'vscode.implicit.file'), nothing);
    assert.deepEqual(await attached(file('a.txt', gif)), nothing);
    assert.deepEqual(await attached('a.gif'), nothing);
    assert.deepEqual(await attached(undefined), nothing);
  });

  it('are refused in words', async () => {
    const large = Buffer.concat([gif, Buffer.alloc(3_750_000)]);
    assert.match(await refusal(file('b.gif', large)), /^b\.gif .*larger than 3\.75 MB\.$/);
    const data = { mimeType: 'image/gif', data: () => Promise.resolve(large) };
    assert.match(await refusal(data), /^A picture .*larger than/);
    assert.match(await refusal(file('c.png', Buffer.from('BM'))), /no PNG, JPEG, GIF or WebP/);
    assert.match(await refusal(vscode.Uri.file(desk.scratch.path('gone.gif'))), /cannot be read/);
  });

  it('are no more of one conversation than the API takes, in number and together', async () => {
    const picture = (name: string, bytes: number) => ({
      id: name,
      value: {
        mimeType: 'image/gif',
        reference: vscode.Uri.file(`/${name}.gif`),
        data: () => Promise.resolve(Buffer.concat([gif, Buffer.alloc(bytes - gif.length)])),
      },
    });
    const large = Array.from({ length: 8 }, (_, index) => picture(`large${index}`, 3_700_000));
    const together = await attachedImages([...large, picture('small', 100_000)], sharing, none);
    assert.equal(together.images.length, 7);
    assert.deepEqual(together.refusals, [
      'Left out, as a conversation takes 100 images of 22.5 MB together (/compact makes room): large6.gif, large7.gif.',
    ]);
    const many = Array.from({ length: 125 }, (_, index) => picture(`many${index}`, 10));
    const { images, refusals } = await attachedImages(many, sharing, none);
    assert.equal(images.length, 100);
    assert.match(refusals.join(), /: many100\.gif, .*, many119\.gif and 5 more\.$/);
    const one = file('one.gif', Buffer.concat([gif, Buffer.alloc(3_700_000)]));
    const next = await attachedImages([...large.slice(0, 6), { id: 'one', value: one }], sharing, none);
    assert.match(next.refusals.join(), /: one\.gif\.$/);
    const after = async (before: { count: number; bytes: number }) =>
      (
        await attachedImages([picture('a', 1_000_000), picture('b', 1_000_000)], sharing, () =>
          Promise.resolve(before),
        )
      ).images.length;
    assert.equal(await after({ count: 98, bytes: 20_500_000 }), 2);
    assert.equal(await after({ count: 99, bytes: 0 }), 1);
    assert.equal(await after({ count: 1, bytes: 21_000_000 }), 1);
    assert.equal(await after({ count: 110, bytes: 30_000_000 }), 0);
  });

  it('are kept back as their files are, also by a link', async () => {
    const secret = file('secret.gif', gif);
    assert.match(await refusal(secret), /it is excluded by a test/);
    const read = { mimeType: 'image/gif', reference: secret, data: () => Promise.resolve(gif) };
    assert.match(await refusal(read), /^secret\.gif .*excluded by a test/);
    const link = desk.scratch.path('link.gif');
    symlinkSync(secret.fsPath, link);
    assert.match(await refusal(vscode.Uri.file(link)), /^link\.gif .*excluded by a test/);
  });
});
