import assert from 'node:assert/strict';
import { escaped, withoutHome } from '../../src/ui/reportText.ts';

describe('the text of a report', () => {
  it('does not tell the home folder', () => {
    assert.equal(
      withoutHome(escaped('in /home/[me]/a or /home/you'), '/home/[me]', 'linux'),
      'in ~/a or /home/you',
    );
    assert.equal(withoutHome('/HOME/me', '/home/me', 'linux'), '/HOME/me');
  });

  it('does not tell it on Windows, whichever way it is written', () => {
    const home = 'C:\\Users\\Me (a+b)';
    for (const path of [home, 'c:\\Users\\Me (a+b)', 'C:\\USERS\\ME (A+B)', 'c:/Users/Me (a+b)']) {
      const text = withoutHome(`- ${escaped(`${path}\\.claude is there`)}`, home, 'win32');
      assert.equal(text, `- ${escaped('~\\.claude is there')}`);
    }
    assert.equal(withoutHome('D:/Users/Me (a+b)', home, 'win32'), 'D:/Users/Me (a+b)');
  });
});
