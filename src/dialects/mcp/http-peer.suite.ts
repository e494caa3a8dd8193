import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../core/json.ts';
import { type Act, actOverHttp, BUSY_MS } from '../testing/actor.suite.ts';
import { answerTo, createActor, formality, type Message, type PeerEra } from './peer-acts.suite.ts';

const json = { 'content-type': 'application/json' };

/** An MCP server by hand: the newer era answers with JSON, the older has sessions and answers with streams. */
export async function startMcpPeer(era: PeerEra) {
  const play = createActor();
  const sessions = new Set<string>();
  const server = createServer(async (request, response) => {
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await textOf(request)) as Message;
    if (era === 'session' && !begin({ request, response, message }, session)) return;
    if (message.method !== 'tools/call') return formally(response, message);
    const params = (message.params?.['arguments'] ?? {}) as JsonObject;
    const headers = request.headers as JsonObject;
    const act = await play({ id: message.id ?? null, method: 'act', headers }, params);
    respond(response, { message, act, era });
  });

  function begin({ response, message }: Turn, session: string): boolean {
    if (message.method === 'initialize') {
      const made = `session-${sessions.size + 1}`;
      sessions.add(made);
      response.setHeader('mcp-session-id', made);
      return true;
    }
    if (sessions.has(session)) return true;
    const error = { code: -32000, message: 'Bad Request: Server not initialized' };
    response.writeHead(400, json).end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
    return false;
  }

  function formally(response: ServerResponse, message: Message): void {
    const answer = formality(era, message);
    if (answer === null) return void response.writeHead(202).end();
    response.writeHead(200, json).end(JSON.stringify(answer));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    /** As if it had been started anew. */
    forgetSessions: () => sessions.clear(),
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type Turn = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly message: Message;
};

function respond(
  response: ServerResponse,
  { message, act, era }: { message: Message; act: Act; era: PeerEra },
): void {
  if (act.act === 'silence' || actOverHttp(response, act)) return;
  if (act.act === 'cut') return void response.destroy();
  if (act.act === 'garbage') return void response.writeHead(200, json).end('<html>not here</html>');
  if (act.act === 'busy')
    return void response.writeHead(429, { 'retry-after': String(BUSY_MS / 1000) }).end('slow down');
  const text = answerTo(message.id ?? null, act, era) ?? '';
  if (era === 'modern') return void response.writeHead(200, json).end(text);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`: hello\n\nevent: message\ndata: ${text}\n\n`);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
