// JSON-RPC 2.0 by POST: http://127.0.0.1:9001/rpc
import { createServer } from 'node:http';

const methods = {
  convert: ({ celsius }) => ({ fahrenheit: (celsius * 9) / 5 + 32 }),
};

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString());
  const answer = Object.hasOwn(methods, method)
    ? { result: methods[method](params) }
    : { error: { code: -32601, message: `there is no method ${method}` } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}).listen(Number(process.env.HTTP_PORT ?? 9001), '127.0.0.1', () => console.log('the HTTP agent listens'));
