import assert from 'node:assert/strict';
import { decoded, mayShow } from '../../../src/changes/shownText.ts';

describe('what an editor shows', () => {
  const utf8 = 'é 1\ntwo\n三\n';

  it('may be read from its bytes, whatever its line ends are', () => {
    assert.ok(mayShow(utf8, Buffer.from(utf8)));
    assert.ok(mayShow(utf8, Buffer.from(`\uFEFF${utf8.replaceAll('\n', '\r\n')}`)));
    assert.ok(mayShow('a\nb', Buffer.from('a\rb')));
  });

  it('may be read from bytes in another encoding', () => {
    assert.ok(mayShow('é 1\ntwo\n', Buffer.from('é 1\ntwo\n', 'latin1')));
    assert.ok(mayShow('Ã© 1\ntwo\n', Buffer.from('é 1\ntwo\n')));
    assert.ok(mayShow('表\n', Buffer.from([0x95, 0x5c, 0x0a]))); // Shift JIS, in which half of it is a backslash
  });

  it('is not read from what has been written since', () => {
    assert.ok(!mayShow(utf8, Buffer.from(utf8.replace('two', 'TWO'))));
    assert.ok(!mayShow(utf8, Buffer.from(`${utf8}four\n`)));
    assert.ok(!mayShow(utf8, Buffer.from(utf8.replace('é', 'e'))));
  });

  it('is what is decoded where each byte is saved again', () => {
    assert.equal(decoded(Buffer.from(utf8)), utf8);
    assert.equal(decoded(Buffer.from(`\uFEFF${utf8}`)), utf8);
    assert.equal(decoded(Buffer.from(`\uFEFF${utf8}`, 'utf16le')), utf8);
    assert.equal(decoded(Buffer.from(`\uFEFF${utf8}`, 'utf16le').swap16()), utf8);
    assert.equal(decoded(Buffer.of()), '');
    assert.equal(decoded(Buffer.from('caf\xe9\n', 'latin1')), undefined);
    assert.equal(decoded(Buffer.from([0xff, 0xfe, 0x61])), undefined);
  });
});
