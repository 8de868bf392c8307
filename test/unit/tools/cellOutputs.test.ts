import assert from 'node:assert/strict';
import { type CellOutput, toContent } from '../../../src/tools/cellOutputs.ts';

const item = (mime: string, data: string | Uint8Array) => ({ mime, data: Buffer.from(data) });
const output = (...items: { mime: string; data: Uint8Array }[]): CellOutput => ({ items });
const stdout = (text: string) => item('application/vnd.code.notebook.stdout', text);
const stderr = (text: string) => item('application/vnd.code.notebook.stderr', text);
const texts = (outputs: CellOutput[], maxText = 1_000) =>
  toContent(outputs, maxText).map((block) => (block.type === 'text' ? block.text : block.mimeType));

describe('outputs of a cell', () => {
  it('join the pieces of a stream, a character cut in two included', () => {
    const [first, second] = [Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1)];
    const pieces = output(stdout('a'), item('application/vnd.code.notebook.stdout', first));
    const rest = output(item('application/vnd.code.notebook.stdout', second));
    assert.deepEqual(texts([pieces, rest, output(stderr('b')), output(stdout('c'))]), ['aé', 'b', 'c']);
  });

  it('lose colours, and of a progress bar all but its last state', () => {
    assert.deepEqual(texts([output(stdout('\u001b[31mred\u001b[0m\r\n10%\r20%\r100%\r\ndone'))]), [
      'red\n100%\ndone',
    ]);
  });

  it('are told in the form that is best for a model', () => {
    const html = item('text/html', '<b>1</b>');
    assert.deepEqual(texts([output(html, item('text/plain', '1'))]), ['1']);
    assert.deepEqual(texts([output(item('text/plain', '<Figure>'), item('image/png', 'png'))]), [
      'image/png',
    ]);
    assert.deepEqual(texts([output(item('image/svg+xml', '<svg/>'), item('image/png', 'png'))]), [
      'image/png',
    ]);
    assert.deepEqual(texts([output(html)]), ['<b>1</b>']);
    assert.deepEqual(texts([output(item('application/vnd.x+json', '{}'))]), ['{}']);
    assert.deepEqual(texts([output(item('video/mp4', 'x'))]), [
      '[An output of type video/mp4 cannot be shown here.]',
    ]);
  });

  it('tell an error that has no traceback by name and message', () => {
    const error = { name: 'Oops', message: 'went wrong' };
    assert.deepEqual(texts([output(item('application/vnd.code.notebook.error', JSON.stringify(error)))]), [
      'Oops: went wrong',
    ]);
  });

  it('hold no empty texts', () => {
    assert.deepEqual(texts([output(stdout('\n')), output(item('text/plain', ''))]), []);
  });

  it('are cut in the middle when they are too long, and keep the end', () => {
    const outputs = [
      output(stdout('a'.repeat(900))),
      output(stderr('b'.repeat(900))),
      output(stdout('the end')),
    ];
    const [first, second, third, ...more] = texts(outputs, 1_000);
    assert.equal(first, `${'a'.repeat(500)}\n[… 807 of 1,807 characters cut …]\n`);
    assert.equal(second, 'b'.repeat(493));
    assert.equal(third, 'the end');
    assert.deepEqual(more, []);
  });

  it('leave out images that are too large', () => {
    const large = output(item('image/png', new Uint8Array(4_000_000)));
    assert.deepEqual(texts([large, output(item('image/jpeg', 'small'))]), [
      '[An image (image/png, 4,000 kB) is left out: it is too large.]',
      'image/jpeg',
    ]);
  });
});
