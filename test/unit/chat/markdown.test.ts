import assert from 'node:assert/strict';
import { block, blockInSight, code, head, plain } from '../../../src/chat/markdown.ts';

describe('text from outside in the chat', () => {
  it('is no link, no emphasis, no HTML and no icon', () => {
    assert.equal(
      plain('[a](command:x) *b* <i> $(x)'),
      '\\[a\\] \\(command\\:x\\) \\*b\\* \\<i\\> \\$\\(x\\)',
    );
  });

  it('is one line where it is to be one', () => {
    assert.equal(plain('a\n# b'), 'a\uFFFD\\# b');
    assert.equal(code('a\nb'), '` a\uFFFDb `');
  });

  it('cannot end the code that it stands in', () => {
    assert.equal(code('a ``b`` c'), '``` a ``b`` c ```');
    assert.equal(block('a\n```\n[b](c)', 100, 'sh'), '\n\n````sh\na\n```\n[b](c)\n````\n\n');
  });

  it('does not read as another one: nothing turns its direction', () => {
    assert.equal(block('rm \u202Ea\tb\r\nc', 100), '\n\n```\nrm \uFFFDa\tb\nc\n```\n\n');
  });

  it('is cut to its first lines', () => {
    assert.deepEqual(head('1\n2\n3\n', 2, 100), { shown: '1\n2', leftOut: 1 });
    assert.deepEqual(head('1\n2\n', 2, 100), { shown: '1\n2', leftOut: 0 });
    assert.deepEqual(head('12345', 2, 3), { shown: '123', leftOut: 0 });
  });

  it('as lines that wrap, where a block would hide the end of one that the user is asked about', () => {
    assert.equal(blockInSight('ls\npwd\n', 100, 'sh'), block('ls\npwd\n', 100, 'sh'));
    const padded = `echo hi${' '.repeat(100)}; rm \`x\``;
    assert.equal(blockInSight(`ls\n${padded}\n`, 500, 'sh'), `\n\n\` ls \`  \n\`\` ${padded} \`\`\n\n`);
  });
});
