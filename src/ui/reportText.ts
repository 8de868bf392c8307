/** Where this is pasted, nothing in it becomes a link, an image or a tag. */
export function escaped(text: string): string {
  return text.replace(/[\\`*[\]<>!|]/g, '\\$&');
}

/**
 * The home folder has the user's name in it.
 * @param text in which whatever may be a path is `escaped` @param home as Node names it
 */
export function withoutHome(text: string, home: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') {
    return text.replaceAll(escaped(home), '~');
  }
  // Editors write the drive in lower case, URIs have slashes, and to Windows it is all the same.
  const names = home.split(/[\\/]+/).map((name) => escaped(name).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return text.replace(new RegExp(names.join('[\\\\/]+'), 'gi'), '~');
}
