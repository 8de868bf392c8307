import { normalize } from 'node:path';
import { EditTracker } from '../agent/editTracker.ts';
import { Hooks } from '../agent/hooks.ts';
import type { PermissionDecision, PermissionQuestion } from '../agent/permissions.ts';
import type { ReviewEdit } from '../agent/editReview.ts';
import { asOpened } from '../editor/workspaceFolders.ts';
import type { AgentChanges } from '../changes/agentChanges.ts';
import type { Proposal } from '../proposals/proposal.ts';
import type { Proposals } from '../proposals/proposals.ts';
import type { ChatAgent } from './chatAgent.ts';
import { plain } from './markdown.ts';
import type { Surface } from './surface.ts';
import { TurnEdits } from './turnEdits.ts';

/** Where what an agent edits goes: to the user for review before it is written, and to Agent Changes. */
export class EditsOfAgent {
  readonly hooks = new Hooks();
  private turn = new TurnEdits();
  /** It is noted in Agent Changes that the turn has begun. */
  private begun = Promise.resolve();
  /** By tool uses that were accepted and have not written yet: says so. The CLI may refuse to write, or be stopped. */
  private readonly accepted = new Map<string, () => void>();

  constructor(
    private readonly agent: ChatAgent,
    private readonly proposals: Proposals,
    private readonly agentChanges: AgentChanges,
  ) {
    this.hooks.add('UserPromptSubmit', () => this.begun); // before anything is edited
    new EditTracker(
      this.hooks,
      (sessionId, filePath) => this.willEdit(filePath, sessionId),
      (edit) => {
        const { toolUseId = '', sessionId } = edit;
        const filePath = asOpened(edit.filePath);
        this.turn.note({ ...edit, filePath }); // as Agent Changes has it
        this.accepted.get(toolUseId)?.();
        this.accepted.delete(toolUseId);
        const { review, changes } = agentChanges;
        review.didCall(agent);
        review.takeAccepted(filePath);
        agentChanges.didEdit(sessionId);
        void changes.refresh();
      },
    );
  }

  /** @param surface where the outcome is told; undefined where the turn that it belongs to is not shown any more */
  reviewer(surface: () => Surface | undefined): ReviewEdit {
    return async ({ filePath: named, after, question }, signal) => {
      const { agent, proposals } = this;
      const filePath = normalize(named); // else it would not be found again in the editor's tabs
      const shown = this.tellOpened(filePath, surface);
      const tabName = question.toolUseId ?? question.id;
      const outcome = await proposals
        .review({ session: agent, tabName, filePath, proposedText: after }, signal)
        .finally(() => shown.dispose());
      switch (outcome.kind) {
        case 'accepted': {
          this.willEdit(filePath); // it is known to be written only from now on
          const isAsProposed = outcome.finalText === after;
          const tell = () => say(surface(), isAsProposed ? 'Accepted.' : 'Accepted as you have changed it.');
          if (question.toolUseId === undefined) {
            tell(); // 1.0 does not tell what it has written
          } else {
            this.accepted.set(question.toolUseId, tell);
          }
          return { kind: 'accepted', text: outcome.finalText };
        }
        case 'rejected': {
          const { reason } = outcome;
          say(surface(), reason === undefined ? 'Rejected.' : 'Rejected, with a reason.');
          return { kind: 'rejected', reason: reason ?? 'The user has rejected this edit.' };
        }
        case 'withdrawn':
        case 'dropped':
          say(surface(), 'Not reviewed: nothing was written.');
          return { kind: 'rejected', reason: 'The review of this edit has ended without a decision.' };
      }
    };
  }

  /** What becomes of what was reviewed: of what is denied after all nothing is written. */
  decided({ toolUseId = '' }: PermissionQuestion, decision: PermissionDecision, surface?: Surface): void {
    if (decision.kind === 'deny' && this.accepted.delete(toolUseId)) {
      say(surface, `Not written: ${plain(decision.reason, 500)}`);
    }
  }

  /** @param edits takes what is edited until the next one begins */
  beginTurn(prompt: string, edits: TurnEdits): void {
    this.begun = this.agentChanges.beginTurn(this.agent, prompt);
    this.begun.catch(() => {}); // told to the hook
    this.accepted.clear(); // what was refused, or never came
    this.turn = edits;
  }

  private willEdit(filePath: string, conversation?: string): void {
    const { agent, agentChanges } = this;
    agentChanges.edits.willEdit(agent, filePath);
    const set = agentChanges.sets.find(agent);
    // By which a later window knows that these edits were announced.
    if (set && conversation !== undefined && !set.conversations.includes(conversation)) {
      set.conversations.push(conversation);
      agentChanges.sets.touch();
    }
  }

  private tellOpened(filePath: string, surface: () => Surface | undefined): { dispose(): void } {
    const { agent, proposals } = this;
    const isThis = (proposal: Proposal) =>
      proposal.session === agent && proposal.filePath === asOpened(filePath);
    const listening = proposals.onDidChange(() => {
      const proposal = proposals.all.find(isThis);
      if (proposal) {
        listening.dispose();
        surface()?.buttons([{ title: 'Show the Proposal', command: 'openProposal', args: [proposal.uri] }]);
      }
    });
    return listening;
  }
}

function say(surface: Surface | undefined, words: string): void {
  surface?.markdown(`\n\n${words}\n\n`);
}
