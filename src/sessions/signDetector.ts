/** What a piece of a CLI's output says of the CLI. */
export interface Signs {
  hasRung: boolean;
  /** Undefined where the piece does not tell. */
  isWorking: boolean | undefined;
}

/**
 * Takes a terminal's output piece by piece. The character of the bell also ends titles and other commands to the
 * terminal. While it works, CLI 2.1 begins its title with a turning sign, and else with ✳.
 */
export function signDetector(): (data: string) => Signs {
  let inCommand = false;
  let rest = '';
  return (data) => {
    const signs: Signs = { hasRung: false, isWorking: undefined };
    const text = rest + data;
    rest = /\x1b(?:\](?:[02];?)?)?$/.exec(text)?.[0] ?? '';
    const whole = text.slice(0, text.length - rest.length);
    for (const [token, sign] of whole.matchAll(/\x1b\][02];([^\x07\x1b])?|\x1b[\]P_^X]|\x1b\\|\x07|\x9c/g)) {
      signs.hasRung ||= token === '\x07' && !inCommand;
      if (sign !== undefined) {
        signs.isWorking = /[\u25d0-\u25d3\u2800-\u28ff]/.test(sign);
      }
      inCommand = /^\x1b[^\\]/.test(token);
    }
    return signs;
  };
}
