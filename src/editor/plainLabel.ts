/** For where VS Code draws icons in a text, such as quick picks and code lenses: none in what comes from outside. */
export function withoutIcons(text: string): string {
  return text.replace(/\$\([\w~-]+\)/g, '\\$&');
}
