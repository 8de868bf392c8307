import { Proposer } from '../server/proposer.ts';

/** The agent of one thread of the chat, as the author of proposals and edits. */
export class ChatAgent extends Proposer {
  /** Its processes come and go, and what they change is one agent's. */
  readonly pid = undefined;
  readonly clientInfo = undefined;

  /** @param id see `Proposer` */
  constructor(
    readonly id: number,
    readonly label: string,
  ) {
    super();
  }
}
