import * as vscode from 'vscode';
import { AgentDesk, cliOf } from '../../e2e/agent/agentDesk.ts';
import { cliVersions } from '../../e2e/provisionCli.ts';
import { type Desk, skipOnFloor } from '../bridge.ts';

/**
 * The newest CLI and a model for each test, as this window is set up.
 * @param use takes them
 */
export function useAgent(desk: Desk, use: (agent: AgentDesk) => void): void {
  let agent: AgentDesk;
  beforeEach(async () => {
    agent = await AgentDesk.open(cliVersions.newest);
    use(agent);
    const cli = await cliOf(cliVersions.newest);
    await desk.configure('ideBridge.command', cli.path);
    await desk.configure('ideBridge.environment', agent.options().env);
  });
  afterEach(() => agent.close());
}

/** The same, and a new thread in the editor's chat. */
export function useChat(desk: Desk, use: (agent: AgentDesk) => void): void {
  before(async function () {
    skipOnFloor(this); // its chat takes nothing without another extension
    await disableChat(false);
  });
  after(() => disableChat(undefined));
  useAgent(desk, use);
  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.chat.open');
    await vscode.commands.executeCommand('workbench.action.chat.newChat');
  });
}

/** For a whole suite: each switch costs seconds. */
async function disableChat(isDisabled: boolean | undefined): Promise<void> {
  const { Global } = vscode.ConfigurationTarget;
  await vscode.workspace.getConfiguration('chat').update('disableAIFeatures', isDisabled, Global);
}
