/** A line for the user's shell: the command as the user wrote it, then each argument as one word. */
export function commandLine(
  command: string,
  args: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string {
  return [command, ...args.map((arg) => quoted(arg, platform))].join(' ');
}

function quoted(arg: string, platform: NodeJS.Platform): string {
  if (/^[\w@%+=:,./-]+$/.test(arg)) {
    return arg;
  }
  // What PowerShell, cmd.exe and Git Bash have in common.
  return platform === 'win32' ? `"${arg.replaceAll('"', '\\"')}"` : `'${arg.replaceAll("'", `'\\''`)}'`;
}
