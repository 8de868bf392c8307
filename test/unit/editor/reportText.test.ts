import assert from 'node:assert/strict';
import { withoutHome } from '../../../src/editor/reportText.ts';

describe('the text of a report', () => {
  it('does not tell the home folder', () => {
    assert.equal(withoutHome('in /home/[me]/a or /home/you', '/home/[me]', 'linux'), 'in ~/a or /home/you');
    assert.equal(withoutHome('/HOME/me', '/home/me', 'linux'), '/HOME/me');
  });

  it('does not tell it on Windows, whichever way it is written', () => {
    const home = 'C:\\Users\\Me (a+b)';
    for (const path of [home, 'c:\\Users\\Me (a+b)', 'C:\\USERS\\ME (A+B)', 'c:/Users/Me (a+b)']) {
      const text = withoutHome(`- ${path}\\.claude is there`, home, 'win32');
      assert.equal(text, '- ~\\.claude is there');
    }
    assert.equal(withoutHome('D:/Users/Me (a+b)', home, 'win32'), 'D:/Users/Me (a+b)');
  });

  it('leaves other folders as they are, whose names begin like it', () => {
    const texts = ['/home/me2/x', '/home/me.old', '/home/me-x /home/me_x'];
    for (const text of texts) {
      assert.equal(withoutHome(text, '/home/me', 'linux'), text);
    }
    for (const home of ['/home/me', '/home/me/']) {
      assert.equal(withoutHome('In /home/me/a:/home/me or "/home/me".', home, 'linux'), 'In ~/a:~ or "~".');
    }
    assert.equal(withoutHome('It is /home/me.', '/home/me', 'linux'), 'It is ~.');
    const folder = 'C:\\Users\\melanie\\x';
    assert.equal(withoutHome(folder, 'C:\\Users\\me', 'win32'), folder);
  });

  it('leaves all folders as they are where the home folder is none of its own', () => {
    for (const home of ['', '/']) {
      assert.equal(withoutHome('- /usr/bin/claude', home, 'linux'), '- /usr/bin/claude');
    }
    for (const home of ['', '\\', 'C:\\']) {
      assert.equal(withoutHome('- C:/bin/claude', home, 'win32'), '- C:/bin/claude');
    }
  });
});
