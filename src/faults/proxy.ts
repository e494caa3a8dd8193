import {
  type ClientRequest,
  createServer,
  Agent as HttpAgent,
  type IncomingMessage,
  request,
} from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Socket } from 'node:net';
import { Pauses } from './carry-out.ts';
import { answerByPlan } from './http-answer.ts';
import { type FaultProxy, listenOnLoopback } from './listening.ts';
import type { FaultProxyParts, Outward } from './proxy-parts.ts';
import { relayWebSocket } from './websocket-relay.ts';

const MAX_CONNECTIONS = 8192;

/**
 * Stands in front of a service on this machine's loopback, and passes requests and WebSockets on. Each answer meets what is
 * planned for it: also the answer to a handshake, which may be late or lost but is never a wrong one.
 */
export async function openFaultProxy(parts: FaultProxyParts): Promise<FaultProxy> {
  const agent = agentFor(parts);
  const pauses = new Pauses(parts.timers);
  const sockets = new Set<Socket>();
  const requests = new Set<ClientRequest>();
  const outward: Outward = (asked) => {
    const made = passOn(parts, agent, asked);
    requests.add(made);
    made.once('close', () => requests.delete(made));
    return made;
  };
  const server = createServer((asked, response) =>
    answerByPlan({ ...parts, pauses, outward }, asked, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  // Agents may think for long.
  server.requestTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (asked, socket: Socket, head) =>
    relayWebSocket({ ...parts, outward }, { asked, socket, head }),
  );
  return listenOnLoopback(server, () => {
    pauses.end();
    for (const made of requests) made.destroy();
    for (const socket of sockets) socket.destroy();
    agent.destroy();
  });
}

function agentFor({ target }: FaultProxyParts): HttpAgent {
  const secure = target.protocol === 'https:' || target.protocol === 'wss:';
  return secure
    ? new HttpsAgent({ keepAlive: true, minVersion: 'TLSv1.2' })
    : new HttpAgent({ keepAlive: true });
}

function passOn({ target, tls }: FaultProxyParts, agent: HttpAgent, asked: IncomingMessage): ClientRequest {
  const { method, url, headers, socket } = asked;
  const secure = agent instanceof HttpsAgent;
  const made = request({
    ...tls?.(),
    agent,
    protocol: secure ? 'https:' : 'http:',
    // An address of six parts stands in brackets in a URL, and nowhere else.
    host: target.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: target.port === '' ? (secure ? 443 : 80) : target.port,
    method,
    path: url,
    // The service is still called by its own name, unless whoever asked gave it another.
    headers: headers.host === `127.0.0.1:${socket.localPort}` ? { ...headers, host: target.host } : headers,
  });
  made.on('error', () => {});
  return made;
}
