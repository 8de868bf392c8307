import assert from 'node:assert/strict';
import { imageBlock, imageOf } from '../../../src/agent/promptImages.ts';

describe('an image that goes with a prompt', () => {
  const typeOf = (latin1: string) => imageOf(Buffer.from(latin1, 'latin1'))?.mediaType;

  it('is of the type that its bytes say, whatever its name', () => {
    assert.equal(typeOf('\x89PNG\r\n\x1a\n…'), 'image/png');
    assert.equal(typeOf('\xff\xd8\xff\xe0…'), 'image/jpeg');
    assert.equal(typeOf('GIF89a…'), 'image/gif');
    assert.equal(typeOf('RIFF\n\0\n\0WEBPVP8 '), 'image/webp');
  });

  it('is nothing that the API does not take', () => {
    for (const other of ['', 'BM…', '<svg/>', 'RIFF\0\0\0\0WAVE', '\x89PNG', ' GIF89a']) {
      assert.equal(typeOf(other), undefined, other);
    }
  });

  it('is sent in base64', () => {
    assert.deepEqual(imageBlock({ mediaType: 'image/gif', bytes: Buffer.from('GIF89a') }), {
      type: 'image',
      source: { type: 'base64', media_type: 'image/gif', data: 'R0lGODlh' },
    });
  });
});
