// JSON-RPC 2.0 over a WebSocket: ws://127.0.0.1:9002/
import { WebSocketServer } from 'ws';

const methods = {
  'text.sign': ({ fahrenheit }) => ({ text: `It is ${fahrenheit} °F.` }),
};

const server = new WebSocketServer({ host: '127.0.0.1', port: Number(process.env.WEBSOCKET_PORT ?? 9002) });
server.on('listening', () => console.log('the WebSocket agent listens'));
server.on('connection', (socket) => {
  socket.on('message', (message) => {
    const { id, method, params } = JSON.parse(message.toString());
    const answer = Object.hasOwn(methods, method)
      ? { result: methods[method](params) }
      : { error: { code: -32601, message: `there is no method ${method}` } };
    socket.send(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
});
