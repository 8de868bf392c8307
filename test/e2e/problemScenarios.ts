import assert from 'node:assert/strict';
import { realpath } from 'node:fs/promises';
import type { Desk } from './desk.ts';
import { contextText, editTurns, text } from './mockApi.ts';

/** Problems of files that nobody has in a tab. */
export function problemScenarios(desk: () => Desk): void {
  it('tells the model of the types that it has broken in a file that no tab shows', async () => {
    await desk().file('tsconfig.json', '{}');
    const file = await desk().file(
      'types.ts',
      "export const a: number = 1;\n\nexport const b: number = '';\n",
    );
    await desk().reportsOn(file);
    const claude = await desk().startClaude('acceptEdits');
    claude.api.script([...editTurns(await realpath(file.path), '= 1', '= true'), text('it is broken')]);
    await claude.prompt('please edit');
    const request = await claude.api.nextRequest('what follows the edit', ({ messages }) =>
      JSON.stringify(messages).includes('= true'),
    );
    const broken =
      /<new-diagnostics>[^]*types\.ts[^]*Line 1:14\] Type 'boolean' is not assignable to type 'number'\. \[2322\] \(ts\)/;
    let context = contextText(request);
    // TypeScript may have been slower than the CLI, which goes on without: then it is told with the next prompt.
    if (!context.includes('<new-diagnostics>')) context = contextText(await claude.ask('what is wrong now?'));
    assert.match(context, broken);
    assert.doesNotMatch(context, /Type 'string' is not assignable/, 'that one is old');
    assert.deepEqual(await desk().window.tabLabels(), []);
  });
}
