import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { lockDir } from '../server/configDir.ts';
import { isListening } from '../server/processes.ts';
import { type EditorWindow, findWindow, NoSuchWindow, openWindows, type Wanted } from './findWindow.ts';

/** A line to the editor tools of one window. */
export interface Connection {
  readonly window: EditorWindow;
  /** Set by who uses it. */
  onMessage: (text: string) => void;
  onClose: () => void;
  send(text: string): void;
  close(): void;
}

/** ms between two looks for a window that may still come */
const pause = 250;

/**
 * Connects to the window that is wanted.
 * @param patience ms until it has to be there
 * @throws NoSuchWindow
 */
export async function connect(wanted: Wanted, patience: number): Promise<Connection> {
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      return await open(findWindow(await listeningWindows(), wanted));
    } catch (error) {
      if (performance.now() > deadline || (error instanceof NoSuchWindow && !error.mayCome)) {
        throw error;
      }
    }
    await sleep(pause);
  }
}

/** One that has crashed leaves its lock file, of a process that lives: all windows of an editor have the same. */
async function listeningWindows(): Promise<EditorWindow[]> {
  const windows = openWindows(lockDir());
  const areThere = await Promise.all(windows.map(({ port }) => isListening(port)));
  return windows.filter((_, index) => areThere[index]);
}

async function open(window: EditorWindow): Promise<Connection> {
  const socket = new WebSocket(`ws://127.0.0.1:${window.port}/editor`, ['mcp'], {
    headers: { 'X-Claude-Code-Ide-Authorization': window.token },
    perMessageDeflate: false,
    handshakeTimeout: 5_000,
  });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const connection: Connection = {
    window,
    onMessage: () => {},
    onClose: () => {},
    send: (text) => socket.send(text),
    close: () => socket.close(),
  };
  socket.on('error', () => {}); // 'close' follows
  socket.on('message', (data: Buffer) => connection.onMessage(data.toString('utf8')));
  socket.on('close', () => connection.onClose());
  return connection;
}
