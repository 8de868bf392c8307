import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { WebSocket } from 'ws';

/** For the official MCP SDK's client, whose own WebSocket transport cannot send the token header. */
export class SdkTransport implements Transport {
  private socket: WebSocket | undefined;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(
    private readonly port: number,
    private readonly token: string,
    private readonly path = '/',
  ) {}

  start(): Promise<void> {
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}${this.path}`, ['mcp'], {
      headers: { 'X-Claude-Code-Ide-Authorization': this.token },
    });
    this.socket = socket;
    socket.on('message', (data: Buffer) =>
      this.onmessage?.(JSON.parse(data.toString('utf8')) as JSONRPCMessage),
    );
    socket.on('close', () => this.onclose?.());
    return new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.socket?.send(JSON.stringify(message));
  }

  async close(): Promise<void> {
    this.socket?.close();
  }
}
