import { folded } from '../server/isAt.ts';

/** Paths whose answer is remembered: those of the problems of a large workspace, and some. */
const maxKnown = 10_000;

/**
 * Globs of what is never shared, as they are set. For the editor to match a path takes longer than all the rest of
 * what clients ask all the time, so it does that once: nothing but the globs and the path has a say, and neither changes.
 */
export class ExclusionPatterns {
  private readonly patterns: readonly { readonly text: string; readonly globs: readonly string[] }[];
  private readonly known = new Map<string, string | undefined>();

  constructor(
    readonly texts: readonly string[],
    platform?: NodeJS.Platform,
  ) {
    this.patterns = texts.map((text) => ({ text, globs: globsOf(folded(text, platform)) }));
  }

  /**
   * The first that excludes a path.
   * @param matches whether one of the globs, which are folded, matches that path
   */
  of(path: string, matches: (globs: readonly string[]) => boolean): string | undefined {
    if (!this.known.has(path)) {
      if (this.known.size >= maxKnown) {
        this.known.clear();
      }
      this.known.set(path, this.patterns.find(({ globs }) => matches(globs))?.text);
    }
    return this.known.get(path);
  }
}

/** A pattern matches at any depth, and a folder's stands for what is in it. */
function globsOf(pattern: string): readonly string[] {
  const path = pattern.replace(/\/$/, '');
  const anywhere = /^(\*\*\/|\/|[A-Za-z]:)/.test(path) ? path : `**/${path}`;
  return [anywhere, `${anywhere}/**`];
}
