import { createServer } from 'node:http';
import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';

type Numbers = { readonly a: number; readonly b: number };

function numbers(...names: string[]) {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'number' as const }]));
  return { type: 'object' as const, properties, required: names };
}

/** The SDK's own server of both eras at one address, or of the newer alone: `modern`, then its port. */
function build(): McpServer {
  const server = new McpServer({ name: 'both-eras', version: '1.0.0' });
  server.registerTool(
    'add',
    { inputSchema: fromJsonSchema<Numbers>(numbers('a', 'b')), outputSchema: fromJsonSchema(numbers('sum')) },
    ({ a, b }) => {
      const sum = { sum: a + b };
      return { content: [{ type: 'text', text: JSON.stringify(sum) }], structuredContent: sum };
    },
  );
  return server;
}

const [, , era, port] = process.argv;
const legacy = era === 'modern' ? 'reject' : 'stateless';
const handler = createMcpHandler(build, { legacy });

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const url = `http://${request.headers.host}${request.url}`;
  const answer = await handler.fetch(
    new Request(url, {
      method: request.method ?? 'POST',
      headers: request.headers as Record<string, string>,
      ...(body.length > 0 ? { body } : {}),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(Buffer.from(await answer.arrayBuffer()));
});
server.listen(Number(port), '127.0.0.1', () => console.log('listening'));
