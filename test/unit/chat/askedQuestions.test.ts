import assert from 'node:assert/strict';
import { answered, askedQuestions } from '../../../src/chat/askedQuestions.ts';

describe('what the agent asks the user', () => {
  const input = {
    questions: [
      {
        question: 'Which one?',
        header: 'Pick',
        multiSelect: false,
        options: [{ label: 'A', description: 'first' }],
      },
      { question: 'And which?', multiSelect: true, options: [{ label: 'B' }, { label: 'C' }] },
    ],
  };

  it('is answered by the text of each question', () => {
    const questions = askedQuestions(input) ?? [];
    assert.equal(questions.length, 2);
    assert.deepEqual(answered(input, questions, [['A'], ['B', 'C']]), {
      ...input,
      answers: { 'Which one?': 'A', 'And which?': 'B, C' },
    });
  });

  it('is asked like any other tool use where it is not understood', () => {
    assert.equal(askedQuestions({ questions: [] }), undefined);
    assert.equal(askedQuestions({ questions: [{ question: 1 }] }), undefined);
  });
});
