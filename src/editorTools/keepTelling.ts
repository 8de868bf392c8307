import { type Disposable, toDisposable } from '../base/disposable.ts';

/** ms after which a client is told again that its call goes on. */
const progressTime = 10_000;

/** Until it is disposed of. */
export function keepTelling(tellProgress: () => void): Disposable {
  const timer = setInterval(tellProgress, progressTime);
  return toDisposable(() => clearInterval(timer));
}
