import { connect } from 'node:net';
import { errorCode } from '../base/errors.ts';

export function isAlive(pid: number): boolean {
  if (pid <= 0) {
    return false; // 0 and below name process groups.
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM'; // alive, but another user's
  }
}

/** Whether anything accepts connections on this port of 127.0.0.1. Waits at most 500 ms. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const finish = (listening: boolean) => {
      socket.destroy();
      resolve(listening);
    };
    socket.setTimeout(500, () => finish(true)); // too busy to answer is not gone
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
  });
}
