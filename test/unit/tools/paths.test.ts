import assert from 'node:assert/strict';
import { rawFileUri } from '../../../src/editor/rawUri.ts';
import { pathCandidates, type PathContext } from '../../../src/tools/paths.ts';

const posix: PathContext = { platform: 'linux', home: '/home/me', workspaceFolders: ['/ws/a', '/ws/b'] };
const windows: PathContext = { platform: 'win32', home: 'C:\\Users\\me', workspaceFolders: ['C:\\ws'] };

describe('a path written by a client', () => {
  const cases: [string, PathContext, string, string[]][] = [
    ['absolute', posix, '/x/y.txt', ['/x/y.txt']],
    ['absolute with dots', posix, '/x/../y.txt', ['/y.txt']],
    ['relative: each workspace folder in turn', posix, 'src/x.ts', ['/ws/a/src/x.ts', '/ws/b/src/x.ts']],
    ['relative and out of the workspace', posix, '../../etc/passwd', []],
    ['relative, to a file whose name begins with dots', posix, '..x', ['/ws/a/..x', '/ws/b/..x']],
    ['home', posix, '~', ['/home/me']],
    ['below home', posix, '~/x.txt', ['/home/me/x.txt']],
    ['a name that begins with a tilde', posix, '/x/~y', ['/x/~y']],
    ['a raw file URI', posix, 'file:///w/last ü #1/dät.txt', ['/w/last ü #1/dät.txt']],
    ['an encoded file URI', posix, 'file:///w/a%20b.txt', ['/w/a%20b.txt', '/w/a b.txt']],
    ['a raw file URI with a stray %', posix, 'file:///w/100%.txt', ['/w/100%.txt']],
    ['a file URI with a host', posix, 'file://localhost/w/x', ['/w/x']],
    ['a file URI with one slash', posix, 'file:/w/x', ['/w/x']],
    [
      'no path at all',
      posix,
      'http://example.org/x',
      ['/ws/a/http:/example.org/x', '/ws/b/http:/example.org/x'],
    ],
    ['Windows', windows, 'c:\\x\\y.txt', ['c:\\x\\y.txt']],
    ['Windows with slashes', windows, 'C:/x/y.txt', ['C:\\x\\y.txt']],
    ['Windows in the JetBrains form', windows, '/c/Users/me/x.txt', ['c:\\Users\\me\\x.txt']],
    ['Windows as in a URI', windows, 'file:///c:/x y.txt', ['c:\\x y.txt']],
    ['Windows as in an encoded URI', windows, 'file:///c%3A/x%20y.txt', ['c:\\x y.txt', '\\c%3A\\x%20y.txt']],
    ['Windows with a raw drive', windows, 'file:///c:/x%20y.txt', ['c:\\x%20y.txt', 'c:\\x y.txt']],
    ['a name like an encoded drive', posix, 'file:///c%3A/x', ['/c%3A/x', '/c:/x']],
    ['Windows relative', windows, 'src/x.ts', ['C:\\ws\\src\\x.ts']],
    ['Windows home', windows, '~\\x', ['C:\\Users\\me\\x']],
    ['WSL from Windows', windows, '\\\\wsl$\\Ubuntu\\home', ['\\\\wsl$\\Ubuntu\\home']],
    ['WSL from Windows, newer', windows, '//wsl.localhost/Ubuntu/home', ['\\\\wsl.localhost\\Ubuntu\\home']],
  ];
  for (const [what, context, input, expected] of cases) {
    it(`${what}: ${input}`, () => {
      assert.deepEqual(pathCandidates(input, context), expected);
    });
  }

  for (const input of [
    '\\\\evil.example\\share\\x',
    '//evil.example/share/x',
    'file:////evil.example/share/x',
  ]) {
    it(`of another Windows machine is refused: ${input}`, () => {
      assert.throws(() => pathCandidates(input, windows), /other machines/);
    });
  }
});

describe('a path told to a client', () => {
  it('keeps a backslash, but on Windows', () => {
    assert.equal(rawFileUri('/ws/a\\b #1%.ts', 'linux'), 'file:///ws/a\\b #1%.ts');
    assert.equal(rawFileUri('C:\\ws\\a.ts', 'win32'), 'file:///C:/ws/a.ts');
  });
});

describe('a hostile path', () => {
  const attacks = [
    ...['\\\\evil\\share', '//evil/share/x', '\\/evil/share', '\\\\?\\UNC\\evil\\share', '\\\\.\\pipe\\x'],
    ...[
      '//wsl$/../evil',
      '//wsl.localhost.evil/x',
      '\\\\127.0.0.1\\c$',
      'file:////evil/x',
      'file:%5C%5Cevil/x',
    ],
    ...['C:\\ws\\con', 'C:\\ws\\NUL.txt', 'aux', 'C:/ws/com1 .log', 'C:\\ws\\lpt¹', 'CONIN$', 'C:\\con\\x'],
  ];
  for (const attack of attacks) {
    it(`on Windows: ${attack}`, () => assert.throws(() => pathCandidates(attack, windows), /not opened/));
  }

  it('that only looks like a device is none', () => {
    assert.deepEqual(pathCandidates('C:\\console\\nullable.con', windows), ['C:\\console\\nullable.con']);
    assert.deepEqual(pathCandidates('/dev/nul', posix), ['/dev/nul']);
  });

  const climbs = ['..', '../x', 'a/../../x', './../..//x', 'a/b/../../../etc/passwd', '..\\x/../../x'];
  for (const climb of climbs) {
    it(`climbs out of no folder: ${climb}`, () => {
      for (const path of pathCandidates(climb, posix)) {
        assert.match(path, /^\/ws\/[ab]\//);
      }
    });
  }

  it('is refused when it is so long that the editor would hang', () => {
    assert.throws(() => pathCandidates(`file:///${'a/'.repeat(2_048)}`, posix), /at most 4096 characters/);
  });

  it('with an encoded NUL has no such reading', () => {
    assert.deepEqual(pathCandidates('file:///x%00.txt', posix), ['/x%00.txt']);
  });
});
