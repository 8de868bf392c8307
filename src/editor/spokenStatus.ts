/** What a screen reader says of an item in the status bar: whose it is, which the name of a session may say already. */
export function spokenStatus(tooltip: string): string {
  return tooltip.startsWith('Claude Code') ? tooltip : `Claude Code: ${tooltip}`;
}
