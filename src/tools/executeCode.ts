import * as z from 'zod/mini';
import type { Content } from '../protocol/mcp.ts';
import type { ToolCall } from '../server/session.ts';
import { defineTool, text, type Tool } from './tool.ts';

/** What a run in a notebook has left. */
export interface CodeRun {
  /** Everything that the cell shows, in its order. */
  outputs: Content[];
  /** Why the run did not come to its own end. An exception of the code is an output, not a failure. */
  failure?: string;
}

export interface CodeRunner {
  /**
   * Runs the code in a new cell of the notebook that the user works in, if the user agrees.
   * @throws UserError when nothing was run; it says why, and what to do
   */
  run(code: string, call: ToolCall): Promise<CodeRun>;
}

export function executeCode(notebooks: CodeRunner): Tool {
  return defineTool({
    name: 'executeCode',
    description: [
      'Execute Python code in the Jupyter kernel for the current notebook file.',
      'The code runs in a new cell of the notebook that is open in the editor; the user may be asked first, and may refuse.',
      'Avoid declaring variables or modifying the state of the kernel unless the user explicitly asks for it.',
      'Any code executed will persist across calls to this tool, unless the kernel has been restarted.',
    ].join('\n'),
    input: z.object({
      code: z.string().check(
        z.refine((code) => code.trim() !== '', 'must not be empty'),
        z.describe('The code to be executed on the kernel.'),
      ),
    }),
    async run({ code }, call) {
      const { outputs, failure } = await notebooks.run(code, call);
      if (failure !== undefined) {
        // Of an error the CLI passes on the texts alone (2.1.330).
        const isError = outputs.every(({ type }) => type === 'text');
        return { content: [...outputs, ...text(failure).content], isError };
      }
      return outputs.length > 0 ? { content: outputs } : text('The code ran without output.');
    },
  });
}
