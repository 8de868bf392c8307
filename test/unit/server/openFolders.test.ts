import assert from 'node:assert/strict';
import { isOpen, nameIn } from '../../../src/server/openFolders.ts';

describe('the folders that are open', () => {
  const windows = [
    { opened: 'c:\\Work', real: 'C:\\Work' },
    { opened: 'c:\\link', real: 'D:\\Real' },
  ];
  const linux = [{ opened: '/link', real: '/real' }];

  it('have files by the name that the editor has for them, also where the CLI has another', () => {
    const cases = [
      ['C:\\Work\\src\\a.ts', 'c:\\Work\\src\\a.ts'],
      ['C:\\WORK\\a.ts', 'c:\\Work\\a.ts'],
      ['c:\\work', 'c:\\Work'],
      ['d:\\real\\a.ts', 'c:\\link\\a.ts'],
      ['C:\\Workshop\\A.ts', 'c:\\Workshop\\A.ts'],
      ['\\\\wsl$\\Ubuntu\\a', '\\\\wsl$\\Ubuntu\\a'],
    ] as const;
    for (const [path, name] of cases) {
      assert.equal(nameIn(windows, path, 'win32'), name);
    }
    assert.equal(nameIn(linux, '/real/a.ts', 'linux'), '/link/a.ts');
    assert.equal(nameIn(linux, '/link/a.ts', 'linux'), '/link/a.ts');
    assert.equal(nameIn(linux, '/Real/a.ts', 'linux'), '/Real/a.ts');
    assert.equal(nameIn(linux, 'C:\\a', 'linux'), 'C:\\a');
  });

  it('have a file by each of its names, and none that is beside them', () => {
    for (const path of ['C:\\Work\\a.ts', 'c:\\work\\a.ts', 'd:\\Real', 'C:\\LINK\\a.ts']) {
      assert.ok(isOpen(windows, path, 'win32'), path);
    }
    for (const path of ['c:\\workshop\\a.ts', 'd:\\work\\a.ts', 'c:\\']) {
      assert.ok(!isOpen(windows, path, 'win32'), path);
    }
    assert.ok(isOpen(linux, '/link/a.ts', 'linux') && isOpen(linux, '/real/a.ts', 'linux'));
    assert.ok(!isOpen(linux, '/Link/a.ts', 'linux') && !isOpen(linux, '/realm', 'linux'));
  });
});
