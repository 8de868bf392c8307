import assert from 'node:assert/strict';
import { agoText, factsOf, pastDescription, titleText, turnsText } from '../../../src/past/pastWords.ts';
import type { PastSession } from '../../../src/records/pastSessions.ts';

const now = Date.UTC(2026, 0, 31, 12);
const minutes = (count: number) => now - count * 60_000;
const session: PastSession = {
  sessionId: 'e1',
  path: '/c/projects/-a/e1.jsonl',
  cwd: '/a/b',
  title: 'Mend',
  begun: minutes(300),
  lastActive: minutes(125),
  bytes: 1,
  branch: 'main',
  prompts: ['mend it', 'more'],
};

describe('The words for a past session', () => {
  for (const [at, words] of [
    [now + 5_000, 'just now'],
    [minutes(0.9), 'just now'],
    [minutes(1), '1 min ago'],
    [minutes(59.9), '59 min ago'],
    [minutes(60), '1 h ago'],
    [minutes(60 * 24 - 1), '23 h ago'],
    [minutes(60 * 24), '1 d ago'],
    [minutes(60 * 24 * 30), '30 d ago'],
  ] as const) {
    it(`say how long ago it was: ${words}`, () => assert.equal(agoText(at, now), words));
  }

  it('say the date of what is long ago', () => {
    const at = minutes(60 * 24 * 40);
    assert.equal(agoText(at, now), new Date(at).toLocaleDateString());
  });

  it('name the folder only where it is another', () => {
    assert.equal(pastDescription(session, undefined, ['/a/b'], now), '2 h ago');
    assert.equal(pastDescription(session, undefined, ['/a/b', '/c'], now), '2 h ago · b');
    assert.equal(pastDescription(session, 7, ['/a'], now), '2 h ago · open elsewhere (process 7) · b');
  });

  it('never are empty, or on more than one line', () => {
    assert.equal(titleText({ title: undefined }), 'No title');
    assert.equal(titleText({ title: ' \n\u202e' }), '\ufffd');
    assert.equal(titleText({ title: 'a\nb' }), 'a');
  });

  it('tell what is known', () => {
    const facts = factsOf(session, turnsText(2, false));
    assert.deepEqual(
      facts.filter((fact) => !fact.startsWith('Begun')),
      ['First prompt: mend it', 'At least 2 prompts', 'Branch: main', 'Folder: /a/b', 'Id: e1'],
    );
  });
});
