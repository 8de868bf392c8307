/** Left by the editor, the agent and the package manager that this run was started by. */
const foreign =
  /^(VSCODE_|ELECTRON_|npm_|TERM_PROGRAM|CLAUDECODE$|CLAUDE_CODE_(SSE_PORT|ENTRYPOINT)$|ENABLE_IDE_INTEGRATION$|NODE_OPTIONS$)/;

/** What would let the user's account and network into a test, or tell a CLI in its terminals that nobody looks. */
const personal = /^(CLAUDE|ANTHROPIC|(https?|all|no)_proxy$|CI$|CI_|CONTINUOUS_INTEGRATION$)/i;

/** The environment for a VS Code that the user works in. */
export function userEnvironment(): NodeJS.ProcessEnv {
  return without(process.env, foreign);
}

/** The environment for a VS Code under test. `changes` has the last word; undefined removes. */
export function testedEnvironment(changes: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  const env = without(userEnvironment(), personal);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  return env;
}

function without(env: NodeJS.ProcessEnv, names: RegExp): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.test(name)));
}
