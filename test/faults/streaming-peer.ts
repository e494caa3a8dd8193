import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const forms = {
  events: { type: 'text/event-stream', framed: (message: string) => `data: ${message}\n\n` },
  lines: { type: 'application/x-ndjson', framed: (message: string) => `${message}\n` },
};

/** Repeats what it is told at the end of a stream, in which it tells of its progress first. */
export async function startStreamingPeer(form: keyof typeof forms) {
  const { type, framed } = forms[form];
  const server = createServer(async (request, response) => {
    const { id, params } = JSON.parse(await text(request));
    response.writeHead(200, { 'content-type': type });
    const say = (message: object) =>
      new Promise<unknown>((resolve) => {
        response.once('close', resolve);
        response.write(framed(JSON.stringify({ jsonrpc: '2.0', ...message })), resolve);
      });
    await say({ method: 'progress', params: { id, progress: 1, total: 2 } });
    // Whoever stands between, in this process too, hears of it before there is more: they are two pieces.
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
    await say({ id, result: params.value });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rpc`,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
