/* An agent in a process of its own, so that what it needs is not counted. Under `/flaky` every third call fails. */
import { createServer } from 'node:http';

let calls = 0;
const server = createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    const { id, params } = JSON.parse(text);
    const fails = request.url === '/flaky' && ++calls % 3 === 0;
    response.writeHead(fails ? 503 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: params }));
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(`http://127.0.0.1:${address.port}`);
});
process.once('disconnect', () => process.exit());
