/** Where this is pasted, nothing in it becomes a link, an image or a tag. */
export function escaped(text: string): string {
  return text.replace(/[\\`*[\]<>!|]/g, '\\$&');
}

/**
 * The home folder has the user's name in it.
 * @param text not yet `escaped` @param home as Node names it
 */
export function withoutHome(text: string, home: string, platform: NodeJS.Platform): string {
  const isWindows = platform === 'win32';
  const folder = home.replace(isWindows ? /[\\/]+$/ : /\/+$/, '');
  if (/^([A-Za-z]:)?$/.test(folder)) {
    return text; // a root has nobody's name
  }
  const names = folder
    .split(isWindows ? /[\\/]+/ : '/')
    .map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // Not one whose name only begins like it.
  const end = '(?!\\.?[\\p{L}\\p{N}_-])';
  // On Windows, editors write the drive in lower case, URIs have slashes, and it is all the same.
  return isWindows
    ? text.replace(new RegExp(names.join('[\\\\/]+') + end, 'giu'), '~')
    : text.replace(new RegExp(names.join('/') + end, 'gu'), '~');
}
