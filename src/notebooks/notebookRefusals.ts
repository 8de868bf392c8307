import { UserError } from '../base/errors.ts';
import type { CellRunEnd } from './cellRun.ts';

/** Why nothing was run: read by the model, which may tell the user. @param name file name of the notebook */
export const refusals = {
  untrusted: () => new UserError('Nothing runs in Restricted Mode.', 'Ask the user to trust this workspace.'),
  noNotebook: () =>
    new UserError(
      'No active notebook editor found.',
      'Ask the user to open the notebook, and to leave it in view.',
    ),
  runningAlready: () =>
    new UserError('Another executeCode call is still running.', 'Wait for its answer before the next call.'),
  refused: () =>
    new UserError(
      'The user refused to run this code.',
      'Do not try again without asking what they want instead.',
    ),
  closed: (name: string) =>
    new UserError(`${name} was closed before the code ran.`, 'Ask the user how to go on.'),
  cellChanged: (name: string) =>
    new UserError(
      `The user changed the cell in ${name} before it ran, so this code did not run.`,
      'Read the notebook, or ask the user what they want instead.',
    ),
  cellGone: (name: string) =>
    new UserError(`The cell was removed, or ${name} closed, before it ran.`, 'Ask the user how to go on.'),
  readOnly: (name: string) =>
    new UserError(`${name} is read-only.`, 'Ask the user for a notebook that can be changed.'),
  noKernel: (name: string) =>
    new UserError(
      `No kernel is selected for ${name}.`,
      'Ask the user to select a Python kernel in the notebook.',
    ),
  otherLanguage: (name: string) =>
    new UserError(`The kernel of ${name} does not run Python.`, 'Ask the user to select a Python kernel.'),
  kernelDead: (name: string) =>
    new UserError(`The kernel of ${name} is dead.`, 'Ask the user to restart it.'),
  kernelBusy: (name: string) =>
    new UserError(
      `The kernel of ${name} is busy with another cell.`,
      'Try again later, or ask the user to stop that cell.',
    ),
};

/**
 * Why a run did not come to its own end; undefined if it did.
 * @param timeout in seconds
 */
export function failureOf(
  end: Exclude<CellRunEnd, 'not started'>,
  hasError: boolean,
  timeout: number,
): string | undefined {
  switch (end) {
    case 'succeeded':
    case 'cancelled': // nobody waits for the answer
      return undefined;
    case 'failed':
      return hasError ? undefined : kernelDied;
    case 'kernel died':
      return kernelDied;
    case 'without verdict':
      return 'The kernel did not say how the run ended: it may have been restarted, or the code may still run.';
    case 'timeout':
      return `The code did not end within ${timeout} s and was interrupted. The user can allow more with the setting ideBridge.notebook.timeout.`;
    case 'cell removed':
      return 'The cell was removed while it ran.';
    case 'notebook closed':
      return 'The notebook was closed while the code ran.';
  }
}

const kernelDied =
  'The kernel stopped while the code ran: it died, was restarted or was interrupted. Variables of earlier calls may be gone.';
