// The yardstick of the bench: a WebSocket server that does nothing but answer.
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
server.on('connection', (socket) => socket.on('message', (data) => socket.send(data.toString('utf8'))));
server.on('listening', () => process.send?.(server.address().port));
