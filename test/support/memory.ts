import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes in use after what is garbage has gone. */
export async function memoryInUse(): Promise<number> {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20)); // finalizers run between turns
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
