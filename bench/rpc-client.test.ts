import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { RpcClient } from './rpc-client.ts';

/** Answers with what it was sent, in two pieces; the method `refuse` with an error. */
const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { id, method, params } = JSON.parse(body);
  const said = method === 'refuse' ? { error: { code: -32602, message: 'no' } } : { result: params };
  const text = JSON.stringify({ jsonrpc: '2.0', id, ...said });
  response.write(text.slice(0, 10));
  response.end(text.slice(10));
});

describe('RpcClient', () => {
  it('gives back results, and throws errors', async () => {
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const client = new RpcClient(`http://127.0.0.1:${address.port}/rpc`, 2);
    const answers = await Promise.all([1, 2, 3].map((n) => client.call('echo', { n })));
    expect(answers).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await expect(client.call('refuse', {})).rejects.toThrow('-32602');
    await client.close();
    server.close();
  });
});
