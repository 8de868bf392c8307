/** Takes a terminal's output piece by piece; the same character also ends titles and other commands to it. */
export function bellDetector(): (data: string) => boolean {
  let inCommand = false;
  return (data) => {
    let hasRung = false;
    for (const [token] of data.matchAll(/\x1b[\]P_^X]|\x1b\\|\x07|\x9c/g)) {
      if (token === '\x07' && !inCommand) {
        hasRung = true;
      }
      inCommand = /[\]P_^X]$/.test(token);
    }
    return hasRung;
  };
}
