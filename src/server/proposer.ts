/** Who proposes and makes edits: a session of the bridge, or an agent that the editor itself runs. */
export abstract class Proposer {
  /** Of sessions from 1 upwards; of agents from -1 downwards. */
  abstract readonly id: number;
  /** What the user calls it, in views and titles. */
  abstract readonly label: string;
  /** Of its process; undefined where that is not known, or changes. */
  abstract readonly pid: number | undefined;
  abstract readonly clientInfo: { name: string; version: string } | undefined;
}
