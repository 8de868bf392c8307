import assert from 'node:assert/strict';
import { skipWithout } from '../support/lacking.ts';
import { until } from '../support/until.ts';
import { ipynb } from '../integration/notebooks/ipynb.ts';
import type { Desk } from './desk.ts';
import { contextText, resultOf, text, toolUse } from './mockApi.ts';

const tool = 'mcp__ide__executeCode';
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const code = [
  'import base64',
  'from IPython.display import Image, display',
  'print("the mean is", (19 + 23) // 2)',
  `display(Image(data=base64.b64decode("${png}")))`,
].join('\n');

/** What the CLI makes of notebooks: the one tool, besides getDiagnostics, that it offers to the model, and mentions. */
export function notebookScenarios(desk: () => Desk): void {
  it("runs the model's code in the open notebook, and shows it text and image", async function () {
    skipWithout('python3-ipykernel', this);
    const { path } = await desk().file('analysis.ipynb', ipynb(['values = [19, 23]']));
    const claude = await desk().startClaude();
    await desk().window.openFile(path);
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
  it('shows the model which cell was mentioned', async () => {
    const { path } = await desk().file('cells.ipynb', ipynb(['import math', 'math.tau / 2']));
    const claude = await desk().startClaude();
    await desk().window.openFile(path);
    await desk().window.page.locator('.notebookOverlay .view-line').filter({ hasText: 'tau' }).click();
    await desk().window.page.keyboard.press('Alt+k');
    await claude.terminal.shows('cells.ipynb#cell-1');
    claude.api.script([text('seen')]);
    await claude.prompt('what is this');
    const request = await claude.api.nextRequest('the prompt', (turn) =>
      contextText(turn).includes('what is this'),
    );
    assert.match(contextText(request), /@\S*cells\.ipynb#cell-1 what is this/);
    assert.match(contextText(request), /id=\\?"cell-1\\?">math\.tau \/ 2/);
  });
}
