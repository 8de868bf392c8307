import assert from 'node:assert/strict';
import { until } from '../support/until.ts';
import { ipynb } from '../integration/ipynb.ts';
import type { Desk } from './desk.ts';
import { resultOf, text, toolUse } from './mockApi.ts';

const tool = 'mcp__ide__executeCode';
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const code = [
  'import base64',
  'from IPython.display import Image, display',
  'print("the mean is", (19 + 23) // 2)',
  `display(Image(data=base64.b64decode("${png}")))`,
].join('\n');

/** The one tool, besides getDiagnostics, that the CLI offers to the model. */
export function notebookScenarios(desk: () => Desk): void {
  // Seen green alone (2.1.330), not yet within a whole run.
  it.skip("runs the model's code in the open notebook, and shows it text and image", async () => {
    await desk().file('analysis.ipynb', ipynb(['values = [19, 23]']));
    const claude = await desk().startClaude();
    await desk().window.openFile('analysis.ipynb');
    await desk().window.selectKernel('Test Kernel', 'Test Python');
    // The CLI makes the model load the editor's tools first.
    claude.api.script([
      toolUse('ToolSearch', { query: `select:${tool}`, max_results: 1 }),
      toolUse(tool, { code }),
      text('ran it'),
    ]);
    await claude.prompt('please plot');
    await claude.terminal.shows('Do you want to proceed?');
    // The CLI does not hear an Enter that comes while it still draws its long question.
    await until('the question in the editor', async () => {
      await claude.terminal.press('Enter');
      return desk().window.asksToExecuteIn('analysis.ipynb');
    });
    await desk().window.chooseToExecuteIn('analysis.ipynb');

    const request = await claude.api.nextRequest('the result', (turn) => resultOf(tool, turn) !== undefined);
    const result = resultOf(tool, request);
    assert.equal(result?.isError, false);
    assert.match(result.text, /the mean is 21/);
    assert.ok(JSON.stringify(request.messages).includes(png), 'the image is in the request');
    await claude.terminal.shows('ran it');
  });
}
