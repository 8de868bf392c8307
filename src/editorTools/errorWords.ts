import { errorMessage } from '../base/errors.ts';
import { shownText } from './answers.ts';

/** What the model is told of whatever another extension has thrown. */
export function wordsOf(error: unknown): string {
  try {
    return shownText(errorMessage(error)) || 'The tool has failed.';
  } catch {
    return 'The tool has failed.'; // it has no words, or fails when it is asked for them
  }
}
