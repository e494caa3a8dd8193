import { createServer, type ServerResponse } from 'node:http';
import { createServer as createHttp2, type ServerHttp2Stream } from 'node:http2';
import { textOf } from './services.ts';
import { type Service, serviceOf, Turnstile } from './turnstile.ts';

type Request = { readonly id?: string; readonly method?: string; readonly task_id?: string };

/** An API of its own, jobs, a model and an MCP server under one address. */
export async function startWebService(): Promise<Service> {
  const turnstile = new Turnstile();
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    const asked = JSON.parse(text || '{}') as Request;
    const path = request.url ?? '';
    if (path.startsWith('/jobs')) answer(response, { done: !turnstile.isHolding });
    else if (path.startsWith('/mcp')) await answerTool(request.method, asked, { response, turnstile });
    else if (path.endsWith('/completions')) await speak(response, turnstile);
    // An agent without a card.
    else if (path.startsWith('/.well-known') || (path === '/a2a' && request.method !== 'POST'))
      response.writeHead(404).end();
    else if (Object.hasOwn(answers, path)) {
      await turnstile.pass();
      answer(response, answers[path]?.(asked) ?? {});
    } else {
      await turnstile.pass();
      answer(response, { said: 'as any API' });
    }
  });
  return serviceOf(server, turnstile);
}

const message = {
  kind: 'message',
  messageId: 'm',
  role: 'agent',
  parts: [{ kind: 'text', text: 'over A2A' }],
};

/** What is said where, each in the words of its dialect. */
const answers: Readonly<Record<string, (asked: Request) => object>> = {
  '/graphql': () => ({ data: { say: 'over GraphQL' } }),
  '/simple': ({ task_id }) => ({ task_id, status: 'success', output: 'as a simple agent', error: null }),
  '/zone': ({ id }) => ({ jsonrpc: '2.0', id, result: { status: 'success', response_text: 'elsewhere' } }),
  '/a2a': ({ id }) => ({ jsonrpc: '2.0', id, result: message }),
};

function answer(response: ServerResponse, body: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(body));
}

/** In the middle of its answer it falls silent. */
async function speak(response: ServerResponse, turnstile: Turnstile): Promise<void> {
  const piece = (choice: object) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`);
  response.setHeader('content-type', 'text/event-stream');
  piece({ delta: { content: 'Well' } });
  await turnstile.pass();
  piece({ delta: {}, finish_reason: 'stop' });
  response.end('data: [DONE]\n\n');
}

type Over = { readonly response: ServerResponse; readonly turnstile: Turnstile };

async function answerTool(verb: string | undefined, { id, method }: Request, { response, turnstile }: Over) {
  if (verb !== 'POST') return void response.writeHead(405).end();
  if (id === undefined) return void response.writeHead(202).end();
  if (method === 'tools/call') await turnstile.pass();
  const serverInfo = { name: 'leftovers', version: '1' };
  const tools = [{ name: 'say', inputSchema: { type: 'object' } }];
  const results = new Map<string | undefined, object>([
    ['initialize', { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo }],
    ['tools/list', { tools }],
    ['tools/call', { content: [{ type: 'text', text: 'over MCP' }] }],
  ]);
  const result = results.get(method);
  const error = { code: -32601, message: 'no such method' };
  answer(response, { jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
}

/** gRPC by hand, so that its connections can be counted: an answer without a field in it. */
export async function startGrpcService(): Promise<Service> {
  const turnstile = new Turnstile();
  const server = createHttp2();
  server.on('session', (session) => session.on('error', () => {}));
  server.on('stream', async (stream: ServerHttp2Stream) => {
    stream.on('error', () => {}).resume();
    await turnstile.pass();
    if (stream.destroyed) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(Buffer.alloc(5));
  });
  return serviceOf(server, turnstile);
}
