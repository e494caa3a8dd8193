/**
 * A process of its own: the agent every system calls in W10, a plain JSON-RPC echo over HTTP. In W15 some are ill: one that is
 * `hung` takes calls and never answers, one that is `flaky` answers every other call with an error. In W13 some take their
 * time. Whoever asks with GET is told how many calls there were.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AgentParams } from './agent-client.ts';
import { handle } from './payload.ts';

interface Request {
  readonly id: string | number;
  readonly params: AgentParams;
}

const [, , health = 'well', takes_ms = '0'] = process.argv;
let calls = 0;

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  if (request.method === 'GET') return void response.end(String(calls));
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    calls++;
    if (health === 'hung') return;
    const body = answer(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(health === 'flaky' && calls % 2 === 0 ? 503 : 200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    if (takes_ms === '0') response.end(body);
    else setTimeout(() => response.end(body), Number(takes_ms));
  });
});

/** Echoes what it was sent, and the length that proves along a chain that results were passed on. */
function answer({ id, params }: Request): string {
  const { text, previous } = params;
  return JSON.stringify({ jsonrpc: '2.0', id, result: { ...handle(params, previous), text } });
}

// Connections outlast every pause between two runs: opening them is nobody's work.
server.keepAliveTimeout = 15 * 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the agent has no port');
  process.send?.(`http://127.0.0.1:${address.port}/rpc`);
});
process.once('disconnect', () => process.exit());
