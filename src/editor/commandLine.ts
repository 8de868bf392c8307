/** A line for the user's shell: the command as the user wrote it, then each argument as one word. */
export function commandLine(
  command: string,
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string {
  return [command, ...args.map((arg) => quoted(arg, platform))].join(' ');
}

function quoted(arg: string, platform: NodeJS.Platform): string {
  const isWindows = platform === 'win32';
  // PowerShell makes two words of a comma, and other things of @ and %.
  if ((isWindows ? /^[\w./:=-]+$/ : /^[\w@%+=:,./-]+$/).test(arg)) {
    return arg;
  }
  // What PowerShell, cmd.exe and Git Bash have in common; a backslash at the end would take the quote for the program.
  return isWindows
    ? `"${arg.replaceAll('"', '\\"').replace(/\\+$/, '$&$&')}"`
    : `'${arg.replaceAll("'", `'\\''`)}'`;
}
