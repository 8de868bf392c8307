/** What is checked out. */
export interface Head {
  /** Its branch; else the commit, in short. */
  readonly branch: string;
  readonly commit: string | undefined;
}

/** What Git has told of a repository. */
export interface Seen {
  readonly head: Head;
  /** Paths of files that are not as they were committed. */
  readonly listed: ReadonlySet<string>;
}

/** Whether Git may have written files since then: not where it only lists more of them, as after a save. */
export function mayHaveTaken(last: Seen | undefined, { head, listed }: Seen): boolean {
  return (
    !last ||
    last.head.branch !== head.branch ||
    last.head.commit !== head.commit ||
    [...last.listed].some((path) => !listed.has(path))
  );
}
