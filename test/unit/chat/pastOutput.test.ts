import assert from 'node:assert/strict';
import path from 'node:path';
import { pastOutput } from '../../../src/chat/pastOutput.ts';
import type { SessionRecords } from '../../../src/sessions/sessionRecords.ts';

const sessionId = 'ea029df0-6c5b-446f-a19d-763f41116bc7';
const folder = path.resolve('test/fixtures/records/2.1.330/projects/-home-user-project');

describe('what a tool has said in a past conversation', () => {
  /** Of the fixture's session. */
  function outputOf(toolUseId: string) {
    const past = {
      find: () => Promise.resolve({ sessionId, path: path.join(folder, `${sessionId}.jsonl`) }),
    };
    const records = { open: () => Promise.resolve({ past }) };
    return pastOutput(records as unknown as SessionRecords, { sessionId, toolUseId, tool: 'Read' });
  }

  it('is found where a sub-agent has called it', async () => {
    assert.match(JSON.stringify(await outputOf('toolu_mock_8')), /export const a = 10;/);
  });

  it('is found where the agent itself has called it', async () => {
    assert.match(JSON.stringify(await outputOf('toolu_mock_7')), /File created successfully at: .*new\.md/);
  });

  it('is none where nothing has been written down of it', async () => {
    assert.equal(await outputOf('toolu_mock_9999'), undefined);
  });
});
