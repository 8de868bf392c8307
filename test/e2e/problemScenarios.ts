import assert from 'node:assert/strict';
import { realpath, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { editTurns } from './coreScenarios.ts';
import type { Desk } from './desk.ts';
import { contextText, text } from './mockApi.ts';

/** Problems of files that nobody has in a tab. */
export function problemScenarios(desk: () => Desk): void {
  it('tells the model of the types that it has broken in a file that no tab shows', async () => {
    const file = await desk().file(
      'types.ts',
      'export const first: number = 1;\n\nexport const second = 2;\n',
    );
    await writeFile(path.join(path.dirname(file.path), 'tsconfig.json'), '{}');
    const claude = await desk().startClaude('acceptEdits');
    const real = await realpath(file.path);
    const edit = async (oldText: string, newText: string, done: string) => {
      claude.api.script([...editTurns(real, oldText, newText), text(done)]);
      await claude.prompt('please edit');
      const request = await claude.api.nextRequest('what follows the edit', ({ messages }) =>
        JSON.stringify(messages).includes(newText),
      );
      await claude.terminal.shows(done);
      return contextText(request);
    };
    // The server starts with the first edit, and may come too late for it.
    await edit('second = 2', 'second = 3', 'the server runs');
    const context = await edit('= 1', "= 'text'", 'the types are broken');
    assert.match(
      context,
      /<new-diagnostics>[^]*types\.ts[^]*Line 1:14\] Type 'string' is not assignable to type 'number'\. \[2322\] \(ts\)/,
    );
    assert.deepEqual(await desk().window.tabLabels(), []);
  });
}
