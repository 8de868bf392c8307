/** An agent that a folder defines for whoever works in it. */
export interface AgentDefinition {
  readonly name: string;
  readonly description: string;
  /** What it is told before its task. */
  readonly prompt: string;
  /** The CLI's names; undefined: all that there are. */
  readonly tools?: readonly string[];
  readonly model?: string;
  /** What to say to it, for a surface to show. */
  readonly argumentHint?: string;
  readonly path: string;
  /** The CLI reads it itself. */
  readonly isClaude: boolean;
}

/** As `--agents` takes them; without those that the CLI reads itself. */
export function agentsForCli(agents: readonly AgentDefinition[]): Record<string, object> {
  return Object.fromEntries(
    agents
      .filter(({ isClaude }) => !isClaude)
      .map(({ name, description, prompt, tools, model }) => [
        name,
        { description, prompt, ...(tools ? { tools } : {}), ...(model === undefined ? {} : { model }) },
      ]),
  );
}
