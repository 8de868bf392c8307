import * as vscode from 'vscode';
import { readPast } from '../agent/history.ts';
import { errorMessage } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { timeText } from '../base/text.ts';
import type { Reports } from '../editor/reports.ts';
import type { PastSession } from '../records/pastSessions.ts';
import { factsOf, titleText } from './pastWords.ts';
import { transcriptName, transcriptText } from './transcriptText.ts';

/** Shows it as a page, as it is written down now. */
export async function openTranscript(reports: Reports, session: PastSession): Promise<void> {
  const title = titleText(session);
  try {
    const { conversation, leftOut, broken } = await readPast(session);
    const facts = [
      ...factsOf(session, undefined),
      `As of ${timeText(Date.now())}`,
      ...(leftOut > 0 ? [`${leftOut.toLocaleString('en')} bytes at its beginning were not read.`] : []),
      ...(broken > 0 ? [`${broken} of its lines could not be understood.`] : []),
    ];
    const text = transcriptText({ title, facts }, conversation.snapshot().items);
    await reports.show(transcriptName(title, session.sessionId), { text, actions: [] });
  } catch (error) {
    void vscode.window.showWarningMessage(printable(errorMessage(error), 500));
  }
}
