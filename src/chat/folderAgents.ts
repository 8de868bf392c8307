import { readAgents } from '../agent/agentDefinitions.ts';
import type { AgentDefinition } from '../agent/agentDefinition.ts';
import type { Logger } from '../base/logger.ts';

/** The agents that the folders of the workspace define, as they are whenever they are asked for. */
export class FolderAgents {
  private logged = '';

  constructor(private readonly log: Logger) {}

  /** @param folders absolute; the first is where the agent works */
  read(folders: readonly string[]): readonly AgentDefinition[] {
    const { agents, problems } = readAgents(folders);
    const words = problems
      .map(({ path, message }) => `${path} is no agent for @claude: ${message}`)
      .join('\n');
    if (words !== this.logged) {
      this.logged = words; // once, not with each prompt
      if (words !== '') {
        this.log.warn(words);
      }
    }
    return agents;
  }
}
