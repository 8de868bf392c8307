import { setTimeout as sleep } from 'node:timers/promises';
import { editorGit } from '../editor/editorGit.ts';

/**
 * Once the editor's own Git has told of its repositories, or is not there, off or broken.
 * @param patience ms after which it is not waited for any more
 */
export function gitReady(patience = 30_000): Promise<void> {
  return Promise.race([toldByGit(), sleep(patience, undefined, { ref: false })]);
}

async function toldByGit(): Promise<void> {
  try {
    const api = await editorGit();
    if (api?.state === 'uninitialized') {
      await new Promise<void>((resolve) => {
        const subscription = api.onDidChangeState(() => {
          subscription.dispose();
          resolve();
        });
      });
    }
  } catch {
    // It tells of none, then.
  }
}
