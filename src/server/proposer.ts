/** Who proposes and makes edits: a session of the bridge, or an agent that the editor itself runs. */
export abstract class Proposer {
  /** Of sessions from 1 upwards; of agents from -1 downwards; of clients of the editor tools below -1e6. */
  abstract readonly id: number;
  /** Whether titles name it also where it is the only one, as the user did not begin a session with it. */
  readonly isAlwaysNamed: boolean = false;
  /** What the user calls it, in views and titles. */
  abstract readonly label: string;
  /** Of its process; undefined where that is not known, or changes. */
  abstract readonly pid: number | undefined;
  abstract readonly clientInfo: { name: string; version: string } | undefined;
}
