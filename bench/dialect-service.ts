/**
 * A process of its own: one echo behind every dialect of W17. With `stdio` it speaks lines on standard input and output,
 * else HTTP, each dialect at a path of its own, and gRPC on a port beside it.
 */
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadPackageDefinition, Server, ServerCredentials } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

type Json = Record<string, unknown>;

const rpc = ({ id, params }: Json) => ({ jsonrpc: '2.0', id, result: params });

/** As little of MCP as its clients need. */
function mcp({ id, method, params = {} }: Json): Json | null {
  const answer = (result: Json) => ({ jsonrpc: '2.0', id, result });
  if (method === 'initialize')
    return answer({
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'echo', version: '1' },
    });
  if (method === 'tools/list') return answer({ tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') {
    const { arguments: given } = params as Json;
    const text = JSON.stringify(given);
    return answer({ content: [{ type: 'text', text }], structuredContent: given });
  }
  if (id === undefined) return null;
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } };
}

function chat({ model, messages }: Json): Json {
  const [{ content } = { content: '' }] = messages as { content: string }[];
  const message = { role: 'assistant', content };
  return {
    id: 'c',
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1 },
  };
}

const answers: Readonly<Record<string, (body: Json) => Json | null>> = {
  '/rpc': rpc,
  '/rest': (body) => body,
  '/graphql': ({ variables }) => ({ data: { echo: (variables as Json)['value'] } }),
  '/mcp': mcp,
  '/v1/chat/completions': chat,
};

async function startGrpc(): Promise<number> {
  const proto = fileURLToPath(new URL('./echo.proto', import.meta.url));
  const { bench } = loadPackageDefinition(loadSync(proto, { keepCase: true })) as unknown as {
    bench: { Echo: { service: never } };
  };
  const server = new Server();
  type Call = { readonly request: Json };
  server.addService(bench.Echo.service, {
    echo: ({ request }: Call, done: (error: null, answer: Json) => void) => done(null, request),
  });
  return new Promise((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error === null ? resolve(port) : reject(error),
    ),
  );
}

if (process.argv[2] === 'stdio') {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line) as Json;
    const answer = process.argv[3] === 'mcp' ? mcp(message) : rpc(message);
    if (answer !== null) process.stdout.write(`${JSON.stringify(answer)}\n`);
  });
} else {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const make = answers[request.url ?? ''];
      const answer = make?.(JSON.parse(Buffer.concat(chunks).toString() || '{}') as Json) ?? null;
      if (answer === null) {
        response.writeHead(request.method === 'POST' ? 202 : 405).end();
        return;
      }
      const body = JSON.stringify(answer);
      const length = Buffer.byteLength(body);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length }).end(body);
    });
  });
  server.keepAliveTimeout = 15 * 60_000;
  const grpc = await startGrpc();
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the service has no port');
    process.send?.({ http: `http://127.0.0.1:${address.port}`, grpc: `grpc://127.0.0.1:${grpc}` });
  });
  process.once('disconnect', () => process.exit());
}
